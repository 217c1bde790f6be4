"""How a log ends: its last lines, what kinds of them came after a moment, which of them are errors."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter

from logrules.inference.end_signs import opening_of, opens_again
from logrules.inference.observation import Observation
from logrules.inference.progress_line import bar_of, progress_key
from logrules.inference.wording import Wordings
from logrules.inference.worker_state import ANEW_S, peers
from logrules.model.event import Event, Stance
from logrules.model.record import field, mutable_record
from logrules.model.template import begins_statement, is_table_row, template_of
from logrules.ruleset.name_tables import Saying

# A process that waits writes little, of few kinds: a heartbeat, what its peers say, a warning at a time-out. Of 90 logs
# of the labelled corpora that stand in a wait none has more than eight kinds of lines behind it.
WAITING_KINDS = 10
# Nor are there so many lines that differ, of which so many of one kind count: those are results.
WAITING_LINES, _OF_A_KIND = 30, 6
# A script that waits prints nothing: what is logged behind a wait has a level or a name in front, or is a complaint.
_PRINTED_KINDS = 2
# What a loop measures, in whatever words around it: who waits has nothing new to tell of it.
_MEASURED_ROUNDS = 3
_MAX_MEASURES = 1_000
# Who failed while it started is past when its log has so many lines more: another run was appended, or another command.
OUTLIVED_LINES = 200
# A loop in whatever words: so many of the last lines are of one kind, and count.
_LAST_LINES = 40
_ROUNDS = 4
# Who works through a list writes so many lines more that begin with words that others began with before.
_LISTED, _BEGIN_WORDS = 12, 2


@mutable_record
class Endings:
    """The last lines of each source, and the first; ``wordings`` tell what they say."""

    wordings: Wordings
    lines: dict[str, list[Event]] = field(default_factory=dict)
    heads: dict[str, list[Event]] = field(default_factory=dict)

    def see(self, event: Event) -> None:
        """Take a line of a tail, or, where it stands above one that was taken, of a head."""
        last = self.lines.setdefault(event.source, [])
        if last and event.line <= last[-1].line:
            # Of a short log the head is the tail: its lines are kept once, since there may be thousands.
            at = bisect_left(last, event.line, key=attrgetter("line"))
            same = last[at] if last[at].line == event.line and last[at].text == event.text else event
            self.heads.setdefault(event.source, []).append(same)
        else:
            last.append(event)

    def below(self, event: Event) -> list[Event]:
        """The last lines of its log that stand below this one."""
        return [line for line in self.lines.get(event.source, ()) if line.line > event.line]

    def last_ranks(self, event: Event) -> set[int]:
        """The ranks that wrote the last lines of its log: those below the event, and those of the last minute."""
        lines = self.lines.get(event.source, ())
        ends = max((line.stamp.seconds for line in lines if line.stamp is not None), default=0.0)
        told = (line for line in lines if line.line > event.line or (line.stamp and ends - line.stamp.seconds < ANEW_S))
        return {line.worker.rank for line in told if line.worker.rank is not None}

    def reopened(self, failed: Event) -> bool:
        """Whether the program that opened the log does so again behind this line."""
        head = [line for line in self.heads.get(failed.source, ()) if line.line < failed.line]
        opening = opening_of(head, self.wordings)
        lines = self.lines.get(failed.source, ())
        stamps = [line.stamp.seconds for line in lines if line.line <= failed.line and line.stamp is not None]
        failed_at = stamps[-1] if stamps else None
        return bool(opening) and opens_again(opening, self.below(failed), failed_at, self.wordings)

    def went_on(self, waiting: Observation) -> bool:
        """Whether so much of so many kinds was written after this line that its writer cannot be waiting still.

        What is indented or opens with a quote or a bracket goes on with what was begun: a dump is one thing said, and
        so is a table, unless it bears a time long after.
        """
        said: dict[str, set[str]] = {}
        printed: set[str] = set()
        # A line's kind may end before the measure that stands in it.
        measures: set[str] = set()
        begun = waiting.event.stamp
        for line in self.below(waiting.event):
            late = begun is not None and line.stamp is not None and line.stamp.seconds - begun.seconds > ANEW_S
            new = (late or begins_statement(line.message)) and not is_table_row(line.message)
            if new and not peers(line.worker, waiting.worker):
                kind = template_of(line.message)
                said.setdefault(kind, set()).add(progress_key(line.message))
                if self._is_printed(line):
                    printed.add(kind)
                if self.wordings.says(Saying.MEASURE, line.message[:_MAX_MEASURES]):
                    measures.add(kind)
        lines = sum(min(len(told), _OF_A_KIND) for told in said.values())
        measured = any(len(said[kind]) >= _MEASURED_ROUNDS for kind in measures)
        return measured or len(said) > WAITING_KINDS or lines > WAITING_LINES or len(printed) >= _PRINTED_KINDS

    def _is_printed(self, line: Event) -> bool:
        """Whether a script's own print wrote it: it has neither a level nor a writer in front, and is no complaint."""
        plain = line.level is None and not line.worker.is_process and line.stance is Stance.FACT and not line.hits
        return plain and not self.wordings.says(Saying.NOTICE, line.message)

    def answered(self, failed: Event, enough: int) -> bool:
        """Whether a server answers so many requests behind this line, or right behind it refuses this one alone."""
        below = self.below(failed)
        following = next((line for line in below if begins_statement(line.message)), None)
        refuses = self.wordings.refuses
        refused = following is not None and refuses(following) and sum(map(refuses, below)) == 1
        return refused or self.wordings.answers(below) >= enough

    def labelled_below(self, failed: Event, labels: AbstractSet[str]) -> bool:
        """Whether most of the last lines below this one bear one of these headers, and none known above it does."""
        told = (*self.heads.get(failed.source, ()), *self.lines.get(failed.source, ()))
        if any(line.line <= failed.line and not labels.isdisjoint(line.headers) for line in told):
            return False
        below = self.below(failed)
        return 2 * sum(not labels.isdisjoint(line.headers) for line in below) > len(below)

    def spoke_on(self, failed: Event, after: Sequence[Event] | None = None) -> bool:
        """Whether a process of which its number is known goes on to say something else than that it fails or leaves.

        ``after`` are the lines below; by default all there are.
        """
        if failed.worker.pid is None:
            return False
        below = self.below(failed) if after is None else after
        own = (line for line in below if line.worker == failed.worker and self._is_routine(line))
        return not all(self.wordings.says(Saying.LEAVING, line.message) for line in own)

    def _is_routine(self, line: Event) -> bool:
        """Whether it says something that is no error, nor part of a traceback or of a list of answers."""
        begins, kind = begins_statement(line.message), template_of(line.message)
        return begins and not (self.wordings.says(Saying.NO_LOOP, kind) or self.wordings.states_error(line))

    def outlived(self, failed: Event) -> bool:
        """Whether the log of a writer without a name goes on for long behind this line, and ends in no dump."""
        lines = self.lines.get(failed.source, ())
        if failed.worker.is_process or not lines or lines[-1].line - failed.line < OUTLIVED_LINES:
            return False
        own = [line for line in self.below(failed) if not line.worker.is_process]
        begun = [line for line in own if begins_statement(line.message)]
        return 2 * len(own) > len(lines) and 2 * len(begun) > len(own)

    def resumed(self, event: Event, since: int) -> bool:
        """Whether lines that count, of a kind from before line ``since``, came again between that and this event.

        Bars do not: one looks like another, and those of the loop are known by their names and totals.
        """
        told = [
            line for line in self.lines.get(event.source, ()) if line.line < event.line and not bar_of(line.message)
        ]
        before = {template_of(line.message) for line in told if line.file_line < since}
        after = {template_of(line.message) for line in told if line.file_line > since}
        return any("#" in kind for kind in before & after)

    def carried_on(self, failed: Event, lines: Iterable[Event] | None = None) -> bool:
        """Whether its writer says the same below this line as above, of other things: as in a loop, or for a list.

        Answers are no such lines: what is asked for its health says the same while its engine is gone. Of errors and of
        what stands in a traceback nothing is counted. ``lines`` are those of its log, by default all there are.
        """
        above: dict[str, set[str]] = {}
        below: dict[str, set[str]] = {}
        for line in self.lines.get(failed.source, ()) if lines is None else lines:
            if line.worker == failed.worker and line.line != failed.line and self._is_routine(line):
                told = above if line.line < failed.line else below
                told.setdefault(template_of(line.message), set()).add(progress_key(line.message))
        begun = {_beginning(kind) for kind in above} - {None}
        listed = (said for kind, said in below.items() if _beginning(kind) in begun)
        loop = (min(len(said), len(below.get(kind, ()))) for kind, said in above.items() if "#" in kind)
        return max(loop, default=0) >= _ROUNDS or len(set().union(*listed)) >= _LISTED

    def repeats(self) -> bool:
        """Whether a log ends in lines of one kind whose numbers differ, as those of a loop do."""
        told = ({line.message for line in lines[-_LAST_LINES:]} for lines in self.lines.values())
        counted = ((message for message in messages if any(map(str.isdigit, message))) for messages in told)
        kinds = (Counter(kind for kind in map(template_of, messages) if "#" in kind) for messages in counted)
        return any(max(times.values(), default=0) >= _ROUNDS for times in kinds)

    def errors(self, went_on: Mapping[str, int]) -> tuple[Event, ...]:
        """The lines that state an error, behind where each source last went on, of kinds not seen before."""
        leveled = {
            source: self.wordings.without_stream_level(lines, self.heads.get(source, ()))
            for source, lines in self.lines.items()
        }
        return tuple(line for log, lines in leveled.items() for line in self._new_errors(lines, went_on.get(log, 0)))

    def _new_errors(self, lines: Sequence[Event], went_on: int) -> Iterator[Event]:
        errors = [(line, lines[place + 1 :]) for place, line in enumerate(lines) if self.wordings.states_error(line)]
        lived_through = {
            template_of(line.message)
            for line, below in errors
            if line.line < went_on
            or self.carried_on(line, lines)
            or self.spoke_on(line, below)
            or self.wordings.has_results(below, line.worker)
        }
        for line, below in errors:
            # What stands on the very line of the last step was written behind its bar.
            known = line.line < went_on or template_of(line.message) in lived_through
            if not known and not self.wordings.answers(below):
                yield line

    def complaints(self, went_on: Mapping[str, int]) -> tuple[Event, ...]:
        """The last lines that state an error in words of their own, behind where each source last went on.

        What goes on below one, in lines that are none, may be what its writer said above it: that was lived through.
        """
        found: list[Event] = []
        for source, lines in self.lines.items():
            others = [line for line in lines if not self.wordings.complains(line)]
            told = self.wordings.complaints(lines, went_on.get(source, 0))
            found += [line for line in told if not self.carried_on(line, others)]
        return tuple(found)


def _beginning(kind: str) -> str | None:
    """The words that such lines begin with: what follows names the thing that they are about."""
    words = kind.split()[:_BEGIN_WORDS]
    return " ".join(words) if len(words) == _BEGIN_WORDS else None
