"""Secrets by the name beside them, in every syntax in which logs, shells and files set a name to a value."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import regex

from logrules.tools.bundle.score import (
    Name,
    Relation,
    is_asked,
    is_identifier,
    is_resource,
    is_secret,
    name_before,
    name_of,
)
from logrules.tools.bundle.secret_names import KEYS, NAME_REST, NAMED, PASSWORDS
from logrules.tools.bundle.text_view import lines_round
from logrules.tools.bundle.value_kinds import MIN_HINTED, drawn_by_lot, has_mixture, is_drawn, is_nothing

# What may stand between a name and its sign: (secret), [0], .value, a type, the bracket and quote of what held it.
_QUALIFIED = r"""
    (?: [ ]?+ [(\[] (?P<typed> (?:str(?:ing)?|bytes|bool|int)\b )?+ [^()\[\]\n=:]{0,30}+ (?:=[^()\[\]\n:]{0,60}+)? [)\]] )?+ (?: \. (?:value|secret|data|default) )?+
    (?: [ ] (?:string|str|\[\]byte|(?-i:String|[A-Z]\w{0,20}String)) [ ] (?==) )?+
    (?: :\s?+ [&A-Za-z][\w.\[\]]{0,30}+ (?: [ ]?+ \| [ ]?+ [\w.\[\]]{1,30}+ ){0,3}+ \s?+ (?==) )?+
"""
# What may be said of it first: that it is wrong or has expired.
_STATE = r"(?: (?<=[\u4e00-\u9fffA-Za-z]) [ ]?+ (?: 错误 | 有误 | 不对 | 不正确 | 无效 | 失效 | 已?过期 ) (?=[(:=]) )?+"
_SIGNS = r"""
    : [ ] (?:None|null|nil|unset|""|''|<\w{1,10}>) [ ] (?:->|=>|→) [ ] | [+?]= | ::= | => | :=\s? | :- | ={1,3}+ | !={1,2}+ | :(?!:|//) | <?-> | <- | → | ⇒ | [✓✔] | [ ]?\.{3,80}+:? | (?:\.[ ]){2,40}+\.?:?
  | %(?:25){0,3}+3[aAdD](?:%(?:25){0,3}+2[27])?+ | \\+(?:u00|x)3[aAdD] | &\#(?:58|61|x3[aAdD]); | 【
  | (?:的?值)?+ (?:已|被)?+ (?:是|为|等于|(?:改|设|设置|重置|更新|修改)[为成]了?) | ,值[是为]?+:?+ | (?<=[\u4e00-\u9fff]["'])(?=\w) | (?<=】) | (?<=[A-Za-z_])~(?=[^\s~/=]) | (?<=\bset[ ][\w.-]{1,48}[ ])to[ ] | 如下 | (?<=\s)(?:is|was):?[ ](?!(?:re)?set[ ]to)
  | (?<=\s)(?:est|es|ist|lautet|é|è):?[ ] | [은는][ ] | は
"""
# Of one word.
_HERE_DOCUMENT = r"""
    (?: =/dev/stdin )?+ [ ]? <<-? [ ]? ["']? (?P<mark>[A-Za-z]\w{1,20}+) ["']? [ \t]*+ \r?\n
    (?= \s{0,40}+ \S{1,400}+ [ \t]*+ \r?\n [^\n]{0,200}? (?P=mark) [ \t]*+ $ ) [ \t]*+
"""
_PATTERN = regex.compile(
    rf"""
    {NAMED} {NAME_REST}?+
    (?P<close> \\*+["'`] | 】 | %2[27] | \*\* )?+ \]?+ {_STATE}
    (?P<set>
        {_HERE_DOCUMENT}
      | {_QUALIFIED} (?: [ ] (?:provided|given|supplied|received|entered|specified|used) (?=[ ]?:) )?+ [ \t]*+ (?: {_SIGNS} ) (?: \s*+(?=\\*["']) | [ \t]*+ )
      | (?: \\[nrt] | [\s,;] ){{1,12}}+ \\*+["']? val(?:ue)? \\*+["']? \s*+ [:=] \s*+
      | : (?: [ \t]*+ \r?\n [ \t]++ (?!val)\w{{1,20}}+: [^\n]{{0,80}}+ ){{0,3}}+ [ \t]*+ \r?\n [ \t]++ value: [ \t]*+
      | [ ]?+ \{{ (?: [ \t]*+ \r?\n [ \t]++ (?!default)\w{{1,20}}+ [ ]*+ = [^\n]{{0,80}}+ ){{0,3}}+ \n? [ \t]++ default [ ]*+ = [ \t]*+
      | \\+x94 (?:h.)?+ (?:\\+x8c|X) (?: \\+x[0-9a-f]{{2}} | \\. | [ -~] )
      | \r?\n [ \t]*+ : [ ] | (?<=["']) (?: \\r\\n | \r?\n ){{2}}+
      | [ ]?+(?:,|\\n)[ \t]*+ (?:\\\n[ \t]*+)?+ (?=\\*["'])
      | [ \t]{{0,80}}+ [|│┃║] [ \t]*+
      | (?P<xml> [^<>\n]{{0,80}}+ > (?: \s*+ <\w{{1,30}}+> )?+ | </\w{{1,30}}+> \s*+ <\w{{1,30}}+> )
      | [ ] (?P<prose> (?:for|of|to|from|at|on)[ ] (?:(?:[\w.\-'"@/]|:(?=//)){{1,60}}+[ ]?){{1,5}}+ ) (?: :(?!//) | = ) [ \t]*+
      | [ ] (?P<prose> (?:for|of|to|on)[ ] (?:(?:the|a|user)[ ]){{0,2}}+ [\w.@\-]{{1,40}}+ ) [ ](?:is|was|(?:has[ ]been|was)[ ](?:re)?set[ ]to)[ ]
      | (?P<gap>
            [ ](?:(?:is|was|has[ ]been)[ ])?+(?:changed|rotated|reset|set|updated)[ ](?:from|to)[ ] | [ ]to[ ](?=["'])
          | \r?\n[ \t]*+-[ ] | [ \t]*+\\?\r?\n(?:[ \t]++|(?=["'])) | (?::|[ \t]*+=)[ \t]*+\r?\n[ \t]++
          | ,[ \t]*+\r?\n[ \t]*+(?=\\*["']) | (?:;|::)(?=\S)
          | [ ]?+[(](?=[^\s()]{{6,400}}+[)]) | [ ]\[(?=[^\s\[\]]{{16,400}}+\]) | \\t(?=\S) | [ \t]++ | ,[ \t]++
        )
    )
    (?: (?:!!?|&)[\w-]{{0,40}}+[ ] )?+
    (?: (?:\w{{0,20}}(?:Str|Secret|SecretValue|Some|Just)|str|quote) \( | Optional\[ | <\w{{1,30}}+[ ]value= | \{{ \s*+ \\*+["'](?:value|s)\\*+["'] \s*+ : \s*+ | \$(?=['"]) | \$\((?:echo|printf)[ ] )?+
    (?P<wrapped> [\[{{<][ ]?+ )?+
    (?: [bBrfu]{{0,2}} (?P<quote>["]{{3}}|[']{{3}}|["'`]) (?P<secret> (?: \\(?s:.) | (?!(?P=quote)) [^\\\n] ){{1,4096}}+ ) (?P=quote)?
      | [bBrfu]{{0,2}} (?P<deep>\\++["']) (?P<secret> (?: (?!(?P=deep)) [^\n] ){{1,4096}}+ ) (?:(?P=deep))?
      | (?P<block> [|>][+-]?\d?[ \t]*+(?:\#[^\n]*+)?\r?\n(?P<indent>[ \t]+) ) (?P<secret> \S[^\n]*+ (?: \n(?P=indent)[^\n]*+ )*+ )
      | (?P<secret>
          (?: [^\s"'`,;&|<>(){{}}\[\]\u3000-\u9fff]
            | [,;&|] (?! \s | $ | [\w.\-]{{1,40}}+\ ?[=:] | ["'\u3000-\u9fff] )
            | (?!</\w) [()\[\]{{}}<>] (?= [^\s"'`,;()\[\]{{}}<>\u3000-\u9fff] )
            | (?<=[^\s=:]) ['"`] (?= [^\s"'`,;:)}}\]] )
          ){{1,4096}}+
        )
    )
    """,
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
# A value with blanks, alone behind its name in a file of settings.
_LINE = regex.compile(
    rf"""^[ \t]*+(?:-[ ])?["']?(?P<left>[\w.\-]{{0,40}}[_.\-])?(?P<name>{PASSWORDS}|{KEYS})["']?:[ \t]++(?P<secret>[^\s\#"'|>&*!%@`{{\[<][^\n]{{2,400}}+)$""",
    regex.VERBOSE | regex.IGNORECASE | regex.MULTILINE,
)
_PATH = regex.compile(r"(?:[A-Za-z]:[\\/]|~?/|\./|\.\./|\$\{?\w)[\w./\\ -]*")
_DOCUMENTED = regex.compile(r":(?:param|arg|type|keyword)[ ](?:\w{1,30}[ ])?$")
# The name of a class, which is no name of a key: a member of it follows.
_OF_CLASS = regex.compile(r"[a-z][A-Z][a-z]{1,30}::$")
# An end of the line, as JSON and Python spell it.
_ESCAPED_END = regex.compile(r"(?:\\++[nrt])++$")
_KEYS = regex.compile(r"(?:keys|tokens|secrets|passwords)\b", regex.IGNORECASE)
_NEXT_KEY = regex.compile(r"""\\*["']?[ ,]{1,3}\\*["']?(?P<secret>[\w.+/-]{8,400}+=*+)""")
_DOTTED = regex.compile(r"[A-Za-z_][\w.]*")
_WORDS = regex.compile(r"(?: (?!-)[^\s\"'`,;:<>|&()\u3000-\u9fff\uff00-\uffef]{1,40}+){1,24}+")
# In a query `&` ends a value, elsewhere it is a part of it.
_IN_QUERY, _REST_OF_WORD = (
    regex.compile(r"[?&][\w.\[\]%-]{0,60}$|[?&][\w.\[\]%-]{1,60}=|%26"),
    regex.compile(r"[^\s\"'`,;]*"),
)
_QUERY_CHARS = 400
_FRAME = " \t\r|│┃"
_ENDS = ".,;:!?)]}>\"'`"
_MARKS_OF_EXCLAMATION = regex.compile("!*")
_BARS = frozenset("|│┃║")
_IS = frozenset({"is", "was", "est", "es", "ist", "lautet", "é", "è", "은", "는"})
_MAX_TRIES = 16
_LEFT_CHARS = 40


def named_secrets(text: str, places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Where values stand (start, end, kind) beside names that say that they are secret, and begin at ``places``."""
    place = refused_until = tries = 0
    while (found := _next(text, places, place)) is not None:
        start, end = found.span("secret")
        if found["quote"] is None and found["deep"] is None and found["block"] is None:
            end = start + len(_ESCAPED_END.sub("", text[start:end]).rstrip(_ENDS))
            if text[end : end + 1] == "&" and not _IN_QUERY.search(text, max(0, found.start() - _QUERY_CHARS), start):
                end = _REST_OF_WORD.match(text, end).end()  # type: ignore[union-attr]  # (it fits the empty text too)
        elif found["block"] is None and text[end : end + 1] in {"", "\n", "\r"}:
            # The quote is closed on another line: what stands behind the value is the frame that it was printed in.
            end = start + len(text[start:end].rstrip(_FRAME))
        phrase_end = _end_of_phrase(found, text, end) if end > start else end
        # A sentence may say of a passphrase what is no value; behind a sign its first word may be short.
        wholes = (end,) if found["set"].strip().lower() in _IS or is_nothing(text[start:end]) else (end, phrase_end)
        if end > start and any(_is_secret(found, text, text[start:whole]) for whole in wholes):
            end = _MARKS_OF_EXCLAMATION.match(text, phrase_end, max(phrase_end, found.end("secret"))).end()  # type: ignore[union-attr]
            yield start, end, "password" if found["password"] else "key beside its name"
            if found["wrapped"] or _KEYS.search(text, found.start(), found.start("set")):
                yield from ((*more, "key beside its name") for more in _further_keys(text, end))
            place = max(end, found.start() + 1)
            continue
        # Within a value that is none there may be a name and its value; in a chain of nothing but names there is not.
        tries = tries + 1 if found.start() < refused_until else 0
        refused_until = max(refused_until, found.end("secret"))
        place = max(found.start("set") if tries < _MAX_TRIES else refused_until, found.start() + 1)
    for start, _ in lines_round(text, places):
        found = _LINE.match(text, start)
        if found is None:
            continue
        name = Name.RESOURCE if is_resource(found["left"] or "", found["name"]) else Name.KEY
        if is_secret(name, Relation.SET, found["secret"]):
            yield *found.span("secret"), "password"


def _further_keys(text: str, end: int) -> Iterator[tuple[int, int]]:
    """What stands behind the first value of a list of keys and looks like it."""
    while (found := _NEXT_KEY.match(text, end)) is not None and drawn_by_lot(found["secret"]) >= MIN_HINTED:
        yield found.span("secret")
        end = found.end()


def _end_of_phrase(found: "regex.Match[str]", text: str, end: int) -> int:
    """Where a secret ends: what a phrase is asked for may have blanks, and stands up to an option, a sign or the end."""
    is_phrase = (found["password"] or "").lower() == "passphrase" and found["gap"] is None
    words = _WORDS.match(text, end) if is_phrase and found["quote"] is None and found["deep"] is None else None
    return words.end() if words is not None else end


def _next(text: str, places: Sequence[int], start: int) -> "regex.Match[str] | None":
    """The first name and its value from a place on."""
    tried = (_PATTERN.match(text, places[at]) for at in range(bisect_left(places, start), len(places)))
    return next((found for found in tried if found is not None), None)


def _is_secret(found: "regex.Match[str]", text: str, secret: str) -> bool:
    left, _ = name_before(text, found.start())
    quoted = found["quote"] is not None or found["deep"] is not None
    # Behind the name of an option that is quoted its value is quoted too: what else stands there is an argument.
    is_option = left.startswith("-") and found["gap"] is not None and (quoted or not found["close"])
    name = name_of(found)
    if name is not Name.HARMLESS and _is_bare(found, left, quoted=quoted):
        name = Name.ANY_KEY if found["gap"] and found["hint"].lower() == "key" else Name.BARE
    place = Relation.OPTION if is_option else _place(found, name, left, quoted=quoted)
    return place is not None and is_secret(name, place, secret) and not _is_no_value(found, text, secret)


def _place(found: "regex.Match[str]", name: Name, left: str, *, quoted: bool) -> Relation | None:
    """How the value stands to the name; None where it is another's: below the end of a cell, in a list of many lines."""
    gap = found["gap"]
    if gap is not None and (found["block"] is not None or gap.startswith(",\n")):
        return None
    if found["hint"] is not None:
        # Columns are apart by a tab or two blanks, words of prose by one; behind an issuer's name there are none of prose.
        ends = ("\t", ":") if name is Name.SHORT else ("\t", ":", "  ")
        is_apart = not quoted and gap is not None and not gap.startswith(ends)
        is_issuers = name is Name.ISSUED and (gap or "").strip() in {"", "("}
        if name is Name.ISSUED and is_apart and gap.endswith(" to "):
            return Relation.SAID
        return Relation.SET if is_issuers else Relation.APART if is_apart else _place_set(found, quoted=quoted)
    if found["prose"] is not None:
        return Relation.OF_SOMEBODY
    if found["set"].strip().lower() in _IS:
        return Relation.SAID_QUOTED if quoted else Relation.SAID
    return _place_set(found, quoted=quoted) if gap is None else _place_apart(found, left, quoted=quoted)


def _place_set(found: "regex.Match[str]", *, quoted: bool) -> Relation:
    is_listed = found["wrapped"] and not quoted and not is_drawn(found["secret"])
    return Relation.BRACKETED if is_listed else Relation.SET


def _place_apart(found: "regex.Match[str]", left: str, *, quoted: bool) -> Relation:
    gap, word = found["gap"], found["password"] or found["key"]
    if quoted:
        return Relation.QUOTED
    if gap.endswith(" to ") or not word.isascii():
        return Relation.SAID
    is_beside = gap.startswith("  ") or gap.strip() == "(" or is_identifier(left + word)
    return Relation.BESIDE if is_beside else Relation.APART


def _is_bare(found: "regex.Match[str]", left: str, *, quoted: bool) -> bool:
    word = (found["hint"] or "").lower()
    is_any = (word == "pass" and found["gap"]) or (word in {"key", "token"} and (found["gap"] or not quoted))
    return bool(is_any) and not left.strip("_.")


def _is_passed_on(text: str, found: "regex.Match[str]") -> bool:
    """Whether it is a shell's variable, whose value is passed on to a command, or a parameter that is described."""
    left, before = name_before(text, found.start())
    outer = before.removesuffix(left)
    is_variable = outer.endswith(("$", "${")) and found["set"].strip(" }") in _BARS
    return is_variable or _DOCUMENTED.search(outer) is not None


def _is_no_value(found: "regex.Match[str]", text: str, secret: str) -> bool:
    """Whether what stands there is a path, a word of help or of source, or what a field is for."""
    is_path = _PATH.fullmatch(secret) is not None and drawn_by_lot(secret) < MIN_HINTED
    is_told = bool(found["typed"]) and not has_mixture(secret)
    is_member = found["gap"] == "::" and secret.isalpha() and _OF_CLASS.search(name_before(text, found.end("gap"))[1])
    is_code = _is_called(text, found, secret) or _is_its_own_name(text, found, secret)
    asks = is_asked(name_before(text, found.start())[0]) and not is_drawn(secret)
    return (
        is_nothing(found["secret"])
        or is_path
        or is_told
        or bool(is_member)
        or is_code
        or asks
        or _is_passed_on(text, found)
    )


def _is_called(text: str, found: "regex.Match[str]", secret: str) -> bool:
    """Whether it is a function that gives the value: `token = getpass()`."""
    end = found.start("secret") + len(secret)
    return text[end : end + 1] == "(" and found["quote"] is None and _DOTTED.fullmatch(secret) is not None


def _is_its_own_name(text: str, found: "regex.Match[str]", secret: str) -> bool:
    """Whether it stands for the value: `[--api-key API_KEY]` in a line of help, `login(password=password)` in source."""
    end = found.end("close") if found["close"] else found.start("set")
    if secret.isupper():
        return _letters(text[max(0, end - _LEFT_CHARS) : end]).endswith(_letters(secret))
    name = _letters(found["password"] or found["key"] or found["hint"])
    owner, dot, last = secret.rpartition(".")
    is_attribute = bool(dot) and found["quote"] is None and _DOTTED.fullmatch(owner) is not None
    return _letters(last if is_attribute else secret) == name or (is_attribute and _letters(last).endswith(name))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
