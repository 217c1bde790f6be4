"""Log text that XML can hold."""

from collections.abc import Iterable

from logrules.output.escape import safe as spelled

# Spelled-out controls are legal in XML; these two code points are not.
_NO_XML = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def safe(text: str) -> str:
    """Text that XML can hold."""
    return spelled(text).translate(_NO_XML)


def safe_lines(lines: Iterable[str]) -> str:
    """Several lines that XML can hold."""
    return "\n".join(map(safe, lines))
