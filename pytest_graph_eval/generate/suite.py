"""A suite out of a graph: how many scenarios of which kind, and what could not be asked."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.generate.choice import Drawn
from pytest_graph_eval.generate.drafts import Ask, Draft, Spec
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.kinds.table import KINDS, fact_spec
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import LANGUAGES
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.loader.rules import scenario_findings
from pytest_graph_eval.models.scenario import Scenario, Suite, slug

GROUPS = ("multi_turn", "pronouns", "temporal", "fact_first", "writes")
"""Groups of kinds that an option leaves out or lets in."""

_LEFT_OUT = {"writes": "questions that change the graph are only asked for with --include-writes"}
_LEAST = {"easy": 6, "medium": 8, "hard": 4}
"""Scenarios by difficulty that a suite has wherever the graph has them."""
_FORMAT = 1
_LONGEST_SUBJECT = 40


@dataclass(frozen=True, slots=True)
class Options:
    """What to ask for.

    Attributes:
        seed: draws the questions; the same seed draws the same ones from the same graph.
        count: how many scenarios in all; default: those of each kind's share.
        per_category: how many scenarios of each category.
        categories: the only ones asked for; default: all.
        groups: the groups of kinds that may be asked for; kinds without a group always are.
        languages: of the questions, in turn.
        answers: whether the target gives answers, and not only evidence.
        at: the valid time as of which the graph is asked.
    """

    seed: int = 0
    count: int | None = None
    per_category: int | None = None
    categories: Sequence[str] = ()
    groups: Iterable[str] = ("multi_turn", "pronouns", "temporal", "fact_first")
    languages: Sequence[str] = ("en",)
    answers: bool = False
    at: str | None = None

    def checked(self) -> Options:
        """Return the options.

        Raises:
            UsageError: one of them has no such value.
        """
        known = list(dict.fromkeys(kind.category for kind in KINDS.values()))
        for what, given, allowed in (
            ("category", self.categories, known),
            ("language", self.languages, LANGUAGES),
            ("group", self.groups, GROUPS),
        ):
            for value in given:
                if value not in allowed:
                    raise UsageError(f"{what} {value!r} is not known; expected one of {', '.join(allowed)}")
        for name in ("count", "per_category"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(f"{name} is {number}; expected a whole number above 0")
        if not self.languages:
            raise UsageError(f"no language; expected one of {', '.join(LANGUAGES)}")
        return self


def suite_of(graph: Catalog, options: Options | None = None, **keys: Any) -> Suite:
    """Return a suite with questions that a graph answers, with its coverage in `meta`, and with further `keys`.

    Raises:
        UsageError: an option has no such value.
    """
    options = (options or Options()).checked()
    view = View(graph)
    if options.at is not None:
        view = view.at(options.at)
    run = _Run(view, options)
    scenarios = run.scenarios()
    meta = {
        "format": _FORMAT,
        "seed": options.seed,
        "n_scenarios": len(scenarios),
        **({"at": options.at} if options.at is not None else {}),
        "graph": view.catalog.counts(),
        "coverage": run.coverage(),
        "untouched": _untouched(view, [draft for _, _, draft, _ in run.built]),
        **keys.pop("meta", {}),
    }
    return Suite(**{**keys, "scenarios": scenarios, "meta": meta})


@dataclass(slots=True)
class _Run:
    """One generation: takes scenarios of each kind in turn until what is wanted is there, or nothing is left."""

    view: View
    options: Options
    left_out: dict[str, str] = field(default_factory=dict)
    built: list[tuple[Kind, Spec, Draft, Scenario]] = field(default_factory=list)
    drawn: dict[str, Drawn] = field(default_factory=dict)
    taken: Counter[str] = field(default_factory=Counter)
    asked: set[str] = field(default_factory=set)

    def scenarios(self) -> list[Scenario]:
        """Return the scenarios, ordered by kind."""
        kinds = [kind for kind in KINDS.values() if self._may(kind)]
        wanted = _wanted(kinds, self.options)
        self.drawn = {k.name: Drawn(k, self.view, self.options.seed, wanted[k.name]) for k in kinds}
        for kind in kinds:
            while self.taken[kind.name] < wanted[kind.name] and self._take(kind):
                pass
        for group in _alike(kinds, self.options):
            self._fill(group, sum(wanted[kind.name] - self.taken[kind.name] for kind in group))
        if self.options.count is None and self.options.per_category is None and not self.options.categories:
            for difficulty, least in _LEAST.items():
                there = sum(kind.difficulty == difficulty for kind, *_ in self.built)
                self._fill([kind for kind in kinds if kind.difficulty == difficulty], least - there)
        order = list(KINDS)
        self.built.sort(key=lambda item: order.index(item[0].name))
        return [scenario for *_, scenario in self.built]

    def _fill(self, kinds: Sequence[Kind], short: int) -> None:
        """Take one more of each kind in turn until nothing is short."""
        left = deque(kind for kind in kinds if kind.fills)
        while left and short > 0:
            kind = left.popleft()
            if self._take(kind):
                left.append(kind)
                short -= 1

    def _may(self, kind: Kind) -> bool:
        options = self.options
        if options.categories and kind.category not in options.categories:
            return False
        if shut := sorted(kind.groups - set(options.groups)):
            self.left_out[kind.category] = _LEFT_OUT.get(shut[0], f"left out: {', '.join(shut)}")
            return False
        if options.at is not None and "temporal" in kind.groups:
            self.left_out.setdefault(kind.category, "all is asked as of one time, so nothing about others")
            return False
        if kind.answers is not None and kind.answers is not options.answers:
            self.left_out.setdefault(kind.category, "the target gives no answers, only evidence")
            return False
        return True

    def _take(self, kind: Kind) -> bool:
        lang = self.options.languages[self.taken[kind.name] % len(self.options.languages)]
        drawn = self.drawn[kind.name]
        while (found := drawn.next(lang, self.asked)) is not None:
            scenario = _scenario(kind, *found, self.options.at)
            if wrong := next(scenario_findings(scenario), None):
                drawn.reasons[f"no suite can hold it: {wrong.code}"] += 1
                continue
            self.built.append((kind, *found, scenario))
            self.taken[kind.name] += 1
            return True
        return False

    def coverage(self) -> dict[str, dict[str, Any]]:
        """Return for every category how many scenarios there are, or why there is none."""
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for kind in KINDS.values():
            if kind.name in self.drawn:
                found[kind.category].setdefault("generated", 0)
                found[kind.category]["generated"] += self.taken[kind.name]
        for category, why in self.left_out.items():
            if category not in found:
                found[category] = {"generated": 0, "skipped": why}
        for category, entry in found.items():
            if not entry["generated"] and "skipped" not in entry:
                drawn = [d for d in self.drawn.values() if d.kind.category == category]
                entry["skipped"] = "; ".join(dict.fromkeys(map(_why, drawn)))
        return dict(found)


def _why(drawn: Drawn) -> str:
    """Say why there is no scenario of a kind."""
    if drawn.recipes is None:
        return "none was asked for: the count was full"
    if not drawn.recipes:
        return drawn.kind.needs
    reasons = sorted(drawn.reasons.items(), key=lambda reason: (-reason[1], reason[0]))
    tried = f" ({drawn.tried} of {drawn.recipes} tried)" if drawn.tried < drawn.recipes else ""
    return ", ".join(f"{reason} ({count})" for reason, count in reasons) + tried


def _wanted(kinds: Sequence[Kind], options: Options) -> dict[str, int]:
    """Return how many scenarios of each kind are asked for."""
    shares = {kind.name: kind.share for kind in kinds}
    if options.per_category is not None:
        return {
            name: count
            for category in dict.fromkeys(kind.category for kind in kinds)
            for name, count in _divided(
                options.per_category, {kind.name: kind.share for kind in kinds if kind.category == category}
            ).items()
        }
    return shares if options.count is None else _divided(options.count, shares)


def _divided(count: int, shares: Mapping[str, int]) -> dict[str, int]:
    """Divide a count in proportion to shares; the largest remainders get what is left over."""
    whole = sum(shares.values()) or 1
    parts = {name: count * share // whole for name, share in shares.items()}
    order = sorted(shares, key=lambda name: -(count * shares[name] % whole))
    for name in order[: count - sum(parts.values())]:
        parts[name] += 1
    return parts


def _alike(kinds: Sequence[Kind], options: Options) -> Iterator[list[Kind]]:
    """Yield the groups of kinds that make up for each other where one has too few scenarios, the closest first."""
    yield from _grouped(kinds, "category")
    if options.per_category is None:
        yield from _grouped(kinds, "difficulty")
        if options.count is not None:
            yield list(kinds)


def _grouped(kinds: Sequence[Kind], key: str) -> list[list[Kind]]:
    groups: defaultdict[str, list[Kind]] = defaultdict(list)
    for kind in kinds:
        groups[getattr(kind, key)].append(kind)
    return list(groups.values())


def _scenario(kind: Kind, spec: Spec, draft: Draft, at: str | None) -> Scenario:
    turns = [_turn(ask, None if number else at) for number, ask in enumerate(draft.asks)]  # a time holds from then on
    recipe = fact_spec(kind, spec, draft, at)
    raw: dict[str, Any] = {"id": _id(kind, spec, at)}
    raw |= turns[0] if len(turns) == 1 else {"turns": turns}
    raw |= {"category": kind.category, "difficulty": kind.difficulty, "template_id": kind.name}
    if draft.tags:
        raw["tags"] = list(draft.tags)
    return Scenario(**raw, **draft.settings, fact_spec=recipe)


def _turn(ask: Ask, at: str | None) -> dict[str, Any]:
    values = {
        "question": ask.question,
        "gold_answer": ask.gold_answer,
        "source_entities": list(ask.source_entities),
        "source_chunks": list(ask.source_chunks),
        "query_hints": ask.query_hints,
        "requires_yoy": ask.requires_yoy,
        "as_of": ask.as_of or at,
        "expect": dict(ask.expect),
    }
    return {key: value for key, value in values.items() if value}


def _id(kind: Kind, spec: Spec, at: str | None) -> str:
    """Return an id made of what is asked, not of where it stands or what the answer is."""
    subject = slug(next(iter(spec.values()), "")).lower()[:_LONGEST_SUBJECT].strip("-.")
    text = json.dumps([kind.name, dict(spec), *([at] if at else [])], ensure_ascii=False, sort_keys=True)
    short = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{kind.name}-{subject}-{short}"


def _untouched(view: View, drafts: Iterable[Draft]) -> dict[str, list[str]]:
    """Return the types of entities and relations that no scenario touches."""
    entities, relations = set(), set()
    for draft in drafts:
        entities |= {e.type for ask in draft.asks for n in ask.source_entities if (e := view.entity(n))}
        relations |= {fact[2] for fact in draft.used if fact[0] == "edge"}
    return {
        "entity_types": [t for t in view.by_type if t and t not in entities],
        "relation_types": sorted({e.type for e in view.catalog.relationships if e.type} - relations),
    }
