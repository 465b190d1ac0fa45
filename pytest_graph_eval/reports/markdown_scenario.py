"""One scenario that did not pass, as a folded part of the Markdown report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_graph_eval.gate.figures import figure
from pytest_graph_eval.models.conversations import failed_turns
from pytest_graph_eval.models.records import Check, Record
from pytest_graph_eval.reports.failure import rerun_command
from pytest_graph_eval.reports.markup import code, folded, prose, table
from pytest_graph_eval.texts import listed, many

_CHECKS = 8  # failed checks before they are cut with a count
_TURNS = 3
_NAMES = 8
_QUESTION = 300  # columns, as all below
_ANSWER = 600
_CELL = 160
_SINGULAR = {"entities": "entity", "relationships": "relationship", "chunks": "chunk"}
_SIGNS = {"ERROR": "❗", "INCONCLUSIVE": "❔"}


def scenario(record: Record) -> str:
    """Return what is needed to see why a scenario did not pass, folded below its name."""
    what = ", ".join(filter(None, (record.category, record.difficulty, record.cause)))
    reason = record.error or record.reason
    parts = [f"**{record.status}**: {prose(reason)}"] if reason else []
    turns = failed_turns(record)
    for number, turn in turns[:_TURNS]:
        parts += [f"**Turn {number}**", *_found(turn)]
    parts += [f"… and {len(turns) - _TURNS} more turns"] if len(turns) > _TURNS else []
    parts += [] if turns else _found(record)
    parts.append(f"Run again: {code(rerun_command(record.nodeid or record.id))}")
    title = f"{_SIGNS.get(record.status, '❌')} <b>{record.status}</b>"
    return folded(title, "\n\n".join(parts), name=f"{record.id} ({what})" if what else record.id)


def _found(record: Record) -> Iterator[str]:
    """Yield what was asked and expected, and what came back in its place."""
    if record.question:
        yield f"**Question**: {prose(record.question, _QUESTION)}"
    failed = [check for check in record.checks if check.outcome != "pass"]
    if failed:
        rows = [[code(c.kind, 40), code(_text(c.expected), _CELL), prose(_message(c))] for c in failed[:_CHECKS]]
        more = f"\n\n… and {len(failed) - _CHECKS} more" if len(failed) > _CHECKS else ""
        yield table(("Check", "Expected", "Found"), rows, align="lll") + more
    if record.gold_answer:
        yield f"**Gold answer**: {prose(record.gold_answer, _QUESTION)}"
    if record.answer is not None:
        yield f"**Answer**: {prose(record.answer, _ANSWER) or '(empty)'}"
    scores = [(name, value) for name, value in record.scores.items() if value is not None]
    if scores:
        rows = [[code(n, 60), figure(v), prose(record.explain.get(n, ""), _CELL)] for n, v in scores if n != "mean"]
        yield table(("Score", "", "Why"), rows, align="lrl")
    told = [
        f"{many(len(names), _SINGULAR.get(kind, kind))} ({prose(listed(names, _NAMES))})" if names else f"no {kind}"
        for kind, names in record.retrieved.items()
    ]
    if told:
        yield f"**Retrieved**: {'; '.join(told)}"
    if record.hallucinations:
        yield f"**Hallucinations**: {prose('; '.join(record.hallucinations))}"


def _message(check: Check) -> str:
    text = check.message.removeprefix(f"{check.kind}: ")
    return text or (_text(check.found) if check.found is not None else "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
