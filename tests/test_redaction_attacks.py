"""Further kinds of secrets in places that the corpus did not have: none survives, and ordinary words do."""

import random
import tomllib
from collections.abc import Iterator

import pytest

from logrules.tools.bundle.redact import Redactor
from tests.test_redaction_corpus import CORPUS, drawn, leaks, put

pytestmark = pytest.mark.unmeasured

ATTACKS = tomllib.loads((CORPUS / "attacks.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(keep=("emails", "paths", "addresses"))


def _leaked(redactor: Redactor, tried: Iterator[tuple[str, str]]) -> list[str]:
    return [text for text, secret in tried if leaks(redactor.redact({"log": text})[0]["log"], secret)]


def _of_forms() -> Iterator[tuple[str, str]]:
    for template in ATTACKS["forms"]:
        for context in ATTACKS["form_contexts"]:
            secret = drawn(template, random.Random(template + context))
            yield put(context.replace("{s!r}", ""), secret), secret


def _of_names() -> Iterator[tuple[str, str]]:
    for row in ATTACKS["named"]:
        name, template = row.split(" ")
        further = [] if template.startswith("{p") else ATTACKS["named_contexts_of_keys"]
        for context in (*ATTACKS["named_contexts"], *further):
            secret = drawn(template, random.Random(row + context))
            yield put(context, secret, name), secret


def _of_passwords() -> Iterator[tuple[str, str]]:
    for number in range(9, 25, 3):
        for context in ATTACKS["password_contexts"]:
            secret = drawn(f"{{p{number}}}", random.Random(f"{number}{context}"))
            yield put(context, secret), secret


@pytest.mark.parametrize("tried", [_of_forms, _of_names, _of_passwords])
def test_no_secret_survives_in_any_further_place(redactor, tried):
    assert _leaked(redactor, tried()) == []


def test_ordinary_words_in_such_places_stay(redactor):
    lines = [
        drawn(template.replace("{{", "{").replace("}}", "}"), random.Random(f"{number}{template}"))
        for number in range(5)
        for template in ATTACKS["harmless"]
    ]
    assert [line for line in lines if redactor.redact({"log": line})[1]] == []
