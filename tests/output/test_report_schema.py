"""The published schemas: what is printed satisfies them, and the copies in docs/ are current."""

import json
from pathlib import Path

import jsonschema
import pytest

from logrules.cli.schema import all_schemas
from logrules.engine.run import replay
from logrules.model.report import Report, StackView, Status
from logrules.output.report_json import report_document, report_schema
from logrules.sources.discover import discover
from tests.conftest import fixtures

DOCS = Path(__file__).parents[2] / "docs" / "schema"
CASES = sorted(path.parent for path in (fixtures() / "captured").rglob("case.yaml"))


# The schema is read once: that takes as long as twenty reports.
REPORT = jsonschema.Draft202012Validator(report_schema())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES[::6], ids=lambda case: case.name)
def test_every_report_satisfies_the_schema(shipped, case):
    found = discover([str(case)])
    report = replay(found.sources, shipped, notes=found.notes)
    for language in ("en", "zh"):
        document = report_document(report, language)
        REPORT.validate(json.loads(json.dumps(document)))
        assert document["schema"] == "logrules.report/1"


@pytest.mark.parametrize("name", all_schemas())
def test_schemas_are_valid_and_the_published_copies_are_current(name):
    schema = all_schemas()[name]()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads((DOCS / f"{name}.json").read_text(encoding="utf-8")) == schema


def test_stacks_are_in_the_document_where_somebody_looked():
    looked = Report(Status.STALLED, "train_step", stacks=StackView(("said\x1b",), ("[rank 0] x",)))
    document = json.loads(json.dumps(report_document(looked, "en")))
    REPORT.validate(document)
    assert document["stacks"] == {"said": ["said\\x1b"], "tree": ["[rank 0] x"], "apart": []}
    assert "stacks" not in report_document(Report(Status.STALLED, "train_step"), "en")
