"""`logrules watch` for Prometheus."""
