"""Rows of wordings.yaml decide what a program that nobody knows says of its end, a team's own rows too."""

import pytest

from logrules.engine.run import prepared
from logrules.inference.wording import Wordings
from logrules.model.record import replace
from logrules.ruleset.name_tables import Saying, Wording
from logrules.ruletest.harness import run_log

LOG = "reading the list\nlager: konnte Peer 7 nicht erreichen: connection refused\n"


@pytest.mark.parametrize(
    ("story", "rows", "diagnosed"),
    [
        ("words that no row knows say nothing", (), False),
        ("a row of a team's own makes a complaint of them",
         (Wording("konnte-nicht", Saying.COMPLAINT, r"\A\w+: konnte .{0,40}nicht"),), True),
        ("another says that it is harmless",
         (Wording("konnte-nicht", Saying.COMPLAINT, r"\A\w+: konnte .{0,40}nicht"),
          Wording("lager", Saying.HARMLESS, r"\Alager: ")), False),
    ],
)  # fmt: skip
def test_a_row_of_a_pack_decides_what_is_a_complaint(shipped, story, rows, diagnosed):
    tables = replace(shipped.tables, wordings=(*shipped.tables.wordings, *rows))
    report = run_log(prepared(replace(shipped, tables=tables)), LOG)
    assert any(one.rule.startswith("exceptions/logged-") for one in report.diagnoses) is diagnosed, story


@pytest.mark.parametrize("counted", ["Runde 7", "Runde 7 von 9 in 3 Teilen"])
def test_a_round_of_other_than_two_numbers_counts_nothing(shipped, counted):
    rows = (*shipped.tables.wordings, Wording("runde", Saying.ROUND, r"(?P<value>Runde .{1,30})"))
    on = prepared(replace(shipped, tables=replace(shipped.tables, wordings=rows)))
    assert run_log(on, f"hello from acme\n{counted}\nmIoU: 41.2  mAcc: 52.1\n").diagnoses == ()


@pytest.mark.parametrize(
    ("pattern", "values"),
    [(r"Rang (?P<value>\d+)", ["3", "5"]), (r"Rang \d+", []), (r"(?P<value>)", [])],
)
def test_rows_of_a_team_say_where_it_happened(pattern, values):
    wordings = Wordings([Wording("rang", Saying.ON_RANK, pattern)])
    assert list(wordings.values(Saying.ON_RANK, "Rang 3 und Rang 5 fehlen")) == values


def test_what_no_row_says_is_not_said():
    assert not any(Wordings(()).says(saying, "loader: failed to open x") for saying in Saying)
