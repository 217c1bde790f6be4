"""A Ray cluster that reads logs: its own disks, or what all its nodes share."""
