"""The plan of a run as a page: what would be asked and checked, when nothing is asked yet."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pytest_graph_eval.loader import LoadedSuite
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.models.settings import Gate
from pytest_graph_eval.reports.details import Block, Part, harmless, table
from pytest_graph_eval.reports.failure import rerun_command
from pytest_graph_eval.reports.html import Line, page, script_json
from pytest_graph_eval.texts import listed

_MAIN = ("pass", "name", "value", "text")


@dataclass(frozen=True, slots=True)
class Planned:
    """A scenario that would run: where it is written, how often it is asked, and what marks make of it."""

    suite: LoadedSuite
    scenario: Scenario
    nodeid: str
    where: str
    repeats: int = 1
    marked: str = ""
    """`skip` or `xfail`; nothing where it just runs."""


def render_plan(planned: Sequence[Planned]) -> Iterator[str]:
    """Yield the text of the page in pieces."""
    suites = {one.suite.key: one.suite for one in planned}
    words = Counter(one.marked or "to run" for one in planned)
    yield from page(
        "plan.html",
        suites=[(suite, _target(suite), sum(one.suite is suite for one in planned)) for suite in suites.values()],
        gates=[(suite.name, _gate(suite.gate)) for suite in suites.values()],
        questions=sum(len(turns_of(one.scenario)) * one.repeats for one in planned if one.marked != "skip"),
        kinds=Counter(kind for one in planned for kind in _kinds(one.scenario)).most_common(),
        counts=[(word, "", count) for word, count in words.items()],
        categories=sorted({one.scenario.category for one in planned if one.scenario.category}),
        columns=("Checks", "Mode"),
        lines=[_line(place, one, several=len(suites) > 1) for place, one in enumerate(planned)],
        details=lambda one: script_json(_details(one)),
    )


def _line(place: int, one: Planned, *, several: bool) -> Line:
    scenario, checks = one.scenario, len(list(_kinds(one.scenario)))
    return Line(
        source=one,
        place=place,
        word=one.marked or "to run",
        tone="",
        id=scenario.id,
        suite=one.suite.name if several else "",
        question=scenario.question,
        category=scenario.category or "",
        difficulty=scenario.difficulty or "",
        score=(checks, str(checks)),
        time=(scenario.mode, scenario.mode),
        more=" ".join(scenario.tags),
    )


def _target(suite: LoadedSuite) -> str:
    """Return what is known of a target without opening it; its settings may hold secrets."""
    spec = suite.target
    if spec is None:
        return ""
    return f"{spec.name} ({spec.kind})" if spec.name else ": ".join(filter(None, (spec.kind, _whom(spec))))


def _whom(spec: Any) -> str:
    """Return what tells a target from others of its kind: of a server its host or its program, no more."""
    for key in ("call", "factory", "fixture", "path"):
        if value := getattr(spec, key, None):
            return str(value)
    if url := getattr(spec, "url", None):
        try:
            return urlsplit(url).hostname or ""
        except ValueError:  # a variable stands in its place
            return ""
    if command := getattr(spec, "command", None):
        return str(command[0])
    return listed([name for key in ("extraction", "graphml", "rdf") for name in getattr(spec, key, ())], 3)


def _gate(gate: Gate) -> str:
    """Return the rules that a gate was given."""
    rules = gate.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return _written(rules) if rules else "the default rules"


def _written(value: Any) -> str:
    """Return data as one would write it in a suite, on one line."""
    import yaml

    text = yaml.safe_dump(_brief(value), default_flow_style=True, sort_keys=False, allow_unicode=True, width=math.inf)
    return text.removesuffix("\n...\n").strip()


def _brief(value: Any) -> Any:
    """Return data with the short forms that suites have: `{pass: 0.8}` is 0.8, `{name: Walmart}` is Walmart."""
    if isinstance(value, dict):
        short = len(value) == 1 and next(iter(value)) in _MAIN
        return _brief(next(iter(value.values()))) if short else {key: _brief(one) for key, one in value.items()}
    return [_brief(one) for one in value] if isinstance(value, list) else value


def _checks(scenario: Scenario) -> dict[str, Any]:
    return scenario.expect.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)


def _kinds(scenario: Scenario) -> Iterator[str]:
    """Yield each kind of check of a scenario, of a conversation turn by turn; gold data is one."""
    for turn in turns_of(scenario):
        yield from _checks(turn)
        if turn.has_gold():
            yield "gold data"


def _details(one: Planned) -> list[Part]:
    scenario, turns = one.scenario, turns_of(one.scenario)
    parts: list[Part] = []
    for number, turn in enumerate(turns, 1):
        title = f"Turn {number} of {len(turns)}" if scenario.turns else "Question"
        parts += [(title, _asked(turn), "turn" if scenario.turns else ""), ("Checks", _expected(turn), "inner")]
    about = [
        ["Written in", one.where],
        ["Target", _target(one.suite)],
        ["Mode", scenario.mode],
        ["Repeats", str(one.repeats) if one.repeats > 1 else ""],
        ["Least mean", f"{scenario.pass_score:g}" if scenario.has_gold() or scenario.metrics else ""],
        ["Metrics", ", ".join(scenario.metrics or ())],
        ["Must pass", "yes" if scenario.must_pass else ""],
        ["Tags", ", ".join(scenario.tags)],
        ["Marked", one.marked],
    ]
    parts.append(("How", table([row for row in about if row[1]]), ""))
    parts.append(("Run it alone", [["code", rerun_command(one.nodeid)]], ""))
    return [(title, harmless(blocks), level) for title, blocks, level in parts if blocks]


def _asked(turn: Scenario) -> list[Block]:
    rows = [
        ["Question", turn.question],
        ["Gold answer", turn.gold_answer or ""],
        ["Source entities", ", ".join(turn.source_entities)],
        ["Source chunks", ", ".join(turn.source_chunks)],
        ["Valid time", turn.as_of or ""],
    ]
    return table([row for row in rows if row[1]])


def _expected(turn: Scenario) -> list[Block]:
    return table([[kind, _written(value)] for kind, value in _checks(turn).items()], ("Check", "Expected"))
