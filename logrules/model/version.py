"""The version of logrules: here, below everything else, so that everything may say it."""

__version__ = "0.1.0"
