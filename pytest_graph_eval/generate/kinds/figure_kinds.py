"""Kinds of scenarios about figures: one value, a segment's value, two years compared, the largest and the smallest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from pytest_graph_eval.generate.changes import Change, change_between
from pytest_graph_eval.generate.drafts import Ask, Draft, Spec, Unanswerable
from pytest_graph_eval.generate.figures import (
    Figure,
    by_metric,
    is_segment,
    metric_words,
    owner_link,
    read_figure,
    split_period,
    verb_of,
)  # fmt: skip
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.quality import state_gold
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import asked_type, is_plural, put, words_of

_NO_OWNERS = frozenset(("risk", "event", "litigation"))
"""Types whose entities have no figures in the way that a company has."""


def _figures(view: View, *, of_segments: bool) -> Iterator[Spec]:
    for entity in view.some_entities:
        if split_period(entity.label):
            link = owner_link(view, entity.name)
            if (link is not None and is_segment(view.type_of(link.other))) is of_segments:
                yield {"entity": entity.name}


def _metric(view: View, spec: Spec, *, of_segments: bool) -> Draft:
    figure = read_figure(view, spec["entity"])
    if (figure.owner is not None and is_segment(view.type_of(figure.owner))) is not of_segments:
        raise Unanswerable("it is the figure of a segment" if not of_segments else "it is not the figure of a segment")
    lang = spec.get("lang", "en")
    return Draft((figure_ask(view, figure, lang, _owner(view, figure, lang)),), figure.facts)


def figure_ask(view: View, figure: Figure, lang: str, owner: str) -> Ask:
    """Return the question for a figure.

    Args:
        view: the graph.
        figure: the figure.
        lang: the language of the question.
        owner: what the question calls its owner, a name or `the company that ...`; empty where it names none.

    Raises:
        Unanswerable: no source chunk states it.
    """
    metric = metric_words(view, figure)
    was = verb_of(view, figure, metric) or ("were" if is_plural(metric) else "was")
    token = figure.token
    counted = token.unit_class == "plain" and not token.measure and is_plural(metric)
    of = bool(owner) and (is_segment(view.type_of(figure.owner or "")) or owner.startswith("the "))
    template = "metric_count" if counted else "metric_of" if of else "metric"
    template += "" if owner else "_alone"
    in_period = put("in_period", lang, period=figure.period.shown(lang))
    parts = {"owner": owner} if owner else {}
    question = put(template, lang, metric=metric, was=was, in_period=in_period, **parts)
    ask = Ask(question, figure.text, {"numbers": [figure.text]}, (figure.entity.name,),
              query_hints=f"{metric}, {figure.period.shown(lang)}")  # fmt: skip
    return replace(ask, source_chunks=state_gold(view, ask, figure.entity.sources))


def _owner(view: View, figure: Figure, lang: str) -> str:
    """Return what a question calls the owner of a figure; empty where the metric alone tells."""
    types = words_of(view.type_of(figure.owner)).split() if figure.owner else []
    if figure.owner and _NO_OWNERS.isdisjoint(types):
        if not view.is_plain(figure.owner):
            raise Unanswerable("its owner's name means several entities")
        return view.called(figure.owner, lang)
    if sum(_is_same(entry, figure) for entries in by_metric(view).values() for entry in entries) > 1:
        raise Unanswerable("several entities have such a figure")
    return ""


def _is_same(entry: tuple[Any, str], figure: Figure) -> bool:
    named = split_period(entry[1])
    return named is not None and named[0].casefold().endswith(figure.metric.casefold()) and entry[0] == figure.period


# --- two years --------------------------------------------------------------------------------------------------------


def _years(view: View) -> Iterator[Spec]:
    for entries in by_metric(view).values():
        by_part: defaultdict[str, list[str]] = defaultdict(list)
        for period, name in entries:
            by_part[period.part].append(name)
        for names in by_part.values():
            yield from ({"entity": later, "earlier": earlier} for earlier, later in pairwise(names))


def _comparison(view: View, spec: Spec, *, source: str) -> Draft:
    """Compare two years; `source` says where the change is from: `stated` by the graph, `computed`, or `none`."""
    before, after = read_figure(view, spec["earlier"]), read_figure(view, spec["entity"])
    if before.owner != after.owner or before.unit != after.unit:
        raise Unanswerable("the two years are not of one owner and unit")
    if before.period.year >= after.period.year:
        raise Unanswerable("the two figures are of one year")
    change = change_between(view, before, after)
    if change.is_stated is not (source == "stated"):
        raise Unanswerable("the graph states the change" if change.is_stated else "the graph does not state the change")
    ask = _change_ask(view, before, after, change, spec.get("lang", "en"), with_change=source != "none")
    used = before.facts | after.facts | (change.facts if source == "stated" else frozenset())
    return Draft((ask,), used, settings={} if view.catalog.relationships else {"mode": "kg"})  # no edges to compare by


def _change_ask(view: View, before: Figure, after: Figure, change: Change, lang: str, *, with_change: bool) -> Ask:
    owner = _owner(view, after, lang)
    parts = {"owner": owner} if owner else {}
    template = "change" if owner else "change_alone"
    if owner and is_segment(view.type_of(after.owner or "")):
        template = "change_of"
    elif owner and after.token.unit_class == "plain" and not after.token.measure and is_plural(after.metric):
        template = "change_count"
    question = put(
        template, lang, metric=metric_words(view, after),
        earlier=before.period.shown(lang), later=after.period.shown(lang), **parts,
    )  # fmt: skip
    chunks = [c for f in (before, after) for c in figure_ask(view, f, lang, owner).source_chunks]
    numbers: list[Any] = [before.text, after.text]
    if with_change:
        numbers.append({"value": change.amount, "abs_tol": float(change.tolerance)})
    return Ask(
        question, change.gold(lang, with_change=with_change), {"numbers": numbers},
        (before.entity.name, after.entity.name), tuple(dict.fromkeys(chunks)),
        query_hints=f"comparison, year-over-year, {before.period.shown(lang)} {after.period.shown(lang)}",
        requires_yoy=True,
    )  # fmt: skip


# --- several ----------------------------------------------------------------------------------------------------------


def _rankings(view: View) -> Iterator[Spec]:
    seen: dict[tuple[str, str, str], list[str]] = {}
    for entries in by_metric(view).values():
        for period, name in entries:
            link = owner_link(view, name)
            if link is not None and (type_ := view.type_of(link.other)):
                metric = _bare_metric(view, name, link.other)
                seen.setdefault((metric, period.shown("en"), type_), []).append(name)
    for (metric, when, type_), names in seen.items():
        if len(names) > 1:
            yield from ({"metric": metric, "period": when, "type": type_, "rank": r} for r in ("largest", "smallest"))


def _bare_metric(view: View, name: str, owner: str) -> str:
    named = split_period(view.catalog.entities[view.catalog.entity_numbers[name]].label)
    words = named[0].casefold() if named else ""
    return words.removeprefix(owner.casefold()).strip(" -:,'’") or words


def _ranking(view: View, spec: Spec) -> Draft:
    lang = spec.get("lang", "en")
    figures = [
        figure
        for entries in by_metric(view).values()
        for period, name in entries
        if period.shown("en") == spec["period"]
        and (link := owner_link(view, name)) is not None
        and view.type_of(link.other) == spec["type"]
        and _bare_metric(view, name, link.other) == spec["metric"]
        for figure in [read_figure(view, name)]
    ]
    if len({f.owner for f in figures}) < 2 or len({f.unit for f in figures}) > 1:
        raise Unanswerable("there are not two figures of one unit to compare")
    figures.sort(key=lambda f: f.token.value, reverse=spec["rank"] == "largest")
    first, second = figures[:2]
    if first.token.value == second.token.value or first.owner is None or not view.is_plain(first.owner):
        raise Unanswerable("several are the first")
    question = put(
        spec["rank"], lang, type=asked_type(spec["type"]), metric=metric_words(view, first),
        in_period=put("in_period", lang, period=first.period.shown(lang)),
    )  # fmt: skip
    shown = view.shown(first.owner)
    ask = Ask(question, f"{shown} ({first.text})", {"names": [shown], "numbers": [first.text]},
              (first.owner, first.entity.name))  # fmt: skip
    ask = replace(ask, source_chunks=figure_ask(view, first, lang, shown).source_chunks)
    return Draft((ask,), first.facts)


# --- attributes -------------------------------------------------------------------------------------------------------


def _attributes(view: View) -> Iterator[Spec]:
    for entity in view.some_entities:
        for key, value in entity.attributes.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and words_of(key):
                yield {"entity": entity.name, "attribute": key}


def _attribute(view: View, spec: Spec) -> Draft:
    entity = view.entity(spec["entity"])
    value = entity.attributes.get(spec["attribute"]) if entity else None
    if entity is None or isinstance(value, bool) or not isinstance(value, int | float):
        raise Unanswerable("the entity has no such figure")
    if not view.is_plain(entity.name):
        raise Unanswerable("its name means several entities")
    text = f"{value:g}" if float(value).is_integer() and abs(value) < 1e15 else repr(value)
    question = put(
        "attribute", spec.get("lang", "en"), metric=words_of(spec["attribute"]), owner=view.called(entity.name)
    )
    ask = Ask(question, text, {"numbers": [text]}, (entity.name,))
    return Draft((ask,), frozenset({("attribute", entity.name, spec["attribute"], text)}))


_YEARS = "no metric has figures of two years"
KINDS = (
    Kind("metric_retrieval", "metric_retrieval", "easy", "no entity names a metric and a period",
         partial(_figures, of_segments=False), partial(_metric, of_segments=False), ("entity",), share=3),
    Kind("attribute", "metric_retrieval", "easy", "no entity has a figure as an attribute", _attributes, _attribute,
         ("entity", "attribute"), share=0),
    Kind("segment_performance", "segment_performance", "medium", "no segment has a figure",
         partial(_figures, of_segments=True), partial(_metric, of_segments=True), ("entity",)),
    Kind("yoy_comparison", "yoy_comparison", "medium", _YEARS, _years, partial(_comparison, source="stated"),
         ("entity", "earlier")),
    Kind("yoy_computed", "yoy_comparison", "medium", _YEARS, _years, partial(_comparison, source="computed"),
         ("entity", "earlier"), share=0, answers=True),
    Kind("yoy_values", "yoy_comparison", "medium", _YEARS, _years, partial(_comparison, source="none"),
         ("entity", "earlier"), share=0, answers=False),
    Kind("aggregation", "aggregation", "medium", "no two entities of a type have the same metric in the same period",
         _rankings, _ranking, ("metric", "period", "type", "rank"), answers=True),
)  # fmt: skip
