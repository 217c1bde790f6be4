"""The samples of headers, as `test` judges them: what the formats of all files together read from a line."""

from collections.abc import Iterator

from logrules.engine.run import Prepared
from logrules.model.lint_finding import LintFinding
from logrules.ruletest.samples import sample_result
from logrules.ruletest.suite import Sample, Suite


def misread_headers(on: Prepared, suite: Suite) -> Iterator[LintFinding]:
    """The samples of which a part is not what they say."""
    for sample in suite.tests:
        if isinstance(sample, Sample) and sample.table == "headers":
            for fault in sample_result(on, sample).faults:
                yield LintFinding(sample.place, "LR115", f"{sample.name} {fault.message}")
