"""Measure how often each rule names the root cause, and write it back as its `certainty`.

    python bench/calibrate.py ../shared/corpus           # what would change
    python bench/calibrate.py ../shared/corpus --write   # change it

For every labelled case that is not healthy, the rule of the first diagnosis is right or wrong. A rule's
certainty becomes (right + K * prior) / (seen + K). The prior is the share of right diagnoses among rules of
about the same weight, itself smoothed towards the share of all; K cases' worth of it keep a rule that was
seen twice from claiming to be always right, and are all that speaks for a rule that no case shows.
"""

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from logrules import diagnose, load_rules
from logrules.ruleset.load import shipped_rules

K = 4.0


def verdicts(corpus: Path) -> Iterator[tuple[str, bool]]:
    """(rule of the first diagnosis, whether its cause is the labelled one or accepted) for each sick case."""
    pack = load_rules()
    for label_file in sorted(corpus.rglob("case.yaml")):
        label = yaml.safe_load(label_file.read_text(encoding="utf-8"))
        if label["kind"] == "healthy":
            continue
        logs = [path for path in label_file.parent.iterdir() if path.suffix in {".txt", ".log", ".err", ".out"}]
        report = diagnose(*sorted(map(str, logs)), pack=pack)
        if report.diagnoses:
            first = report.diagnoses[0]
            yield first.rule, first.cause in {label["cause"], *(label.get("accept") or [])}


def certainties(seen: list[tuple[str, bool]], weights: Mapping[str, float]) -> dict[str, tuple[float, int, int]]:
    """For each rule: its smoothed certainty, how often it was right, how often it came first."""
    overall = sum(right for _, right in seen) / len(seen)
    by_rule: dict[str, list[bool]] = defaultdict(list)
    by_band: dict[int, list[bool]] = defaultdict(list)
    for rule, right in seen:
        by_rule[rule].append(right)
        by_band[band(weights[rule])].append(right)
    found = {}
    for rule, weight in sorted(weights.items()):
        alike, own = by_band[band(weight)], by_rule[rule]
        prior = (sum(alike) + K * overall) / (len(alike) + K)
        certainty = (sum(own) + K * prior) / (len(own) + K)
        found[rule] = (round(min(certainty, 0.97), 2), sum(own), len(own))
    return found


def band(weight: float) -> int:
    """Which quarter of the scale a weight is in."""
    return int(weight * 4)


def write_back(rule: str, certainty: float) -> None:
    """Replace the one number in the rule's own file, and nothing else there."""
    root = shipped_rules()
    if rule.startswith("waits/"):
        _, framework, wait = rule.split("/")
        start = rf"^  - id: {re.escape(wait)}\n(?:(?!  - id: ).*\n)*?    certainty: "
        named = f"\nframework: {framework}\n"
        paths = [path for path in (root / "phases").glob("*.yaml") if named in path.read_text(encoding="utf-8")]
    else:
        start = r"^certainty: "
        paths = [root / f"{rule}.yaml"]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        changed = re.sub(f"({start})[0-9.]+", rf"\g<1>{certainty}", text, count=1, flags=re.MULTILINE)
        path.write_text(changed, encoding="utf-8")


def main() -> None:
    """Print the table; with --write, change the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    weights = {rule.id: rule.weight for rule in load_rules().rules}
    for rule, (certainty, right, count) in certainties(list(verdicts(options.corpus)), weights).items():
        print(f"{rule:50} {right:3}/{count:<3} {certainty}")
        if options.write:
            write_back(rule, certainty)


if __name__ == "__main__":
    main()
