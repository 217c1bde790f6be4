"""Options that take a whole number, and what is said of a number that makes no sense."""

import argparse
from collections.abc import Callable


def whole_number(least: int) -> Callable[[str], int]:
    """What reads a whole number from ``least`` on; argparse says where it is another."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"expects a whole number from {least} on, not `{text}`")
        return value

    return read


def add_processes_option(parser: argparse.ArgumentParser, about: str = "processes (default: one a core)") -> None:
    """How many processes work at once."""
    parser.add_argument("-j", "--processes", type=whole_number(1), metavar="N", help=about)
