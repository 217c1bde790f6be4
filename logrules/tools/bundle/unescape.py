r"""Lines as they read once escapes are resolved and the parts of a quoted text are joined.

Secrets that were spelt otherwise (`\u0068f_…`, `"hf_" + "…"`, `%68f_…`) look there like what they are.
"""

import re
from collections.abc import Iterator

import regex

from logrules.tools.bundle.evaluated_texts import put_together
from logrules.tools.bundle.plain_text import folded
from logrules.tools.bundle.text_view import Piece, TextView, lines_round, starts_of, view_of

# Between parts of one text, as languages and shells join them: side by side, by a sign, on the next line, as
# arguments of what joins them, by a second assignment, and by what fills a gap.
_QUOTE = r"""\\*["'`]"""
_INSIDE = r"[\w+/=.~@\#$!*^-]"
_SIGN = r"(?: \.\.? | \+\+? | [&~] | \|\| | << | <> | \\ )"
_SPACE = r"(?: [ \t]{0,40} \r?\n [ \t]{1,40} | [ \t]{0,40} )"
_CALL = r"\s{0,40} \. \s? (?:append|concat|add|plus|push|write|put)\w{0,10} \("
_JOINT = rf"""
    (?<={_INSIDE})
    (?: (?: {_QUOTE} [ \t]{{0,40}} {_SIGN}?+ {_SPACE} [bBrRfFuU]{{0,2}} {_QUOTE} ){{1,8}}
      | {_QUOTE} \s? \) (?: \s?;\s{{0,40}} \w{{1,40}} )? {_CALL} \s? {_QUOTE}
      | (?<=(?:\bconcat\w*!?|\bjoin|\bpaste\w?)\([^()]{{0,400}}) {_QUOTE} \s{{0,40}},\s{{0,40}} {_QUOTE}
      | {_QUOTE}? \s?[;\n]\s? \$?\w{{1,40}} \s? [+.]= \s? {_QUOTE}?
      | %s {_QUOTE} \s? % \s? \(? {_QUOTE}
      | \\ \r?\n
    )
    (?={_INSIDE})
"""
_SPELT = regex.compile(
    rf"""
      (?<!\\) \\++ (?:
          u \{{ (?P<hex>[0-9a-fA-F]{{2,6}}) \}} | u (?P<hex>[0-9a-fA-F]{{4}}) | U (?P<hex>[0-9a-fA-F]{{8}})
        | (?P<bytes> x[c-f][0-9a-f] (?: \\++ x[89ab][0-9a-f] ){{1,3}} )
        | x (?P<hex>[0-9a-fA-F]{{2}}) | (?P<octal>[01][0-7]{{2}}) | (?P<escape>) (?=["'_.~-]) )
    | % (?:25){{0,2}}+ (?P<hex>[0-7][0-9a-fA-F])
    | (?P<bytes> % (?:25){{0,2}}+ [C-Fc-f][0-9a-fA-F] (?: % (?:25){{0,2}}+ [89abAB][0-9a-fA-F] ){{1,3}} )
    | & (?:amp;)?+ \# (?: [xX] (?P<hex>[0-9a-fA-F]{{2,5}}) | (?P<decimal>\d{{2,6}}) ) ;
    | (?: (?<= =[0-9A-F]{{2}} ) = (?P<hex>[2-7][0-9A-F]) | = (?P<hex>[2-7][0-9A-F]) (?= =[2-7][0-9A-F] ) )
    | (?P<end> (?<!\\) \\++ (?: r \\++ )?+ n (?! \\*+["'] | $ ) )
    | (?P<joint> {_JOINT} )
    """,
    regex.VERBOSE,
)
_NEXT_QUOTED = (
    r"""(?:[ \t]{0,40}(?:\.\.?|\+\+?|[&~]|\|\||<<|<>|\\)?\s{0,80}[bBrRuU]?[fF]?\\*["'`]){1,8}[\w+/=.~@\#$!*^-]"""
)
# What each of these has: found in a hundredth of the time.
_SPELT_OTHERWISE = re.compile(
    rf"""\\u[0-9a-fA-F{{]|\\U[0-9a-fA-F]{{8}}|\\x[0-9a-fA-F]|\\[01][0-7]{{2}}|\\["'_.~-](?<![,:{{\[ =(][\\]["'])
    | %[0-9a-fA-F]{{2}}|&\#|&amp;\#|=[2-7][0-9A-F]=
    | ["'`](?<={_INSIDE}["'`])(?={_NEXT_QUOTED})
    | \.\s?(?:append|concat|add|plus|push|write|put)\w{{0,10}}\( | concat\w*!?\( | join\( | paste\w?\( | [+.]=\s?["']
    | \\n""",
    re.VERBOSE,
)
_LINES_BEHIND = 3
_BASES = {"hex": 16, "octal": 8, "decimal": 10}
_BYTE = regex.compile(r"[89A-Fa-f][0-9A-Fa-f](?=$|[\\%x])")
_LAST_OF_ALL = 0x10FFFF
# Between parts of a text that was joined there is no more than this.
_MAX_JOINT = 160


def respelled(view: str) -> TextView | None:
    """The lines in which something is spelt otherwise, each with the one before it; None if there are none."""
    plain = view_of((*_pieces(view), *put_together(view)), _MAX_JOINT)
    return plain if plain.text else None


def _pieces(view: str) -> Iterator[Piece]:
    """Texts that are not empty, with where they stand in the view."""
    last = line_end = 0
    lines = lines_round(view, starts_of(_SPELT_OTHERWISE, view), 1, _LINES_BEHIND)
    for found in (one for start, end in lines for one in _SPELT.finditer(view, start, end)):
        char = _char(found)
        if char is None:
            continue
        if found.start() >= line_end:
            if line_end:
                yield view[last:line_end], last, line_end
                yield "\n\n", line_end, line_end
            line = view.rfind("\n", 0, found.start())
            last = max(line_end, view.rfind("\n", 0, max(0, line)) + 1)
        if last < found.start():
            yield view[last : found.start()], last, found.start()
        if char:
            yield char, found.start(), found.end()
        last = found.end()
        line_end = view.find("\n", last)
        line_end = len(view) if line_end < 0 else line_end
    if line_end:
        yield view[last:line_end], last, line_end
        yield "\n", line_end, line_end


def _char(found: "regex.Match[str]") -> str | None:
    """What is meant: a character, nothing where parts are joined, None for what no secret has."""
    if found["joint"] is not None or found["escape"] is not None:
        return ""
    if found["end"] is not None:
        return "\n"
    if found["bytes"] is not None:
        return _of_bytes(found["bytes"])
    code = next(int(found[name], base) for name, base in _BASES.items() if found[name] is not None)
    char = chr(code) if code <= _LAST_OF_ALL else "\0"
    is_blank = found[0][0] == "%" and char in " \t\n"
    return folded(char) if is_blank or (char.isprintable() and not char.isspace()) else None


def _of_bytes(escapes: str) -> str | None:
    """The character of which these are the bytes, as Python or a URL spells them."""
    char = bytes.fromhex("".join(_BYTE.findall(escapes))).decode(errors="replace")
    return folded(char) if len(char) == 1 and char.isprintable() else None
