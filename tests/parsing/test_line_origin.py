"""Where a line was printed, as its header names it, and the phase that a failure without frames has by that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.engine.run import replay
from logrules.model.report import PhaseSource
from logrules.parsing.origin import OriginResolver
from logrules.ruleset.pack import Pack
from tests.conftest import MemorySource

FULL = "[Errno 28] No space left on device"
HEADERS = {
    "a logger": ("2024-01-01 10:00:00,000 - datasets.builder - ERROR - ", "datasets", "data_load"),
    "a logger in brackets": ("[2024-01-01 10:00:00][datasets.builder][ERROR] - ", "datasets", "data_load"),
    "a file and a line": ("(Worker pid=7) ERROR 01-01 10:00:00 kv_cache_utils.py:90] ", "vllm", "model_load"),
    "a path of C++": ("[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:611] ", "gloo", None),
    "a function too": ("[2024-01-01 10:00:00] [ERROR] [comm.py:669:init_distributed] ", "deepspeed", "rendezvous"),
    "the first of two": ("E0101 bootstrap.cc:70] datasets.builder: ", "nccl", "rendezvous"),
}
UNKNOWN = {
    "a script of the user's": "train.py:12: ",
    "a host": "gpu-3.example.com: ",
    "what a long message quotes": "x" * 300 + " datasets.builder: ",
    "nothing": "",
}


@pytest.fixture(scope="module")
def origins(shipped: Pack) -> OriginResolver:
    tables = shipped.tables
    return OriginResolver(tables.components, tables.own_words, tables.nesting)


@pytest.mark.parametrize(("header", "component", "phase"), HEADERS.values(), ids=HEADERS)
def test_a_header_names_where_its_line_was_printed(origins, header: str, component: str, phase: str | None):
    origin = origins.of_line(header + FULL)
    assert origin is not None
    assert (origin.component, origin.phase) == (component, phase)


@pytest.mark.parametrize("header", UNKNOWN.values(), ids=UNKNOWN)
def test_what_no_row_knows_is_from_nowhere(origins, header: str):
    assert origins.of_line(header + FULL) is None


@given(text=st.text(max_size=400) | st.text("a./:_-]1", max_size=4_000))
def test_any_text_is_taken(origins, text: str):
    origin = origins.of_line(text)
    assert origin is None or origin.component is not None


def test_a_failure_without_frames_has_the_phase_of_what_printed_it(shipped: Pack):
    line = HEADERS["a logger"][0] + FULL + "\n"
    found = replay([MemorySource("train.log", line)], shipped).diagnoses[0]
    assert (found.cause, found.phase, found.phase_from) == ("disk-full", "data_load", PhaseSource.HEADER)


def test_a_job_that_had_left_its_start_is_where_its_markers_say(shipped: Pack):
    steps = "".join(f"{{'loss': 0.{9 - n}, 'learning_rate': 1e-05, 'epoch': 0.{n}}}\n" for n in range(4))
    line = HEADERS["a logger"][0] + FULL + "\n"
    found = replay([MemorySource("train.log", steps + line)], shipped).diagnoses[0]
    assert (found.phase, found.phase_from) == ("train_step", PhaseSource.MARKERS)


LOST = "ConnectionResetError: [Errno 104] Connection reset by peer"
PRINTED = {
    "a tracker's": ("wandb.sdk", "tracker-unreachable"),
    "the hub's": ("huggingface_hub.file_download", "hub-unreachable"),
    "nobody's": ("app.client", "service-unreachable"),
}


@pytest.mark.parametrize(("logger", "cause"), PRINTED.values(), ids=PRINTED)
def test_an_exception_without_frames_is_of_what_logged_it(shipped: Pack, logger: str, cause: str):
    line = f"2024-01-01 10:00:00,000 - {logger} - ERROR - {LOST}\n"
    assert replay([MemorySource("train.log", line)], shipped).diagnoses[0].cause == cause


def test_frames_tell_more_than_the_logger_above_them(shipped: Pack):
    text = (
        "2024-01-01 10:00:00,000 - wandb.sdk - ERROR - failed\nTraceback (most recent call last):\n"
        '  File "/v/lib/python3.11/site-packages/huggingface_hub/file_download.py", line 9, in http_get\n    get(url)\n'
        f"{LOST}\n"
    )
    assert replay([MemorySource("train.log", text)], shipped).diagnoses[0].cause == "hub-unreachable"
