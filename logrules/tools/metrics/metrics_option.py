"""`logrules watch --metrics-port` and `--metrics-textfile`: what a live job is doing, for Prometheus."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from logrules.cli.shared_options import named, reading
from logrules.model.errors import LogrulesError

if TYPE_CHECKING:
    from logrules.cli.extension import WatchedRun
    from logrules.notify.listener import Listener

_PORT = reading(int, lambda port: 0 <= port <= 65_535, "a port from 0 to 65535")  # noqa: PLR2004 (what TCP has)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options."""
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument("--metrics-port", type=_PORT, metavar="PORT", help="serve metrics for Prometheus on PORT")
    metrics.add_argument(
        "--metrics-address",
        metavar="ADDRESS",
        help="with --metrics-port: listen on ADDRESS, such as 0.0.0.0 for all (default: localhost)",
    )
    metrics.add_argument(
        "--metrics-textfile", type=named, metavar="FILE", help="write metrics to FILE (.prom) for node_exporter"
    )


def listeners(options: argparse.Namespace, run: "WatchedRun") -> "Iterator[Listener]":
    """What keeps the figures where they were asked for. Raises LogrulesError where that cannot be done."""
    workers = run.following.workers
    if options.metrics_port is not None:
        from logrules.tools.metrics.prometheus import LOOPBACK, PrometheusExporter

        yield PrometheusExporter(options.metrics_port, workers, run.job, options.metrics_address or LOOPBACK)
    elif options.metrics_address:
        raise LogrulesError("--metrics-address is for --metrics-port")
    if options.metrics_textfile:
        from logrules.tools.metrics.prometheus import MetricsTextfile

        yield MetricsTextfile(Path(options.metrics_textfile), workers, run.complain, run.job)
