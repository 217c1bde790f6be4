"""A log held against good ones: what is new, what is missing, what is slower."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.cli.main import main
from logrules.cli.schema import all_schemas
from logrules.tools.baseline import profile as profiling
from logrules.tools.baseline.compare import deviation
from logrules.tools.baseline.profile import Kinds, LogProfile, lines_of

CAPTURED = Path(__file__).parents[2] / "fixtures/captured"


# Kinds of lines.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2025-06-15 10:00:01,123 INFO step 7", "2025-06-16 23:59:59,9 INFO step 1024"),
        ("loss 0.123", "loss 1.5e-05"),
        ("open /data/a/b.bin", "open /home/x/y/z.json"),
        ("run 1f3a9c2 begins", "run 77ab01cd begins"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-0000-0000-0000-00000000000a"),
        ("at 0x7f3a", "at 0xdeadbeef"),
        ("rank 10.0.0.1:29500 is up", "rank 192.168.17.4:1 is up"),
        ("\x1b[32mok\x1b[0m 1", "ok 2"),
        ("10%|█    | 1/9\r90%|████ | 8/9", "50%|██   | 5/9"),
        ("a   b 1", "a b 2"),
    ],
)
def test_what_varies_makes_no_other_kind(one, other):
    kinds = Kinds()
    assert kinds.of(one.encode()) == kinds.of(other.encode())


@pytest.mark.parametrize(("one", "other"), [("step 1", "epoch 1"), ("connected", "refused"), ("face", "fade")])
def test_other_words_are_another_kind(one, other):
    kinds = Kinds()
    assert kinds.of(one.encode()) != kinds.of(other.encode())


BARS = (
    "  0%|          | 0/30 [00:00<?, ?it/s]",
    "Generating:  41%|████▋  | 41/100 [00:01<00:09,  9.1s/it, loss=2]",
    "3it [00:01, 2.1it/s]",
)


@pytest.mark.parametrize("bar", BARS)
def test_a_bar_is_of_no_kind_but_what_is_glued_to_it_is(bar):
    kinds = Kinds()
    assert kinds.of(bar.encode()) == b""
    assert kinds.of(f"{bar}step done".encode()) == kinds.of(b"step done")


@given(st.binary(max_size=200))
def test_any_bytes_are_of_some_kind_and_always_of_the_same(line):
    assert Kinds().of(line) == Kinds().of(line)


# What is new and what is missing.


def run(folder: Path, name: str, *lines: str) -> LogProfile:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return lines_of([str(path)], Kinds())


GOOD = ("start", "load data 1", "step 1", "step 2", "save checkpoint", "done")


def test_what_no_good_run_has_is_new_and_complaints_come_first(tmp_path):
    here = run(
        tmp_path, "a", "start", "hello", "load data 7", "peer gone", "RuntimeError: no", "timeout soon", "peer gone"
    )
    found = deviation(here, [run(tmp_path, "b", *GOOD)])
    assert [(one.line, one.text, one.count) for one in found.new] == [
        (5, "RuntimeError: no", 1),
        (6, "timeout soon", 1),
        (2, "hello", 1),
        (4, "peer gone", 2),
    ]
    assert (found.new_kinds, round(found.familiar, 3)) == (4, round(2 / 7, 3))


def test_what_every_good_run_has_is_missing_in_their_order(tmp_path):
    here = run(tmp_path, "a", "start", "load data 3")
    good = [run(tmp_path, "b", *GOOD), run(tmp_path, "c", *GOOD[:-1])]
    assert [one.text for one in deviation(here, good).missing] == ["step 1", "save checkpoint"]


@given(st.lists(st.sampled_from(["a 1", "b 2", "c error", "/x/y", "", "d\x1b[0m"]), max_size=30))
def test_a_log_against_itself_has_nothing_new_and_nothing_missing(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("log")
    found = deviation(run(folder, "a", *lines), [run(folder, "b", *lines)])
    assert (found.new, found.missing, found.familiar) == ((), (), 1.0)


def test_more_kinds_than_can_be_kept_are_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setattr(profiling, "MAX_KINDS", 3)
    here = run(tmp_path, "a", "p", "q", "r", "s", "t", "p")
    found = deviation(here, [run(tmp_path, "b", "p")])
    assert found.kinds_left_out
    assert found.familiar == pytest.approx(2 / 6)


def test_kinds_share_what_is_kept_and_long_lines_are_kept_by_their_beginning(tmp_path, monkeypatch):
    monkeypatch.setattr(profiling, "MAX_KINDS", 4)
    (tmp_path / "a").write_text("".join(f"{letter * 9} {'x' * 100_000}\n" for letter in "pqrst"), encoding="utf-8")
    profile = lines_of([str(tmp_path / "a")], Kinds(), runs=2)
    assert (len(profile.kinds), profile.overflow) == (2, 3)
    assert max(len(seen.raw) for seen in profile.kinds.values()) <= 512


# The command.


@pytest.fixture
def logs(tmp_path, monkeypatch) -> Path:
    def steps(seconds: int) -> str:
        return "".join(
            f"2025-06-15 10:{n * seconds // 60:02d}:{n * seconds % 60:02d} INFO step {n} loss 0.5\n" for n in range(20)
        )

    (tmp_path / "good.log").write_text(steps(5) + "2025-06-15 10:05:00 saved model\n")
    (tmp_path / "train.log").write_text(steps(9) + "2025-06-15 10:05:00 the quota of team blue is used up\x1b[31m\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_answer_where_no_rule_knows_any(logs, capsys):
    assert main(["diagnose", "train.log", "--baseline", "good.log", "--lang", "en"]) == 0
    said = capsys.readouterr().out.partition("Against 1 good run\n")[2]
    assert "95.2% of the lines are of kinds that good runs print too" in said
    assert "    1 x  train.log:21  2025-06-15 10:05:00 the quota of team blue is used up" in said
    assert "good.log:21  2025-06-15 10:05:00 saved model" in said
    assert "step_time: 9 / 5 (1.80 times)" in said
    assert "\x1b" not in said


def test_the_same_for_machines(logs, capsys):
    assert main(["diagnose", "train.log", "--baseline", "good.log", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, all_schemas()["report"]())
    assert document["baseline"]["measures"] == [{"metric": "step_time", "here": 9.0, "good": 5.0, "ratio": 1.8}]
    assert main(["diagnose", "train.log", "--format", "json"]) == 0
    assert "baseline" not in json.loads(capsys.readouterr().out)


def test_several_good_runs(logs, capsys):
    (logs / "other").mkdir()
    (logs / "other/rank0.log").write_text("the quota of team blue is used up\n")
    assert main(["diagnose", "train.log", "--baseline", "good.log", "--baseline", "other", "--lang", "zh"]) == 0
    said = capsys.readouterr().out
    assert "与 2 次正常运行相比" in said
    assert "没有新类型的行" not in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train.log", "--baseline", "none.log"], "none.log: no such file"),
        (["-", "--baseline", "good.log"], "--baseline reads logs twice"),
        (["train.log", "--baseline", "-"], "--baseline reads logs twice"),
    ],
)
def test_mistakes_are_one_sentence(logs, capsys, words, says):
    assert main(["diagnose", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("failed", "good", "telling"),
    [
        ("torch-rank1-sigkill-mid-step", "torch-healthy-ddp-two-ranks", "SIGKILL"),
        ("torch-exception-rank1-raises", "torch-healthy-ddp-two-ranks", "Error"),
        ("trainer-loss-nan", "trainer-healthy", "nan"),
        ("datasets-corrupt-json", "datasets-healthy-build-and-map", "rror"),
    ],
)
def test_captured_failures_stand_out_against_a_healthy_run(failed, good, telling):
    kinds = Kinds()
    found = deviation(lines_of([str(CAPTURED / failed)], kinds), [lines_of([str(CAPTURED / good)], kinds)])
    assert telling in " ".join(one.text for one in found.new[:3])
