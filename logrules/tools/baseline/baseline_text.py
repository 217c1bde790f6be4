"""How a log differs from good ones, for people and for machines."""

from typing import TextIO

from logrules.model.report import Text
from logrules.output.escape import safe
from logrules.output.json_kinds import COUNT, FLAG, NUMBER, PLAIN, TEXT, listed, shape
from logrules.tools.baseline.compare import Deviation, Measure

_TITLE = Text("Against {runs} good {noun}", "与 {runs} 次正常运行相比")
_FAMILIAR = Text(
    "{share:.1%} of the lines are of kinds that good runs print too", "{share:.1%} 的行属于正常运行也会打印的类型"
)
_NEW = Text("New here, the most unusual first ({count} kinds)", "此处新出现，最异常的在前（{count} 类）")
_NOTHING_NEW = Text("Nothing new", "没有新类型的行")
_MISSING = Text("Missing here, in the order of a good run ({count} kinds)", "此处缺失，按正常运行的顺序（{count} 类）")
_MEASURED = Text("Measured (median)", "指标（中位数）")
_LEFT_OUT = Text("There are too many kinds of lines to keep all apart", "行的类型过多，未能全部区分")
_TIMES = Text("{ratio:.2f} times", "{ratio:.2f} 倍")
_MAX_TEXT = 200

_LINE = {"source": TEXT, "line": COUNT, "text": TEXT}
DEVIATION = shape(
    {
        "runs": COUNT,
        "familiar": NUMBER.told("share of lines of kinds that good runs have, 0 to 1"),
        "new": listed(shape({**_LINE, "count": COUNT})),
        "missing": listed(shape(_LINE)),
        "measures": listed(shape({"metric": PLAIN, "here": NUMBER, "good": NUMBER, "ratio": NUMBER})),
        "new_kinds": COUNT,
        "missing_kinds": COUNT,
        "kinds_left_out": FLAG,
    }
)


def render_deviation(found: Deviation, out: TextIO, language: str) -> None:
    """Write what is new, what is missing and what was measured."""
    noun = "run" if found.runs == 1 else "runs"
    lines = ["", _TITLE.of(language).format(runs=found.runs, noun=noun)]
    lines.append(f"  {_FAMILIAR.of(language).format(share=found.familiar)}")
    if found.new:
        lines.append(f"  {_NEW.of(language).format(count=found.new_kinds)}:")
        lines += [f"    {one.count:>5} x  {one.source}:{one.line}  {one.text.strip()[:_MAX_TEXT]}" for one in found.new]
    else:
        lines.append(f"  {_NOTHING_NEW.of(language)}")
    if found.missing:
        lines.append(f"  {_MISSING.of(language).format(count=found.missing_kinds)}:")
        lines += [f"    {one.source}:{one.line}  {one.text.strip()[:_MAX_TEXT]}" for one in found.missing]
    if found.measures:
        lines.append(f"  {_MEASURED.of(language)}:")
        lines += [f"    {_measure(one, language)}" for one in found.measures]
    if found.kinds_left_out:
        lines.append(f"  {_LEFT_OUT.of(language)}")
    out.writelines(f"{safe(line)}\n" for line in lines)


def _measure(one: Measure, language: str) -> str:
    times = _TIMES.of(language).format(ratio=one.ratio)
    return f"{one.metric}: {one.here:.4g} / {one.good:.4g} ({times})"
