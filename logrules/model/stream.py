"""What a source yields: bytes, the passing of time, and the end."""

from logrules.model.record import record

# A line longer than this counts as several, each of this length: one endless line (a progress bar that never ends
# its line, a dumped tensor, an archive of nothing but zeros) cannot fill the memory.
MAX_LINE_BYTES = 1 << 20
# Begins a line that is not a line of the file: one record had several. They have the number of the first.
CONTINUED = b"\x1f\x0e"
# Ends a line that stands for one more line of the file for each such mark: it was put together of several. It has the
# number of the first.
JOINED = b"\x1f\x0f"


def surplus_lines(data: bytes, start: int = 0, end: int | None = None) -> int:
    """How many more lines these bytes have than what they stand for in the file; negative where they have fewer."""
    stop = len(data) if end is None else end
    return data.count(CONTINUED, start, stop) - data.count(JOINED, start, stop)


@record
class Block:
    """A run of whole lines of one source.

    ``offset`` counts bytes from the start of the (decompressed) source. Only the last block of a source may lack its
    final newline. ``arrived`` is the moment of reading in seconds since the epoch for live input and None for saved
    input, where the log's own times are the only ones that count.
    """

    source: str
    offset: int
    data: bytes
    arrived: float | None = None


@record
class BytesArrived:
    """Bytes of a source came at ``now`` (seconds since the epoch), whether or not any rule asks for their lines.

    How long a job has been quiet is measured from here.
    """

    source: str
    now: float


@record
class Skipped:
    """Bytes of a source that were not analysed, and why: a truncated archive, a reader that fell behind.

    ``lines`` is how many line ends were among them, if they were counted.
    """

    source: str
    offset: int
    bytes: int | None
    reason: str
    lines: int = 0


@record
class Tick:
    """Nothing arrived, and it is now ``now`` (seconds since the epoch).

    For the last ``unwatched_s`` whoever watches did not run: it was stopped, or its machine was. What a job did
    meanwhile nobody knows, so that is no silence of the job.
    """

    now: float
    unwatched_s: float = 0.0


@record
class End:
    """Nothing more comes. ``exit_status`` is that of the command whose output it was, if we started one.

    ``asked_by`` is the signal that asked the command to end, if we passed one on.
    """

    exit_status: int | None = None
    asked_by: int | None = None
