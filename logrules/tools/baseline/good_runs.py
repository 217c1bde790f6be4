"""Good runs, read through, and a log held against them."""

from collections.abc import Sequence

from logrules.model.report import Report
from logrules.ruleset.pack import Pack
from logrules.tools.baseline.compare import deviation
from logrules.tools.baseline.deviation import Deviation
from logrules.tools.baseline.line_kind import Kinds
from logrules.tools.baseline.profile import Pace, lines_of, medians_of, profile_of


class GoodRuns:
    """Each of ``paths`` is a run: a log, or a folder of the logs of one job. Raises SourceError for one that is none.

    ``pace`` must see the events of the log that is held against them.
    """

    def __init__(self, paths: Sequence[str], pack: Pack) -> None:
        self._kinds = Kinds()
        self._runs = [profile_of([path], pack, self._kinds) for path in paths]
        self.pace = Pace(pack)

    def deviation(self, paths: Sequence[str], report: Report) -> Deviation:
        """How the logs at ``paths``, of which this is the report, differ from the good runs."""
        here = lines_of(paths, self._kinds)
        here.medians = medians_of(report, self.pace)
        return deviation(here, self._runs)
