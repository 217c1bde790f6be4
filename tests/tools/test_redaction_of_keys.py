"""Keys in blocks go whole, however long they are, wherever the text begins or ends, and whatever each line begins with."""

import random

import pytest

from logrules.tools.bundle.redact import Redactor
from tests.tools.test_redaction_corpus import drawn

BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
KEY = [drawn("{b64}", random.Random(f"line {at}")) for at in range(900)]


@pytest.mark.parametrize("head", ["", "[rank0] ", "2026-03-01 12:00:00 INFO "])
@pytest.mark.parametrize(
    "lines",
    [(BEGIN, *KEY, END), (BEGIN, *KEY), (*KEY, "aB3+", END)],
    ids=["whole", "cut at its end", "cut at its beginning"],
)
def test_no_line_of_a_key_is_left(head, lines):
    text = "\n".join(["step 1", *(head + line for line in lines)])
    clean = Redactor().redact({"log": text})[0]["log"]
    assert [line for line in KEY if line in clean] == []
    assert clean.startswith("step 1")


def test_no_line_of_a_key_is_left_that_stands_on_one():
    clean = Redactor().redact({"log": 'key: "' + "\\n".join((BEGIN, *KEY, END)) + '"'})[0]["log"]
    assert [line for line in KEY if line in clean] == []


def test_every_value_of_a_long_resource_goes():
    rows = "".join(f"  entry{at}: aHVudGVyMi{at}hdGVz\n" for at in range(900))
    clean = Redactor().redact({"log": f"kind: Secret\ndata:\n{rows}type: Opaque\n"})[0]["log"]
    assert "aHVudGVyMi" not in clean
