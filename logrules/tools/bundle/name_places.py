"""Where names of secrets may begin: found once by their last words, since a text has few of these.

To try all names at each character of a log took most of the time of its redaction.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import regex

from logrules.tools.bundle.secret_names import HINT_START, HINTS, KEYS, NAME_END, PASSWORDS

# What each name ends with, and no letter behind it but in Chinese.
_LAST_WORD = re.compile(
    r"""(?:
      pass(?:word|wd|phrase|code|key|wort|e)?|pgpass|requirepass|pwd?|kennwort|contrase[ñn]a|senha|пароль|パスワード|비밀번호
    | keys?|key[_\-. ]?base
    | secret(?:[_\-. ]?(?:id|value))?|token|jfrog-art-api|client-key-data|dockerconfigjson|dockercfg|cookie
    | credentials?|connection[_\-.\ ]?string|auth|pat|sas|sig(?:n(?:ature)?)?|dsn|jwt|webhook|creds?|pin|psk|sk|ak
    | ticket|licen[sc]e|(?:auth|access)[_\-.\ ]?code
    )(?![a-z]) | 密\ ?[码碼钥] | 口\ ?令 | 通行码 | [秘私]\ ?钥 | 令\ ?牌 | 凭\ ?[证据] | 授权码 | 访问码""",
    re.VERBOSE,
)
# No name is longer.
MAX_NAME_CHARS = 48
ANY_NAME = regex.compile(
    rf"(?: {PASSWORDS} | {KEYS} | {HINT_START}(?:{HINTS}) ) {NAME_END}", regex.VERBOSE | regex.IGNORECASE
)


def name_places(text: str) -> list[int]:
    """Each place at which a name begins that says of what stands near it that it is secret; also inside another."""
    return [
        found.start()
        for start, end in _stretches(text)
        for found in ANY_NAME.finditer(text, start, end, overlapped=True)
    ]


def places_of(texts: Iterable[str], text: str) -> list[int]:
    """Each place at which one of some shorter texts stands."""
    return sorted(place for short in texts for place in _places_of(short, text))


def matches_at(pattern: "regex.Pattern[str]", text: str, places: Iterable[int]) -> Iterator["regex.Match[str]"]:
    """What begins at one of the places, which are in order, and matches; none inside another."""
    end = 0
    for place in places:
        if place >= end and (found := pattern.match(text, place)) is not None:
            yield found
            end = found.end()


def lines_at(text: str, places: Sequence[int]) -> Iterator[int]:
    """Where the lines begin that hold one of the places, which are in order."""
    end = -1
    for place in places:
        if place > end:
            yield text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            if end < 0:
                return


def _places_of(short: str, text: str) -> Iterator[int]:
    place = text.find(short)
    while place >= 0:
        yield place
        place = text.find(short, place + 1)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Parts of the text that hold all names, each to the end of one."""
    first = last = -1
    # In lower case it is found in a fourth of the time; of all letters only this one would become two.
    for found in _LAST_WORD.finditer(text.replace("İ", "I").lower()):
        begun = max(0, found.start() - MAX_NAME_CHARS)
        if begun > last or last < 0:
            if last >= 0:
                yield first, last
            first = begun
        last = found.end()
    if last >= 0:
        yield first, last
