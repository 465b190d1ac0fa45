"""What changed in the graphs and tools that the targets report, against those of the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_graph_eval.gate.summary import GraphStats
from pytest_graph_eval.gate.verdict import Reason

_MOST_LOST = 0.05
_COUNTS = ("entities", "relationships")


def graph_reasons(before: Mapping[str, GraphStats], now: Mapping[str, GraphStats]) -> list[Reason]:
    """Compare the graphs of the suites in `now`, by suite, with what the baseline says of them.

    A tool that is gone, or an argument that became required or is gone although it was required, is FAIL: calls
    that worked do not any more. Counts that fell by more than 5 % are WARN. Everything else is a note.
    """
    reasons = []
    for suite in sorted(before.keys() & now.keys()):
        reasons += [*_counts(suite, before[suite], now[suite]), *_tools(suite, before[suite], now[suite])]
    return reasons


def _counts(suite: str, before: GraphStats, now: GraphStats) -> Iterator[Reason]:
    for what in _COUNTS:
        old, new = getattr(before, what), getattr(now, what)
        if old is None or old == new:
            continue
        if new is None:
            text = f"the target does not tell its number of {what} any more; the baseline has {old}"
            yield Reason(code=f"graph_unknown:{what}", level="NOTE", text=text, suite=suite)
        elif new < old * (1 - _MOST_LOST):
            text = f"{what} in the graph fell from {old} to {new}, by {(old - new) / old:.1%}; at most 5% is expected"
            yield Reason(code=f"graph_shrunk:{what}", level="WARN", text=text, suite=suite)
        else:
            text = f"{what} in the graph went from {old} to {new}"
            yield Reason(code=f"graph_changed:{what}", level="NOTE", text=text, suite=suite)


def _tools(suite: str, before: GraphStats, now: GraphStats) -> Iterator[Reason]:
    if before.tools is None:
        return
    if now.tools is None:
        text = f"the target does not list its tools any more; the baseline has {len(before.tools)}"
        yield Reason(code="tools_unknown", level="NOTE", text=text, suite=suite)
        return
    for name in sorted(before.tools.keys() - now.tools.keys()):
        text = f"the tool {name!r} is gone; the target has {_listed(now.tools)}"
        yield Reason(code=f"tool_removed:{name}", level="FAIL", text=text, suite=suite)
    for name in sorted(before.tools.keys() & now.tools.keys()):
        yield from _arguments(suite, name, before.tools[name], now.tools[name])
    for name in sorted(now.tools.keys() - before.tools.keys()):
        yield Reason(code=f"tool_added:{name}", level="NOTE", text=f"the tool {name!r} is new", suite=suite)


def _arguments(suite: str, tool: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Reason]:
    if before == now:
        return
    broken = False
    for name in sorted(_required(now) - _required(before)):
        broken = True
        text = f"the tool {tool!r} now requires the argument {name!r}; send it in `arguments:`"
        yield Reason(code=f"argument_required:{tool}.{name}", level="FAIL", text=text, suite=suite)
    for name in sorted(_required(before) - _required(now) - _properties(now)):
        broken = True
        text = f"the tool {tool!r} does not take the argument {name!r} any more, which it required"
        yield Reason(code=f"argument_removed:{tool}.{name}", level="FAIL", text=text, suite=suite)
    if not broken:
        text = f"the input schema of the tool {tool!r} changed; its required arguments are the same"
        yield Reason(code=f"tool_changed:{tool}", level="NOTE", text=text, suite=suite)


def _required(schema: Mapping[str, Any]) -> set[str]:
    found = schema.get("required")
    return {str(name) for name in found} if isinstance(found, list) else set()


def _properties(schema: Mapping[str, Any]) -> set[str]:
    found = schema.get("properties")
    return {str(name) for name in found} if isinstance(found, dict) else set()


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(sorted(names)) or "none"
