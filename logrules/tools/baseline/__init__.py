"""`--baseline`: a log held against good runs."""
