"""What a scenario and a gate must satisfy beyond the types of their keys. Pure."""

from __future__ import annotations

import datetime
import functools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_graph_eval.loader.additions import check_findings, settings_findings
from pytest_graph_eval.loader.placeholders import placeholder_findings
from pytest_graph_eval.loader.replies import reply_findings
from pytest_graph_eval.metrics.names import is_metric, metric_names
from pytest_graph_eval.models.expect import Expect, ForbiddenName
from pytest_graph_eval.models.extensions import current
from pytest_graph_eval.models.judge_settings import METRICS_OF, RUBRIC
from pytest_graph_eval.models.scenario import OF_TURNS, Scenario, Suite, Turn
from pytest_graph_eval.models.settings import Gate, Line
from pytest_graph_eval.models.steps import same_tool
from pytest_graph_eval.models.validation import Finding, Loc, choices

_ISO_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


def scenario_findings(scenario: Scenario, *, must_check: bool = True) -> Iterator[Finding]:
    """Yield everything that is wrong with an effective scenario; locations are paths in it.

    Args:
        scenario: with defaults and its row filled in.
        must_check: having nothing to check is an error; not so for a data set's entry, which is INCONCLUSIVE then.
    """
    if must_check and not scenario.has_something_to_check():
        what = "add `gold_answer`, `source_entities`, `source_chunks` or a check under `expect`"
        yield Finding((), f"nothing to check; {what}", "no_checks", scenario.id)
    if scenario.must_pass and scenario.xfail is not None:
        yield Finding(("must_pass",), "contradicts `xfail`; keep one", "contradiction")
    for index, condition in enumerate(scenario.skipif):
        yield from _expression(condition.condition, ("skipif", index, "condition"))
    for key in ("tags", "marks"):
        if texts := getattr(scenario, key):
            yield from _blanks(texts, (key,))
    if scenario.metrics:
        yield from _metrics(scenario.metrics, ("metrics",))
    shared = list(_asking_findings(scenario))
    yield from shared
    if not scenario.turns:
        return
    yield from _outside_turns(scenario, scenario.turns)
    for index, turn in enumerate(scenario.turns):
        own = (f for f in _asking_findings(turn) if f not in shared)
        yield from (replace(f, loc=("turns", index, *f.loc)) for f in own)


def _asking_findings(asking: Scenario | Turn) -> Iterator[Finding]:
    """Yield what is wrong with one question and what is expected of its response."""
    if asking.as_of and (message := _impossible_day(asking.as_of)):
        yield Finding(("as_of",), message, "wrong_value")
    for key in ("source_entities", "source_chunks"):
        if texts := getattr(asking, key):
            yield from _blanks(texts, (key,))
    for finding in expect_findings(asking.expect):
        yield replace(finding, loc=("expect", *finding.loc))


def _outside_turns(scenario: Scenario, turns: Sequence[Turn]) -> Iterator[Finding]:
    """Find what a conversation can only have in a turn, or only as a whole."""
    if scenario.question != turns[0].question:
        yield Finding(("question",), "a conversation has its questions in `turns`; move it there", "contradiction")
    for key in OF_TURNS:
        if getattr(scenario, key):
            yield Finding(
                (key,), f"`{key}` belongs to a turn of the conversation; move it there", "contradiction", key, True
            )
    for index, turn in enumerate(turns):
        if turn.expect.stable not in (None, scenario.expect.stable):
            what = "a conversation is compared with the baseline as a whole; move it to the scenario's `expect`"
            yield Finding(("turns", index, "expect", "stable"), what, "contradiction")


def expect_findings(expect: Expect) -> Iterator[Finding]:
    """Yield everything that is wrong with the checks of one response; locations are paths in them."""
    written = expect.model_fields_set
    for keys, rule in _RULES:
        if not keys.isdisjoint(written):
            yield from rule(expect)


def _scores(expect: Expect) -> Iterator[Finding]:
    scores = expect.scores or {}
    yield from _metrics(scores, ("scores",), keys=True)
    for name, value in scores.items():
        if not 0 <= value <= 1:
            yield Finding(("scores", name), f"found {value:g}, expected a score between 0 and 1", "wrong_value", name)


def _patterns(expect: Expect) -> Iterator[Finding]:
    for index, pattern in enumerate(expect.matches or ()):
        if not pattern:
            yield Finding(("matches", index), "an empty pattern is found in every text; remove it or write it", "empty")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as e:
            yield Finding(("matches", index), f"{pattern!r} is not a regular expression: {e}", "bad_regex")


def _blank_ids(expect: Expect) -> Iterator[Finding]:
    for key in ("entities", "chunks", "intent"):
        yield from _blanks(getattr(expect, key) or (), (key,))


def _evidence(expect: Expect) -> Iterator[Finding]:
    if expect.no_evidence:
        for key in ("entities", "chunks", "relationships"):
            if getattr(expect, key):
                yield Finding((key,), "contradicts `no_evidence: true`; keep one", "contradiction")


def _required_and_forbidden(expect: Expect) -> Iterator[Finding]:
    forbidden = expect.forbidden or ()
    for key in ("names", "order", "choice"):
        for index, name in enumerate(getattr(expect, key) or ()):
            if any(_forbids(f, name.name, name.where) for f in forbidden):
                message = f"{name.name!r} is both required and forbidden; keep one"
                yield Finding((key, index), message, "contradiction", name.name)
    for index, group in enumerate(expect.any_of or ()):
        if all(any(_forbids(f, name.name, name.where) for f in forbidden) for name in group):
            yield Finding(("any_of", index), "every name of this group is forbidden as well", "contradiction")
    excluded = {(_folded(text.text), text.where) for text in expect.excludes or ()}
    for index, text in enumerate(expect.contains or ()):
        if (_folded(text.text), text.where) in excluded:
            message = f"{text.text!r} is both required and excluded; keep one"
            yield Finding(("contains", index), message, "contradiction", text.text)


def _forbids(forbidden: ForbiddenName, name: str, where: str | None) -> bool:
    """Tell whether stating `name` is always forbidden: a forbidden `apple` leaves `Apple` alone."""
    if forbidden.where != where or _folded(name) in map(_folded, forbidden.except_):
        return False
    same_case = forbidden.case == "exact" or (forbidden.case == "auto" and len(name.split()) == 1)
    names = [forbidden.name, *forbidden.aliases]
    return name in {*names, *map(str.upper, names)} if same_case else _folded(name) in map(_folded, names)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


@functools.cache
def _facts_engine() -> Callable[[Expect], list[tuple[Loc, str, str]]]:
    from pytest_graph_eval.metrics.facts.validate import problems

    return problems


def _facts(expect: Expect) -> Iterator[Finding]:
    """Ask the facts engine whether it can read the expected numbers and dates."""
    for loc, message, code in _facts_engine()(expect):
        yield Finding(tuple(loc), message, code)


def _tools(expect: Expect) -> Iterator[Finding]:
    """Find rules on tools that no agent could satisfy."""
    if (rules := expect.tools) is None:
        return
    steps: list[tuple[Loc, str]] = [
        (("steps", g, s, "tool"), step.tool)
        for g, group in enumerate(expect.steps or ())
        for s, step in enumerate(group)
    ]
    required: list[tuple[Loc, str]] = [(("tools", "required", n), tool) for n, tool in enumerate(rules.required)]
    for loc, tool in (*required, *steps):
        if any(same_tool(forbidden, tool) for forbidden in rules.forbidden):
            yield Finding(loc, f"the tool {tool!r} is both required and forbidden; keep one", "contradiction", tool)
    for key in ("required", "forbidden"):
        yield from _blanks(getattr(rules, key), ("tools", key))
    if rules.max_calls is not None and rules.max_calls < len(steps):
        message = f"found {rules.max_calls}, expected at least as many as `steps` has, {len(steps)}"
        yield Finding(("tools", "max_calls"), message, "contradiction")


def _order_of_steps(expect: Expect) -> Iterator[Finding]:
    if expect.steps_mode == "suffix" and expect.trajectory in ("unordered", "any_order", "subset"):
        message = f"`suffix` follows the order of the groups, which `trajectory: {expect.trajectory}` ignores; keep one"
        yield Finding(("steps_mode",), message, "contradiction")


# what is looked at where one of the keys is given
_RULES: Sequence[tuple[frozenset[str], Callable[[Expect], Iterator[Finding]]]] = (
    (frozenset({"scores"}), _scores),
    (frozenset({"matches"}), _patterns),
    (frozenset({"entities", "chunks", "intent"}), _blank_ids),
    (frozenset({"no_evidence"}), _evidence),
    (frozenset({"forbidden", "excludes"}), _required_and_forbidden),
    (frozenset({"numbers", "counts", "dates", "as_of", "names", "any_of", "forbidden", "order", "choice"}), _facts),
    (frozenset({"tools"}), _tools),
    (frozenset({"steps_mode"}), _order_of_steps),
    (frozenset({"added"}), check_findings),
)


def _metrics(names: Iterable[str], loc: Loc, *, keys: bool = False) -> Iterator[Finding]:
    for index, name in enumerate(names):
        if is_metric(name) or current().knows("metrics", name):
            continue
        if name == "mean":
            advice = "; the least mean is `pass_score`"
        else:
            cutoff = name.partition("@")[2]
            near = metric_names(cutoff if is_metric(f"precision@{cutoff}") else "k")
            own = current().metrics
            advice = choices(name, [*near, *own], "metrics", [*metric_names(), *own])
        yield Finding((*loc, name if keys else index), f"unknown metric {name!r}{advice}", "unknown_metric", name, keys)


def _blanks(texts: Iterable[Any], loc: Loc) -> Iterator[Finding]:
    for index, text in enumerate(texts):
        if isinstance(text, str) and not text.strip():
            yield Finding((*loc, index), "an empty item; remove it or write its text", "empty")


def _expression(text: str, loc: Loc) -> Iterator[Finding]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.strip(), "condition", "eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as e:
        reason = e.msg if isinstance(e, SyntaxError) else str(e)
        yield Finding(loc, f"{text!r} is not a Python condition: {reason}", "wrong_value")


def _impossible_day(text: str) -> str | None:
    if match := _ISO_DAY.match(text):
        try:
            datetime.date(*map(int, match[0].split("-")))
        except ValueError as e:
            return f"{text!r} is no day that exists: {e}"
    return None


def target_findings(spec: Any, base: Loc) -> Iterator[Finding]:
    """Yield everything that is wrong with the settings of a target of any kind, which stand at `base`."""
    for findings in (settings_findings, reply_findings, placeholder_findings):
        yield from findings(spec, base)


def gate_findings(gate: Gate) -> Iterator[Finding]:
    """Yield everything that is wrong with a gate; locations are paths in it."""
    yield from _metrics(gate.metrics, ("metrics",), keys=True)
    for key in ("overall", "pass_rate", "intent_match", "as_of_match"):
        yield from _line(getattr(gate, key), (key,))
    for key in ("metrics", "difficulty", "category", "tags"):
        for name, line in getattr(gate, key).items():
            yield from _line(line, (key, name))
    shares = {name for names in METRICS_OF.values() for name in names} - {*RUBRIC}
    for name, line in gate.judge.items():
        if name in RUBRIC or name in shares:  # what a custom judgement returns has a scale of its own
            yield from _line(line, ("judge", name), *((1, 5) if name in RUBRIC else (0, 1)))


def _line(line: Line | None, loc: Loc, low: float = 0, high: float = 1) -> Iterator[Finding]:
    for key, value in (("pass", line.pass_), ("warn", line.warn)) if line else ():
        if value is not None and not low <= value <= high:
            what = f"found {value:g}, expected a share or score between {low:g} and {high:g}"
            yield Finding((*loc, key), what, "wrong_value")


def judge_findings(suite: Suite) -> Iterator[Finding]:
    """Yield the lines of a suite's gate that its judge has no score for; locations are paths in the suite."""
    names = suite.judge.metrics() if suite.judge else ()
    for name in suite.gate.judge:
        if name not in names:
            advice = choices(name, names, "its scores") if names else "; the suite has no `judge:`"
            message = f"the judge gives no score {name!r}{advice}"
            yield Finding(("gate", "judge", name), message, "unknown_metric", name, True)
