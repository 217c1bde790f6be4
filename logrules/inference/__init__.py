"""Events to a diagnosis: workers, phases, conditions, ranks, ranking. No bytes, no clock."""
