"""How long results of queries take to compare: `python -m tests.benchmarks.check_sparql`.

Prints processor seconds (JSON text in, verdict out) beside the time of a fixed loop on the same machine, and exits
with 1 where a case takes more than its budget.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from pytest_graph_eval.metrics.trajectory.comparators import compare
from pytest_graph_eval.models.records import ToolCall
from pytest_graph_eval.models.steps import Step

BUDGET = 0.5
ROWS, COLUMNS = 5000, 8
XSD = "http://www.w3.org/2001/XMLSchema#"
Rows = list[list[Any]]


def cell(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        return {"type": "bnode" if value.startswith("_:") else "uri", "value": value}
    datatype = "double" if isinstance(value, float) else "integer"
    return {"type": "literal", "value": repr(value), "datatype": f"{XSD}{datatype}"}


def result(rows: Rows, names: Sequence[str]) -> str:
    bindings = [{name: cell(value) for name, value in zip(names, row, strict=True)} for row in rows]
    return json.dumps({"head": {"vars": list(names)}, "results": {"bindings": bindings}})


def mixed(draw: random.Random) -> Rows:
    """Columns of all kinds: IRIs, numbers, few and many values."""
    return [
        [f"urn:e:{n}", n, n * 0.5, f"urn:t:{n % 7}", n % 2, draw.randint(0, 99), draw.random(), f"urn:c:{n // 10}"]
        for n in range(ROWS)
    ]


def permutations(draw: random.Random) -> Rows:
    """Columns with the same values, each once: nothing tells them apart but the rows."""
    columns = [draw.sample(range(ROWS), ROWS) for _ in range(COLUMNS)]
    return [list(row) for row in zip(*columns, strict=True)]


def bits(draw: random.Random) -> Rows:
    """Columns of zeros and ones in equal number: hardly anything tells them apart."""
    columns = [draw.sample([0, 1] * (ROWS // 2), ROWS) for _ in range(COLUMNS)]
    return [list(row) for row in zip(*columns, strict=True)]


def cyclic(_: random.Random) -> Rows:
    """Each column is the first one shifted: all columns stand in the same relation to the next."""
    return [[(n + 17 * c) % ROWS for c in range(COLUMNS)] for n in range(ROWS)]


def chained(_: random.Random) -> Rows:
    """Blank nodes that only their neighbours tell apart, one after another."""
    return [[f"_:n{n}", f"_:n{n + 1}", "urn:p", 1, 2, 3, 4, 5] for n in range(ROWS)]


def alike(_: random.Random) -> Rows:
    """Blank nodes that nothing tells apart, around one that all rows share."""
    return [["_:hub", f"_:n{n}", "urn:p", 1, 2, 3, 4, 5] for n in range(ROWS)]


def changed(draw: random.Random, rows: Rows, names: list[str]) -> tuple[Rows, list[str]]:
    """Return the same solutions in another order, with renamed and permuted columns."""
    order = draw.sample(range(len(names)), len(names))
    labels: dict[str, str] = {}
    fresh = draw.sample(range(10 * ROWS), 3 * ROWS)
    moved = [
        [
            labels.setdefault(v, f"_:x{fresh[len(labels)]}") if isinstance(v, str) and v.startswith("_:") else v
            for v in (row[c] for c in order)
        ]
        for row in draw.sample(rows, len(rows))
    ]
    return moved, [f"other{n}" for n in range(len(names))]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Print the table; return 1 where a budget was exceeded or a verdict is wrong."""
    unit = seconds(lambda: sum(n * n for n in range(3_000_000)))
    print(f"fixed loop {unit:.3f} s; {ROWS} rows x {COLUMNS} columns, renamed and permuted")
    failed = False
    for kind in (mixed, permutations, bits, cyclic, chained, alike):
        draw = random.Random(kind.__name__)
        rows, names = kind(draw), [f"c{n}" for n in range(COLUMNS)]
        reference = result(rows, names)
        moved, others = changed(draw, rows, names)
        extra = [[*row, 7, f"urn:more:{n}"] for n, row in enumerate(moved)]
        wrong = [list(row) for row in moved]
        place = next(c for c, value in enumerate(wrong[99]) if value != wrong[7][c] or kind in (chained, alike))
        wrong[99][place] = 10**9
        for what, table, columns, right in (
            ("equal", moved, others, True),
            ("two more columns", extra, [*others, "m1", "m2"], True),
            ("one cell differs", wrong, others, False),
            ("one cell, more columns", [[*r, 7, n] for n, r in enumerate(wrong)], [*others, "m1", "m2"], False),
        ):
            for duplicates in (True, False):
                step = Step(tool="sparql_query", output=reference, ignore_duplicates=duplicates)
                call = ToolCall(name="sparql_query", output=result(table, columns))
                found: list[Any] = []
                took = seconds(lambda: found.append(compare(step, call)))  # noqa: B023 - called at once
                is_right = (found[0].score == 1.0) is right
                failed |= took > BUDGET or not is_right
                mode = "set" if duplicates else "bag"
                f1 = found[0].measures.get("f1", 0)
                print(
                    f"{kind.__name__:13} {what:23} {mode:4} {took:6.3f} s  f1 {f1:.4f}{'' if is_right else '  WRONG'}"
                )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
