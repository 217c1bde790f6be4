"""Verbs that stand on the core and are no part of it."""
