"""Secrets in lines that were cut, in records of JSON, in what URLs spell, and of issuers that no table has."""

import json
import random
from urllib.parse import quote

import pytest

from logrules.tools.bundle.cut_lines import whole_lines
from logrules.tools.bundle.record_texts import texts_of_records
from logrules.tools.bundle.redact import Redactor
from logrules.tools.bundle.value_kinds import is_by_chance
from tests.tools.test_redaction_corpus import drawn, leaks

pytestmark = pytest.mark.unmeasured

HEX = drawn("{h40}", random.Random(51))
WORD = "Ku7" + drawn("{a8}", random.Random(52)) + "4"
LOWER = drawn("{l38}", random.Random(53)) + "7q"
AUTH = f'get(u, auth=("ml", "{WORD}"))'


def clean(text: str) -> str:
    return Redactor().redact({"log": f"INFO it 4\n{text}\nINFO it 5"})[0]["log"]


def as_docker(*lines: str) -> str:
    return "\n".join(
        json.dumps({"log": f"{line}\n", "stream": "stderr", "time": f"2026-03-0{number}T01:02:0{number}.5Z"})
        for number, line in enumerate(lines, start=1)
    )


def cut_at_80(text: str, head: str = "") -> str:
    return "\n".join(f"{head}{text[at : at + 80]}" for at in range(0, len(text), 80))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (as_docker(AUTH), WORD),
        (as_docker('"smtp_password":', f'    "{WORD}"'), WORD),
        (as_docker("hub_token: >-", f"    {HEX}"), HEX),
        (json.dumps({"msg": json.dumps({"message": AUTH})}), WORD),
        (f"ts=1 msg={json.dumps('SMTP_PASSWORD=')}\nts=2 msg={json.dumps(f'    {WORD}')}", WORD),
        (json.dumps({"lines": ["user,smtp_password", f"ml,{WORD}"]}, indent=2), WORD),
        ("body=" + quote(AUTH), WORD),
        ("body=" + quote(f"密码是{WORD}"), WORD),
        ("body=" + quote(f"user\tsmtp_password\nml\t{WORD}"), WORD),
        (cut_at_80(f"{'x' * 60} docker login -u ml -p {WORD} hub"), WORD),
        (cut_at_80(f"{'x' * 70} --smtp-password {WORD} --lr 1", "2026-01-01T00:00:00Z stdout F "), WORD),
        (
            f"2026-01-01T00:00:01.25Z stdout F to {HEX[:9]} hf_{LOWER[:12]}\n2026-01-01T00:00:02.75Z stdout F {LOWER[12:]}",
            LOWER,
        ),
        (f"bkx_{LOWER}", LOWER),
        (f"【密码】{WORD}", WORD),
        (f"invalid token {HEX}", HEX),
        (f"use {HEX} as SWANLAB_API_KEY", HEX),
        (f"AUTH default {WORD}", WORD),
        (f"Here is your npm token:\n\n    {HEX}", HEX),
    ],
)
def test_it_goes(text, secret):
    assert not leaks(clean(text), secret)


@pytest.mark.parametrize(
    "text",
    [
        f"GET https://huggingface.co/api/models/a/b/xet-read-token/{HEX}",
        "  352  __pyx_pw_3ray_7_raylet_10CoreWorker_61wait()",
        f'File "/tmp/torchinductor_root/tt/c{LOWER}{LOWER[:11]}.py", line 7',
        f"FX graph cache key f{LOWER}",
        f"NVRM: GPU at PCI:0000:02:00: GPU-{HEX[:8]}-{HEX[:4]}-{HEX[4:8]}-{HEX[8:12]}-{HEX[12:24]}",
        "XE9680lx8H200-SXM-141GB_02x08x2048",
        "\n".join(f"object_ref {HEX}{drawn('{h16}', random.Random(number))}" for number in range(3)),
        "\n".join(
            f"I0214 01:43:25.9730{number} 751624 fuse_pass_base.cc:57] ---  detected 2 subgraphs" for number in (17, 41)
        ),
    ],
)
def test_ordinary_text_stays(text):
    assert clean(text) == f"INFO it 4\n{text}\nINFO it 5"


def test_lines_that_were_cut_are_read_as_one():
    lines = ["a" * 79 + "b", "  c", "d"]
    view = whole_lines("\n".join(lines))
    assert view is not None
    assert view.text == f"{'a' * 79}bc\n"
    assert view.spans(79, 81) == [(79, 80), (83, 84)]
    assert whole_lines("a\nb") is None


def test_records_are_read_as_what_was_printed():
    view = texts_of_records(as_docker('a="\u00e9"', "\tb") + "\nc")
    assert view is not None
    assert view.text == 'a="é"\n\tb\n'
    assert texts_of_records('say "a"') is None


def test_chance_is_told_from_names():
    lot = random.Random(54)
    tokens = [drawn(f"{{{alphabet}32}}", lot) for alphabet in "alw" for _ in range(100)]
    names = [
        "cudaLaunchKernelExC_v11060_ptsz",
        "_ZN5torch8autograd6Engine8evaluate",
        f"checkpoint-{HEX}",
        "py310h5eee18b_0_cu121",
    ]
    assert sum(map(is_by_chance, tokens)) >= 0.95 * len(tokens)
    assert not any(map(is_by_chance, names))
