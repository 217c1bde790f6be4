"""The samples of headers, as `test` judges them: what the formats of all files together read from a line."""

from collections.abc import Iterator

from logrules.model.lint_finding import LintFinding
from logrules.ruleset.pack import Pack
from logrules.ruletest.examples import header_result
from logrules.ruletest.suite import HeaderSample, Suite


def misread_headers(pack: Pack, suite: Suite) -> Iterator[LintFinding]:
    """The samples of which a part is not what they say."""
    for sample in suite.tests:
        if isinstance(sample, HeaderSample):
            for fault in header_result(pack, sample).faults:
                yield LintFinding(sample.place, "LR115", f"{sample.name} {fault.message}")
