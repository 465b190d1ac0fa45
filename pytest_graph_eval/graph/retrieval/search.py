"""Answers a question with the entities, relationships and chunks of a store that tell most about it.

The modes differ in where trails (`trails.py`) start and how far they go:

- `kg`: from entities, one edge far, with the relationships beside them; chunks are those that all this comes from.
- `global`: relationships first, for comparisons: trails are single relationships with both ends.
- `hybrid`: from entities and relationships, two edges further, for questions that need a chain; chunks also by text.

What covers too little of the question is not evidence: then all lists are empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Document, Entity, Relationship
from pytest_graph_eval.graph.retrieval.question import Question, read_question
from pytest_graph_eval.graph.retrieval.store import Kind, Store
from pytest_graph_eval.graph.retrieval.trails import Trail, Trails, union
from pytest_graph_eval.graph.retrieval.words import word_set


@dataclass(frozen=True, slots=True)
class _Mode:
    """How a mode searches."""

    entities: float
    """What a start at an entity is worth."""
    relationships: bool
    """Whether trails also start at relationships."""
    hops: int
    """How many edges further trails go."""
    chunk_text: bool
    """Whether chunks are found by their own text too."""


_MODES: Mapping[str, _Mode] = {
    "kg": _Mode(entities=1.0, relationships=False, hops=1, chunk_text=False),
    "hybrid": _Mode(entities=1.0, relationships=True, hops=2, chunk_text=True),
    "global": _Mode(entities=0.8, relationships=True, hops=0, chunk_text=False),
}
MODES = tuple(_MODES)

_CANDIDATES = 60
"""Rows of each kind that the full-text index proposes."""
_STARTS = 20
"""Candidates, beside the named entities, whose neighbourhood is read."""
_KEEP = 0.78
"""Share of the best score that an entity or relationship needs."""
_KEEP_CHUNK = 0.6
"""Share of the best score that a chunk needs."""
_FLOOR = 0.5
"""Share of the question's weight that the evidence must cover; below it, nothing is evidence."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a question brought up, best first; all empty when nothing in the graph is about it."""

    mode: str
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    documents: tuple[Document, ...] = ()


def search(store: Store, question: str, mode: str = "kg", top_k: int = 5) -> Retrieved:
    """Search a store.

    Args:
        store: what to search.
        question: any text.
        mode: `kg`, `hybrid` or `global`.
        top_k: most entities, relationships and chunks returned, each; cut after the ranking.

    Raises:
        UsageError: there is no such mode.
    """
    if mode not in _MODES:
        raise UsageError(f"unknown mode {mode!r}; the modes are {', '.join(MODES)}")
    how = _MODES[mode]
    asked = read_question(question, store.frequency, store.rows)
    if not asked.known_weight:
        return Retrieved(mode)
    trails = Trails(store, asked)
    best = _walk(trails, how, asked.words())
    entities, edges = _graph_scores(trails, best, top_k)
    texts = store.find(asked.words(), Kind.CHUNK, _CANDIDATES)
    # Where no name or description says anything, only the text can.
    chunks = _chunk_scores(store, asked, entities, edges, texts if how.chunk_text or best is None else ())
    kept = _kept(chunks, top_k, {place: rank for rank, place in enumerate(texts)})
    covered = union(asked.mask(word_set(store.catalog.chunks[place].content)) for place in kept)
    if best is not None:
        covered |= best.said | best.mentioned
    if asked.weigh(covered) < _FLOOR * asked.weight:
        return Retrieved(mode)
    related = list(dict.fromkeys([*edges, *(trails.edges_beside([*entities]) if how.hops else ())]))[:top_k]
    return _retrieved(store.catalog, mode, [*entities], related, kept)


def _walk(trails: Trails, how: _Mode, words: Sequence[str]) -> Trail | None:
    """Find the starts that a mode allows and walk from them."""
    store = trails.store
    entities = store.find(words, Kind.ENTITY, _CANDIDATES)
    edges = store.find(words, Kind.RELATIONSHIP, _CANDIDATES) if how.relationships else []
    trails.resolve(entities)
    entities, edges = list(dict.fromkeys([*trails.named, *entities[:_STARTS]])), edges[:_STARTS]
    near = [*entities, *(end for edge in edges for end in store.ends(edge))]
    trails.link(sorted({*edges, *store.edges_near(near, max(how.hops, 1))}))
    starts = [*trails.from_entities(entities, how.entities), *trails.from_relationships(edges)]
    return trails.walk(starts, how.hops)


def _graph_scores(trails: Trails, best: Trail | None, top_k: int) -> tuple[dict[int, float], dict[int, float]]:
    """Return the best entities and relationships, best first, with scores: those near enough to the best trail."""
    if best is None:
        return {}, {}
    entities, edges = trails.entity_scores(), trails.edge_scores()
    for trail in trails.complement(best):
        entities.update((p, max(entities[p], best.score * (1 if p in trails.named else _KEEP))) for p in trail.nodes)
        edges.update((p, max(edges[p], best.score * _KEEP)) for p in trail.edges)
    least = _KEEP * best.score - 1e-9
    near = [{place: s for place, s in scores.items() if s >= least} for scores in (entities, edges)]
    entities, edges = ({place: scores[place] for place in _kept(scores, top_k)} for scores in near)
    return entities, edges


def _chunk_scores(
    store: Store,
    asked: Question,
    entities: Mapping[int, float],
    edges: Mapping[int, float],
    texts: Iterable[int],
) -> dict[int, float]:
    """Return the scores of chunks: of what cites them and of what they say, or of what they say alone for `texts`."""
    catalog = store.catalog
    cited: dict[int, float] = {}
    parents = [(catalog.entities[p].sources, s) for p, s in entities.items()]
    parents += [(catalog.relationships[p].sources, s) for p, s in edges.items()]
    top = max((score for _, score in parents), default=1.0)
    for sources, score in parents:
        for source in sources:
            number = catalog.chunk_numbers.get(source)
            if number is not None:
                cited[number] = max(cited.get(number, 0.0), score / top)

    def said(place: int) -> float:
        return asked.weigh(asked.mask(word_set(catalog.chunks[place].content))) / asked.weight

    scores = {place: said(place) for place in texts}
    for place, score in cited.items():
        scores[place] = max(scores.get(place, 0.0), (score + said(place)) / 2)
    least = _KEEP_CHUNK * max(scores.values(), default=0.0)
    return {place: score for place, score in scores.items() if score >= least and score > 0}


def _kept(scores: Mapping[int, float], top_k: int, ranks: Mapping[int, int] | None = None) -> list[int]:
    """Return the best places; equal scores stand in the order of `ranks`, then of the catalog."""
    ranks = ranks or {}
    order = sorted(scores, key=lambda place: (-round(scores[place], 9), ranks.get(place, len(ranks)), place))
    return order[:top_k]


def _retrieved(catalog: Catalog, mode: str, entities: list[int], edges: list[int], chunks: list[int]) -> Retrieved:
    documents = {catalog.chunks[place].document for place in chunks}
    return Retrieved(
        mode,
        tuple(catalog.entities[place] for place in entities),
        tuple(catalog.relationships[place] for place in edges),
        tuple(catalog.chunks[place] for place in chunks),
        tuple(document for document in catalog.documents if document.id in documents),
    )
