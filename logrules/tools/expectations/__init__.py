"""`--expect`: a job held against the path that it should take."""
