"""Drafts for a kind of failure: a row of the table of exceptions where a known component raised it, else rules."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from logrules.model.errors import LogrulesError
from logrules.output.numbers import counted
from logrules.ruleset.pack import Pack
from logrules.ruleset.tables import EXCEPTIONS
from logrules.ruletest.file_checks import TITLE, WHY
from logrules.ruletest.format import formatted, written
from logrules.tools.draft.scaffold import Extract, draft, extract_of, near_miss
from logrules.tools.draft.variable_parts import Fixed, parts_of, pattern_of, shared_parts
from logrules.tools.fleet.history import seen_job
from logrules.tools.fleet.job import JobGroup, SeenJob, grouped
from logrules.tools.learn.read_job import ReadJob, TellingLine

# So many causes are offered.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """A kind of failure, what is known of all its jobs together, and these jobs."""

    about: JobGroup
    jobs: tuple[ReadJob, ...]

    @property
    def telling(self) -> tuple[TellingLine, ...]:
        """The lines that tell of it: the best of each job first, then the second best."""
        most = max((len(job.telling) for job in self.jobs), default=0)
        return tuple(job.telling[place] for place in range(most) for job in self.jobs if len(job.telling) > place)

    @property
    def may_be(self) -> tuple[str, ...]:
        """Causes that it may have."""
        return tuple(dict.fromkeys(cause for job in self.jobs for cause in job.may_be))


def groups_of(jobs: Sequence[ReadJob], now: float) -> tuple[FailureGroup, ...]:
    """The kinds of failures that nothing explains, those that cost most first; ``now`` is seconds since the epoch.

    By GPU-hours, then by idle time, then by the number of jobs.
    """
    members: dict[str, list[ReadJob]] = {}
    for job in jobs:
        if job.unexplained and job.telling and job.summary.fingerprint:
            members.setdefault(job.summary.fingerprint, []).append(job)
    groups = grouped(_seen(jobs, now), "fingerprint", now)
    found = [FailureGroup(group, tuple(members[group.name])) for group in groups if group.name in members]
    return tuple(sorted(found, key=_cost))


def _seen(jobs: Iterable[ReadJob], now: float) -> list[SeenJob]:
    return [seen_job(str(one.job.path), one.summary, min(one.job.modified, now)) for one in jobs]


def _cost(group: FailureGroup) -> tuple[float, float, int, str]:
    about = group.about
    return -about.lost_gpu_hours, -about.lost_s, -about.troubled, about.name


def question_of(group: FailureGroup) -> str:
    """What only a person can answer before a draft becomes a rule, on one line of printable letters."""
    first = group.telling[0]
    may_be = ", ".join(group.may_be[:_NAMED])
    kind = first.type.rpartition(".")[2]
    frame = group.jobs[0].summary.frame
    if first.component is not None:
        said = f"What makes {first.component} raise {kind} here: {may_be or 'a setting, a version or the data'}?"
    elif kind and frame:
        said = f"Is {kind} in {frame} a mistake of that code, or of what it was given ({may_be or 'settings or data'})?"
    elif kind:
        said = f"Which cause of `logrules explain --causes` lets this {kind} come ({may_be or 'none is likelier'})?"
    else:
        said = "Does this line end the job, or only tell of it? Name the cause (`logrules explain --causes`)."
    return "".join(letter if letter.isprintable() else " " for letter in said)


FOLDER = "learned"
_ID_DIGITS = 4
_LONGEST_WORDS = 400
_FEWEST_LETTERS = 6
_NO_CAUSE_YET = "python-exception"
_SHORTEST_SENTENCE = 15
_SENTENCE_END = re.compile(r"[.;!](?=\s+[A-Z])")
_CAPTURE = re.compile(r"\(\?P<\w+>")
_CLASS = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class LearnedDraft:
    """A draft: what reports call its rule, the file below the pack's folder, and the file's text."""

    rule: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Background:
    """What a draft is told apart from: lines of healthy logs, and the logs that its words should be rare in."""

    healthy: tuple[str, ...]
    logs: tuple[Path, ...]


def drafts_for(group: FailureGroup, pack: Pack, background: Background) -> Iterator[LearnedDraft]:
    """The drafts that a kind of failure could have, the one that says most first; none may serve."""
    seen: set[str] = set()
    for line in group.telling:
        alike = [other for other in group.telling if other is not line and other.type == line.type]
        for made in (_row(group, line, alike, background), _rule(group, line, alike, pack, background)):
            if made is not None and made.text not in seen:
                seen.add(made.text)
                yield made


def _rule(
    group: FailureGroup, line: TellingLine, alike: Sequence[TellingLine], pack: Pack, background: Background
) -> LearnedDraft | None:
    try:
        extract = extract_of(line.path, line.line)
        among = Extract(extract.line, background.healthy or extract.others, extract.written)
        made = draft(among, pack, background.logs, None, _NO_CAUSE_YET, [other.text for other in alike])
    except LogrulesError:
        return _rule(group, line, (), pack, background) if alike else None
    name = _named(made.id.rpartition("/")[2], group)
    return LearnedDraft(f"{FOLDER}/{name}", f"{FOLDER}/{name}.yaml", _header(group) + made.text)


def _row(
    group: FailureGroup, line: TellingLine, alike: Sequence[TellingLine], background: Background
) -> LearnedDraft | None:
    """A row of the table of exceptions; None for a line that no known component raised, or without words."""
    kind = line.type.rpartition(".")[2]
    message = line.message.partition("\n")[0].strip()
    if line.component is None or not _CLASS.fullmatch(kind):
        return None
    whole = parts_of(_first_sentence(message))
    parts = shared_parts(whole, [other.message for other in alike]) or whole
    fixed = " ".join(part.text for part in parts if isinstance(part, Fixed))
    if sum(letter.isalpha() for letter in fixed) < _FEWEST_LETTERS:
        return None
    words = _CAPTURE.sub("(?:", pattern_of(parts))
    summary = f"{line.type}: {message}"
    near = near_miss(summary, background.healthy, words) or "RuntimeError: nothing of the kind"
    name = _named("-".join([kind.lower(), *re.findall(r"[a-z0-9]+", fixed.lower())[:5]]), group)
    row = {
        "id": name,
        "cause": _NO_CAUSE_YET,
        "classes": [kind],
        "words": words,
        "raised_in": [line.component],
        "title": TITLE,
        "why": WHY,
        "samples": [summary],
        "near": [near],
    }
    text = _header(group) + written({"exceptions": [row]})
    file = f"{FOLDER}/exceptions-{name}.yaml"
    return LearnedDraft(EXCEPTIONS + name, file, formatted(text.encode(), file).decode())


def _first_sentence(message: str) -> str:
    """What a message says first: what happened. Figures and advice that follow differ from job to job."""
    cut = message[:_LONGEST_WORDS]
    found = next((end.start() for end in _SENTENCE_END.finditer(cut) if end.start() >= _SHORTEST_SENTENCE), None)
    return cut[:found]


def _named(words: str, group: FailureGroup) -> str:
    """A name of its own: two kinds of failures may begin with the same words."""
    bare = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:60].strip("-")
    return f"{bare}-{group.about.name[:_ID_DIGITS]}"


def _header(group: FailureGroup) -> str:
    about = group.about
    jobs = counted(about.troubled, "job")
    return f"# {question_of(group)}\n# Learned from {jobs} of the kind {about.name} (logrules history --fingerprint).\n"
