"""The command line: one module a verb, one error border."""
