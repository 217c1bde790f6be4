"""Log text that XML can hold, and documents of it."""

from collections.abc import Iterable
from typing import TextIO
from xml.etree.ElementTree import Element, ElementTree, indent

from logrules.output.escape import safe as spelled

# Spelled-out controls are legal in XML; these two code points are not.
_NO_XML = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def safe(text: str) -> str:
    """Text that XML can hold."""
    return spelled(text).translate(_NO_XML)


def safe_lines(lines: Iterable[str]) -> str:
    """Several lines that XML can hold."""
    return "\n".join(map(safe, lines))


def write_document(root: Element, out: TextIO) -> None:
    """The whole document, indented."""
    indent(root)
    out.write('<?xml version="1.0" encoding="utf-8"?>\n')
    ElementTree(root).write(out, encoding="unicode")
    out.write("\n")
