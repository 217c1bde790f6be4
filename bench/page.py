"""The page of a big job: its size, and how long a browser takes to show it. ``python bench/page.py``."""

import io
import shutil
import sys
import tempfile
import time
from pathlib import Path

from logrules.model.report import Diagnosis, Evidence, Report, Restart, Severity, Status, Text
from logrules.model.timeline import Curve, PhaseSpan, Point
from logrules.tools.page.html import render_html

RANKS, SPANS = 64, 10_000
SIZE_LIMIT_BYTES, OPEN_LIMIT_S = 3_000_000, 2.0
PHASES = ("rollout", "weight_sync", "train_step", "eval", "checkpoint")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def big_report() -> Report:
    """A job of 64 ranks that went through ten thousand phases."""
    spans = tuple(
        PhaseSpan(
            f"rank {n % RANKS}", turn * 60.0, turn * 60.0 + 55, n, n + 1, f"rank{n % RANKS}.log", PHASES[turn % 5]
        )
        for n, turn in ((n, n // RANKS) for n in range(SPANS))
    )
    lines = tuple(
        Evidence(f"rank{n}.log", 9_000 + n, f"line {n}", f"rank {n}", 9_300.0, {}, ("before",), ("after",))
        for n in range(8)
    )
    one = Diagnosis(
        "nccl/x", "nccl-timeout", "train_step", Severity.ERROR, 0.9, Text("A collective timed out", "集合通信超时"),
        Text("x", "x"), Restart.AFTER_FIX, (3,), (), lines,
    )  # fmt: skip
    curves = tuple(Curve(name, tuple(Point(n * 18.0, "a", n, n % 7) for n in range(512))) for name in ("loss", "quiet"))
    return Report(Status.FAILED, "train_step", (one,) * 6, spans, curves=curves, lines=1_000_000)


def opened_s(path: Path) -> float | None:
    """Seconds until the page is shown and answers; None without a browser."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if found is None:
        return None
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page()
        page.goto("about:blank")
        begun = time.perf_counter()
        page.goto(path.as_uri())
        page.get_by_role("button", name="中文").click()
        page.evaluate("document.getElementById('timeline').getBoundingClientRect().height")
        taken = time.perf_counter() - begun
        browser.close()
    return taken


def main() -> int:
    """Measure and print."""
    out = io.StringIO()
    begun = time.perf_counter()
    render_html(big_report(), out, "en")
    drawn = time.perf_counter() - begun
    size = len(out.getvalue().encode())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(out.getvalue(), encoding="utf-8")
        taken = opened_s(path)
    met = "met" if size <= SIZE_LIMIT_BYTES else "NOT MET"
    sys.stdout.write(
        f"page of {RANKS} ranks, {SPANS:,} spans: {size / 1e6:.2f} MB  [<= 3 MB: {met}], made in {drawn:.1f} s\n"
    )
    if taken is None:
        sys.stdout.write("opened in a browser: skipped, needs Chromium and playwright\n")
        return 0
    met = "met" if taken <= OPEN_LIMIT_S else "NOT MET"
    sys.stdout.write(f"opened, and a button answers, in headless Chromium: {taken:.2f} s  [<= 2 s: {met}]\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
