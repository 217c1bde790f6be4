"""A literal is found also where a program coloured a part of it, and reported where it stands."""

import re

import pytest

from logrules.engine.run import prepared
from logrules.parsing.literal_matcher import Hits
from logrules.parsing.scan import found_uncoloured
from logrules.ruleset.pack import Pack
from logrules.ruletest.harness import run_log

WANDB = "\x1b[34m\x1b[1mwandb\x1b[0m: \x1b[32m\x1b[41mERROR\x1b[0m Abnormal program exit\n"
SWANLAB = "\x1b[1m\x1b[34mswanlab\x1b[0m\x1b[0m: \x1b[31mERROR\x1b[0m Network error, swanlab will resume uploading\n"
CLAP = "\x1b[1m\x1b[31merror:\x1b[0m unexpected argument '\x1b[33m--foo\x1b[0m' found\n"
PIP = "  \x1b[1;31merror\x1b[0m: \x1b[1mmetadata-generation-failed\x1b[0m\n"


def test_hits_are_told_by_their_place_in_the_window() -> None:
    window = b"a \x1b[34mwan\x1b[1mdb\x1b[0m: x\nb\x1b[0m"
    searched: list[bytes] = []

    def find(data: bytes) -> Hits:
        searched.append(data)
        return Hits([(1, 0), (2, 1), (5, 2), (7, 3), (8, 4), (12, 5)])

    found = found_uncoloured(window, find)
    assert searched == [b"a wandb: x\nb"]
    assert [window[:end][-1:] for end, _ in found] == [b"a", b" ", b"n", b"b", b":", b"b"]
    assert list(found.numbers) == [0, 1, 2, 3, 4, 5]


def test_a_window_without_colours_is_searched_as_it_is() -> None:
    found = Hits([(4, 0)])
    assert found_uncoloured(b"loss [5m] [1/2]\n", lambda _: found) is found


@pytest.mark.parametrize("log", [WANDB, SWANLAB, CLAP, PIP])
def test_a_coloured_log_is_diagnosed_as_without_colours(shipped: Pack, log: str) -> None:
    on = prepared(shipped)
    coloured, plain = (run_log(on, text).diagnoses for text in (log, re.sub(r"\x1b\[[\d;]*m", "", log)))
    assert [diagnosis.cause for diagnosis in coloured] == [diagnosis.cause for diagnosis in plain] != []
