"""Prefixes, times and file names: what is none, and how they stand together (`logrules test` runs the samples)."""

from datetime import UTC, datetime
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.parsing.header import HeaderParser, worker_of_name
from logrules.parsing.timestamp import TimestampParser


@pytest.fixture(scope="module")
def peeler(shipped):
    return HeaderParser(shipped)


@pytest.mark.parametrize(
    "text", ["2025-02-30 10:00:00", "2025-13-01 10:00:00", "9999999999999999", "1399 10:00:00", ""]
)
def test_what_is_no_time_is_none(shipped, text):
    assert TimestampParser(shipped.times, shipped.unclocked).read(text) is None


def test_prefixes_of_usual_lengths_are_matched_without_a_clock(shipped):
    forms = [*shipped.headers, *shipped.times]
    assert shipped.unclocked.keys() == {form.pattern for form in forms}
    assert [form.id for form in forms if shipped.unclocked[form.pattern][1] < 128] == []


def test_a_damaged_number_is_no_rank(peeler):
    assert peeler.peel("[rank7]: x").rank == 7
    assert peeler.peel("[rank99999999999]: x").rank is None


@pytest.mark.parametrize("name", ["train.log", "log.txt", "frankfurt5.log", "epoch_3_model.txt"])
def test_a_plain_file_name_names_nobody(shipped, name):
    assert not worker_of_name(name, shipped.names).named


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2024-03-01T23:30:00.5Z 3: hello", {"rank": 3, "message": "hello"}),
        ("(TaskRunner pid=1) [rank3]: (EngineCore_0 pid=9) hello", {"rank": 3, "pid": 9, "message": "hello"}),
        ("[rank3]:[E419 10:42:28.9 ProcessGroupNCCL.cpp:616] [Rank 1] x", {"rank": 3, "message": "x"}),
        ("1: [rank4]: KeyError: 'labels'", {"rank": 4, "message": "KeyError: 'labels'"}),
        ("1: [default0]:hello", {"rank": 1, "message": "hello"}),
        ("2: node-1:77:79 [0] NCCL WARN closed", {"rank": 2, "host": "node-1", "pid": 77, "message": "closed"}),
        (
            "2024-03-01T23:30:00.5Z [rank1]:[E419 10:42:28.9 ProcessGroupNCCL.cpp:616] [Rank 1] x",
            {"rank": 1, "message": "x"},
        ),
        ('(WorkerDict pid=7)   File "a.py", line 1, in f', {"pid": 7, "message": '  File "a.py", line 1, in f'}),
        ('  File "a.py", line 1, in f', {"pid": None, "message": '  File "a.py", line 1, in f'}),
    ],
)
def test_prefixes_nest_in_any_order(peeler, line, expected):
    header = peeler.peel(line)
    assert {part: getattr(header, part) for part in expected} == expected


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: NCCL error: unhandled system error",
        "step 100: loss 0.5",
        "Epoch 3:  12%|#2        | 12/100 [01:00<07:20,  5.0s/it]",
        "AssertionError: num > 0",
        "loss: 0.5",
        "W&B run done",
        "torch.OutOfMemoryError: CUDA out of memory.",
        "urllib3.exceptions.MaxRetryError: x",
        "ERROR: Failed building wheel for vllm",
        "wandb: W&B API key is configured",
        "| 0   N/A  N/A   1234      C   python |",
        "Error: nothing",
        "epoch-3: done",
        "gpt-2: loading",
        "name  | value  | other",
        "layer1: frozen",
    ],
)
def test_what_only_looks_like_a_prefix_stays(peeler, line):
    header = peeler.peel(line)
    assert (header.message, header.host, header.rank) == (line, None, None)


def test_the_outermost_time_counts(peeler):
    header = peeler.peel("2024-03-01T23:30:00Z [2024-03-02 01:30:00,000] [INFO] [x.py:1:f] hello")
    assert header.stamp is not None
    assert datetime.fromtimestamp(header.stamp.seconds, UTC).hour == 23


@pytest.mark.parametrize(
    ("line", "hour"),
    [
        (':::MLLOG {"namespace": "", "time_ms": 1684000000123, "key": "run_start"}', 17),
        ('3: :::MLLOG {"namespace": "", "time_ms": 1684000000123, "key": "run_start"}', 17),
        ("slurmstepd: error: *** JOB 12 ON node-1 CANCELLED AT 2022-03-01T10:00:00 DUE TO TIME LIMIT ***", 10),
        ("  time      : 2023-03-01_10:00:00", 10),
        ("[rank1]:[E419 10:42:28.9 ProcessGroupNCCL.cpp:616] [Rank 1] x", 10),
        ("INFO 03-01 10:00:00 f.py:1] hello", 10),
        ("[1677664800.250000] [node-1:77:0]  ib.c:1 UCX ERROR x", 10),
        ("E0000 00:00:1740823200.250000    1234 cuda_dnn.cc:8310] hi", 10),
        ("ERROR:2025-01-02 03:04:05,797:hello", 3),
    ],
)
def test_the_time_of_a_line_is_found_wherever_its_writer_puts_it(peeler, line, hour):
    header = peeler.peel(line)
    assert header.stamp is not None
    assert datetime.fromtimestamp(header.stamp.seconds, UTC).hour == hour


def test_a_repeated_line_bears_no_time_of_its_own(peeler):
    header = peeler.peel("(W pid=7) 2024-10-09 23:25:32 hello [repeated 7x across cluster]")
    assert (header.stamp, header.repeat, header.message) == (None, 7, "hello")


@given(st.text(max_size=200))
def test_peeling_never_raises_and_never_invents(line):
    header = HeaderParser(_pack()).peel(line)
    assert header.message in line or header.repeat > 1
    assert header.repeat >= 1


@given(st.text(alphabet="([rank0-9]): pid=TPWorker,ip.|%INFO", max_size=60))
def test_text_made_of_prefix_parts_is_peeled_to_a_part_of_itself(line):
    header = HeaderParser(_pack()).peel(line)
    assert header.message in line
    assert len(header.message) <= len(line)


@cache
def _pack():
    from logrules.ruleset.load import load_pack

    return load_pack()
