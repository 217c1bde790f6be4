"""The way of a flood: what counts its lines is the system's program, whatever the job has on its PATH."""

import os
import sys

import pytest

from logrules.sources.descriptors import widen
from logrules.sources.flood import KEPT_BYTES, FloodPath

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or sys.version_info >= (3, 13), reason="the kernel moves nothing here"
)


@pytest.mark.parametrize("body", ["exec sleep 60", "echo no number", "exit 0"])
def test_lines_are_counted_whatever_else_is_called_wc(body, tmp_path, monkeypatch):
    fake = tmp_path / "wc"
    fake.write_text(f"#!/bin/sh\n{body}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    ours, theirs = os.pipe()
    onward = os.open(tmp_path / "onward", os.O_WRONLY | os.O_CREAT)
    widen(theirs)
    os.write(theirs, b"a line\n" * (1 << 17))
    flood = FloodPath(ours)
    assert flood.pass_on(onward)
    size, lines = flood.taken()
    assert size == 7 * (1 << 17) - KEPT_BYTES
    assert lines == size // 7
    for descriptor in (ours, theirs, onward):
        os.close(descriptor)
