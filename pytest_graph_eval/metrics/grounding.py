"""Names of the graph that an answer states without ground: neither expected nor among those that the target used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_graph_eval.metrics.facts.denied_names import is_denied
from pytest_graph_eval.metrics.facts.names import NameIndex, key_of
from pytest_graph_eval.metrics.facts.text import Text, normalise
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario


def ungrounded_names(
    scenario: Scenario, response: Response, answer: Text | None, evidence: Text | None, catalog: NameIndex | None
) -> list[str]:
    """Return the names of the catalog that the answer asserts without ground, each with its place.

    Ground is what the scenario names (question, gold data, facts), what was retrieved, and what the target says that
    it used (`names`). A target that says nothing of the kind is not judged; a name that is only denied is no claim.
    """
    if response.names is None or answer is None or catalog is None:
        return []
    known = {key_of(name) for name in (*_expected(scenario.expect), *scenario.source_entities, *response.names)}
    known |= {key_of(e.name) for e in response.entities or ()}
    said = (normalise(scenario.question), normalise(scenario.gold_answer or ""), evidence)
    known |= {key_of(name) for text in said if text is not None for name in catalog.names_in(text)}
    found = {
        key_of(m.name): m for m in reversed(catalog.find(answer)) if key_of(m.name) not in known
        and not is_denied(answer, m) and answer.aside_at(m.start, m.end) not in ("header", "citation")
    }  # fmt: skip
    return [
        f'"{m.name}": neither expected nor among the names that the target used '
        f'("{answer.around(m.start, m.end, width=40)}")'
        for m in sorted(found.values())
    ]


def _expected(expect: Expect) -> Iterator[str]:
    """Yield every name that the checks hold; a forbidden one is judged there."""
    groups: Iterable[Iterable[str]] = (
        *((n.name, *n.aliases) for n in (*(expect.names or ()), *(expect.order or ()), *(expect.choice or ()))),
        *((n.name, *n.aliases) for group in expect.any_of or () for n in group),
        *((n.name, *n.aliases) for n in expect.forbidden or ()),
        expect.entities or (),
    )
    for group in groups:
        yield from group
