"""What a live job is doing, for Prometheus: served on a port, or in a text file for node_exporter.

Both need the extra ``metrics``.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from logrules.model.change import Update
from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.timeline import WorkerNow
from logrules.notify.kept_file import KeptFile
from logrules.notify.listener import Listener
from logrules.tools.extras import METRICS, needed

if TYPE_CHECKING:
    from prometheus_client import Gauge

# Without a change, a text file is written this often.
TEXTFILE_EVERY_S = 15.0
# What a job says is for whoever may log in where it runs, unless somebody says otherwise.
LOOPBACK = "127.0.0.1"

Workers = Callable[[], tuple[WorkerNow, ...]]


class JobMetrics:
    """The figures of a live job. With a ``job``, each of them has it as the label ``job_name``.

    Raises LogrulesError where prometheus-client is missing; ``option`` is what asked for it.
    """

    def __init__(self, workers: Workers, job: str, option: str) -> None:
        with needed(METRICS, option):
            from prometheus_client import CollectorRegistry, Gauge
        self._workers = workers
        self._label = (job,) if job else ()
        self._told = False
        self.registry = CollectorRegistry()

        def gauge(name: str, about: str, *labels: str) -> "Gauge":
            named = ("job_name",) if job else ()
            return Gauge(f"logrules_{name}", about, (*named, *labels), registry=self.registry)

        self._lines = gauge("lines_read", "Lines of the log that were read")
        self._bytes = gauge("bytes_read", "Bytes of the log that were read")
        self._skipped = gauge("bytes_skipped", "Bytes that were passed on without being analysed")
        self._quiet = gauge("quiet_seconds", "How long nothing has moved on the worker that moved last")
        self._seen = gauge("updated_timestamp_seconds", "When the watcher last looked, by the source's clock")
        self._ended = gauge("ended", "1 where the log has ended: the last figures stand")
        self._status = gauge("status", "1 for the status of the job", "status")
        self._phase = gauge("phase", "1 for the phase of the job", "phase")
        self._suspect = gauge("suspect_confidence", "Confidence of each diagnosis", "rule", "cause", "severity")

    def take(self, update: Update, report: Callable[[], Report]) -> None:
        """Take the figures of an update."""
        quiet = [worker.quiet_s for worker in self._workers() if worker.quiet_s is not None]
        for gauge, value in (
            (self._lines, float(update.lines)),
            (self._bytes, float(update.bytes)),
            (self._skipped, float(update.skipped)),
            (self._quiet, min(quiet, default=0.0)),
            (self._seen, update.now),
            (self._ended, float(update.ended)),
        ):
            self._set(gauge, value)
        if update.changes or update.ended or not self._told:
            self._told = True
            self._retell(report())

    def _set(self, gauge: "Gauge", value: float, *labels: str) -> None:
        named = (*self._label, *labels)
        (gauge.labels(*named) if named else gauge).set(value)

    def _retell(self, report: Report) -> None:
        for gauge in (self._status, self._phase, self._suspect):
            gauge.clear()
        self._set(self._status, 1, report.status.value)
        self._set(self._phase, 1, report.phase)
        for one in report.diagnoses:
            self._set(self._suspect, one.confidence, one.rule, one.cause, one.severity.value)


class PrometheusExporter(Listener):
    """Serves metrics on a port until the job is over: to this machine alone, unless another address is named.

    Raises LogrulesError where prometheus-client is missing or the address cannot be taken.
    """

    called = "--metrics-port"

    def __init__(self, port: int, workers: Workers, job: str = "", address: str = LOOPBACK) -> None:
        self._metrics = JobMetrics(workers, job, self.called)
        from prometheus_client import start_http_server

        try:
            self._server, _ = start_http_server(port, address, self._metrics.registry)
        except (OSError, OverflowError) as fault:
            reason = (getattr(fault, "strerror", None) or str(fault)).lower()
            raise LogrulesError(f"--metrics-port {port} on {address}: cannot be taken ({reason})") from None

    @property
    def address(self) -> str:
        """The address that is served."""
        return str(self._server.server_address[0])

    @property
    def port(self) -> int:
        """The port that is served; one was chosen where 0 was asked for."""
        return int(self._server.server_port)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Take the figures of this update."""
        self._metrics.take(update, report)

    def close(self, limit_s: float) -> None:
        """Serve no longer."""
        # Being asked to end is noticed twice a second only.
        ending = Thread(target=self._server.shutdown, daemon=True)
        ending.start()
        ending.join(limit_s)
        if not ending.is_alive():
            self._server.server_close()


class MetricsTextfile(KeptFile):
    """Keeps metrics in a text file for the textfile collector of node_exporter.

    Raises LogrulesError where prometheus-client is missing or the folder is. The last figures stay, so that it can be
    seen how the job ended.
    """

    def __init__(self, path: Path, workers: Workers, complain: Callable[[str], None], job: str = "") -> None:
        if path.suffix != ".prom":
            raise LogrulesError(f"--metrics-textfile {path}: node_exporter reads only files that end in .prom")
        if not path.parent.is_dir():
            raise LogrulesError(f"--metrics-textfile {path}: there is no folder {path.parent}")
        self._metrics = JobMetrics(workers, job, "--metrics-textfile")
        super().__init__(path, "--metrics-textfile", TEXTFILE_EVERY_S, complain)

    def on_update(self, update: Update, report: Callable[[], Report]) -> None:
        """Take the figures of this update; write them, if something changed or the last ones are old."""
        self._metrics.take(update, report)
        super().on_update(update, report)

    def has_news(self, update: Update) -> bool:
        """Whether anything changed."""
        return bool(update.changes)

    def content(self, report: Callable[[], Report]) -> bytes:  # noqa: ARG002 (the figures were taken)
        """The figures as they stand."""
        from prometheus_client import generate_latest

        return generate_latest(self._metrics.registry)
