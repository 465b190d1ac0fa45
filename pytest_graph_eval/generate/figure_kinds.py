"""Kinds of scenarios about figures: one value, a segment's value, a comparison of two years, the largest of several."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_graph_eval.generate.drafts import Ask, Draft, Spec, Unanswerable
from pytest_graph_eval.generate.figures import Figure, read_figure, split_period
from pytest_graph_eval.generate.kind import Kind
from pytest_graph_eval.generate.quality import state_gold
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.generate.wording import ask, is_plural

__all__ = ["KINDS"]


def _figures(view: View) -> Iterator[Spec]:
    for entity in view.catalog.entities:
        if split_period(entity.name):
            yield {"entity": entity.name, "lang": "en"}


def _read(view: View, name: str) -> Figure:
    entity = view.entity(name)
    if entity is None:
        raise Unanswerable("the entity is not in the graph")
    figure = read_figure(entity, view.text(entity.description))
    if figure is None:
        raise Unanswerable("its description does not state one amount")
    return figure


def _metric(view: View, spec: Spec) -> Draft:
    figure = _read(view, spec["entity"])
    owners = sorted({edge.source for edge in view.of(figure.entity.name) if edge.type == "REPORTED_METRIC"})
    if len(owners) != 1:
        raise Unanswerable("it is not the figure of one entity")
    metric = figure.metric.lower()
    was = "were" if is_plural(metric) else "was"
    question = ask("metric", spec["lang"], owner=view.shown(owners[0]), metric=metric, was=was,
                   in_period=f"in {figure.period.shown}")  # fmt: skip
    draft = Ask(question, figure.text, {"numbers": [figure.text]}, (figure.entity.name,))
    chunks = state_gold(view, draft, figure.entity.sources)
    draft = Ask(question, figure.text, {"numbers": [figure.text]}, (figure.entity.name,), chunks)
    return Draft((draft,), frozenset({figure.fact, ("edge", owners[0], "REPORTED_METRIC", figure.entity.name)}))


KINDS = (
    Kind("metric_retrieval", "metric_retrieval", "easy", "no entity names a metric and a period", _figures, _metric,
         ("entity", "lang"), share=3),
)  # fmt: skip
