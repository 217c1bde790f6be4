"""Secrets that stand in parts, below each other or encoded, and what only looks like them."""

import base64
import random

import pytest

from logrules.tools.bundle.redact import Redactor
from logrules.tools.bundle.text_view import view_of
from tests.tools.test_redaction_corpus import drawn, leaks

pytestmark = pytest.mark.unmeasured

TOKEN = drawn("hf_{a34}", random.Random(3))
HALF, REST = TOKEN[:18], TOKEN[18:]
NAMED = drawn("{h40}", random.Random(4))
HEX, TAIL = NAMED[:20], NAMED[20:]
POINTS = "".join(f"\\U{ord(char):08x}" for char in TOKEN)
PERCENTS = "".join(f"%{ord(char):02X}" for char in "https://hooks.slack.com/services/")


def clean(text: str) -> str:
    return Redactor().redact({"log": text})[0]["log"]


@pytest.mark.parametrize(
    "text",
    [
        f'"{HALF}"+""+"{REST}"',
        f'"{HALF}" + "" + \'\' + "{REST}"',
        f'b.append("{HALF}").append("{REST}")',
        f'b.append("{HALF}");\n    b.append("{REST}");',
        f'cout << "{HALF}" << "{REST}";',
        f'printf("%s%s\\n", "{HALF}", "{REST}");',
        f"printf '%s%s' {HALF} {REST}",
        f"\"{{}}{{}}\".format('{HALF}', '{REST}')",
        f"'%s%s' % ('{HALF}', '{REST}')",
        f'one = "{HALF}"\ntwo = "{REST}"\nlogin(one + two)',
        f"A={HALF}\nB={REST}\necho ${{A}}${{B}}",
        f'a = "{HALF}"\nlogin(f"{{a}}{{b}}") if (b := "{REST}") else 0\nx(f"{{a}}{{b}}")',
        f'rest = "{REST}"; login("{HALF}" + rest)',
        f"x='{POINTS}'",
        f't = "".join([\n  "{HALF}",\n  "{REST}"])',
        f't = "{HALF}"\nt += "{REST}"',
        f"export T={HALF}\\\n{REST}",
        TOKEN.encode().hex(),
        base64.b64encode(base64.b64encode(f"HF_TOKEN={TOKEN}".encode())).decode(),
        f"HF_TOKEN=3D{TOKEN}",
        base64.b64encode(f"to {TOKEN} of us".encode()).decode(),
        base64.urlsafe_b64encode(TOKEN.encode()).decode().rstrip("="),
        f"(Actor pid=7) a job has {HALF}\n(Actor pid=7) {REST} and more",
    ],
)
def test_no_part_of_a_token_survives(text):
    left = clean(text)
    assert not leaks(left, TOKEN)
    assert HALF not in left
    assert REST not in left


@pytest.mark.parametrize(
    "text",
    [
        f'printf("%s=%s%s\\n", "WANDB_API_KEY", "{HEX}", "{TAIL}");',
        f'a = "{HEX}"\nb = "{TAIL}"\nwandb_api_key = a + b',
        f"settings WANDB_API_KEY={HEX}\n{TAIL} and more",
        f"(Actor pid=7) settings WANDB_API_KEY={HEX}\n(Actor pid=7) {TAIL} and more",
        base64.b64encode(f"WANDB_API_KEY={NAMED}".encode()).decode(),
        f"(Pdb) p wandb_api_key\n'{NAMED}'",
        f"**WANDB_API_KEY**: {NAMED}",
        f"<wandbKey>{NAMED}</wandbKey>",
        f"--set secrets.wandbToken={NAMED},replicas=2",
    ],
)
def test_no_part_of_a_named_secret_survives(text):
    left = clean(text)
    assert HEX not in left
    assert TAIL not in left


def test_a_short_rest_goes_where_a_terminal_cut_the_line():
    line = f"{'x' * 30} SWANLAB_API_KEY=".ljust(70, "-") + "aB3xY9kLm2"
    assert len(line) == 80
    assert "Qr7zz" not in clean(f"{line}\nQr7zz and more")
    assert "Qr7zz" in clean(f"{line}1\nQr7zz and more")


def test_a_rest_is_no_other_setting_and_no_word():
    text = f"HF_TOKEN={TOKEN}\nNCCL_DEBUG=INFO\nstep 1"
    assert clean(text).endswith("\nNCCL_DEBUG=INFO\nstep 1")


@pytest.mark.parametrize("text", ["SSH_PASSPHRASE=cat Nb6 tree Kw7v", "run --ssh-passphrase=cat Nb6 tree Kw7v --bf16"])
def test_a_phrase_goes_with_all_of_its_words(text):
    left = clean(text)
    assert not {"Nb6", "tree", "Kw7v"} & set(left.split())
    assert left.endswith("--bf16") == text.endswith("--bf16")


def test_a_password_goes_that_an_escaped_command_hands_on():
    assert "mTeC7XjP" not in clean('{"message": "echo \\"mTeC7XjP\\" | docker login --password-stdin"}')


def test_the_address_of_a_webhook_goes_though_all_of_it_is_encoded():
    secret = "TKF4XB2Q9/BWP3HNZ7R/qRw4TzYb8NmKc2XvLp6Hs3Dg"
    assert "qRw4TzYb8N" not in clean(f"hook={PERCENTS}{secret.replace('/', '%2F')}&x=1")


def test_what_stands_round_an_escape_stays():
    address = f"https://a.lab/x?range=bytes%3D0-57&Signature={NAMED}&Pair=K2L8 refused"
    assert (
        clean(address)
        == "https://a.lab/x?range=bytes%3D0-57&Signature=[redacted: signature in a URL]&Pair=K2L8 refused"
    )


@pytest.mark.parametrize(
    "text",
    [
        drawn("cmpl-{a29}", random.Random(5)),
        drawn("id=chatcmpl-{a29}", random.Random(6)),
        drawn("data:image/png;base64,iVBORw0KGgo{b60}", random.Random(7)),
        drawn("SHA256:{a20}/{a22}", random.Random(8)),
        'x = "ab" + "cd"',
        'print("%s=%d" % ("loss", 3))',
        'a = "layer_"\nb = a + "norm"',
        base64.b64encode(b"step 1 loss 2.5").decode(),
        drawn("{h40}", random.Random(9)),
        "maxToken=checkpoint12345678",
        "(Actor pid=7) model llama-3\n(Actor pid=7) 8b loaded",
    ],
)
def test_what_only_looks_like_them_stays(text):
    assert clean(text) == text


@pytest.mark.parametrize(
    "unit", ["\\", '\\"%s', '"ab"+', "${ab}", 'ab = "bcd"\nab + cd\n', "QUJDRGFi", "(Actor pid=7) abc\n"]
)
def test_looking_for_parts_takes_time_in_proportion(unit):
    """Of so many characters anything else would take minutes."""
    text = unit * (300_000 // len(unit))
    assert clean(text) == text


def test_a_view_tells_where_its_pieces_stand():
    view = view_of([("ab", 0, 2), ("", 2, 5), ("cd", 5, 7), ("e", 9, 20)], joint=3)
    assert view.text == "abcde"
    assert view.spans(1, 4) == [(1, 7)]
    assert view.spans(0, 2) == [(0, 2)]
    assert view.spans(3, 5) == [(6, 20)]
    assert view_of([("ab", 5, 7), ("cd", 0, 2)], joint=9).spans(0, 4) == [(5, 7), (0, 2)]
