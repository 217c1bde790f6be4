"""Which lines a report shows first: where it just ends, the last step too; of peers, each one's own failure."""

from io import StringIO

import pytest

from logrules.engine.run import Prepared, prepared
from logrules.output.text import render_text
from logrules.ruleset.load import load_pack
from logrules.ruletest.harness import run_log
from tests.toy_rule import rule, write

STEP = "{'loss': 0.50, 'grad_norm': 1.1, 'learning_rate': 1e-05, 'epoch': 0.%d}"


@pytest.fixture(scope="module")
def on() -> Prepared:
    return prepared(load_pack())


def test_where_a_log_just_ends_the_last_step_stands_beside_the_last_line(on):
    steps = [STEP % number for number in range(1, 4)]
    first = run_log(on, "\n".join([*steps, "uploaded 3 shards of the replay buffer"])).diagnoses[0]
    assert first.rule == "detectors/stopped"
    assert [one.line for one in first.evidence] == [3, 4]


def test_the_last_line_is_shown_once_where_it_is_the_last_step(on):
    first = run_log(on, "\n".join(STEP % number for number in range(1, 4))).diagnoses[0]
    assert [one.line for one in first.evidence] == [3]


@pytest.mark.parametrize("prefix", ["", "engine  | "])
def test_what_all_ranks_of_a_container_raise_at_once_is_not_lived_through(on, prefix):
    raised = [
        "[2025-03-01 10:00:00 TP%d] Scheduler hit an exception: Traceback (most recent call last):",
        '  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 636, in event_loop_normal',
        "    batch = self.get_next_batch_to_run()",
        "TypeError: expected Tensor as element 1 in argument 0, but got NoneType",
        "",
    ]
    lines = [prefix + line.replace("%d", str(rank)) for rank in range(4) for line in raised]
    report = run_log(on, "\n".join(lines))
    assert report.status.value == "failed"
    assert report.diagnoses[0].evidence[0].text.endswith("but got NoneType")


def test_what_many_ranks_raise_at_once_in_long_tracebacks_is_not_lived_through(on):
    """Of what is told again few frames are read: here the others are left out, as far apart as they would stand."""
    head = "[2025-03-01 10:00:00 TP%d] Scheduler hit an exception: Traceback (most recent call last):"
    frame = '  File "/env/sglang/srt/models/m.py", line 7, in forward'
    raised = "TypeError: expected Tensor as element 1 in argument 0, but got NoneType"
    whole, thinned = [frame, "    return self.next(x)", "    ^^^^"] * 30, [*["    return self.next(x)"] * 85, frame]
    lines = [head % 0, *whole, raised, ""]
    lines += [line for rank in range(1, 6) for line in (head % rank, *thinned, raised, "")]
    report = run_log(on, "\n".join(lines))
    assert report.status.value == "failed"
    assert report.diagnoses[0].evidence[0].text == raised


@pytest.mark.parametrize(
    ("prefix", "statement", "shown"),
    [
        ("", "    assert width in {16, 32}", ["    assert width in {16, 32}", "AssertionError"]),
        (
            "[rank0]: ",
            "    assert width\n[rank0]:            ^^^^^",
            ["[rank0]:     assert width", "[rank0]: AssertionError"],
        ),
        ("", "    self.check(width)", ["AssertionError"]),
    ],
)
def test_the_assertion_stands_beside_an_error_that_says_nothing(on, prefix, statement, shown):
    lines = [
        "Traceback (most recent call last):",
        '  File "/app/attend.py", line 9, in attend',
        statement,
        "AssertionError",
    ]
    first = run_log(on, "\n".join(prefix + line for line in lines)).diagnoses[0]
    assert [one.text for one in first.evidence] == shown


@pytest.mark.parametrize(
    ("end", "shown"),
    [
        (["    pad(batch)", ""], [3, 4]),
        (["    pad(batch)", "        ^^^^^"], [3, 4]),
        ([], [3]),
        (["    raise WidthError(", ""], [3, 4]),
    ],
)
def test_of_a_traceback_without_its_end_the_last_place_is_shown(on, end, shown):
    lines = [
        "Traceback (most recent call last):",
        '  File "/app/train.py", line 4, in <module>',
        '  File "/app/attend.py", line 9, in attend',
        *end,
    ]
    first = run_log(on, "\n".join(lines)).diagnoses[0]
    assert first.rule == "python/exception-untold"
    assert [one.line for one in first.evidence] == shown


def test_a_message_that_a_logger_prints_above_its_frames_is_placed_by_them(on):
    lines = [
        "HIP error: invalid argument",
        "Traceback (most recent call last):",
        '  File "/env/vllm/worker/worker.py", line 141, in init_device',
        "    self.init_gpu_memory = torch.cuda.mem_get_info()[0]",
        "RuntimeError: HIP error: invalid argument",
    ]
    head = "INFO 11-29 09:36:11 llm_engine.py:248] Initializing an LLM engine (v0.6.4) with config: model='m'\n"
    begun = head + "INFO 11-29 09:36:15 selector.py:134] Using ROCmFlashAttention backend.\n"
    report = run_log(on, begun + "\n".join("ERROR 11-29 09:36:15 engine.py:366] " + line for line in lines))
    assert report.diagnoses[0].phase == "model_load"


def test_beside_the_end_that_a_scheduler_tells_stands_what_the_job_wrote_last(on):
    cancelled = "slurmstepd: error: *** JOB 91 ON gpu-3 CANCELLED AT 2025-03-01T10:00:00 ***"
    first = run_log(on, f"building the index\nplacing centroids\n{cancelled}").diagnoses[0]
    assert [one.text for one in first.evidence] == ["placing centroids", cancelled]


@pytest.mark.parametrize("words", [100, 60_000])
def test_of_a_very_long_line_the_part_that_tells_is_shown(on, words):
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    first = run_log(on, f"ERROR batch: {'x1 ' * words}{error} {'y2 ' * 60_000}").diagnoses[0]
    (line,) = first.evidence
    assert first.cause == "cuda-oom"
    assert error in line.text[:400]
    assert line.text.startswith("…x1")
    assert len(line.text) <= 2_000


def test_the_line_of_the_rule_itself_goes_before_what_was_raised_beside_it(tmp_path):
    write(
        tmp_path / "acme" / "gave-up.yaml", rule("gave up on shard").replace("python-exception", "service-unreachable")
    )
    log = """ERROR acme: gave up on shard 17
Traceback (most recent call last):
  File "/w/train.py", line 20, in main
    batch = shards[17]
KeyError: 17
"""
    report = run_log(prepared(load_pack([tmp_path])), log)
    assert [(line.line, line.beside) for line in report.diagnoses[0].evidence] == [(1, False), (5, True)]
    out = StringIO()
    render_text(report, out, "en", "bash")
    assert "> ERROR acme" in out.getvalue()
