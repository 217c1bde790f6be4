"""Rule files looked at without running them on a job: what is wrong with them, and what will be."""
