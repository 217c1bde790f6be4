"""The extras of the package, which only tools need: what is said where one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from logrules.model.errors import LogrulesError
from logrules.model.record import record


@record
class Extra:
    """An extra by its name in pyproject.toml, and what it brings in plain words."""

    name: str
    brings: str


HTML = Extra("html", "jinja2")
INSPECT = Extra("inspect", "psutil and py-spy")
MCP = Extra("mcp", "the MCP SDK")
METRICS = Extra("metrics", "prometheus-client")
RAY = Extra("ray", "Ray")


@contextmanager
def needed(extra: Extra, asked: str) -> Iterator[None]:
    """Guards imports from an extra that the option or verb ``asked`` needs. Raises LogrulesError if it is missing."""
    try:
        yield
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] == "logrules":
            raise
        raise LogrulesError(f"{asked} needs {extra.brings}: pip install 'logrules[{extra.name}]'") from None
