"""What logrules makes of the errors that frameworks raise themselves, by their sources.

    python bench/coverage_of_sources.py SOURCES                           # the table
    python bench/coverage_of_sources.py SOURCES --write docs/coverage.md  # and into the page, between its marks
    python bench/coverage_of_sources.py SOURCES --only ray vllm --list unknown

SOURCES holds a folder for each framework and version, named NAME-VERSION, with the packages in it as a wheel unpacks
them. For each place that raises an error in words of its own (``raise_sites``) a log is made up, a traceback whose
innermost frame lies there, and diagnosed as any log is.
"""

import argparse
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from code_faults import is_of_code
from enforce_sites import enforced_sites_of
from native_sites import LOG_FORMS, NativeSite, native_sites_of
from raise_sites import Site, sites_of
from thrown_sites import CALLS, thrown_sites_of

from logrules import load_rules
from logrules.engine.run import Prepared, prepared
from logrules.model.failure import Frame, Origin
from logrules.parsing.origin import OriginResolver
from logrules.ruletest.harness import run_log

CATCH_ALLS = frozenset({None, "python-exception", "stopped-silently", "unexplained"})
INSTALLED = "/opt/venv/lib/python3.11/site-packages/"
_FRAME = re.compile(r'File "([^"]+)", line \d+, in (\S+)')
_LOGGER = re.compile(r'"logger":"([^"]+)"')
_SOURCE = re.compile(r"\A[EC]\d{4} \S+ \d+ ([\w.]+):\d+\]")
BEGIN, END = "<!-- coverage: begin -->", "<!-- coverage: end -->"


@dataclass(frozen=True, slots=True)
class Framework:
    """A folder of sources."""

    name: str
    version: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Judged:
    """A site and what is said of it: cause and rule of the first diagnosis, component and phase of the frame."""

    site: Site | NativeSite
    cause: str | None
    rule: str | None
    component: str | None
    phase: str | None

    @property
    def specific(self) -> bool:
        """Whether the cause says more than that something was raised."""
        return self.cause not in CATCH_ALLS

    @property
    def of_code(self) -> bool:
        """Whether the catch-all is right: a check of what code handed in, for which there is no other cause."""
        return not self.specific and is_of_code(self.site.message)


class Judge:
    """Diagnoses sites with the shipped rules."""

    def __init__(self) -> None:
        pack = load_rules()
        self._on: Prepared = prepared(pack, cache=True)
        self._origins = OriginResolver(pack.tables.components, pack.tables.own_words, pack.tables.nesting)

    def judged(self, site: Site | NativeSite) -> Judged:
        """What is said of a site."""
        report = run_log(self._on, log_of(site))
        first = report.diagnoses[0] if report.diagnoses else None
        cause, rule = (first.cause, first.rule) if first is not None else (None, None)
        if isinstance(site, NativeSite):
            origin = self._origin_of_line(site)
            component, phase = (origin.component, origin.phase) if origin is not None else (None, None)
        else:
            frame = Frame(INSTALLED + site.path, site.line, site.function)
            component = self._origins.of_frame(frame.file, frame.function).component
            phase, _ = self._origins.phase_of([frame])
        return Judged(site, cause, rule, component, phase)

    def _origin_of_line(self, site: NativeSite) -> Origin | None:
        """The origin of what a library of C++, Rust or Go says: by its file, by the line's header, by the frame."""
        logger, source, frames = _LOGGER.search(site.text), _SOURCE.search(site.text), _FRAME.findall(site.text)
        origin = self._origins.of_header(None, site.path, None)
        if origin is None and (logger or source):
            origin = self._origins.of_header(logger and logger[1], source and source[1], None)
        return origin if origin is not None or not frames else self._origins.of_frame(*frames[-1])


def log_of(site: Site | NativeSite) -> str:
    """A log that ends in the site's error, or in the line behind which it ends its process."""
    if isinstance(site, NativeSite):
        return site.text + "\n"
    if not site.error:
        logger = site.path.removesuffix(".py").replace("/", ".")
        return f"2026-11-22 08:00:00,000 - {logger} - ERROR - {site.message}\n"
    return (
        "Traceback (most recent call last):\n"
        '  File "/workspace/main.py", line 12, in <module>\n'
        "    main()\n"
        f'  File "{INSTALLED}{site.path}", line {site.line}, in {site.function}\n'
        f"    {site.source}\n"
        f"{site.error}: {site.message}\n"
    )


def frameworks_in(folder: Path, only: Sequence[str]) -> list[Framework]:
    """The frameworks whose sources lie in a folder, by name and version; ``only`` names those that are asked for."""
    named = ((path, path.name.rpartition("-")) for path in sorted(folder.iterdir()))
    found = (Framework(name, version, path) for path, (name, _, version) in named if name)
    return [one for one in found if not only or one.name in only]


def sites_in(framework: Framework) -> list[Site | NativeSite]:
    """The places of a framework that raise, or log an error where it is written in C or C++."""
    if framework.name == "gloo":
        return list(enforced_sites_of(framework.folder))
    if framework.name in CALLS:
        return list(thrown_sites_of(framework.folder, CALLS[framework.name]))
    form = LOG_FORMS.get(framework.name)
    return list(native_sites_of(framework.folder, form) if form is not None else sites_of(framework.folder))


def table(results: Iterable[tuple[Framework, int, Sequence[Judged]]]) -> Iterator[str]:
    """The lines of the Markdown table, the last of them the sum."""
    yield "| framework | version | places | judged | a cause of their own | the code's own | component | phase |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    every: list[Judged] = []
    places = 0
    for framework, there, sites in results:
        places += there
        every += sites
        yield row(framework.name, framework.version, there, sites)
    yield row("all", "", places, every)


def row(name: str, version: str, places: int, sites: Sequence[Judged]) -> str:
    """A line of the table."""
    known = (
        sum(one.specific for one in sites),
        sum(one.of_code for one in sites),
        sum(one.component is not None for one in sites),
        sum(one.phase is not None for one in sites),
    )
    shares = " | ".join(f"{count / max(len(sites), 1):.2f}" for count in known)
    return f"| {name} | {version} | {places} | {len(sites)} | {shares} |"


def listed(sites: Iterable[Judged]) -> Iterator[str]:
    """A line a site, for reading: what is said of it, where it is, what it says."""
    for one in sites:
        site, said = one.site, " ".join(one.site.message.split())
        inside = "" if isinstance(site, NativeSite) else f" {site.function} | {site.error}:"
        yield f"{one.cause} [{one.rule}] {one.phase} {site.path}:{site.line}{inside} {said}"


def write_into(page: Path, lines: Sequence[str]) -> None:
    """Put the table between the marks of a page, with today's date."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    text = "\n".join((BEGIN, f"Measured on {datetime.now(UTC).date()}.", "", *lines, END))
    page.write_text(before + text + after, encoding="utf-8")


def main() -> None:
    """Judge all sites; print the table or the list that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="names of frameworks")
    parser.add_argument("--list", choices=["all", "unknown"], help="print the sites and not the table")
    parser.add_argument("--sample", type=int, metavar="N", help="so many sites only, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    given = parser.parse_args()
    judge, draw = Judge(), random.Random(given.seed)
    results = []
    for framework in frameworks_in(given.sources, given.only):
        sites = sites_in(framework)
        places = len(sites)
        if given.sample is not None and len(sites) > given.sample:
            sites = draw.sample(sites, given.sample)
        results.append((framework, places, [judge.judged(site) for site in sites]))
    lines = list(table(results))
    if given.write is not None:
        write_into(given.write, lines)
    if given.list:
        lines = list(listed(one for _, _, sites in results for one in sites if given.list == "all" or not one.specific))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
