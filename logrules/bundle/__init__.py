"""What one would attach to a bug report, in one archive without secrets."""
