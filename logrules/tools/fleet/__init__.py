"""`logrules scan` and `logrules history`: what became of many jobs."""
