"""Real logs from the capture lab: what an expert would say of each is said first."""

from pathlib import Path

import pytest
import yaml

from logrules.engine import replay
from logrules.model.report import Report, Severity, Status
from logrules.pack.pack import Pack
from logrules.sources.discover import discover
from tests.conftest import fixtures

CASES = sorted(path.parent for path in fixtures().rglob("case.yaml"))


def labels(case: Path) -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))
    return found


def report_on(case: Path, pack: Pack) -> Report:
    found = discover([str(path) for path in sorted(case.iterdir()) if path.suffix in {".log", ".txt"}])
    return replay(found.sources, pack, notes=found.notes)


# What the rules cannot say of these logs today; a case that comes right must be taken off the list.
ONLY_THE_USERS_OWN_WORDS = "the log ends in words of the user's own, which no rule can know"
ANOTHER_LINE = "the cause is right, another line of it is shown"
INNERMOST_FRAME = "two dumps differ only in their innermost frame, and a signal sees one line at a time"
KNOWN_MISSES = {
    "datasets-cache-lock-held": ONLY_THE_USERS_OWN_WORDS,
    "ray-infeasible-output-buffered": ONLY_THE_USERS_OWN_WORDS,
    "ray-more-actors-than-cpus": ONLY_THE_USERS_OWN_WORDS,
    "ray-rollout-hangs": ONLY_THE_USERS_OWN_WORDS,
    "torch-rendezvous-silence": ONLY_THE_USERS_OWN_WORDS,
    "torch-hang-faulthandler": INNERMOST_FRAME,
    "torch-hang-stacks-dumped": INNERMOST_FRAME,
    "datasets-hub-refused": ANOTHER_LINE,
    "trainer-base-model-other-width": ANOTHER_LINE,
    "trainer-model-hub-offline": ANOTHER_LINE,
}


def expected(case: Path) -> object:
    reason = KNOWN_MISSES.get(case.name)
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(case, id=case.name, marks=marks)


SICK = [case for case in CASES if labels(case)["kind"] != "healthy"]
HEALTHY = [case for case in CASES if labels(case)["kind"] == "healthy"]


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.name)
def test_a_healthy_run_raises_no_alarm(shipped, case):
    report = report_on(case, shipped)
    assert report.status not in {Status.FAILED, Status.STALLED}
    assert [one.rule for one in report.diagnoses if one.severity is Severity.ERROR] == []


@pytest.mark.parametrize("case", [expected(case) for case in SICK])
def test_the_cause_comes_first_with_its_line(shipped, case):
    label = labels(case)
    report = report_on(case, shipped)
    assert report.diagnoses
    first = report.diagnoses[0]
    assert first.cause in {label["cause"], *(label["accept"] or [])}
    assert any(str(label["evidence"]).strip() in line.text for line in first.evidence)
    assert first.cause not in (label["not"] or [])
    if label["culprit_rank"] is not None:
        assert first.ranks[:1] == (label["culprit_rank"],)
