"""How much of what is taken out of the rules `logrules learn` brings back as drafts.

    python bench/learn.py                    # the ten causes with most labelled logs, each left out in turn
    python bench/learn.py --causes cuda-oom  # these

All rules and rows of tables that name the cause are left out; the labelled logs of the cause are then read. Those that
nothing explains any more are what can be learned from. A draft is usable if it fires on at least half of the logs of
its kind and on no healthy log; a cause is back if usable drafts know at least half of the logs that nothing explained.
Logs that the draft of another kind knows, from which it was not learned, say how far drafts generalise.
Needs the labelled corpus beside the checkout, and says so where there is none.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import yaml

from logrules.engine.resilient_pool import default_processes
from logrules.ruleset.load import shipped_texts
from logrules.ruleset.rule_file import RuleText
from logrules.ruletest.collect import compiled
from logrules.tools.fleet.jobs import FoundJob, job_at
from logrules.tools.learn.chosen_jobs import healthy_cases, healthy_lines
from logrules.tools.learn.draft_trials import LearnedGroup, ProofSetup, learned_groups
from logrules.tools.learn.drafting import Background, groups_of
from logrules.tools.learn.read_job import jobs_read

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
LOGS = frozenset({".txt", ".log", ".out", ".err"})
# What is left where no rule knows anything has no rules of its own to leave out.
NO_CAUSE = frozenset({"python-exception"})
SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a cause that was left out."""

    cause: str
    logs: int
    unexplained: int
    kinds: int
    usable: int
    known: int
    by_others: int

    @property
    def back(self) -> bool:
        return bool(self.usable) and self.known >= SHARE * self.unexplained


def without(cause: str, texts: Sequence[RuleText]) -> Iterator[RuleText]:
    """The rule files without the rules and the rows that name the cause."""
    for text in texts:
        if cause.encode() not in text.raw:
            yield text
            continue
        plain = yaml.load(text.raw, yaml.CSafeLoader)
        if plain.get("cause") == cause:
            continue
        for key in ("exceptions", "exit_codes"):
            if key in plain:
                plain[key] = [row for row in plain[key] if row["cause"] != cause]
        for form in plain.get("exit_forms", ()):
            if form.get("cause") == cause:
                del form["cause"]
        yield RuleText(text.shown, yaml.safe_dump(plain, sort_keys=False).encode(), text.origin, text.path)


def labelled() -> Iterator[tuple[dict[str, object], FoundJob]]:
    """The cases of the corpus: label and job. A case of several logs is read as a folder."""
    for path in sorted(CORPUS.glob("*/*/case.yaml")):
        label = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        logs = [one for one in path.parent.iterdir() if one.suffix in LOGS]
        yield label, job_at(path.parent.name, logs[0] if len(logs) == 1 else path.parent)


def measured(
    cause: str, jobs: Sequence[FoundJob], healthy: Sequence[FoundJob], pool: Background
) -> tuple[Row, tuple[LearnedGroup, ...]]:
    """Leave the cause out, learn, and count what is back."""
    texts = tuple(without(cause, list(shipped_texts())))
    pack, _ = compiled(texts)
    read = sorted(jobs_read(jobs, pack, default_processes()), key=lambda one: one.job.name)
    lost = [one for one in read if one.unexplained]
    groups = groups_of(read, 2e9)
    setup = ProofSetup(pack, tuple(one.job for one in lost), tuple(healthy), default_processes())
    learned = learned_groups(groups, pool, setup, lambda _: nullcontext(lambda: None))
    usable = [one for one in learned if one.draft is not None]
    known = {path for one in usable for path in one.proof.fires_on}
    others = {path for one in usable for path in one.proof.fires_on if path not in one.paths}
    return Row(cause, len(jobs), len(lost), len(groups), len(usable), len(known), len(others)), learned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--causes", nargs="+", help="causes to leave out (default: the ten with most logs)")
    parser.add_argument("--why", action="store_true", help="say why kinds have no draft")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        sys.exit(f"{CORPUS}: no labelled corpus here; nothing is measured")
    cases = list(labelled())
    counted = Counter(str(label["cause"]) for label, _ in cases if label["kind"] == "failure")
    causes = options.causes or [cause for cause, _ in counted.most_common() if cause not in NO_CAUSE][:10]
    healthy = [job for label, job in cases if label["kind"] == "healthy"] + list(healthy_cases())
    pool = Background(healthy_lines(str(job.path) for job in healthy), tuple(job.path for job in healthy_cases()))
    print(f"{len(healthy)} healthy logs\n")
    print(f"{'cause':24} logs  unexplained  kinds  usable drafts  logs known  by another kind's  back")
    rows = []
    for cause in causes:
        jobs = [job for label, job in cases if label["cause"] == cause and label["kind"] == "failure"]
        row, learned = measured(cause, jobs, healthy, pool)
        rows.append(row)
        print(
            f"{row.cause:24} {row.logs:4}  {row.unexplained:11}  {row.kinds:5}  {row.usable:13}  {row.known:10}  "
            f"{row.by_others:17}  {'yes' if row.back else 'no'}",
            flush=True,
        )
        for one in learned if options.why else ():
            if one.why_none:
                print(f"    {one.group.telling[0].text[:120]!r}: {one.why_none}")
    print(f"\nback: {sum(row.back for row in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
