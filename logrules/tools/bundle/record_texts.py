r"""What records of JSON and the like hold, as if it had been printed: lines of a container's log, JSON within JSON.

Of `{"log": "a=\"b\"\n", "time": …}` it is `a="b"`, and of the next record the next line.
"""

from collections.abc import Iterator

import regex

from logrules.tools.bundle.text_view import Piece, TextView, view_of

# One of these holds what was printed, whatever else a record says of it; so do the rows of a list.
_FIELD = r"(?:log|message|msg|text|line|content|event|body|output|stdout|stderr)"
_RECORD = regex.compile(
    rf"""(?: \{{ [^\n]{{0,400}}? "{_FIELD}" \s?:\s? | (?<![\w"]){_FIELD}= | ^[ \t]{{1,40}}+(?="[^\n]*"[ ]?,?[ \t]*$) )
    " (?P<text> (?: \\. | [^"\\\n] )*+ ) " """,
    regex.VERBOSE | regex.MULTILINE,
)
_ESCAPE = regex.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|(?P<char>.))")
_MEANT = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}


def texts_of_records(view: str) -> TextView | None:
    """The texts that records hold, each on lines of its own; None if there are none."""
    if '"' not in view:
        return None
    pieces = [piece for record in _RECORD.finditer(view) for piece in _unescaped(record)]
    return view_of(pieces, joint=0) if pieces else None


def _unescaped(record: "regex.Match[str]") -> Iterator[Piece]:
    text, (last, end) = record.string, record.span("text")
    for escape in _ESCAPE.finditer(text, last, end):
        char = chr(int(escape["code"], 16)) if escape["code"] else _MEANT.get(escape["char"], escape["char"])
        yield text[last : escape.start()], last, escape.start()
        yield char, *escape.span()
        last = escape.end()
    yield text[last:end], last, end
    if text[max(0, end - 2) : end] != "\\n":
        yield "\n", end, end
