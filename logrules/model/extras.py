"""Packages that only an extra of logrules brings: one sentence where one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from logrules.model.errors import LogrulesError
from logrules.model.record import record


@record
class Extra:
    """An extra as pyproject.toml names it, what it brings in people's words, and the modules of that."""

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
    """For the imports of what ``asked``, an option or a verb, needs of an extra. Raises LogrulesError without it."""
    try:
        yield
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in extra.modules:
            raise
        raise LogrulesError(f"{asked} needs {extra.brings}: pip install 'logrules[{extra.name}]'") from None
