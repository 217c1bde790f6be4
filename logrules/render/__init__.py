"""A report to text: one file a form; a renderer decides nothing and reads nothing."""
