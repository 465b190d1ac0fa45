"""The README's table of how results are compared says what the comparator decides."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_graph_eval import yaml_source

from .readme_blocks import read_pages, section
from .unit.query_results import blank, compared, iri, select, text, typed

SECTION = section(read_pages(), "### How results are compared")
ROWS = [
    [cell.strip(" `") for cell in line.strip("| ").split("|")] for line in SECTION.splitlines() if line.startswith("| ")
]
TERM = re.compile(r'<(?P<iri>.*)>|_:(?P<blank>.*)|"(?P<text>.*)"(?:@(?P<language>\w+)|\^\^xsd:(?P<datatype>\w+))?')


def term(written: str) -> Any:
    parts = TERM.fullmatch(written).groupdict()
    if parts["iri"]:
        return iri(parts["iri"])
    if parts["blank"]:
        return blank(parts["blank"])
    return typed(parts["text"], parts["datatype"]) if parts["datatype"] else text(parts["text"], parts["language"])


@pytest.mark.parametrize(("expected", "found", "step", "equal"), ROWS[1:])
def test_a_row_is_what_the_comparator_decides(expected: str, found: str, step: str, equal: str) -> None:
    options = yaml_source.parse(step, "README").data or {}
    result = compared(select(["x"], term(expected)), select(["x"], term(found)), **options)
    assert (result.score, result.is_error) == ({"yes": 1.0, "no": 0.0}[equal], False)


def test_the_table_shows_both_verdicts() -> None:
    assert len(ROWS) > 10
    assert {row[3] for row in ROWS[1:]} == {"yes", "no"}
