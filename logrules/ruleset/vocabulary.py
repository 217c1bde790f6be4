"""The phases, causes, tiers, frameworks and steps that rule files may name, and what files name that nobody defined."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from logrules.model.position import Problem
from logrules.model.record import record
from logrules.ruleset import models as schema
from logrules.ruleset.causes import AlternativesRow, Cause
from logrules.ruleset.kept_values import unpacked
from logrules.ruleset.misspelling import LISTED_BY, known_hint
from logrules.ruleset.pack import Pack
from logrules.ruleset.rule_file import RuleSource, placed_records
from logrules.ruleset.steps import NamedFixFile, named_steps
from logrules.ruleset.tables import Tables

# What the keys of records name.
_NAMING = {
    **dict.fromkeys(("cause", "explained_by"), "cause"),
    "tier": "tier",
    "requires": "framework",
    **dict.fromkeys(("phase", "phases", "during", "enters", "leaves", "loops"), "phase"),
    **dict.fromkeys(("part_of", "inside", "becomes"), "phase"),
    **dict.fromkeys(("fixes", "quotes"), "step"),
}
_CODES = {"cause": "LR004", "phase": "LR005"}
_ELSE = "here else "
_Path = tuple[str | int, ...]


@record
class Vocabulary:
    """What rules may name; what is empty is not known, and not asked for."""

    phases: frozenset[str]
    causes: Mapping[str, Cause]
    tiers: tuple[str, ...]
    frameworks: frozenset[str]
    steps: Mapping[str, NamedFixFile]

    @classmethod
    def of_pack(cls, pack: Pack) -> "Vocabulary":
        """The vocabulary of a compiled pack."""
        nothing = cls(frozenset(), {}, (), frozenset(), {})
        steps = map(unpacked, pack.steps.values())
        return nothing.with_more(pack.tables, [framework.id for framework in pack.frameworks], steps)

    def with_more(self, tables: Tables, frameworks: Iterable[str], steps: Iterable[NamedFixFile]) -> "Vocabulary":
        """With these frameworks and steps too, a later step in the place of an earlier one; the words of ``tables``."""
        return Vocabulary(
            frozenset(phase.id for phase in tables.phases),
            {cause.id: cause for cause in tables.causes},
            tuple(tier.id for tier in tables.tiers),
            self.frameworks.union(frameworks),
            {**self.steps, **{step.id: step for step in steps}},
        )

    def cause(self, name: str) -> Cause:
        """The row of a cause; of one that nobody defined, with what holds of any."""
        last = self.tiers[-1] if self.tiers else ""
        return self.causes.get(name) or Cause(name, family="", tier=last, title=name, about="")

    def unknown_names(self, source: RuleSource) -> Iterator[Problem]:
        """What a file names and nobody defined, parameters of steps too; and rules without any step."""
        for at, part in placed_records(source.file):
            names = {**_NAMING, "of": "cause"} if isinstance(part, AlternativesRow) else _NAMING
            for key, sort in names.items():
                said = getattr(part, key, None)
                if key == "fixes" and isinstance(part, schema.CardFile):
                    yield from self._step_faults(source, at, part)
                elif isinstance(said, str):
                    yield from self._unknown(source, (*at, key), sort, said.removeprefix(_ELSE))
                elif isinstance(said, tuple):
                    for number, name in enumerate(said):
                        yield from self._unknown(source, (*at, key, number), sort, name)

    def _unknown(self, source: RuleSource, at: _Path, sort: str, name: object) -> Iterator[Problem]:
        known: Collection[str] = getattr(self, f"{sort}s")
        if known and isinstance(name, str) and name not in known:
            hint = known_hint(name, known, LISTED_BY.get(sort))
            yield source.problem(at, f"unknown {sort} `{name}`", hint, code=_CODES.get(sort, "LR002"))

    def _step_faults(self, source: RuleSource, at: _Path, card: schema.CardFile) -> Iterator[Problem]:
        if not card.fixes and not self.cause(card.cause).fixes:
            yield source.problem((*at, "fixes"), "no step, neither here nor in its cause's row", code="LR002")
        for number, step in enumerate(card.fixes):
            place = (*at, "fixes", number)
            for name, params in named_steps(step):
                if name not in self.steps:
                    hint = known_hint(name, self.steps, LISTED_BY["step"])
                    yield source.problem(place, f"unknown step `{name}`", hint, code="LR002")
                    continue
                for param in params:
                    if param not in self.steps[name].params:
                        message = f"the step `{name}` has no `{param}`"
                        yield source.problem((*place, name, param), message, code="LR002")
