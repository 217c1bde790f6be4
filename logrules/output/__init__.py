"""A report in each form. Knows the model and nothing else."""
