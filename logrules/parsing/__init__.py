"""Bytes to events: scan, lines, headers, timestamps, tracebacks."""
