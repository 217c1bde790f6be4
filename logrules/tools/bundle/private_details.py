"""What names a person or a network without being a secret: e-mail addresses, home folders, private addresses."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

import regex

from logrules.tools.bundle.text_view import lines_round, starts_of

ADDRESS = "private address"
KEEPABLE = ("emails", "paths", "addresses")

_EMAIL = regex.compile(
    r"(?<![\w.+%/-])[A-Za-z0-9][\w.+%-]{0,63}+@(?=[\w.-]*[A-Za-z])[A-Za-z0-9](?:[\w-]{0,62}\.)+[A-Za-z]{2,24}\b"
)
# `python@3.11` and `rank0@node.local` are none; `git@github.com` is everybody's.
_NOBODY = regex.compile(r"git@|noreply@|no-reply@")
_HOME = regex.compile(
    r"(?:(?<![\w.-])|(?<=\\n))(?:/(?:[\w.-]{1,64}/){0,3}home\d{0,3}|/Users|/private/var/users|[A-Za-z]:(?:\\{1,4}|/)Users|\\Users)(?:\\{1,4}|/)(?P<secret>[^\s/\\:\"'<>|,;()\[\]{}]{1,64})"
)
_NEAR_HOME = re.compile(r"home\d{0,3}[\\/]|[Uu]sers[\\/]")
_HOME_OF_NOBODY = frozenset(
    ["user", "runner", "ray", "ubuntu", "root", "username", "app", "docker", "jovyan", "Public", "Shared", "..."]
)
_IPV4 = regex.compile(r"(?<![\w.])(?:10|172|192|169|100)(?:\.\d{1,3}){3}(?![\w]|\.\d)")
_IPV6 = regex.compile(
    r"(?<![\w:.])(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?![\w:])", regex.IGNORECASE
)


def private_details(text: str, keep: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Where they stand (start, end, kind), but for the sorts that are to be kept."""
    if "emails" not in keep:
        yield from ((*one.span(), "e-mail") for one in _EMAIL.finditer(text) if not _NOBODY.match(one[0]))
    if "paths" not in keep:
        homes = (one for one in _homes(text) if one["secret"] not in _HOME_OF_NOBODY)
        yield from ((*one.span("secret"), "user") for one in homes)
    if "addresses" not in keep:
        yield from ((*one.span(), ADDRESS) for one in _IPV4.finditer(text) if _is_private(one[0]))
        yield from ((*one.span(), ADDRESS) for one in _IPV6.finditer(text) if _is_private(one[0]))


def _homes(text: str) -> Iterator["regex.Match[str]"]:
    for start, end in lines_round(text, starts_of(_NEAR_HOME, text)):
        yield from _HOME.finditer(text, start, end)


def _is_private(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    return address.is_private and not address.is_loopback and not address.is_unspecified
