"""A corpus of secrets in the places where logs have them: none survives, and ordinary words do."""

import random
import re
import string
import tomllib
import uuid
from pathlib import Path

import pytest

from logrules.tools.bundle.redact import Redactor

pytestmark = pytest.mark.unmeasured

CORPUS = Path(__file__).parent / "redaction_corpus"
KINDS, CONTEXTS, HARMLESS = (
    tomllib.loads((CORPUS / f"{name}.toml").read_text(encoding="utf-8")) for name in ("kinds", "contexts", "harmless")
)
ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "h": "0123456789abcdef",
    "u": string.ascii_uppercase + "234567",
    "l": string.ascii_lowercase + string.digits,
    "d": string.digits,
    "p": string.ascii_letters + string.digits + "!#%^*+-_.~@$",
}
# So many characters of a secret in a row are a leak.
LEAK_CHARS = 10


def drawn(template: str, lot: random.Random) -> str:
    """The template with values drawn by lot."""

    def one(found: re.Match[str]) -> str:
        if found[1] == "g":
            return str(uuid.UUID(int=lot.getrandbits(128), version=4))
        letters = ALPHABETS[found[1]]
        inner = string.ascii_letters if found[1] == "p" else ALPHABETS.get(found[1], letters).strip("-_+/")
        value = [lot.choice(letters) for _ in range(int(found[2]))]
        # A value begins and ends as issuers' do, and a password has a letter and a digit.
        value[0] = lot.choice(inner)
        value[-1] = lot.choice(inner)
        if found[1] == "p":
            value[1], value[2] = lot.choice(string.digits), lot.choice(string.ascii_lowercase)
        return "".join(value)

    return re.sub(r"\{([a-z])(\d*)\}", one, template)


def put(context: str, secret: str, name: str = "") -> str:
    half = len(secret) // 2
    option = name.lower().replace("_", "-").replace(".", "-")
    parts = {"s": secret, "n": name, "f": option, "1": secret[:half], "2": secret[half:]}
    return re.sub(r"\{\{|\}\}|\{(\w)\}", lambda found: parts[found[1]] if found[1] else found[0][0], context)


def places() -> list[tuple[str, str, str, str]]:
    """(kind, name, template, context) of everything."""
    return [
        *((kind, "", kind, context) for kind in KINDS["forms"] for context in CONTEXTS["forms"]),
        *((kind, *kind.split(" "), context) for kind in KINDS["named"] for context in CONTEXTS["named"]),
        *((f"{size}", "", f"{{p{size}}}", context) for size in range(8, 28) for context in CONTEXTS["passwords"]),
    ]


def leaks(text: str, secret: str) -> bool:
    squeezed = re.sub(r"\s", "", text)
    size = min(LEAK_CHARS, len(secret) - 2)
    return any(secret[at : at + size] in squeezed for at in range(len(secret) - size + 1))


def survives(redactor: Redactor, kind: str, name: str, template: str, context: str) -> bool:
    secret = drawn(template, random.Random(kind + context))
    text = put(context, secret, name)
    return leaks(redactor.redact({"log": f"step 1\n{text}\nstep 2"})[0]["log"], secret)


def test_the_corpus_is_as_large_as_it_should_be():
    assert len(set(KINDS["forms"])) + len(set(KINDS["named"])) >= 250
    assert min(len(set(CONTEXTS["forms"])), len(set(CONTEXTS["named"])), len(set(CONTEXTS["passwords"]))) >= 18


@pytest.mark.one_in(8)
@pytest.mark.parametrize("part", range(8))
def test_no_secret_of_the_corpus_survives(part):
    found, redactor = places()[part::8], Redactor()
    assert len(found) > 800
    assert [place for place in found if survives(redactor, *place)] == []


def test_two_of_two_thousand_harmless_words_are_taken_at_most():
    lot = random.Random(7)
    words = [drawn(lot.choice(HARMLESS["templates"]), lot) for _ in range(2_000)]
    clean = Redactor().redact({"log": "\n".join(words)})[0]["log"].split("\n")
    assert len([pair for pair in zip(words, clean, strict=True) if pair[0] != pair[1]]) <= 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("place", [200, 395, 400, 401, 1_995, 2_000, 3_995, 4_000])
@pytest.mark.parametrize(
    "template", ["hf_{a34}", "sk-proj-{w120}", "AKIA{u16}", "glpat-{w20}", "xoxb-{d12}-{d12}-{a24}"]
)
def test_the_beginning_of_a_secret_at_a_cut_does_not_survive(place, template):
    """A report cuts lines; of a secret that ends one character later, all but one would be left."""
    secret = drawn(template, random.Random(place))
    line = "x" * (place - len(secret)) + " " + secret
    for texts in ({"log": line[:place]}, {"report": f'"text": "{line[:place]}"', "log": line}):
        clean = Redactor().redact(texts)[0]
        assert not any(leaks(text, secret) for text in clean.values())


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.fuzz)])
def test_a_text_full_of_secrets_is_no_fault(count):
    lot = random.Random(1)
    lines = [f"HF_TOKEN={drawn('hf_{a34}', lot)}" for _ in range(count)]
    clean, taken = Redactor().redact({"log": "\n".join(lines)})
    assert "hf_" not in clean["log"]
    assert sum(one.count for one in taken) == count


def test_a_line_of_nothing_but_backslashes_is_read_in_time():
    """Looked at from each of them to the last, it took the square of its length."""
    line = "\\" * 400_000
    clean, taken = Redactor().redact({"log": f"{line}\n\\\\u001b[31mHF_TOKEN={drawn('hf_{a34}', random.Random(1))}"})
    assert clean["log"].startswith(line)
    assert "31m" not in clean["log"]
    assert [one.count for one in taken] == [1]
