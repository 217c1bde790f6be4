"""Checks of the machine that a job runs on, each with a time limit and a plain answer."""
