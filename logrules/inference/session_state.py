"""What a session has found, as it stands when a report is asked for."""

from collections.abc import Mapping

from logrules.inference.ending import Endings
from logrules.inference.failures import Failures
from logrules.inference.hypothesis import Hypothesis
from logrules.inference.observation import Observation
from logrules.inference.rank_table import RankTable
from logrules.inference.recorded_calls import RecordedCalls
from logrules.inference.workers import WorkerTracker
from logrules.model.event import Event
from logrules.model.record import record
from logrules.model.report import Run, SourceNote
from logrules.model.timeline import Curve


@record
class SessionState:
    """Everything a report is made of."""

    hypotheses: tuple[Hypothesis, ...]
    tracker: WorkerTracker
    rank_table: RankTable
    recorded: RecordedCalls
    failures: Failures
    endings: Endings
    last: Observation | None
    parting: Observation | None
    ended: bool
    exit_status: int | None
    earlier_runs: tuple[Run, ...]
    notes: tuple[SourceNote, ...]
    unusual: tuple[Observation, ...]
    last_errors: tuple[Event, ...]
    curves: tuple[Curve, ...]
    frameworks: frozenset[str]
    told: Mapping[str, str]
