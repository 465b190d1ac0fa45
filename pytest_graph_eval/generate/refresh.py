"""Compares what scenarios expect with what the graph says now, and makes it anew where that is asked for. Pure.

A scenario keeps the recipe it was made by (`fact_spec`) and a digest of the facts behind it. Building the recipe again
gives the facts of now: another digest makes it stale, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_graph_eval.generate.drafts import Ask, Draft, digest_of
from pytest_graph_eval.generate.kinds.table import DIGEST, KINDS, rebuild
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.loader import LoadedScenario
from pytest_graph_eval.loader.rules import scenario_findings
from pytest_graph_eval.models.expect import ANSWER_CHECKS, RETRIEVAL_CHECKS, Expect
from pytest_graph_eval.models.scenario import Scenario, Turn

_FACTS = (*ANSWER_CHECKS, *RETRIEVAL_CHECKS)
_GOLD = ("gold_answer", "source_entities", "source_chunks")
_BEHIND = "the facts behind it changed, though not what is expected"
_GONE = "the graph no longer answers it, or no longer with one answer"


@dataclass(frozen=True, slots=True)
class _Found:
    """What the graph says to one question now: `ask` where that is something else, or why nothing is said."""

    ask: Ask | None = None
    gone: bool = False
    unchecked: str = ""


def compared(loaded: LoadedScenario, view: View, inherited: Expect, *, refresh: bool) -> LoadedScenario:
    """Return a scenario with what is to be said of its facts, expecting those of now where that is asked for.

    Args:
        loaded: a scenario that keeps a `fact_spec`, or has a turn that does.
        view: the graph as it is now.
        inherited: what the suite's defaults expect of every scenario; that is kept.
        refresh: put the facts of now in the place of stale ones, unless there are none.
    """
    scenario = loaded.scenario
    asked: Sequence[Scenario | Turn] = scenario.turns or [scenario]
    bases = (inherited, scenario.expect) if scenario.turns else (inherited,)
    found = _found(scenario, view)
    settled = [_settled(*pair, bases, refresh=refresh) for pair in zip(asked, found, strict=True)]
    kept, told = [asking for asking, _ in settled], [dict(facts) for _, facts in settled]
    if not any(text for facts in told for text in facts.values()):  # a digest that changed is never passed over
        for facts in [facts for facts, now in zip(told, found, strict=True) if now is not None and now.ask][:1]:
            facts["refreshed" if refresh else "stale"] = [_BEHIND]
    if scenario.turns:
        scenario = scenario.model_copy(update={"turns": kept})
    elif isinstance(kept[0], Scenario):
        scenario = kept[0]
    return replace(loaded, scenario=scenario, freshness=tuple(told))


def _found(scenario: Scenario, view: View) -> list[_Found | None]:
    """Return what the graph says to each question; None where a question keeps no recipe."""
    turns = scenario.turns or ()
    if scenario.fact_spec:
        return _again(view, scenario.fact_spec, len(turns) or 1)
    return [_again(view, turn.fact_spec, 1)[0] if turn.fact_spec else None for turn in turns]


def _again(view: View, spec: Mapping[str, Any], asked: int) -> list[_Found | None]:
    """Build a recipe again; one finding for each of its questions."""
    kind = str(spec.get("kind"))
    if DIGEST not in spec:
        return [_Found(unchecked="its fact_spec has no digest: another project made it")] * asked
    if kind not in KINDS:
        return [_Found(unchecked=f"its fact_spec is of a kind that this version does not build: {kind}")] * asked
    try:
        draft: Draft | None = rebuild(view, spec)
    except Exception as e:  # whatever stands in a recipe: it costs no run
        return [_Found(unchecked=f"its fact_spec ({kind}) cannot be built: {type(e).__name__}: {e}")] * asked
    if draft is None:
        return [_Found(gone=True)] * asked
    if len(draft.asks) != asked:
        why = f"its fact_spec ({kind}) makes {len(draft.asks)} questions, and it has {asked}"
        return [_Found(unchecked=why)] * asked
    if digest_of(draft.used) == str(spec[DIGEST]):
        return [_Found()] * asked
    return [_Found(ask) for ask in draft.asks]


def _settled(
    old: Scenario | Turn, now: _Found | None, bases: Iterable[Expect], *, refresh: bool
) -> tuple[Scenario | Turn, Mapping[str, list[str]]]:
    """Return a question as it is to be judged, and what its record is to say of it."""
    if now is None:
        return old, {}
    if now.unchecked:
        return old, {"unchecked": [now.unchecked]}
    if now.gone:
        return old, {"stale": [f"{_shown_whole(old)} -> nothing: {_GONE}"]}
    if now.ask is None:
        return old, {"stale": []}
    new, useless = _renewed(old, now.ask, bases)
    changes = list(_changes(old, new))
    if not changes:
        return old, {"stale": []}
    if refresh and not useless:
        return new, {"stale": [], "refreshed": changes}
    return old, {"stale": [*changes, f"kept as it was: {useless}"] if refresh else changes}


def _renewed(old: Scenario | Turn, ask: Ask, bases: Iterable[Expect]) -> tuple[Scenario | Turn, str]:
    """Return the question with the facts of now, and why they are of no use, if so.

    What does not come from the graph stays: lines, budgets, tool calls, and what defaults expect of every scenario.
    """
    own = old.expect
    inherited = {key for base in bases for key in base.model_fields_set if getattr(base, key) == getattr(own, key)}
    kept = {key: getattr(own, key) for key in own.model_fields_set if key not in _FACTS or key in inherited}
    try:
        made = Expect.model_validate(dict(ask.expect))
    except ValidationError as e:
        return old, f"what the graph says now is no `expect`: {e.errors(include_url=False)[0]['msg']}"
    expect = made.model_copy(update={key: value for key, value in kept.items() if key not in made.model_fields_set})
    gold = {"gold_answer": ask.gold_answer, "source_entities": list(ask.source_entities),
            "source_chunks": list(ask.source_chunks)}  # fmt: skip
    new = old.model_copy(update={"expect": expect, **gold})
    return new, _useless(old, new)


def _useless(old: Scenario | Turn, new: Scenario | Turn) -> str:
    """Say why facts cannot take the place of old ones: they are empty where those are not, or contradict each other."""
    for what, has in _HOLDS:
        if has(old) and not has(new):
            return f"no {what} would be left"
    whole = new if isinstance(new, Scenario) else Scenario(id="turn", question=new.question, expect=new.expect)
    found = next(scenario_findings(whole, must_check=False), None)
    return found.message if found else ""


_HOLDS: Sequence[tuple[str, Callable[[Any], bool]]] = (
    ("expected fact", lambda asking: bool(asking.gold_answer or asking.expect.has_fact_checks())),
    ("check", lambda asking: bool(any(getattr(asking, key) for key in _GOLD) or asking.expect.has_checks())),
)


def _changes(old: Scenario | Turn, new: Scenario | Turn) -> Iterator[str]:
    """Yield in words what is expected otherwise, key by key: what only the old one has -> what only the new one has."""
    for key in _GOLD:
        yield from _change(key, _items(getattr(old, key)), _items(getattr(new, key)))
    for key in _FACTS:
        yield from _change(key, _items(getattr(old.expect, key)), _items(getattr(new.expect, key)))


def _change(key: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    gone, come = ([item for item in a if item not in b] for a, b in ((old, new), (new, old)))
    if gone or come:
        yield f"{key}: {', '.join(gone) or 'nothing'} -> {', '.join(come) or 'nothing'}"


def _items(value: Any) -> list[str]:
    """Return the items of what is expected under one key, as a person would write them."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [f"{key} {_shown(item)}" for key, item in value.items()]
    return [_shown(item) for item in value] if isinstance(value, list) else [_shown(value)]


def _shown(item: Any) -> str:
    if isinstance(item, list):
        return " or ".join(map(_shown, item))
    if not isinstance(item, BaseModel):
        return str(item).lower() if isinstance(item, bool) else str(item)
    (_, first), *options = item.model_dump(mode="json", by_alias=True, exclude_unset=True).items()
    more = ", ".join(f"{key} {' '.join(value) if isinstance(value, list) else value}" for key, value in options)
    return f"{first} ({more})" if more else str(first)


def _shown_whole(asking: Scenario | Turn) -> str:
    """Return what a question expects, in short."""
    expected = [asking.gold_answer] if asking.gold_answer else []
    expected += [f"{key}: {', '.join(items)}" for key in _FACTS if (items := _items(getattr(asking.expect, key)))]
    return "; ".join(expected) or ", ".join(asking.source_entities) or "what is expected"
