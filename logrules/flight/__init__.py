"""Flight-recorder dumps of c10d, read beside the logs: which rank missed which collective."""
