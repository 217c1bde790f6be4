"""The version of logrules: in the lowest layer, so that every module can import it."""

__version__ = "0.1.0"
