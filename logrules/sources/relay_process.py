"""What passes a job's output on while somebody else looks at it; it outlives a watcher that is killed.

It is a process of its own since a thread would wait for the interpreter while the analysis uses it, and since a job
whose reader is gone is ended by its next line. A thread does the same where it is killed or cannot be started.
"""

import errno
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence

from logrules.sources.descriptors import LARGE_BYTES, READ_BYTES, REST_S, widen, write_all
from logrules.sources.flood import KEPT_BYTES, FloodPath, readable_bytes
from logrules.sources.relay_feed import RelayFeed

# What a watcher asks, each with a number: to stand still, to go on (its own line has ended the log's), to end.
HOLD, GO, GO_ON_NEW_LINE, RELEASE = b"h", b"g", b"n", b"r"
ASKED_BYTES = 2
# In the answer to HOLD: nothing waits to be passed on. The bits below say which outputs stand within a line.
IDLE = 0x80


class _Output:
    """One output of the job: ``number`` for the watcher, ``ours`` to read, ``onward`` to write to, if anywhere."""

    def __init__(self, number: int, ours: int, onward: int | None) -> None:
        self.number = number
        self.ours = ours
        self.onward = onward
        self.in_line = self.failed = False
        self.flood = FloodPath(ours)


class RelayProcess:
    """Passes ``outputs`` on to their ends. ``control`` is where the watcher asks, ``feed`` what it reads."""

    def __init__(self, control: socket.socket, feed: RelayFeed, outputs: Sequence[_Output]) -> None:
        self._control: socket.socket | None = control
        self._feed = feed
        self._outputs = list(outputs)
        self._buffer = memoryview(bytearray(READ_BYTES))

    def run(self) -> None:
        """Until all outputs have ended and the watcher has all of them, or we are released."""
        while self._outputs or self._feed.descriptor is not None:
            asked = [] if self._control is None else [self._control.fileno()]
            fed = [] if self._feed.descriptor is None else [self._feed.descriptor]
            read = [*asked, *(one.ours for one in self._outputs)]
            ready, room, _ = select.select(read, fed, [], self._feed.room_in_s)
            if room:
                self._feed.flush()
            for output in self._outputs:
                if self._feed.has_room_again(output.number):  # what comes from here on is handed over
                    self._feed.resume(output.number, *output.flood.taken())
            if asked and asked[0] in ready:
                self._obey()
            passed = [self._pass(one) for one in tuple(self._outputs) if one.ours in ready]
            if max(passed, default=0) < LARGE_BYTES:
                time.sleep(REST_S)
        self._feed.close()

    def _pass(self, output: _Output) -> int:
        """What has come of it, or its end; how much was read."""
        most = READ_BYTES
        if self._feed.leaves_out(output.number) and output.onward is not None and output.flood.pass_on(output.onward):
            most = KEPT_BYTES
        try:
            size = os.readv(output.ours, [self._buffer[:most]])
        except BlockingIOError:  # somebody else took it: a standard input that is shared
            return 0
        except OSError:  # a terminal that nobody has open any more
            size = 0
        if not size:
            self._outputs.remove(output)
            self._feed.resume(output.number, *output.flood.taken())
            self._feed.end(output.number)
            return 0
        data = bytes(self._buffer[:size])
        if output.onward is not None:
            output.in_line = not data.endswith(b"\n")
            try:
                write_all(output.onward, data)
            except OSError as fault:
                self._fail(output, fault)
        self._feed.put(output.number, data)
        return READ_BYTES if most < READ_BYTES else size

    def _fail(self, output: _Output, fault: OSError) -> None:
        """The log is read on; it is written on, too, unless its reader has gone: a disk is not full for ever."""
        output.in_line = False
        if fault.errno == errno.EPIPE:
            output.onward = None
        elif not output.failed:
            output.failed = True
            self._feed.fail(output.number, (fault.strerror or "unknown").lower())

    def _obey(self) -> None:
        """Do what the watcher asks; without it, only pass on."""
        asked = self._asked()
        if asked[:1] == HOLD:
            self._answer(asked)
            asked = self._asked()
        if asked[:1] == GO_ON_NEW_LINE:
            for output in self._outputs:
                output.in_line = False
        elif asked[:1] == RELEASE:
            self._outputs.clear()
            self._feed.close()
        elif not asked:
            self._control = None
            self._feed.close()

    def _asked(self) -> bytes:
        try:
            return b"" if self._control is None else self._control.recv(ASKED_BYTES, socket.MSG_WAITALL)
        except OSError:
            return b""

    def _answer(self, asked: bytes) -> None:
        flags = sum(1 << one.number for one in self._outputs if one.in_line)
        if self._feed.descriptor is None and not any(readable_bytes(one.ours) for one in self._outputs):
            flags |= IDLE
        try:
            if self._control is not None:
                self._control.sendall(asked[1:] + bytes([flags]))
        except OSError:
            return


def pass_on(control: socket.socket, feed: int, outputs: Sequence[tuple[int, int, int | None]]) -> None:
    """Pass ``outputs`` (the number of each for the watcher, ours, onward) on to their ends."""
    os.set_blocking(feed, False)
    for descriptor in (feed, *(one for _, *both in outputs for one in both if one is not None)):
        widen(descriptor)
    with control:
        RelayProcess(control, RelayFeed(feed), [_Output(*output) for output in outputs]).run()


def main(words: Sequence[str]) -> None:
    """Descriptors as words: of the control, of the feed, then three for each output."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    parts = [word.split(":") for word in words[2:]]
    outputs = [(int(number), int(ours), int(onward) if onward else None) for number, ours, onward in parts]
    pass_on(socket.socket(fileno=int(words[0])), int(words[1]), outputs)


if __name__ == "__main__":
    main(sys.argv[1:])
