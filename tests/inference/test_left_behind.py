"""Workers that stand still while their peers go on to the end: told whoever completes, and nobody else is."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice, product

import pytest

import logrules
from logrules.engine.follow import Following
from logrules.inference.cadence import SHORTEST_S
from logrules.model.report import Report, Status
from logrules.model.stream import End
from tests.engine.test_follow import Script, blocks
from tests.inference.test_stalls import LAGGING, OVERDUE, Job

# How a line names its writer, and what its label is.
FORMS = {
    "torchrun": ("[rank{rank}]: ", "rank {rank}"),
    "tee": ("[default{rank}]:", "rank {rank}"),
    "ray": ("(RayTrainWorker pid=410{rank}, ip=10.0.0.{rank}) ", "RayTrainWorker pid=410{rank}"),
    "srun": ("{rank}: ", "rank {rank}"),
    "collected": ("2024-05-06T10:00:00.123Z [rank{rank}]: ", "rank {rank}"),
    "files": ("", "rank {rank}"),
}
WORLD, STEPS = 4, 60
END = ("saving the final model to out/final", "Training finished")
END_OF_FIRST = tuple((0, word) for word in END)
Line = tuple[int, str]


def stamp(second: int) -> str:
    return f"2024-05-06 10:{second // 60 % 60:02d}:{second % 60:02d} "


def job(
    steps: int = STEPS,
    stops: dict[int, int] | None = None,
    every: Callable[[int, int], bool] = lambda _rank, _step: True,
    *,
    world: int = WORLD,
    timed: bool = True,
    text: str = "step {step} loss 0.5",
    after: Sequence[Line] = (),
) -> list[Line]:
    """What each rank says, in order: it makes its steps until it stops; ``after`` follows the step where it does."""
    lines = []
    for step in range(1, steps + 1):
        for rank in range(world):
            last = (stops or {}).get(rank, steps)
            if step <= last and every(rank, step):
                lines.append((rank, (stamp(2 * step) if timed else "") + text.format(step=step)))
            if step == last < steps:
                lines += [one for one in after if one[0] == rank]
    return lines


def ended(lines: Iterable[Line], *words: str, rank: int = 0) -> list[Line]:
    return [*lines, *((rank, word) for word in words or END)]


def read(tmp_path, form: str, lines: Iterable[Line]) -> Report:
    prefix, _ = FORMS[form]
    files: dict[str, list[str]] = {}
    for rank, text in lines:
        files.setdefault(f"rank{rank}.log" if form == "files" else "train.log", []).append(
            prefix.format(rank=rank) + text
        )
    for name, own in files.items():
        (tmp_path / name).write_text("\n".join(own) + "\n", encoding="utf-8")
    return logrules.diagnose(*(str(tmp_path / name) for name in sorted(files)))


def told(report: Report) -> list[str]:
    return [one.rule for one in report.diagnoses]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("row", list(product(FORMS, [True, False], [(10, 6), (60, 33), (400, 150)])))
def test_who_stands_still_while_the_others_finish_is_told_with_its_last_line(tmp_path, row):
    form, timed, (steps, stop) = row
    report = read(tmp_path, form, ended(job(steps, {2: stop}, timed=timed)))
    first = report.diagnoses[0]
    assert report.status is Status.STALLED
    assert (first.rule, first.phase) == (LAGGING, "train_step")
    assert {line.worker for line in first.evidence} == {FORMS[form][1].format(rank=2)}
    assert f"step {stop} " in first.evidence[-1].text
    assert first.ranks == (() if form == "ray" else (2,))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["torchrun", "ray", "files"])
@pytest.mark.parametrize(
    "end", [["Training finished"], ["{'train_runtime': 12.5, 'train_loss': 0.5, 'epoch': 1.0}"], ["Saved final model to out/final", "Done."]]
)  # fmt: skip
def test_whatever_the_first_rank_says_at_its_end(tmp_path, form, end):
    assert told(read(tmp_path, form, ended(job(stops={3: 20}), *end)))[:1] == [LAGGING]


@pytest.mark.parametrize("form", ["torchrun", "ray", "files"])
def test_all_others_may_say_that_they_are_done(tmp_path, form):
    lines = [*job(stops={1: 31}), *((rank, "Training finished") for rank in (0, 2, 3))]
    assert told(read(tmp_path, form, lines))[:1] == [LAGGING]


def test_the_first_rank_may_be_the_one(tmp_path):
    report = read(tmp_path, "torchrun", [*job(stops={0: 31}), *((rank, "Training finished") for rank in (1, 2, 3))])
    assert (report.diagnoses[0].rule, report.diagnoses[0].ranks) == (LAGGING, (0,))


@pytest.mark.parametrize(
    ("words", "phase"),
    [
        ("Saving model checkpoint to out", "checkpoint"),
        ("loading shard 17 of the web", "train_step"),
    ],
)
@pytest.mark.parametrize("form", ["torchrun", "ray", "files"])
def test_what_it_said_last_is_shown_and_tells_where_it_was(tmp_path, form, words, phase):
    report = read(tmp_path, form, ended(job(stops={2: 35}, after=[(2, words)])))
    first = report.diagnoses[0]
    assert (first.rule, first.phase) == (LAGGING, phase)
    assert first.evidence[-1].text.endswith(words)


def test_two_of_eight_are_named_the_furthest_behind_first(tmp_path):
    report = read(tmp_path, "torchrun", ended(job(stops={2: 40, 5: 11}, world=8)))
    assert report.diagnoses[0].ranks == (5, 2)


def now_and_then(rank: int, step: int) -> bool:
    return rank == 0 or hash((rank, step * step % 31)) % 9 == 0


HEALTHY = {
    "all reach the end": job(),
    "a few steps apart": job(stops={1: STEPS - 1, 2: STEPS - 3, 3: STEPS - 2}),
    "they print now and then": job(every=now_and_then),
    "one prints every twentieth": job(every=lambda rank, step: rank != 3 or step % 20 == 1),
    "in turns": job(every=lambda rank, step: step % WORLD == rank),
    "one prints no steps": job(every=lambda rank, _: rank != 2),
    "the first alone": job(every=lambda rank, _: rank == 0),
    "the first alone after some steps": job(every=lambda rank, step: rank == 0 or step <= 10),
    "the first of each host after some steps": job(world=8, every=lambda rank, step: rank in (0, 4) or step <= 10),
    "two of which one is quiet": job(world=2, stops={1: 20}),
    "the first evaluates": [*job(), *((0, f"eval step {step} loss 0.4") for step in range(1, 90))],
    "the first evaluates in the same words": [*job(), *((0, f"step {step} loss 0.4") for step in range(61, 150))],
    "fewer batches and a word": job(stops={3: 40}, after=[(3, "Training finished")]),
    "fewer batches and a word of its own": job(stops={3: 40}, after=[(3, "no more batches, leaving at step 40")]),
    "fewer batches and one word": job(stops={3: 40}, after=[(3, "done")]),
    "fewer batches by a tenth": job(stops={3: 54}),
    "its own error": job(stops={3: 40}, after=[(3, "Traceback (most recent call last):"), (3, '  File "a.py", line 3, in <module>'), (3, "ValueError: no such shard")]),
}  # fmt: skip


@pytest.mark.one_in(5)
@pytest.mark.parametrize("row", list(product(HEALTHY, ["torchrun", "ray", "files"])))
def test_nobody_else_is_told(tmp_path, row):
    name, form = row
    assert LAGGING not in told(read(tmp_path, form, ended(HEALTHY[name])))


def test_who_says_something_as_late_as_the_others_end_is_with_them(tmp_path):
    lines = job(stops={3: 40})
    assert LAGGING not in told(read(tmp_path, "torchrun", [*lines[:-6], (3, "flushing the shard cache"), *lines[-6:]]))


def test_a_slower_worker_is_as_far_behind_as_ever(tmp_path):
    lines = [line for line in job(200, timed=False) if line[0] != 3 or int(line[1].split()[1]) <= 150]
    slow = [line for line in lines if line[0] == 3]
    others = iter([line for line in lines if line[0] != 3])
    merged = []
    for line in slow:
        merged += [*islice(others, 4), line]
    assert LAGGING not in told(read(tmp_path, "torchrun", ended([*merged, *others])))


def test_where_one_line_stands_for_those_of_several_nobody_is_missed(tmp_path):
    lines = [
        (rank, text + " [repeated 3x across cluster]") if rank == 1 else (rank, text)
        for rank, text in job(stops={3: 9})
    ]
    assert LAGGING not in told(read(tmp_path, "ray", ended(lines)))


def test_whose_place_another_takes_is_not_missed(tmp_path):
    lines = job(stops={3: 20})
    late = [(rank, text) for rank, text in job(world=5) if rank == 4 and int(text.split("step ")[1].split()[0]) > 22]
    assert LAGGING not in told(read(tmp_path, "ray", ended(sorted([*lines, *late], key=lambda line: line[1][:19]))))


def test_where_the_prompt_is_back_all_have_ended(tmp_path):
    read(tmp_path, "torchrun", ended(job(stops={3: 20})))
    log = tmp_path / "train.log"
    assert LAGGING in told(logrules.diagnose(str(log)))
    log.write_text(
        log.read_text(encoding="utf-8") + "\nreal\t0m21.204s\nuser\t0m30.001s\nsys\t0m1.204s\n", encoding="utf-8"
    )
    assert LAGGING not in told(logrules.diagnose(str(log)))


@cache
def large(world: int) -> tuple[Line, ...]:
    return tuple(job(300, world=world))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("world", [16, 31, 40, 90])
@pytest.mark.parametrize("form", ["torchrun", "collected"])
def test_of_many_in_a_log_that_is_read_in_part_nobody_is_missed(tmp_path, form, world):
    assert LAGGING not in told(read(tmp_path, form, ended(large(world))))


def live(
    stops: dict[int, int], *, world: int = WORLD, words: Sequence[Line] = END_OF_FIRST, prefix: str = "[rank{rank}]: "
) -> Job:
    """A job of steps of a second that has come to its end, but for those that stop."""
    found = Job()
    for number, (rank, text) in enumerate(job(stops=stops, world=world, timed=False)):
        found.says(number / world, prefix.format(rank=rank) + text)
    for rank, word in words:
        found.says(STEPS + 1, prefix.format(rank=rank) + word)
    return found


@pytest.mark.parametrize("prefix", ["[rank{rank}]: ", "(RayTrainWorker pid=410{rank}) "])
def test_live_it_is_told_within_the_patience_of_its_rhythm(prefix):
    found = live({2: 20}, prefix=prefix)
    assert found.told(LAGGING, OVERDUE) == []
    found.is_quiet_until(21 + SHORTEST_S, 1)
    assert [what for what, _ in found.told(LAGGING)] == ["raised"]
    assert found.told(LAGGING)[0][1] == pytest.approx(20 + SHORTEST_S, abs=2)
    report = found.session.report()
    assert (report.status, report.diagnoses[0].rule) == (Status.STALLED, LAGGING)
    assert report.diagnoses[0].ranks == (() if "pid" in prefix else (2,))
    assert "step 20 " in report.diagnoses[0].evidence[-1].text


def test_live_it_is_taken_back_when_it_speaks_again():
    found = live({2: 20}).is_quiet_until(21 + SHORTEST_S, 1)
    found.says(30 + SHORTEST_S, "[rank2]: step 21 loss 0.5").is_quiet_until(31 + SHORTEST_S)
    assert [what for what, _ in found.told(LAGGING)] == ["raised", "withdrawn"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("stops", "words"),
    [
        ({}, END_OF_FIRST),
        ({1: STEPS - 2, 3: STEPS - 3}, END_OF_FIRST),
        ({3: 40}, ((3, "no more batches, leaving at step 40"), *END_OF_FIRST)),
        ({1: 5, 2: 5, 3: 5}, END_OF_FIRST),
    ],
)
def test_live_a_job_that_has_ended_owes_nothing(stops, words):
    assert live(stops, words=words).is_quiet_until(3_000, 20).told(LAGGING, OVERDUE) == []


def test_live_who_saves_for_long_is_given_as_long_as_any_save():
    words = ((2, "Saving model checkpoint to out"), *END_OF_FIRST)
    found = live({2: 20}, words=words)
    assert found.is_quiet_until(STEPS + 200, 5).told(LAGGING) == []


def test_the_end_of_a_pipe_tells_what_the_saved_log_does():
    found = live({2: 20}).is_quiet_until(STEPS + 5)
    found.changes += found.session.feed(End())
    assert [what for what, _ in found.told(LAGGING)] == ["raised"]


def test_a_command_that_ended_waits_for_nobody():
    found = live({2: 20}).is_quiet_until(STEPS + 5)
    found.changes += found.session.feed(End(0))
    assert found.told(LAGGING) == []


def test_live_an_evaluation_by_the_first_rank_alone_leaves_nobody_behind():
    found = live({1: STEPS - 2}, words=())
    for part in range(40):
        found.says(STEPS + 10 * part, f"[rank0]: evaluated part {part} of 40, accuracy: 0.5{part}")
    assert found.is_quiet_until(STEPS + 400).told(LAGGING) == []


def test_live_ranks_that_print_no_more_while_the_first_goes_on_are_not_behind():
    found = live({1: 10, 2: 10, 3: 10}, words=())
    for number in range(STEPS, 400):
        found.says(number, f"[rank0]: step {number} loss 0.5")
    assert found.told(LAGGING) == []


@pytest.mark.parametrize("steps", [60, 900])
def test_live_the_same_is_told_as_of_the_saved_log(tmp_path, shipped, steps):
    read(tmp_path, "torchrun", ended(job(steps, {2: steps // 2})))
    log = tmp_path / "train.log"
    following = Following(Script(*blocks(log.read_bytes()), End()), lambda: shipped)
    list(following)
    saved, live = logrules.diagnose(str(log)).diagnoses[0], following.report().diagnoses[0]
    assert (live.rule, live.ranks) == (saved.rule, saved.ranks) == (LAGGING, (2,))
    assert [line.text for line in live.evidence] == [line.text for line in saved.evidence]
