"""Writes dashboard.json for Grafana 9 or later from the table of panels below: `python make_dashboard.py`."""

import json
from pathlib import Path
from typing import Any

_WHERE = 'job_name=~"$run"'
_SOURCE = {"type": "prometheus", "uid": "${source}"}
_BY = "{{job_name}} {{instance}}"

# Each panel: its title, kind and unit, its width and height in cells, its queries with their legends.
PANELS: tuple[tuple[str, str, str, int, int, tuple[tuple[str, str], ...]], ...] = (
    (
        "Jobs by status", "stat", "short", 12, 5,
        ((f"count by (status) (logrules_status{{{_WHERE}}} == 1)", "{{status}}"),),
    ),
    (
        "Jobs by phase", "bargauge", "short", 12, 5,
        ((f"count by (phase) (logrules_phase{{{_WHERE}}} == 1)", "{{phase}}"),),
    ),
    (
        "What is wrong, by job", "table", "percentunit", 24, 8,
        ((f"max by (job_name, instance, cause, severity) (logrules_suspect_confidence{{{_WHERE}}})", ""),),
    ),
    (
        "Quiet: how long nothing has moved", "timeseries", "s", 12, 8,
        ((f"logrules_quiet_seconds{{{_WHERE}}} and logrules_ended{{{_WHERE}}} == 0", _BY),),
    ),
    (
        "Lines read a second", "timeseries", "short", 12, 8,
        ((f"deriv(logrules_lines_read{{{_WHERE}}}[2m])", _BY),),
    ),
    (
        "Status over time", "state-timeline", "short", 24, 7,
        ((f"max by (job_name, instance, status) (logrules_status{{{_WHERE}}})", f"{_BY} {{{{status}}}}"),),
    ),
    (
        "Bytes a second", "timeseries", "Bps", 12, 7,
        (
            (f"deriv(logrules_bytes_read{{{_WHERE}}}[2m])", f"{_BY} read"),
            (f"deriv(logrules_bytes_skipped{{{_WHERE}}}[2m])", f"{_BY} left out"),
        ),
    ),
    (
        "Since the watcher last looked", "timeseries", "s", 12, 7,
        ((f"time() - logrules_updated_timestamp_seconds{{{_WHERE}}} and logrules_ended{{{_WHERE}}} == 0", _BY),),
    ),
)  # fmt: skip


def dashboard() -> dict[str, Any]:
    """The dashboard, as Grafana imports it."""
    return {
        "title": "Training jobs (logrules)",
        "uid": "logrules-jobs",
        "tags": ["logrules"],
        "schemaVersion": 37,
        "version": 1,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_source_variable(), _run_variable()]},
        "panels": list(_placed()),
    }


def _source_variable() -> dict[str, Any]:
    return {"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}


def _run_variable() -> dict[str, Any]:
    query = "label_values(logrules_lines_read, job_name)"
    return {
        "name": "run", "label": "job", "type": "query", "datasource": _SOURCE, "query": query,
        "includeAll": True, "allValue": ".*", "multi": True, "refresh": 2, "sort": 1,
        "current": {"text": "All", "value": "$__all"},
    }  # fmt: skip


def _placed() -> list[dict[str, Any]]:
    """The panels in rows of 24 columns."""
    found, left, top, tallest = [], 0, 0, 0
    for number, (title, kind, unit, width, height, queries) in enumerate(PANELS, start=1):
        if left + width > 24:  # noqa: PLR2004 (Grafana's grid)
            left, top, tallest = 0, top + tallest, 0
        found.append(
            {
                "id": number, "title": title, "type": kind, "datasource": _SOURCE,
                "gridPos": {"x": left, "y": top, "w": width, "h": height},
                "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
                "targets": [_target(place, query, legend, kind) for place, (query, legend) in enumerate(queries)],
            }
        )  # fmt: skip
        left, tallest = left + width, max(tallest, height)
    return found


def _target(place: int, query: str, legend: str, kind: str) -> dict[str, Any]:
    now = kind in {"table", "stat", "bargauge"}
    return {
        "refId": chr(ord("A") + place), "datasource": _SOURCE, "expr": query, "legendFormat": legend or "__auto",
        "instant": now, "range": not now, "format": "table" if kind == "table" else "time_series",
    }  # fmt: skip


if __name__ == "__main__":
    Path(__file__).with_name("dashboard.json").write_text(json.dumps(dashboard(), indent=1) + "\n", encoding="utf-8")
