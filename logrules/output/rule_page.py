"""A rule or a word as a page of Markdown: what `logrules explain` prints and docs/rules/ holds."""

from collections.abc import Iterator
from itertools import chain
from typing import TextIO

from logrules.inference.advice import with_open_slots
from logrules.inference.command_slots import with_open_text
from logrules.model.lint_code import Code
from logrules.model.report import Fix, Severity, Text
from logrules.output.escape import safe, safe_lines
from logrules.output.messages import RESTART, RISK
from logrules.output.shell import copyables
from logrules.ruleset.pack import Pack, Rule
from logrules.ruleset.rule_text import Card, Word, card_of, causes_of, phases_of, title_of

_CAUSE, _PHASE = Text("Cause", "原因"), Text("Phase", "阶段")
_FROM_MARKERS = Text("where the log says the worker was", "由日志判断")
_TIER = Text("Tier", "层级")
_DIFFERS = Text("How to tell it apart", "如何区分")
_FIXES = Text("What to try", "建议")
_RECOGNISED = Text("Recognised by", "识别依据")
_EXPLAINED_BY = Text("A consequence of", "可能的根因")
_REFERENCES = Text("Sources", "参考")
_RULES = Text("Rules that name it", "相关规则")
_HELP = Text("What helps", "如何解决")
_MENDED = Text("`logrules check --fix` mends it.", "`logrules check --fix` 可自动修复。")
_IGNORED = Text(
    "Where it is meant, a comment with a reason ignores it: `# logrules: ignore={} …`",
    "若确实有意，可用带理由的注释忽略：`# logrules: ignore={} …`",
)
_SEVERITY = {Severity.ERROR: Text("error", "错误"), Severity.WARNING: Text("warning", "警告")}
_RESTART_TITLE = Text("Restart", "重启建议")


def render_named(name: str, pack: Pack, out: TextIO, language: str, shell: str) -> bool:
    """Write the card of the rule, or what the cause or phase means, that is called so; whether there is one."""
    rule = next((rule for rule in pack.rules if rule.id == name), None)
    word = next((word for word in (*causes_of(pack), *phases_of(pack)) if word.id == name), None)
    if rule is not None:
        render_rule(rule, pack, out, language, shell)
    elif word is not None:
        _render_word(word, pack, out, language)
    return rule is not None or word is not None


def render_rule(rule: Rule, pack: Pack, out: TextIO, language: str, shell: str) -> None:
    """Write the whole card of a rule."""
    lines = _rule_lines(rule, pack, card_of(pack, rule.id), language, shell)
    out.writelines(f"{safe_lines(line)}\n" for line in lines)


def _render_word(word: Word, pack: Pack, out: TextIO, language: str) -> None:
    """Write what a cause or a phase means, and the rules that name it."""
    out.write(safe_lines(f"# {word.title.of(language)} (`{word.id}`)\n\n{word.about.of(language)}\n"))
    named = [rule for rule in pack.rules if word.id in (rule.cause, rule.phase, rule.phase_otherwise)]
    if named:
        out.write(f"\n## {_RULES.of(language)}\n\n")
    out.writelines(
        f"- `{rule.id}`: {safe(with_open_text(title_of(pack, rule.id)).of(language))}\n"
        for rule in sorted(named, key=lambda rule: rule.id)
    )


def render_code(code: Code, out: TextIO, language: str) -> None:
    """Write what a finding of `logrules check` means and what helps."""
    severity = _SEVERITY[code.severity].of(language)
    out.write(f"# {code.title.of(language)} (`{code.id}` {code.name}, {severity})\n\n{code.why.of(language)}\n")
    out.write(f"\n## {_HELP.of(language)}\n\n{code.help.of(language)}\n")
    if code.repaired:
        out.write(f"\n{_MENDED.of(language)}\n")
    out.write(f"\n{_IGNORED.of(language).format(code.id)}\n")


def _rule_lines(rule: Rule, pack: Pack, card: Card, language: str, shell: str) -> Iterator[str]:
    yield from (
        f"# {with_open_text(card.title).of(language)}",
        "",
        f"`{rule.id}`",
        "",
        with_open_text(card.why).of(language),
        "",
    )
    phase = rule.phase or f"{_FROM_MARKERS.of(language)} ({rule.phase_otherwise or pack.start})"
    yield f"- {_CAUSE.of(language)}: `{rule.cause}`"
    yield f"- {_PHASE.of(language)}: {phase}"
    yield f"- {_RESTART_TITLE.of(language)}: {RESTART[card.restart].of(language)}"
    yield f"- {_TIER.of(language)}: {rule.tier}"
    if rule.explained_by:
        yield f"- {_EXPLAINED_BY.of(language)}: {', '.join(f'`{cause}`' for cause in rule.explained_by)}"
    literals = [literal for one in pack.signals if one.id.startswith(f"{rule.id}:") for literal in one.literals]
    steps = (
        line
        for number, step in enumerate(card.own_first, start=1)
        for line in _fix_lines(number, with_open_slots(step.fix), language, shell)
    )
    for title, lines in (
        (_DIFFERS, [card.differs_from.of(language)] if card.differs_from else []),
        (_RECOGNISED, [f"- `{literal}`" for literal in literals]),
        (_FIXES, [*steps]),
        (_REFERENCES, [f"- {reference}" for reference in card.references]),
    ):
        if lines or title is _FIXES:
            yield from ("", f"## {title.of(language)}", "", *lines)


def _fix_lines(number: int, fix: Fix, language: str, shell: str) -> Iterator[str]:
    yield f"{number}. {fix.do.of(language)} ({RISK[fix.risk].of(language)})"
    if lines := [*chain.from_iterable(copyables(fix, shell))]:
        yield from ("   ```", *(f"   {line}" for line in lines), "   ```")
    if fix.note:
        yield f"   {fix.note.of(language)}"
