"""Many jobs: each read as one, summed up in a line, kept, and grouped by what they have in common."""
