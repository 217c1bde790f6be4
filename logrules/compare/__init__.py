"""A log held against good ones: what is new in it, what is missing, what is slower."""
