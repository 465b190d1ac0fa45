"""The README's table of how facts are matched says what the engine decides."""

from __future__ import annotations

import pytest

from pytest_graph_eval import check_answer, yaml_source

from .readme_blocks import read_pages, section

SECTION = section(read_pages(), "### How facts are matched")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")] for line in SECTION.splitlines() if line.startswith("| ")
]


@pytest.mark.parametrize(("answer", "expect", "outcome", "rule"), ROWS[1:])
def test_a_row_is_what_the_engine_decides(answer: str, expect: str, outcome: str, rule: str) -> None:
    (check,) = check_answer(answer, yaml_source.parse(expect.strip("`"), "README").data)
    assert (check.outcome, check.rule) == (outcome, rule.strip("`"))


def test_the_table_shows_both_outcomes_of_many_rules() -> None:
    assert len(ROWS) > 20
    assert {row[2] for row in ROWS[1:]} == {"pass", "fail"}
