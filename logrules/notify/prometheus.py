"""What a live job is doing, for Prometheus: quiet seconds, phase, suspects, lines read. Needs the extra ``metrics``."""

from collections.abc import Callable

from logrules.model.errors import LogrulesError
from logrules.model.report import Report
from logrules.model.update import Update
from logrules.model.worker_status import WorkerNow


class PrometheusExporter:
    """Serves metrics on a port of all interfaces until the job is over.

    Raises LogrulesError where prometheus-client is missing or the port cannot be taken.
    """

    def __init__(self, port: int, workers: Callable[[], tuple[WorkerNow, ...]]) -> None:
        try:
            from prometheus_client import CollectorRegistry, Gauge, start_http_server
        except ModuleNotFoundError:
            raise LogrulesError("--metrics-port needs prometheus-client: pip install 'logrules[metrics]'") from None
        self._workers = workers
        registry = CollectorRegistry()

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"logrules_{name}", about, labels, registry=registry)

        self._lines = gauge("lines_read", "Lines of the log that were read")
        self._bytes = gauge("bytes_read", "Bytes of the log that were read")
        self._skipped = gauge("bytes_skipped", "Bytes that were passed on without being analysed")
        self._quiet = gauge("quiet_seconds", "How long nothing has moved on the worker that moved last")
        self._status = gauge("status", "1 for the status of the job", "status")
        self._phase = gauge("phase", "1 for the phase of the job", "phase")
        self._suspect = gauge("suspect_confidence", "Confidence of each diagnosis", "rule", "cause", "severity")
        try:
            self._server, self._thread = start_http_server(port, registry=registry)
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise LogrulesError(f"--metrics-port {port}: cannot be taken ({reason})") from None

    @property
    def port(self) -> int:
        """The port that is served; one was chosen where 0 was asked for."""
        return int(self._server.server_port)

    def hear(self, update: Update, report: Callable[[], Report]) -> None:
        """Take the figures of this update."""
        self._lines.set(update.lines)
        self._bytes.set(update.bytes)
        self._skipped.set(update.skipped)
        quiet = [worker.quiet_s for worker in self._workers() if worker.quiet_s is not None]
        self._quiet.set(min(quiet, default=0.0))
        if update.changes:
            self._retell(report())

    def close(self) -> None:
        """Serve no longer."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(1.0)

    def _retell(self, report: Report) -> None:
        for gauge in (self._status, self._phase, self._suspect):
            gauge.clear()
        self._status.labels(report.status.value).set(1)
        self._phase.labels(report.phase).set(1)
        for one in report.diagnoses:
            self._suspect.labels(one.rule, one.cause, one.severity.value).set(one.confidence)
