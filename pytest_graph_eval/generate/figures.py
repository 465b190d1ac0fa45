"""Figures that entities stand for: a metric in a period, with its value read out of the description.

`NET SALES FY2023: "Net Sales were $605.9 billion in FY2023"` is the metric `net sales` in the period FY2023. The
facts engine reads value, unit and dates; an entity whose description states several such amounts stands for none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pytest_graph_eval.generate.drafts import Fact, Unanswerable
from pytest_graph_eval.generate.relations import is_person
from pytest_graph_eval.generate.view import Link, View, is_shouted, once
from pytest_graph_eval.generate.wording import put, words_of
from pytest_graph_eval.graph.elements import Entity
from pytest_graph_eval.metrics.facts import Text
from pytest_graph_eval.metrics.facts.keyfacts import KeyFact, date_facts, number_facts
from pytest_graph_eval.metrics.facts.tokens import NumberToken

_PERIOD = re.compile(
    r"(?<![^\W_])(?:(?P<part>[QHTS][1-4]|[1-4][QHTS])[ _-]?(?:of )?)?"
    r"(?:(?P<fiscal>FY|fiscal(?: year)?|exercice)[ _'’-]?(?P<short>\d{2}(?:\d{2})?)|(?P<year>(?:19|20|21)\d{2}))"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[\W_]+|[\W_]+(?:(?:in|for|of|at|as of|en|de|pour|au)[\W_]*)?$", re.IGNORECASE)
_MEASURES = frozenset((
    "metric", "figure", "kpi", "indicator", "measure", "statistic", "value", "amount", "result", "financial",
    "indicateur", "montant", "chiffre",
))  # fmt: skip
_SEGMENTS = frozenset((
    "segment", "product", "products", "line", "division", "unit", "region", "market", "brand", "category",
    "geography", "geographic", "business",
))  # fmt: skip
_NO_FIGURES = frozenset(["event", "person", "organization", "company", "location", "place", "geo"])
_ASIDE = re.compile(
    r"\b(?:from|against|versus|vs\.?|compared (?:with|to)|than|(?:increase|decrease|rise|fall|growth|decline|drop) of|"
    r"up|down|by|contre|par rapport à|(?:hausse|baisse|progression|recul) de)\W{0,3}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A year, or a part of one such as `Q3`; periods sort by time."""

    year: int
    part: str = ""
    fiscal: bool = False

    def shown(self, lang: str) -> str:
        """Return the period as a question says it: `FY2023`, `Q3 2023`."""
        year = put("fiscal", lang, year=str(self.year)) if self.fiscal else str(self.year)
        return f"{self.part} {year}".strip()


@dataclass(frozen=True, slots=True)
class Figure:
    """What an entity says: one amount of a metric in a period.

    `metric` is without the name of `owner`, whose figure it is (None where that is not one entity); `text` is the
    amount as it is written.
    """

    entity: Entity
    metric: str
    period: Period
    text: str
    token: NumberToken
    owner: str | None
    facts: frozenset[Fact]

    @property
    def unit(self) -> tuple[str, str, str]:
        """What two figures must share to be compared."""
        return self.token.unit_class, self.token.currency, self.token.unit if self.token.measure else ""


def split_period(name: str) -> tuple[str, Period] | None:
    """Return the metric and the period that a name says, None where it says no period, or several."""
    found = list(_PERIOD.finditer(name))
    if len(found) != 1:
        return None
    m = found[0]
    metric = _EDGES.sub("", f"{name[: m.start()].rstrip()} {name[m.end() :].lstrip()}".strip())
    return (metric, _period(m)) if any(map(str.isalpha, metric)) else None


def _period(m: re.Match[str]) -> Period:
    digits = m["year"] or m["short"]
    year = int(digits) if len(digits) == 4 else (2000 if digits < "70" else 1900) + int(digits)
    part = "".join(sorted(m["part"].upper(), key=str.isdigit)) if m["part"] else ""
    return Period(year, part, bool(m["fiscal"]))


@once
def by_metric(view: View) -> Mapping[tuple[str, ...], Sequence[tuple[Period, str]]]:
    """Return the entities with a period in their name by the words of their metric, in the order of time."""
    found: defaultdict[tuple[str, ...], list[tuple[Period, str]]] = defaultdict(list)
    for entity in view.catalog.entities:
        if named := split_period(entity.label):
            found[_words(named[0])].append((named[1], entity.name))
    return {metric: sorted(entries) for metric, entries in found.items()}


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


@lru_cache(maxsize=4096)
def is_segment(type_: str) -> bool:
    """Tell whether a type is one of parts of a company."""
    return not _SEGMENTS.isdisjoint(words_of(type_).split())


@lru_cache(maxsize=2_000)
def amounts(text: Text) -> list[KeyFact]:
    """Return the amounts that a text states, each value once; dates and ordinals are none."""
    found = number_facts(text, [d.span for d in date_facts(text)])
    tokens = [(fact, fact.token) for fact in found if isinstance(fact.token, NumberToken)]
    return list({(t.value, t.unit_class, t.currency): fact for fact, t in reversed(tokens)}.values())[::-1]


def read_figure(view: View, name: str) -> Figure:
    """Return the figure that an entity stands for.

    Raises:
        Unanswerable: its name says no period, its texts do not say one amount, or another entity says another one.
    """
    entity = view.entity(name)
    if entity is None:
        raise Unanswerable("the entity is not in the graph")
    named = split_period(entity.label)
    if named is None:
        raise Unanswerable("its name does not say one period")
    fact, token = _amount(view, entity)
    link = owner_link(view, name)
    owner, facts = None, {_fact(entity, token)}
    if link is not None:
        owner = link.other
        facts.add(link.fact)
        _same_everywhere(view, token, link.edge.description)
    words = _words(named[0])
    for period, other in by_metric(view)[words]:
        if other != name and (period.year, period.part) == (named[1].year, named[1].part):
            _same_everywhere(view, token, view.catalog.entities[view.catalog.entity_numbers[other]].description)
    metric = _without_owner(named[0], view, owner)
    return Figure(entity, metric, named[1], fact.text, token, owner, frozenset(facts))


def _fact(entity: Entity, token: NumberToken) -> Fact:
    return ("figure", entity.name, f"{token.value.normalize():f}", token.unit_class, token.currency or token.unit)


def _amount(view: View, entity: Entity) -> tuple[KeyFact, NumberToken]:
    """Return the one amount of a description: not what it is compared with, and no change of it."""
    text = view.text(entity.description)
    found = amounts(text)
    if len(found) > 1:
        found = [f for f in found if not _ASIDE.search(text.plain[max(0, f.span[0] - 32) : f.span[0]])]
    if len(found) > 1:
        found = [f for f in found if isinstance(f.token, NumberToken) and f.token.unit_class != "percent"]
    token = found[0].token if len(found) == 1 else None
    if not isinstance(token, NumberToken) or token.high is not None:
        raise Unanswerable("its description does not state one amount")
    if not _is_figure(entity.type, token):
        raise Unanswerable("it is no figure")
    return found[0], token


def _is_figure(type_: str, token: NumberToken) -> bool:
    """Tell whether an entity with an amount is a figure: by its type, else by an amount that nothing else has."""
    words = words_of(type_).split()
    if not _MEASURES.isdisjoint(words):
        return True
    strong = token.unit_class in ("money", "percent", "points") or token.power > 0
    return strong and _NO_FIGURES.isdisjoint(words) and not is_person(type_)


def _same_everywhere(view: View, token: NumberToken, raw: str) -> None:
    """Refuse a figure where another text that states one amount of its kind states another one."""
    alike = [f.token for f in amounts(view.text(raw)) if isinstance(f.token, NumberToken)]
    alike = [t for t in alike if (t.unit_class, t.currency) == (token.unit_class, token.currency)]
    if len(alike) == 1 and alike[0].value != token.value:
        raise Unanswerable("the graph states several figures for the period")


def owner_link(view: View, name: str) -> Link | None:
    """Return the link to the entity whose figure this is: the only neighbour that is no figure itself."""
    links = [link for link in view.links(name) if split_period(link.other) is None]
    reported = [link for link in links if {"reported", "metric"} & set(words_of(link.relation).split())]
    links = reported or links
    return links[0] if len({link.other for link in links}) == 1 else None


def _without_owner(metric: str, view: View, owner: str | None) -> str:
    """Return a metric without the name of its owner: `WALMART U.S. NET SALES` of Walmart U.S. is `NET SALES`."""
    for name in (owner, view.shown(owner)) if owner else ():
        pattern = rf"^{re.escape(name)}(?:'s)?\W+(?=\w)|(?<=\w)\W+(?:of|de|for) {re.escape(name)}$"
        shorter = re.sub(pattern, "", metric, flags=re.IGNORECASE)
        if shorter != metric:
            return shorter
    return metric


def metric_words(view: View, figure: Figure) -> str:
    """Return a metric as texts write it inside a sentence, in small letters but for abbreviations and known names."""
    texts = [link.edge.description for link in view.links(figure.entity.name)]
    texts += [chunk.content for chunk in view.chunks(figure.entity.sources)]
    plain = " ".join(figure.metric.split())
    written = view.written(plain, texts, inside=True)
    words = (written or (plain.title() if is_shouted(plain) else plain)).split()
    return " ".join(word.lower() if word.istitle() and not view.meanings(word) else word for word in words)


def verb_of(view: View, figure: Figure, metric: str) -> str:
    """Return `was` or `were`, as the texts have it; empty where they do not tell."""
    texts = [figure.entity.description, *(chunk.content for chunk in view.chunks(figure.entity.sources))]
    found = (re.search(rf"\b{re.escape(metric)} (was|were)\b", raw, re.IGNORECASE) for raw in texts)
    return next((m[1].lower() for m in found if m), "")
