"""Many logs read by many processes, here or on a cluster: only events come back, and one session reasons over them."""
