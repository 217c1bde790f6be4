"""What can be mended without changing any diagnosis, mended: the parts that findings say are superfluous taken out."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from logrules.model.lint_finding import LintFinding, NodePath
from logrules.ruletest.format import tidied


def repaired(findings: Iterable[LintFinding], paths: Mapping[str, Path]) -> dict[Path, bytes]:
    """The new text of each file that a finding can be mended in; ``paths`` are the files by the names in findings.

    Raises PackError where a file cannot be written as it should be.
    """
    gone: dict[str, set[NodePath]] = {}
    for finding in findings:
        if finding.removes is not None and finding.place.path in paths:
            gone.setdefault(finding.place.path, set()).add(finding.removes)
    return {paths[shown]: tidied(paths[shown].read_bytes(), shown, parts) for shown, parts in sorted(gone.items())}
