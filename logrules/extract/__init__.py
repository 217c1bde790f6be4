"""One window of bytes to its events: pure, any order, any core."""
