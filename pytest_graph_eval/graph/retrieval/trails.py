"""Walks from what a question names or says to what answers it, and scores each walk by what it covers.

A *trail* is a short walk through the graph. It covers a term of the question *outright* where an entity that the
question names, a type label or a relationship says it, and by *mention* where a description does, or the name of an
entity that the question does not mean. The score is the weight of what is covered, as a share of the whole question,
less for each edge walked. An entity is as good as the best trail through it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple

from pytest_graph_eval.graph.retrieval.question import Question
from pytest_graph_eval.graph.retrieval.store import NameWords, Store

BEAM = 24
"""Trails that are walked further at each step."""
HOP = 0.87
"""What each further edge of a trail leaves of its score."""
UNNAMED = 0.82
"""What a trail keeps that does not start at an entity the question names."""
MENTION = 0.5
"""What a mentioned term counts against one that is said outright."""
KIND = 1.2
"""What a trail gains that ends at the kind of thing asked for (`who`: a person)."""
GAIN = 0.05
"""Share of the question that the last step of a trail must add to tell anything."""
OTHER_YEAR = 0.6
"""What an entity keeps whose name has other years than the question."""
OUT_OF_ORDER = 0.8
"""What the words of a name count that the question says in another order or apart."""
PART_OF_NAME = 0.5
"""Share of a name, by weight, that means the entity where no complete name has those words."""


class Trail(NamedTuple):
    """A walk that has come to `at`. `covered` is the weight of what it covers, before the loss by length."""

    at: int
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    said: int
    mentioned: int
    start: float
    hops: int
    covered: float
    score: float
    tells: bool
    """Whether its last step added anything."""

    @property
    def key(self) -> tuple[float, int, tuple[int, ...], tuple[int, ...]]:
        """Order: best first, then short, then in catalog order."""
        return (-round(self.score, 9), len(self.nodes), self.nodes, self.edges)


class _Node(NamedTuple):
    said: int
    mentioned: int
    name: int
    """The terms in its names, meant or not."""
    asked: bool
    """Whether it is of the kind that is asked for."""


class Trails:
    """All trails of one question. Entities and relationships are places in the catalog's tuples."""

    def __init__(self, store: Store, question: Question) -> None:
        self.store = store
        self.question = question
        self.named: dict[int, int] = {}
        """Entities that the question names, and the terms that name them."""
        self.told: list[Trail] = []
        """All trails that tell anything."""
        self._complete: set[int] = set()
        self._links: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._named_links: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._nodes: dict[int, _Node] = {}
        self._edges: dict[int, int] = {}

    # -- what the question names

    def resolve(self, candidates: Iterable[int]) -> None:
        """Find the entities that the question names: by complete names, the longest first, then by parts of names."""
        complete: list[tuple[float, float, int, int]] = []
        parts: list[tuple[float, float, int, int]] = []
        for place in candidates:
            share, weight, mask = max(self._name_share(name) for name in self.store.entity_words(place).names)
            if share >= PART_OF_NAME:
                (complete if share >= 1 else parts).append((-weight, -share, place, mask))
        for _, _, place, mask in sorted(complete):
            # What a longer name has taken names nothing else; two entities of one name are both meant.
            if mask & ~union(self.named.values()) or mask in self.named.values():
                self.named[place] = mask
        self._complete.update(place for _, _, place, _ in complete)
        taken = union(self.named.values())
        self.named.update((place, mask) for _, _, place, mask in parts if mask & ~taken)

    def _name_share(self, name: NameWords) -> tuple[float, float, int]:
        """Return how much of a name the question says (1: all of it), the weight of those terms, and the terms."""
        bits, words = self.question.bits, name.words
        mask = self.question.mask(name.all_words)
        if not mask:
            return 0.0, 0.0, 0
        if name.years and not self.question.years:
            words = tuple(word for word in words if word not in name.years) or words
        phrased = {word for phrase in name.phrases if phrase in bits for word in phrase.split()}
        matched = [word for word in words if word in bits or word in phrased]
        if len(matched) == 1 and len(words) > 1 and matched[0] not in self.question.names:
            return 0.0, 0.0, 0  # one word of a name is the name only when it is written as one
        rarity = self.store.rarity
        share = sum(map(rarity, matched)) / sum(map(rarity, words)) if len(matched) < len(words) else 1.0
        order = [bits[word].bit_length() - 1 for word in words if word in bits and word not in name.years]
        weight = self.question.weigh(mask) * (1 if _stands_in(order, self.question.order) else OUT_OF_ORDER)
        return share, weight, mask

    # -- the part of the graph that is walked

    def link(self, edges: Iterable[int]) -> None:
        """Make relationships walkable."""
        for edge in edges:
            a, b = self.store.ends(edge)
            self._links[a].append((edge, b))
            self._links[b].append((edge, a))
        for place in self.named:
            for edge, other in self._links.get(place, ()):
                self._named_links[other].append((edge, place))

    def _node(self, place: int) -> _Node:
        node = self._nodes.get(place)
        if node is None:
            words, mask = self.store.entity_words(place), self.question.mask
            said = self.named.get(place, 0)
            name = union(mask(name.all_words) for name in words.names)
            mentioned = (name | mask(words.kind) | mask(words.description)) & ~said
            asked = not self.question.kinds.isdisjoint(words.kind)
            node = self._nodes[place] = _Node(said, mentioned, name, asked)
        return node

    def _edge(self, edge: int) -> int:
        mask = self._edges.get(edge)
        if mask is None:
            mask = self._edges[edge] = self.question.mask(self.store.edge_words(edge))
        return mask

    # -- trails

    def walk(self, starts: Iterable[Trail], hops: int) -> Trail | None:
        """Walk from all starts, up to `hops` edges far; return the best trail of all."""
        beam = list(starts)
        for left in range(hops, -1, -1):
            self.told += (trail for trail in beam if trail.tells)
            best = nsmallest(BEAM, beam, key=lambda trail: trail.key) if left else ()
            beam = [trail for start in best for trail in self._further(start, last=left == 1)]
        self.told.sort(key=lambda trail: trail.key)
        return self.told[0] if self.told else None

    def from_entities(self, places: Iterable[int], factor: float) -> Iterator[Trail]:
        """Yield the trails that start at entities; `factor` is what such a start is worth."""
        for place in places:
            node = self._node(place)
            start = factor * (1.0 if place in self.named else UNNAMED)
            trail = self._trail((place,), (), node.said, node.mentioned, at=place, start=start)
            yield self._with_named_neighbours(trail)

    def from_relationships(self, edges: Iterable[int]) -> Iterator[Trail]:
        """Yield the trails that start with a relationship that tells more than either of its ends; it costs no hop."""
        for edge in edges:
            a, b = self.store.ends(edge)
            own, one, other = self._edge(edge), self._node(a), self._node(b)
            first, second = one.said | one.mentioned, other.said | other.mentioned
            if (own | second) & ~first and (own | first) & ~second:
                said, mentioned = own | one.said | other.said, one.mentioned | other.mentioned
                start = 1.0 if a in self.named and b in self.named else UNNAMED
                for nodes in ((a, b), (b, a)):
                    yield self._trail(nodes, (edge,), said, mentioned, at=nodes[1], start=start)

    def _further(self, trail: Trail, *, last: bool) -> Iterator[Trail]:
        """Yield the trails that go one edge further; after the last edge only those that it adds anything to."""
        seen = trail.said | trail.mentioned
        for edge, other in self._links.get(trail.at, ()):
            if other in trail.nodes:
                continue
            node = self._node(other)
            said, mentioned = trail.said | self._edge(edge) | node.said, trail.mentioned | node.mentioned
            if last and said == trail.said and not mentioned & ~seen:
                continue
            wider = self._trail(
                (*trail.nodes, other), (*trail.edges, edge), said, mentioned,
                at=other, start=trail.start, hops=trail.hops + 1, before=trail.covered,
            )  # fmt: skip
            yield self._with_named_neighbours(wider)

    def _trail(
        self,
        nodes: tuple[int, ...],
        edges: tuple[int, ...],
        said: int,
        mentioned: int,
        *,
        at: int,
        start: float,
        hops: int = 0,
        before: float = 0.0,
    ) -> Trail:
        """Score a walk; `before` is what it covered without its last step."""
        weigh, whole = self.question.weigh, self.question.weight
        covered = weigh(said) + MENTION * weigh(mentioned & ~said)
        score = start * HOP**hops * covered / whole
        if self._nodes[at].asked:
            score *= KIND
        return Trail(at, nodes, edges, said, mentioned, start, hops, covered, score, covered > before + GAIN * whole)

    def _with_named_neighbours(self, trail: Trail) -> Trail:
        """Count in the named entities beside the end of a trail, at the price of one edge, where that pays."""
        beside = [
            (edge, place)
            for edge, place in self._named_links.get(trail.at, ())
            if place not in trail.nodes and self.named[place] & ~trail.said
        ]
        if not beside:
            return trail
        said = trail.said | union(self.named[place] for _, place in beside)
        nodes = (*trail.nodes, *(place for _, place in beside))
        edges = (*trail.edges, *(edge for edge, _ in beside))
        wider = self._trail(nodes, edges, said, trail.mentioned, at=trail.at, start=trail.start, hops=trail.hops + 1)
        return wider._replace(tells=trail.tells) if wider.score > trail.score else trail

    # -- the outcome

    def entity_scores(self) -> dict[int, float]:
        """Return the score of each entity on a trail: that of the best trail through it."""
        scores = _best((place, trail.score) for trail in self.told for place in trail.nodes)
        return {place: score * self._year_factor(place) for place, score in scores.items()}

    def edge_scores(self) -> dict[int, float]:
        """Return the score of each relationship on a trail: that of the best trail through it."""
        return _best((edge, trail.score) for trail in self.told for edge in trail.edges)

    def _year_factor(self, place: int) -> float:
        years = self.store.entity_words(place).years
        asked = self.question.years
        return OTHER_YEAR if years and asked and years.isdisjoint(asked) else 1.0

    def edges_beside(self, entities: Sequence[int]) -> list[int]:
        """Return the relationships of entities that tell something of the question, best first.

        Those between two of the entities come first, then those to an entity whose whole name the question says, or
        that say one of its terms themselves. Others would only bring figures that nobody asked for.
        """
        inside, told = set(entities), {}
        for place in entities:
            for edge, other in self._links.get(place, ()):
                if other in inside or other in self._complete or self._edge(edge):
                    told[edge] = (other not in inside, -round(self.question.weigh(self._edge(edge)), 9), edge)
        return sorted(told, key=told.__getitem__)

    def complement(self, best: Trail) -> Iterator[Trail]:
        """Yield the best trails to the named entities that the best trail leaves out (`compare A with B`)."""
        left = union(self.named.values()) & ~best.said & ~union(self._node(place).name for place in best.nodes)
        for trail in self.told:
            if trail.said & left:
                left &= ~trail.said
                yield trail


def _best(scores: Iterable[tuple[int, float]]) -> dict[int, float]:
    """Return the first score of each place."""
    found: dict[int, float] = {}
    for place, score in scores:
        found.setdefault(place, score)
    return found


def union(masks: Iterable[int]) -> int:
    """Return the terms that are in any of the masks."""
    bits = 0
    for mask in masks:
        bits |= mask
    return bits


def _stands_in(part: Sequence[int], whole: Sequence[int]) -> bool:
    """Tell whether `part` stands in `whole` in order and in one piece."""
    size = len(part)
    return any(list(whole[at : at + size]) == part for at in range(len(whole) - size + 1))
