"""Draws the pictures of the README from our own output: the report and the panel on a terminal, and the page.

`python docs/pictures.py`. The run is that of record_session.py; the page shows one log of it. The page is drawn by a browser (chromium,
by playwright); without one its picture stays as it is, and that is said.
"""

import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from record_session import write_run
from rich.console import Console
from rich.text import Text

from logrules import load_rules
from logrules.engine.run import prepared, replay
from logrules.model.change import Update
from logrules.model.report import Report
from logrules.notify.panel_view import PanelView, panel_lines
from logrules.output.text import render_text
from logrules.ruletest.harness import START, Live
from logrules.sources.discover import discover
from logrules.tools.page.html import render_html

_PICTURES = Path(__file__).parent / "pictures"
_COLUMNS, _ROWS = 112, 14
_RANKS, _LATE, _STEPS, _STEP_S, _QUIET_S = 8, 3, 12, 2, 400.0
_PAGE_SIZE = {"width": 1100, "height": 760}
_COLOURS = 64
# Fonts from elsewhere: no page and no picture asks another host for anything.
_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def drawn(ansi: str, title: str) -> str:
    """What a terminal shows, as SVG."""
    console = Console(file=io.StringIO(), record=True, width=_COLUMNS, force_terminal=True)
    console.print(Text.from_ansi(ansi), soft_wrap=False, no_wrap=True, overflow="ellipsis")
    svg = console.export_svg(title=title, unique_id="logrules")
    return "\n".join(line.rstrip() for line in _FONT_FACE.sub("", svg).splitlines()) + "\n"


def of_run(path: Path) -> Report:
    """The report on a log or a folder of rank logs."""
    found = discover([str(path)])
    return replay(found.sources, load_rules(), notes=found.notes)


class Terminal(io.StringIO):
    """Text that is coloured as on a terminal."""

    def isatty(self) -> bool:
        """It is one, as far as colours go."""
        return True


def report_on_terminal(report: Report) -> str:
    """What `logrules diagnose` prints."""
    out = Terminal()
    os.environ["COLUMNS"] = str(_COLUMNS)
    render_text(report, out, "en", "bash")
    return out.getvalue()


def panel_on_terminal() -> str:
    """What `logrules watch` shows of a job of which one rank went quiet."""
    on = prepared(load_rules(), cache=True)
    live = Live(on, on.session())
    for step in range(_STEPS):
        ranks = (rank for rank in range(_RANKS) if rank != _LATE or step < _STEPS - 1)
        live.arrive("".join(f"[rank{rank}]: INFO step {step} loss {0.9 - 0.03 * step:.2f}\n" for rank in ranks))
        live.let_pass(_STEP_S)
    live.let_pass(_QUIET_S)
    update = Update(live.now - START, (), live.lines, 0, 0, ended=False)
    return "\n".join(
        panel_lines(update, live.report(), live.session.workers(), (_COLUMNS, _ROWS), PanelView(keys=True))
    )


def page_drawn(report: Report, folder: Path) -> bytes | None:
    """The page as a browser shows it, as PNG; None without a browser."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from PIL import Image
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if found is None:
        return None
    page = folder / "report.html"
    with page.open("w", encoding="utf-8") as out:
        render_html(report, out, "en")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(viewport=_PAGE_SIZE)
        shown.goto(page.as_uri())
        # Not every machine that draws has Chinese letters, and boxes would stand in their place.
        shown.get_by_role("button", name="中文").evaluate("button => button.remove()")
        png = shown.screenshot()
        browser.close()
    small = io.BytesIO()
    Image.open(io.BytesIO(png)).quantize(_COLOURS).save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> None:
    """Draw all three."""
    _PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_run(Path(folder) / "42")
        report = of_run(Path(folder) / "42")
        page = page_drawn(of_run(Path(folder) / "42/rank17.log"), Path(folder))
    told = drawn(report_on_terminal(report), "logrules diagnose runs/42/")
    (_PICTURES / "report.svg").write_text(told, encoding="utf-8")
    panel = drawn(panel_on_terminal(), "logrules watch -- torchrun --nproc-per-node 8 train.py")
    (_PICTURES / "panel.svg").write_text(panel, encoding="utf-8")
    if page is None:
        sys.stderr.write("no browser: the picture of the page stays as it is\n")
    else:
        (_PICTURES / "page.png").write_bytes(page)


if __name__ == "__main__":
    main()
