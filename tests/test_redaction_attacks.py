"""Further kinds of secrets in places that the corpus did not have: none survives, and ordinary words do.

Each file of attacks was written before anything was changed for it. Of all secrets in all places of the last one only a
share is tried, always the same; with LOGRULES_SOAK=1 all are.
"""

import os
import random
import tomllib
from collections.abc import Iterator

import pytest

from logrules.tools.bundle.redact import Redactor
from tests.test_redaction_corpus import CORPUS, KINDS, drawn, leaks, put

pytestmark = pytest.mark.unmeasured

ATTACKS, SECOND = (
    tomllib.loads((CORPUS / f"{name}.toml").read_text(encoding="utf-8")) for name in ("attacks", "second_attacks")
)
STEP = 1 if os.environ.get("LOGRULES_SOAK") else 29

Tried = Iterator[tuple[str, str]]


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(keep=("emails", "paths", "addresses"))


def leaked(redactor: Redactor, tried: Tried) -> list[str]:
    return [text for text, secret in tried if leaks(redactor.redact({"log": text})[0]["log"], secret)]


def of_forms(forms: list[str], contexts: list[str]) -> Tried:
    for template in forms:
        for context in contexts:
            secret = drawn(template, random.Random(template + context))
            yield put(context.replace("{s!r}", ""), secret), secret


def of_names(named: list[str], contexts: list[str], further: list[str]) -> Tried:
    """``further`` are places for what looks drawn by lot, which no password need do."""
    for row in named:
        name, template = row.split(" ")
        for context in (*contexts, *([] if template.startswith("{p") else further)):
            secret = drawn(template, random.Random(row + context))
            yield put(context, secret, name), secret


def of_passwords(contexts: list[str]) -> Tried:
    for number in range(9, 25, 3):
        for context in contexts:
            secret = drawn(f"{{p{number}}}", random.Random(f"{number}{context}"))
            yield put(context, secret), secret


def second() -> list[tuple[str, str]]:
    forms, named = [*KINDS["forms"], *ATTACKS["forms"]], [*KINDS["named"], *ATTACKS["named"], *SECOND["named"]]
    assert len({*forms, *named}) >= 250
    return [
        *of_forms(forms, SECOND["form_contexts"]),
        *of_names(named, SECOND["named_contexts"], []),
        *of_passwords(SECOND["password_contexts"]),
    ]


@pytest.mark.parametrize(
    "tried",
    [
        of_forms(ATTACKS["forms"], ATTACKS["form_contexts"]),
        of_names(ATTACKS["named"], ATTACKS["named_contexts"], ATTACKS["named_contexts_of_keys"]),
        of_passwords(ATTACKS["password_contexts"]),
    ],
    ids=["forms", "names", "passwords"],
)
def test_no_secret_survives_in_any_further_place(redactor, tried):
    assert leaked(redactor, tried) == []


def test_no_secret_survives_in_any_place_of_the_second_attack(redactor):
    assert leaked(redactor, iter(second()[::STEP])) == []


@pytest.mark.parametrize("templates", [ATTACKS["harmless"], SECOND["harmless"]], ids=["first", "second"])
def test_ordinary_words_in_such_places_stay(redactor, templates):
    lines = [
        drawn(template.replace("{{", "{").replace("}}", "}"), random.Random(f"{number}{template}"))
        for number in range(5)
        for template in templates
    ]
    assert [line for line in lines if redactor.redact({"log": line})[1]] == []
