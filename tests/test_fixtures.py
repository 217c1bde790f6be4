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


SICK = [case for case in CASES if labels(case)["kind"] != "healthy"]
HEALTHY = [case for case in CASES if labels(case)["kind"] == "healthy"]


@pytest.mark.parametrize("case", HEALTHY, ids=lambda case: case.name)
def test_a_healthy_run_raises_no_alarm(shipped, case):
    report = report_on(case, shipped)
    assert report.status not in {Status.FAILED, Status.STALLED}
    assert [one.rule for one in report.diagnoses if one.severity is Severity.ERROR] == []


@pytest.mark.parametrize("case", SICK, ids=lambda case: case.name)
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
