"""Diagnose machine-learning training logs."""
