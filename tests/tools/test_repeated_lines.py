"""Of lines that only tell other numbers few are looked at, and no secret is missed for it."""

import pytest

from logrules.tools.bundle.redact import Redactor
from logrules.tools.bundle.repeated_lines import RepeatedLines

STEPS = "".join(f"[rank0] step {at} of 900: loss 2.{at} and {at * 3} samples a second\n" for at in range(900))
SECRET = "dq7Rk2Vx9Wm4Tz"
WORDS = ("tulipfield", "meadowlark", "cloudberry")


def test_of_lines_that_only_tell_other_numbers_few_are_looked_at():
    distinct = RepeatedLines(STEPS, ()).distinct()
    assert distinct is not None
    assert len(distinct.text) < len(STEPS) / 20


def test_a_secret_on_each_of_many_lines_that_are_alike_is_taken_out_of_all():
    text = "".join(f"step {at}: login with api_key={SECRET} at {at}\n" for at in range(200))
    assert SECRET not in Redactor().redact({"log": text})[0]["log"]


def test_a_value_of_digits_is_found_though_its_line_is_like_others():
    text = STEPS + "".join(f"rank {at} door_passcode={700_000 + at * 7}\n" for at in range(100))
    assert "=7" not in Redactor().redact({"log": text})[0]["log"]


@pytest.mark.parametrize(
    ("first", "last"),
    [("password=7", "password=777"), ("passphrase=00", "passphrase=482"), ("db_password=0 ", "db_password=913")],
)
def test_a_value_is_found_though_what_stands_for_none_stood_there_on_lines_before(first, last):
    clean = Redactor().redact({"log": STEPS + f"{first}\n" * 3 + STEPS + f"{last}\n" + STEPS})[0]["log"]
    assert last not in clean


def test_a_value_far_below_a_head_that_stood_there_before_is_found():
    rows = "".join(f"user,password,role\nbob{at},tulip{at}x{at * at}q,admin\n" + STEPS[:2_000] for at in range(9))
    assert "tulip" not in Redactor().redact({"log": rows})[0]["log"]


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("user,password,role", "bob{0},tulip{0}x{1}q,admin"),
        ("user1,password,role2", "bob{0},tulip{0}x{1}q,admin"),
        ("user      password     role", "bob{0:03}    tulip{0:03}x{1:04}q  admin"),
        ("kind: Secret\ndata:", "  entry{0}: aHVudGVyMi{0}hdGVz"),
    ],
)
def test_values_below_one_head_are_found_though_their_lines_are_alike(head, row):
    rows = "".join(row.format(at, at * at) + "\n" for at in range(40))
    clean = Redactor().redact({"log": STEPS[:2_000] + "\n" + head + "\n" + rows + STEPS[:2_000]})[0]["log"]
    assert "tulip" not in clean
    assert "aHVudGVyMi" not in clean


@pytest.mark.parametrize("between", ["", "step 7\n", "step 7\nstep 8\n", "step 7\nstep 8\nstep 9\n"])
def test_each_entry_of_netrc_is_found_whose_words_stand_on_lines_of_their_own(between):
    entries = "".join(f"machine h{at}\n  login bob\n  password\n  {word}\n{between}" for at, word in enumerate(WORDS))
    clean = Redactor().redact({"log": entries})[0]["log"]
    assert not [word for word in WORDS if word in clean]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the token is 48291734 now", "48291734"),
        ("the PIN is 4829", "4829"),
        (r"db\:1.example.org:5432:jobs:bob:tulip-field", "tulip-field"),
        ("sendkey=tulipfield", "tulipfield"),
        ("pwd: tulipfield", "tulipfield"),
        ("AK=tulipfield SK=meadowlark", "meadowlark"),
        ("wrong password tulipfield for bob", "tulipfield"),
        ("/p:tr0ub4dor&3 /u:bob", "tr0ub4dor"),
    ],
)
def test_words_and_numbers_are_secrets_where_nothing_else_stands(text, secret):
    assert secret not in Redactor().redact({"log": f"step 1\n{text}\nstep 2"})[0]["log"]


@pytest.mark.parametrize(
    "text",
    [
        "user      uses_password  enabled\nbob       enabled        yes",
        "| user | uses_password | note |\n| bob | enabled | ok |",
        "uses_password: enabled",
        "password: str = Field(...)",
        "hf_token: str | None",
        "the next token is 151643",
        "pwd: /data/jobs",
        "wrong password format for bob",
        "random seed: 48291734",
    ],
)
def test_what_is_said_about_secrets_stays(text):
    assert Redactor().redact({"log": text})[0]["log"] == text
