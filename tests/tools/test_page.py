"""The page, in a real browser: rendered, clicked, looked at; what a log says stays text."""

import io
import re
import shutil
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("jinja2")

from logrules.cli.main import main
from logrules.inference.kept_samples import MAX_POINTS, QUIET, CurveSampler
from logrules.model.event import Level, LogLine, LogText
from logrules.model.report import Comparison, PhaseSource, Report, StackView, Status
from logrules.model.timeline import Curve, PhaseSpan, Point, WaitSpan
from logrules.output.text import render_text
from logrules.tools.page.html import render_html
from logrules.tools.page.plots import color_of, curve_svg, scale_of, timeline_svg
from tests.output.test_forms import HEALTHY, report

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def page_of(given: Report, language: str = "en", shell: str = "bash") -> str:
    out = io.StringIO()
    render_html(given, out, language, shell)
    return out.getvalue()


CURVED = Curve("loss", tuple(Point(10.0 + at, "a.log", at + 1, at / 10) for at in range(8)))


EVIL_LINE = "</script><script>alert(1)</script><!-- \u2028 & \\u003c"


def big_log(count: int) -> LogText:
    """A log of 64 ranks; every thousandth line is a warning, the last an error that would like to be a script."""
    lines = [
        LogLine(
            "rank 1.log",
            n + 1,
            f"rank {n % 64}",
            10.0 + n / 1000,
            Level.WARNING if n % 1000 == 999 else None,
            f"step {n}",
        )
        for n in range(count - 1)
    ]
    last = LogLine("rank 1.log", count, "rank 5", 10.0 + count / 1000, Level.ERROR, EVIL_LINE)
    return LogText((*lines, last), count)


def full() -> Report:
    waits = (
        WaitSpan("rank 0", 11.0, 14.0, 2, 9, "rank 1.log", "torch/init-process-group", ended=True),
        WaitSpan("rank 0", 17.0, 19.0, 10, 11, "rank 1.log", "torch/barrier", ended=False),
    )
    return replace(report(), curves=(CURVED,), waits=waits, log=big_log(40))


@pytest.mark.parametrize(
    "given",
    [
        report(),
        HEALTHY,
        replace(report(), status=Status.HEALTHY),
        replace(report(), phase="rollout", diagnoses=(replace(report().diagnoses[0], phase_from=PhaseSource.CAUSE),)),
    ],
    ids=["failed", "healthy", "healthy but for a warning", "failed in a phase that no line shows"],
)
def test_the_page_gives_the_verdict_that_the_text_gives(given):
    status, phase = re.findall('class="en">(.*?)</span>', page_of(given).partition('<h1 id="verdict">')[2])[:2]
    text = io.StringIO()
    render_text(given, text, "en", "bash")
    assert text.getvalue().startswith(f"{status}  {phase}")


def test_log_text_is_escaped_and_asks_nothing_of_the_network():
    text = page_of(full())
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert re.findall(r"<script[^>]*>", text) == ['<script type="application/json" id="data">', "<script>"]
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)\s*=\s*["']https?:""", text.replace("http://www.w3.org", ""))


def test_the_merged_stacks_have_a_section_of_their_own():
    view = StackView(("rank 3 is in <x>.py:1 f",), ("[rank 0-3] t.py:1 main", "  [rank 3] <script>alert(1)</script>"))
    text = page_of(replace(report(), stacks=view))
    assert "Where the processes stand" in text
    assert "各进程所处位置" in text
    assert "  [rank 3] &lt;script&gt;alert(1)&lt;/script&gt;\n" in text
    assert "rank 3 is in &lt;x&gt;.py:1 f" in text
    assert 'class="tree"' not in page_of(report())


@pytest.mark.parametrize("given", [HEALTHY, Report(Status.RUNNING, "train_step", curves=(CURVED,))])
def test_a_report_with_little_to_show(given):
    text = page_of(given, "zh", "powershell")
    assert 'class="show-zh show-powershell"' in text
    assert ("未发现异常" in text) == (given.status is Status.HEALTHY)


def test_the_diagnosis_stands_before_the_pictures():
    text = page_of(full())
    assert text.index('id="d1"') < text.index('id="timeline"')


def test_a_log_without_times_says_that_it_is_drawn_by_line():
    untimed = replace(full(), timeline=tuple(replace(span, start=None, end=None) for span in full().timeline))
    assert "drawn by line" in page_of(untimed)
    assert "drawn by line" not in page_of(full())


def test_a_phase_has_one_colour_everywhere():
    assert color_of("train_step") == color_of("train_step") != color_of("eval")
    assert color_of("my_phase").startswith("hsl(")
    assert f'id="phase-train_step" fill="{color_of("train_step")}"' in page_of(full())


def test_the_pictures_are_well_formed_and_bounded():
    given = full()
    scale = scale_of(given)
    curve = Curve("loss", (Point(10.0, "a", 1, float("nan")), Point(11.0, "a", 2, 1e308), Point(12.0, "a", 3, -1e308)))
    for picture in (timeline_svg(given, [], scale), curve_svg(curve, scale)):
        assert ET.fromstring(picture).tag.endswith("svg")


def test_the_same_report_gives_the_same_page():
    assert page_of(full()) == page_of(full())


def test_the_command_writes_the_page(tmp_path):
    log = tmp_path / "train.log"
    log.write_text(
        "step 1 loss 0.5\nstep 2 loss 0.4\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    assert main(["diagnose", str(log), "--format", "html", "-o", str(tmp_path / "r.html")]) == 1
    assert "The GPU ran out of memory" in (tmp_path / "r.html").read_text()


def test_curves_are_bounded_and_keep_the_longest_silence():
    from logrules.inference.observation import Observation
    from logrules.model.event import Event, Worker

    curves = CurveSampler()
    time = 0.0
    for number in range(20_000):
        time += 500.0 if number == 7_777 else 1.0
        observation = Observation(Event("log", number + 1, 0, "", "", Worker("log"), ()), number, time, None)
        curves.see(observation)
        curves.add("loss", float(number), observation)
    drawn = {curve.metric: curve.points for curve in curves.drawn()}
    assert all(len(points) <= MAX_POINTS for points in drawn.values())
    assert max(point.value for point in drawn[QUIET]) == 500.0
    assert [point.value for point in drawn["loss"]] == sorted(point.value for point in drawn["loss"])


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    # Node, which the driver runs on, leaves its loop to the garbage collector.
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def shown(browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of(full()), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith("file:") else None)
    page.goto(path.as_uri())
    yield page
    assert faults == []
    page.close()


@pytest.fixture
def long(browser, tmp_path):
    """The page of 1,024 ranks with a log of 50,000 lines, on a screen as small as a phone's."""
    spans = tuple(
        PhaseSpan(f"rank {n}", at, at + 20, 1 + n, 40_000 + n, "rank 1.log", phase)
        for n in range(1024)
        for at, phase in ((10.0, "train_step"), (30.0, "checkpoint"))
        if n != 517 or phase == "train_step"
    )
    given = replace(full(), timeline=spans, log=big_log(50_000), lines=50_000, comparison=Comparison((0,), 1026))
    path = tmp_path / "long.html"
    path.write_text(page_of(given), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(path.as_uri())
    yield page
    assert faults == []
    page.close()


def said(locator, text: str) -> None:
    from playwright.sync_api import expect

    expect(locator).to_contain_text(text)


def rows_of(page) -> int:
    return page.locator("#log-rows .row").count()


def test_fifty_thousand_lines_draw_as_many_as_are_seen(long):
    assert "50,000 / 50,000" in long.locator("#log-count").inner_text()
    assert 0 < rows_of(long) < 120
    long.locator("#log-view").focus()
    long.keyboard.press("End")
    said(long.locator(".row.chosen"), "alert(1)")
    assert 0 < rows_of(long) < 120
    assert EVIL_LINE.replace("\u2028", "\\u2028") == long.locator("#log-one pre").inner_text()
    assert long.evaluate("document.documentElement.scrollWidth") <= 390
    assert long.evaluate("document.scripts.length") == 2


def test_the_log_is_filtered_by_worker_word_and_loudness(long):
    counted = long.locator("#log-count")
    long.locator("#log-worker").select_option(label="rank 5")
    assert counted.inner_text() == "783 / 50,000"
    long.locator("#log-loud").check()
    assert counted.inner_text() == "1 / 50,000"
    assert "alert(1)" in long.locator("#log-rows .row").last.inner_text()
    long.locator("#log-worker").select_option("")
    long.locator("#log-loud").uncheck()
    long.locator("#log-find").fill("STEP 4999")
    # The page's policy forbids what `wait_for_function` evaluates again and again.
    said(counted, "10 / 50,000")


def test_the_log_folds_by_phase_with_mouse_and_keyboard(long):
    long.get_by_role("button", name="fold all", exact=True).click()
    folded = rows_of(long)
    assert 0 < folded < 10
    head = long.locator("#log-rows .fold").first
    assert head.get_attribute("aria-expanded") == "false"
    head.click()
    assert rows_of(long) > folded
    long.locator("#log-view").focus()
    long.keyboard.press("Home")
    long.keyboard.press("Enter")
    assert rows_of(long) == folded
    active = long.locator("#log-view").get_attribute("aria-activedescendant")
    assert long.locator(f"#{active}").get_attribute("aria-selected") == "true"


def test_ranks_are_a_strip_that_tells_the_odd_one(long):
    assert long.locator("#ranks g[data-worker]").count() == 1024
    assert long.locator("#ranks svg > rect").count() == 2
    assert "train_step: rank 517 (1)" in long.locator("#ranks svg").get_attribute("aria-label")
    odd = long.locator("#ranks g[data-worker='rank 517'] rect").first
    assert odd.get_attribute("fill") == color_of("train_step") != color_of("checkpoint")
    odd.scroll_into_view_if_needed()
    assert odd.bounding_box()["width"] > 5
    odd.hover(force=True)
    assert "rank 517" in long.locator("#tip").inner_text()


def test_a_rank_of_the_strip_filters_the_log(long):
    long.locator("#ranks g[data-worker='rank 7']").click(force=True)
    assert long.locator("#log-worker option:checked").inner_text() == "rank 7"
    assert long.locator("#log-count").inner_text().startswith("782 /")


def test_evidence_and_bars_lead_to_the_line_in_the_log(shown):
    shown.locator("#d1-e1 a[data-line]").click()
    assert "rank 1.log:7" in shown.locator("#log-one").inner_text()
    assert shown.locator(".row.chosen.mark").count() == 1
    assert shown.locator("#timeline .cursor").count() == 1
    bar = shown.locator("#timeline rect[data-i='1']")
    bar.click()
    assert "rank 1.log:16" in shown.locator("#log-one").inner_text()
    shown.locator("#log-view").press("e")
    shown.locator("#log-one a").click()
    shown.wait_for_function("location.hash.startsWith('#d1-e')")


def test_the_timeline_zooms_by_keys_buttons_and_drag(shown):
    def axis() -> list[str]:
        return shown.locator("#timeline .tick").all_text_contents()

    whole = axis()
    shown.get_by_role("button", name="zoom in").click()
    assert axis() != whole
    assert shown.locator("svg.zoomed").last.get_attribute("viewBox") != shown.locator("svg.zoomed").last.evaluate(
        "plot => `0 0 830 ${plot.viewBox.baseVal.height}`"
    )
    shown.locator("#timeline").press("0")
    assert axis() == whole
    shown.locator("#timeline").scroll_into_view_if_needed()
    box = shown.locator("#timeline").bounding_box()
    y = box["y"] + 10
    shown.mouse.move(box["x"] + box["width"] * 0.5, y)
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] * 0.7, y)
    shown.mouse.move(box["x"] + box["width"] * 0.8, y)
    shown.mouse.up()
    assert axis() != whole
    shown.locator("#log-window").check()
    assert not shown.locator("#log-count").inner_text().startswith("40 /")
    shown.get_by_role("button", name="whole").click()
    said(shown.locator("#log-count"), "40 / 40")


def test_a_bar_says_what_it_is_where_the_pointer_stands(shown):
    shown.locator("#timeline rect[data-i='1']").hover()
    assert "rank 0 · train_step" in shown.locator("#tip").inner_text()
    assert "rank 1.log:16" in shown.locator("#tip").inner_text()


def test_a_mark_leads_to_its_lines(shown):
    shown.locator("#timeline [id^=mark-] a").last.click()
    shown.wait_for_function("location.hash === '#d1-e2'")
    assert shown.evaluate("document.activeElement.id") == "d1-e2"
    assert shown.locator("#d1-e2").is_visible()


def test_a_wait_leads_to_its_line_in_the_folded_table(shown):
    shown.evaluate("location.hash = '#w1'")
    shown.wait_for_function("document.activeElement.id === 'w1'")
    row = shown.locator("#w1")
    assert row.is_visible()
    assert "torch/barrier" in row.inner_text()
    assert "not ended" in row.inner_text()
    assert shown.locator("#timeline a[*|href='#w1']").count() == 1


def test_marks_and_bars_are_drawn(shown):
    assert shown.locator("#timeline [id^=mark-]").count() == 2
    assert shown.locator("#timeline [id^=wait-]").count() == 2
    assert shown.locator("#timeline [id^=phase-]").count() == 2
    shown.locator("#timeline [id^=mark-]").first.scroll_into_view_if_needed()
    box = shown.locator("#timeline [id^=mark-]").first.bounding_box()
    assert box["width"] > 3
    assert box["height"] > 3
    picture = shown.screenshot(clip={"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]})
    assert colors_of(picture) > 3


def colors_of(png: bytes) -> int:
    image = pytest.importorskip("PIL.Image")
    picture = image.open(io.BytesIO(png)).convert("RGB")
    return len(picture.getcolors(picture.width * picture.height) or ())


def test_both_languages_and_both_shells(shown):
    title = shown.locator("#d1-title")
    assert "Out of memory" in title.inner_text()
    shown.get_by_role("button", name="中文").click()
    assert title.inner_text() == "1. 显存不足"
    assert shown.evaluate("document.documentElement.lang") == "zh"
    shown.get_by_role("button", name="PowerShell").click()
    assert shown.locator("button[data-show=powershell]").get_attribute("aria-pressed") == "true"
    assert not shown.locator(".copyable.bash").first.is_visible()


def test_a_fix_can_be_copied(shown):
    shown.locator("button[data-copy]").first.click()
    shown.wait_for_function("document.getElementById('said').textContent !== ''")
    assert shown.locator("#said").inner_text() in {"copied", "selected"}


def test_consequences_are_folded_and_open_by_keyboard(shown):
    folded = shown.locator("details", has_text="Consequences of it").first
    assert folded.get_attribute("open") is None
    folded.locator("summary").focus()
    shown.keyboard.press("Enter")
    assert folded.get_attribute("open") is not None


def test_evil_text_is_shown_as_text(shown):
    assert "</script><script>alert(1)</script>" in shown.locator("#d1-e1").inner_text()
    assert shown.evaluate("document.scripts.length") == 2


def test_dark_mode_a_phone_and_paper(shown):
    light = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    shown.emulate_media(color_scheme="dark")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") != light
    shown.set_viewport_size({"width": 360, "height": 740})
    assert shown.evaluate("document.documentElement.scrollWidth") <= 360
    shown.emulate_media(media="print")
    assert not shown.locator("nav").is_visible()


def test_landmarks_and_names_for_those_who_cannot_see_it(shown):
    assert shown.get_by_role("main").count() == 1
    assert shown.get_by_role("banner").count() == 1
    assert shown.get_by_role("heading", level=1).count() == 1
    assert all(name.strip() for name in shown.locator("button").all_inner_texts())
    assert shown.locator("#timeline a[tabindex='-1']").count() == 0
