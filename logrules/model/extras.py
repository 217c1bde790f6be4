"""Packages of logrules' extras: one sentence if one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from logrules.model.errors import LogrulesError
from logrules.model.record import record


@record
class Extra:
    """An extra by its name in pyproject.toml, what it is for in plain words, and its modules."""

    name: str
    brings: str
    modules: frozenset[str]


HTML = Extra("html", "jinja2", frozenset({"jinja2", "markupsafe"}))
INSPECT = Extra("inspect", "psutil and py-spy", frozenset({"psutil"}))
MCP = Extra("mcp", "the MCP SDK", frozenset({"mcp", "mcp_types"}))
METRICS = Extra("metrics", "prometheus-client", frozenset({"prometheus_client"}))
RAY = Extra("ray", "Ray", frozenset({"ray"}))


@contextmanager
def needed(extra: Extra, asked: str) -> Iterator[None]:
    """Guards imports from an extra that the option or verb ``asked`` needs. Raises LogrulesError if it is missing."""
    try:
        yield
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in extra.modules:
            raise
        raise LogrulesError(f"{asked} needs {extra.brings}: pip install 'logrules[{extra.name}]'") from None
