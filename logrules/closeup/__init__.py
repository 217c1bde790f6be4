"""A closer look at a job that hangs, by commands that only look; what they say is read as log lines are."""
