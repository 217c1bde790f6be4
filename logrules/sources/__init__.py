"""Bytes and time: the only code that opens a log or looks at a clock."""
