"""Further kinds of secrets in places that the corpus did not have: none survives, and ordinary words do.

Each file of attacks was written before anything was changed for it. Of all secrets in all places of the last ones only a
share is tried, always the same; `make soak` tries all.
"""

import random
import tomllib
from collections.abc import Iterator
from itertools import islice

import pytest

from logrules.tools.bundle.redact import Redactor
from tests.conftest import SOAK
from tests.tools.test_redaction_corpus import CORPUS, KINDS, drawn, leaks, put

pytestmark = pytest.mark.unmeasured

ATTACKS, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH = (
    tomllib.loads((CORPUS / f"{name}.toml").read_text(encoding="utf-8"))
    for name in (
        "attacks",
        *(f"{number}_attacks" for number in ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")),
    )
)
STEP = 1 if SOAK else 29

# What a secret is drawn from and with, where it is put, and its name.
Places = Iterator[tuple[str, str, str, str]]


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(keep=("emails", "paths", "addresses"))


def leaked(redactor: Redactor, places: Places) -> list[str]:
    return [text for text in (leak(redactor, *place) for place in places) if text]


def leak(redactor: Redactor, template: str, seed: str, context: str, name: str) -> str:
    """The text from which the secret leaks, if it does."""
    secret = drawn(template, random.Random(seed + context))
    text = put(context.replace("{s!r}", ""), secret, name)
    return text if leaks(redactor.redact({"log": text})[0]["log"], secret) else ""


def of_forms(forms: list[str], contexts: list[str]) -> Places:
    return ((template, template, context, "") for template in forms for context in contexts)


def of_names(named: list[str], contexts: list[str], further: list[str]) -> Places:
    """``further`` are places for what looks drawn by lot, which no password need do."""
    for row in named:
        name, template = row.split(" ")
        for context in (*contexts, *([] if template.startswith("{p") else further)):
            yield template, row, context, name


def of_passwords(contexts: list[str]) -> Places:
    return ((f"{{p{size}}}", f"{size}", context, "") for size in range(9, 25, 3) for context in contexts)


def second() -> Places:
    forms, named = [*KINDS["forms"], *ATTACKS["forms"]], [*KINDS["named"], *ATTACKS["named"], *SECOND["named"]]
    assert len({*forms, *named}) >= 250
    yield from of_forms(forms, SECOND["form_contexts"])
    yield from of_names(named, SECOND["named_contexts"], [])
    yield from of_passwords(SECOND["password_contexts"])


def third() -> Places:
    files = (KINDS, ATTACKS, THIRD)
    yield from of_forms([form for one in files for form in one["forms"]], THIRD["form_contexts"])
    named = [name for one in (*files, SECOND) for name in one["named"]]
    yield from of_names(named, THIRD["named_contexts"], THIRD["named_contexts_of_keys"])
    yield from of_passwords(THIRD["password_contexts"])


def fourth() -> Iterator[tuple[str, str]]:
    """(password, text) of passwords that people make."""
    for place, (name, context) in enumerate(
        (name, one) for name in FOURTH["names"] for one in FOURTH["named_contexts"]
    ):
        word = FOURTH["words"][place % len(FOURTH["words"])]
        yield word, put(context, word, name)
    yield from ((word, put(context, word)) for context in FOURTH["commands"] for word in FOURTH["words"])


def fifth() -> Places:
    every = (KINDS, ATTACKS, THIRD, FOURTH, FIFTH)
    yield from of_forms([form for one in every for form in one["forms"]], FIFTH["form_contexts"])
    named = [name for one in (KINDS, ATTACKS, SECOND, THIRD, FIFTH) for name in one["named"]]
    yield from of_names(named, FIFTH["named_contexts"], [])
    yield from of_passwords([*FIFTH["commands"], *FIFTH["commands_of_keys"]])
    yield from of_texts(FIFTH["texts"])


def of_texts(rows: list[str]) -> Places:
    for row in rows:
        template, context = row.split(" ", 1)
        yield template, row, context, ""


def sixth() -> Iterator[tuple[str, str]]:
    """(password, text) of passwords that people make, also where the mails, paths and addresses may stay."""
    contexts = [*FIFTH["commands"], *FIFTH["commands_of_keys"], *SIXTH["commands"]]
    yield from ((word, put(context, word)) for context in contexts for word in FIFTH["words"])


def first() -> Places:
    yield from of_forms(ATTACKS["forms"], ATTACKS["form_contexts"])
    yield from of_names(ATTACKS["named"], ATTACKS["named_contexts"], ATTACKS["named_contexts_of_keys"])
    yield from of_passwords(ATTACKS["password_contexts"])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("part", range(4))
def test_no_secret_survives_in_any_further_place(redactor, part):
    assert leaked(redactor, islice(first(), part, None, 4)) == []


@pytest.mark.fuzz
def test_no_secret_survives_in_any_place_of_the_second_attack(redactor):
    assert leaked(redactor, islice(second(), 0, None, STEP)) == []


@pytest.mark.fuzz
def test_no_secret_survives_in_any_place_of_the_third_attack(redactor):
    assert leaked(redactor, islice(third(), 0, None, STEP)) == []


@pytest.mark.fuzz
def test_no_secret_survives_in_any_place_of_the_fifth_attack(redactor):
    assert leaked(redactor, islice(fifth(), 0, None, STEP)) == []


@pytest.mark.fuzz
def test_no_password_of_words_survives_in_a_command(redactor):
    assert [text for word, text in sixth() if leaks(redactor.redact({"log": text})[0]["log"], word)] == []


def test_no_secret_survives_in_any_text_of_the_sixth_attack(redactor):
    assert leaked(redactor, of_texts(SIXTH["texts"])) == []
    assert leaked(redactor, of_passwords(SIXTH["commands"])) == []


def test_no_secret_survives_in_any_text_of_the_seventh_attack(redactor):
    assert leaked(redactor, of_texts(SEVENTH["texts"])) == []


def test_no_secret_survives_in_any_text_of_the_eighth_attack(redactor):
    assert leaked(redactor, of_texts(EIGHTH["texts"])) == []


def test_chinese_words_within_what_may_be_base64_are_none_of_it(redactor):
    assert redactor.redact({"log": "REDIS_PASSWORD值为b9oOJUP"})[0]["log"].startswith("REDIS_PASSWORD值为")


@pytest.mark.parametrize("place", EIGHTH["phrases"])
def test_words_of_letters_alone_are_a_secret_behind_a_name_of_one(redactor, place):
    text = put(place, "kineticyogurtwalnut")
    assert "yogurt" not in redactor.redact({"log": text})[0]["log"]


@pytest.mark.parametrize("head", SEVENTH["heads"])
def test_what_several_lines_tell_is_found_behind_what_each_begins_with(redactor, head):
    for row in SEVENTH["blocks"]:
        template, block = row.split(" ", 1)
        secret = drawn(template, random.Random(row))
        lines = ["step 1 ok", *block.replace("{s}", secret).split("\n"), "step 2 ok"]
        text = "\n".join(head.replace("{n}", f"{at}").replace("{}", line) for at, line in enumerate(lines))
        after = redactor.redact({"log": text})[0]["log"]
        assert not leaks(after, secret), text
        assert "step 2 ok" in after


# What chance made of secrets in the places of before: pieces that look like words, or ever shorter ones.
@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("t-g1ZqlcyPsXibDst20cM5NUoxLyZBUCT1T2nL", "cred t-g1ZqlcyPsXibDst20\\\ncM5NUoxLyZBUCT1T2nL"),
        ("f9_49NiL-5-C_QvB22uu", "error: argument --private-token: invalid choice: 'f9_49NiL-5-C_QvB22uu'"),
        ("N5i.hj9_%72WAw", "StoragePass [press enter to keep N5i.hj9_%72WAw]:"),
        ("E7gVhT.DX", "password [press enter to keep E7gVhT.DX]:"),
        ("rjvwSex_wib1-gpcohgp", "private_token [press enter to keep rjvwSex_wib1-gpcohgp]:"),
        ("c5vBz-0uL", r"\u0022password\u0022:\u0022c5vBz-0uL\u0022"),
        ("TIEQPJLSZAVHEMJYMTN7", "ERLANG_COOKIE填的是TIEQPJLSZAVHEMJYMTN7"),
        ("a7cw13sAR@g+Fi.uiW^wVX-T", "sqlplus svc/a7cw13sAR@g+Fi.uiW^wVX-T@h"),
        (
            "6012345678:IDjdpfHAXJ-Fmg6E5k3ccqwotsERVXhsZTB",
            "https://api.telegram.org/bot6012345678:IDjdpfHAXJ-Fmg6E5k3ccqwotsERVXhsZTB/me",
        ),
    ],
)
def test_no_secret_survives_by_how_it_was_drawn(redactor, secret, text):
    assert not leaks(redactor.redact({"log": text})[0]["log"], secret)


def test_no_form_of_the_fourth_attack_survives(redactor):
    assert leaked(redactor, of_forms(FOURTH["forms"], FOURTH["form_contexts"])) == []


def test_no_password_of_words_survives_behind_its_name(redactor):
    assert [text for word, text in fourth() if word.rstrip("!$") in redactor.redact({"log": text})[0]["log"]] == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "templates",
    [one["harmless"] for one in (ATTACKS, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH)],
    ids=["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"],
)
def test_ordinary_words_in_such_places_stay(redactor, templates):
    lines = [
        drawn(template.replace("{{", "{").replace("}}", "}"), random.Random(f"{number}{template}"))
        for number in range(5)
        for template in templates
    ]
    assert [line for line in lines if redactor.redact({"log": line})[1]] == []
