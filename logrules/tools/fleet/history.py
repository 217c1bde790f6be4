"""What came of jobs, kept in a local SQLite file."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from logrules.model.errors import LogrulesError, reason_of
from logrules.ruleset.cache_files import user_folder
from logrules.tools.fleet.job import JobSummary, Remark, SeenJob
from logrules.tools.fleet.jobs import FoundJob
from logrules.tools.fleet.jobs_json import is_moment, job_document, job_of

VERSION = 2
_READABLE = frozenset({0, 1, VERSION})
_OURS = ("results", "remarks")
_BUSY_S = 30.0
_TABLE = """
create table if not exists results (
    path text not null,
    identity text not null,
    pack text not null,
    scanned real not null,
    summary text not null,
    primary key (path, identity, pack)
)
"""
_REMARKS = """
create table if not exists remarks (
    name text not null primary key,
    note text not null default '',
    snoozed_until real
)
"""
# Results of the first form lack fingerprints: they stay listed, and their jobs are read again when they are met.
_FROM_FIRST = "update or replace results set pack = '' where pack != ''"


def default_history() -> Path:
    """Where results are kept: ``$LOGRULES_STATE_DIR``, else the user's state folder. LogrulesError without a home."""
    try:
        return user_folder("LOGRULES_STATE_DIR", "XDG_STATE_HOME", ".local/state") / "history.sqlite"
    except RuntimeError:
        raise LogrulesError("no home folder to keep a history in: set LOGRULES_STATE_DIR") from None


def has_history() -> bool:
    """Whether results were kept where they usually are."""
    try:
        return default_history().exists()
    except (LogrulesError, OSError):
        return False


def seen_job(path: str, summary: JobSummary, read: float) -> SeenJob:
    """The job, dated by its own logs, but never later than when it was read: clocks of logs may be wrong."""
    return SeenJob(path, summary, read if summary.ended is None else min(summary.ended, read))


def history_in(file: str | None) -> "AbstractContextManager[History]":
    """The history in a file, else where results are kept; closed at the end of the block."""
    return closing(History(Path(file) if file else default_history()))


class History:
    """The results in a file. Several processes may use it at once. Raises LogrulesError where that is impossible."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._usable():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
            self._prepare()

    def _prepare(self) -> None:
        # One at a time: between the table and the version, another process would take it for somebody else's file.
        self._database.execute("begin immediate")
        (version,) = self._database.execute("pragma user_version").fetchone()
        if version not in _READABLE:
            raise LogrulesError(f"{self._path}: was written by another version of logrules (its form is {version})")
        # Of views and triggers others decide how long they take, of tables without our version how they are made.
        parts = self._database.execute("select name, type from sqlite_master where type != 'index'").fetchall()
        if any(kind != "table" or (version == 0 and name not in _OURS) for name, kind in parts):
            raise LogrulesError(f"{self._path}: is another program's database")
        self._database.execute(_TABLE)
        self._database.execute(_REMARKS)
        if version == 1:
            self._database.execute(_FROM_FIRST)
        self._database.execute(f"pragma user_version = {VERSION}")
        self._database.execute("commit")

    def close(self) -> None:
        """Everything is kept."""
        self._database.close()

    def known(self, job: FoundJob, pack: str) -> JobSummary | None:
        """What came of the job as it is, by the same rules."""
        rows = self._rows(
            "select summary from results where path = ? and identity = ? and pack = ?", (_key(job), job.identity, pack)
        )
        found = next((_readable(text) for (text,) in rows), None)
        return found if found is None or found.job == job.name else None

    def keep(self, read: Iterable[tuple[FoundJob, JobSummary, float]], pack: str) -> None:
        """Keep what came of jobs and when they were read; what is known of them as they were before stays.

        All at once: the disk is waited for once a call.
        """
        rows = [(_key(job), job.identity, pack, now, job_document(summary)) for job, summary, now in read]
        if not rows:
            return
        with self._usable():
            self._database.execute("begin immediate")
            self._database.executemany("insert or replace into results values (?, ?, ?, ?, ?)", rows)
            self._database.execute("commit")

    def latest(self) -> Iterator[SeenJob]:
        """The newest result of every job, the newest first. Rows that something has damaged are as if not there."""
        rows = self._rows("select path, summary, max(scanned) from results group by path order by 3 desc, path", ())
        for path, text, scanned in rows:
            summary = _readable(text)
            if summary is not None and isinstance(path, str) and isinstance(scanned, float) and is_moment(scanned):
                yield seen_job(path, summary, scanned)

    def remarks(self) -> dict[str, Remark]:
        """What people said of groups, by the name of the group."""
        rows = self._rows("select name, note, snoozed_until from remarks", ())
        return {
            str(name): Remark(str(note), until if isinstance(until, float) and is_moment(until) else None)
            for name, note, until in rows
        }

    def note(self, name: str, note: str) -> None:
        """Keep a note on a group; an empty one takes it back."""
        self._rows(
            "insert into remarks (name, note) values (?, ?) on conflict (name) do update set note = excluded.note",
            (name, note),
        )

    def snooze(self, name: str, until: float | None) -> None:
        """Need not hear of a group until then (seconds since the epoch); None takes it back."""
        self._rows(
            "insert into remarks (name, snoozed_until) values (?, ?)"
            " on conflict (name) do update set snoozed_until = excluded.snoozed_until",
            (name, until),
        )

    def forget(self, path: str) -> int:
        """Forget everything about the jobs at or below a path; how many results that were."""
        below = path.rstrip("/") + "/"
        statement = "delete from results where path = ? or substr(path, 1, ?) = ?"
        self._rows(statement, (path, len(below), below))
        ((count,),) = self._rows("select changes()", ())
        return int(str(count))

    def _rows(self, statement: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        kept = tuple(_storable(one) if isinstance(one, str) else one for one in values)
        with self._usable():
            return self._database.execute(statement, kept).fetchall()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """What stands against using the file becomes one sentence. Of a damaged one not even the names are texts."""
        try:
            yield
        except (OSError, sqlite3.Error, UnicodeDecodeError) as fault:
            reason = reason_of(fault) if isinstance(fault, OSError) else str(fault).lower()
            raise LogrulesError(f"{self._path}: cannot be used as history ({reason})") from None


def _readable(text: object) -> JobSummary | None:
    try:
        return job_of(str(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _storable(text: str) -> str:
    """The text as a database takes it: names of files need not be UTF-8."""
    return text.encode(errors="backslashreplace").decode()


def _key(job: FoundJob) -> str:
    path = _storable(str(job.whole_path))
    return f"{job.node}:{path}" if job.node else path
