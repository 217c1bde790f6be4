"""Which of several alike processes failed, where only the number in its role tells."""

import pytest

from logrules import diagnose

RAISED = (
    "Traceback (most recent call last):",
    '  File "/app/train.py", line 61, in main',
    "    batch = next(it)",
    "IndexError: list index out of range",
)


def log_of(prefix, numbers, failed):
    steps = (
        f"{prefix.format(number)}step {step} loss {2.5 - step / 10:.3f}" for step in range(3) for number in numbers
    )
    return "\n".join((*steps, *(f"{prefix.format(failed)}{line}" for line in RAISED), ""))


@pytest.mark.parametrize(
    ("prefix", "numbers", "ranks"),
    [
        ("(EngineCore_DP{} pid=77) ", range(4), (3,)),
        ("[2025-05-06 10:00:00 DP{}] ", range(4), (3,)),
        ("trainer_{}  | ", range(4), (3,)),
        ("trainer{}-1  | ", range(4), (3,)),
        # Of replicas, which Compose counts from 1, it says nothing.
        ("trainer-{}  | ", range(1, 4), ()),
        # One engine alone bears a number too, whichever of its workers failed.
        ("(EngineCore_DP{} pid=77) ", [0], ()),
    ],
    ids=["engine", "server", "container", "service", "replicas", "alone"],
)
def test_the_number_of_a_role_that_has_several(tmp_path, shipped, prefix, numbers, ranks):
    log = tmp_path / "train.log"
    log.write_text(log_of(prefix, numbers, numbers[-1]), encoding="utf-8")
    assert diagnose(log, pack=shipped).diagnoses[0].ranks == ranks
