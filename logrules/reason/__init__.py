"""Events and ticks to changes and a report: the state lives here; no byte and no clock is seen."""
