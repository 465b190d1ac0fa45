"""Makes results of queries as servers write them, for tests: `select(["s"], [iri("urn:a")])`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_graph_eval.metrics.trajectory.comparators import compare
from pytest_graph_eval.metrics.trajectory.comparison import Comparison
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

XSD = "http://www.w3.org/2001/XMLSchema#"
Cell = dict[str, Any] | None


def iri(value: str) -> Cell:
    return {"type": "uri", "value": value}


def blank(label: str) -> Cell:
    return {"type": "bnode", "value": label}


def text(value: str, language: str | None = None) -> Cell:
    return {"type": "literal", "value": value, **({"xml:lang": language} if language else {})}


def typed(value: str, datatype: str) -> Cell:
    return {"type": "literal", "value": value, "datatype": datatype if ":" in datatype else XSD + datatype}


def triple(subject: Cell, predicate: Cell, object_: Cell) -> Cell:
    return {"type": "triple", "value": {"subject": subject, "predicate": predicate, "object": object_}}


def select(names: Sequence[str], *rows: Sequence[Cell] | Cell) -> dict[str, Any]:
    """Return solutions; a lone cell is a row of one, an unbound one is left out."""
    listed = [row if isinstance(row, list | tuple) else [row] for row in rows]
    bindings = [{n: cell for n, cell in zip(names, row, strict=True) if cell is not None} for row in listed]
    return {"head": {"vars": list(names)}, "results": {"bindings": bindings}}


def compared(expected: Any, found: Any, **step: Any) -> Comparison:
    """Compare two outputs as results of a query."""
    return compare(Step(tool="sparql_query", output=expected, **step), ToolCall(name="sparql_query", output=found))
