"""Secrets out of text that leaves the machine."""
