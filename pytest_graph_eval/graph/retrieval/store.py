"""The store: a catalog in SQLite, with a full-text index (FTS5) over all texts and links for walks along edges.

The index holds the words of `words.py`, one row an entity, relationship or chunk. Answers are places in the
catalog's tuples. One connection behind a lock: a store may be used from any thread.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain
from typing import NamedTuple, TypeVar

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Entity
from pytest_graph_eval.graph.retrieval.words import content, fold, is_period, type_words, word_set, years_of

K = TypeVar("K")
V = TypeVar("V")

# Whole positions: with `detail='column'` and no content, FTS5 gives every row the same rank.
_SCHEMA = """
CREATE VIRTUAL TABLE {kind}_text USING fts5(
    name, body, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
);
INSERT INTO {kind}_text ({kind}_text, rank) VALUES ('hashsize', 16777216);
CREATE VIRTUAL TABLE {kind}_word USING fts5vocab('{kind}_text', 'row');
"""
_LINKS = """
CREATE TABLE link (node INTEGER, other INTEGER, edge INTEGER, PRIMARY KEY (node, edge)) WITHOUT ROWID;
"""
_NEIGHBOURHOOD = """
WITH RECURSIVE reach (node, depth) AS (
    SELECT value, 0 FROM json_each(:start)
    UNION
    SELECT link.other, reach.depth + 1 FROM reach JOIN link ON link.node = reach.node WHERE reach.depth < :hops
    LIMIT :most
)
SELECT DISTINCT link.edge FROM (SELECT DISTINCT node FROM reach WHERE depth < :hops) AS near
JOIN link ON link.node = near.node ORDER BY link.edge LIMIT :most
"""
_REMEMBERED = 20_000
"""Rows and words that are kept for the next question."""
_LEGAL_FORMS = frozenset(
    fold("inc corp corporation co company llc llp ltd limited plc gmbh ag kg sa sas sarl spa nv bv")
)
_ROWS_READ = 20_000
"""Rows that may be looked at for one question: of very common words only the ones beside rarer words are read."""


class Kind(Enum):
    """The kinds of rows; each has its own index, whose row numbers are places in the catalog's tuple plus one."""

    ENTITY = "entity"
    RELATIONSHIP = "relationship"
    CHUNK = "chunk"


_FIND = "SELECT rowid - 1 FROM {0}_text WHERE {0}_text MATCH ? ORDER BY bm25({0}_text, 3.0, 1.0), rowid LIMIT ?"
"""A word in a name counts three times as much as one in a text."""
_INSERT = "INSERT INTO {0}_text (rowid, name, body) VALUES (?, ?, ?)"
_FREQUENCY = "SELECT doc FROM {0}_word WHERE term = ?"


class NameWords(NamedTuple):
    """A name as words: in order and without legal forms; all of them with phrases; the years as words of the name."""

    words: tuple[str, ...]
    all_words: frozenset[str]
    phrases: tuple[str, ...]
    years: frozenset[str]


class EntityWords(NamedTuple):
    """The words of an entity: those of each of its names, of its type, of its description; the years in its name."""

    names: tuple[NameWords, ...]
    kind: frozenset[str]
    description: frozenset[str]
    years: frozenset[str]


class Store:
    """A searchable copy of a catalog. The catalog itself is never changed."""

    def __init__(self, catalog: Catalog) -> None:
        """Index a catalog, in memory.

        Raises:
            UsageError: this Python's SQLite has no FTS5.
        """
        self.catalog = catalog
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self.close = weakref.finalize(self, self._database.close)
        self.rows = len(catalog.entities) + len(catalog.relationships) + len(catalog.chunks)
        self._frequencies: dict[str, int] = {}
        self._entity_words: dict[int, EntityWords] = {}
        self._edge_words: dict[int, frozenset[str]] = {}
        try:
            self._database.executescript("".join(_SCHEMA.format(kind=kind.value) for kind in Kind) + _LINKS)
        except sqlite3.OperationalError as e:
            self.close()
            raise UsageError(
                f"SQLite {sqlite3.sqlite_version} of this Python cannot index texts: {e}; "
                f"the embedded graph needs FTS5: use a Python whose sqlite3 has it"
            ) from None
        self._fill()

    def _fill(self) -> None:
        with self._database as database:
            for kind in Kind:
                database.executemany(_INSERT.format(kind.value), self._texts(kind))
            ends = (self.ends(edge) for edge in range(len(self.catalog.relationships)))
            both = chain.from_iterable(((a, b, edge), (b, a, edge)) for edge, (a, b) in enumerate(ends))
            database.executemany("INSERT INTO link (node, other, edge) VALUES (?, ?, ?)", both)

    def _texts(self, kind: Kind) -> Iterator[tuple[int, str, str]]:
        """Yield each row's number, the words of its name and the words of its text."""
        catalog = self.catalog
        if kind is Kind.CHUNK:
            for row, chunk in enumerate(catalog.chunks, 1):
                yield row, "", " ".join(content(chunk.content))
        elif kind is Kind.ENTITY:
            for row, entity in enumerate(catalog.entities, 1):
                name = " ".join(fold(" ".join((entity.name, *entity.aliases))))
                yield row, name, " ".join((*type_words(entity.type), *content(entity.description)))
        else:
            names = {entity.name: " ".join(fold(entity.name)) for entity in catalog.entities}
            for row, edge in enumerate(catalog.relationships, 1):
                text = content(f"{edge.keywords} {edge.description}")
                yield row, f"{names[edge.source]} {names[edge.target]}", " ".join((*type_words(edge.type), *text))

    def frequency(self, word: str) -> int:
        """Return in how many rows a word stands."""
        known = self._frequencies.get(word)
        if known is None:
            with self._lock:
                found = [self._database.execute(_FREQUENCY.format(kind.value), (word,)).fetchone() for kind in Kind]
            known = sum(row[0] for row in found if row)
            _remember(self._frequencies, word, known)
        return known

    def rarity(self, word: str) -> float:
        """Return how much a word of a name tells apart: 1 for a word that no row has, less for common ones."""
        return 1 / (1 + self.frequency(word))

    def entity_words(self, place: int) -> EntityWords:
        """Return the words of an entity."""
        words = self._entity_words.get(place)
        if words is None:
            words = _words_of(self.catalog.entities[place])
            _remember(self._entity_words, place, words)
        return words

    def edge_words(self, place: int) -> frozenset[str]:
        """Return what a relationship tells itself: its words but for those of the names at its ends."""
        words = self._edge_words.get(place)
        if words is None:
            edge = self.catalog.relationships[place]
            own = word_set(edge.description) | word_set(edge.keywords) | type_words(edge.type)
            words = own - word_set(edge.source) - word_set(edge.target)
            _remember(self._edge_words, place, words)
        return words

    def ends(self, place: int) -> tuple[int, int]:
        """Return the places of the entities at both ends of a relationship."""
        edge, numbers = self.catalog.relationships[place], self.catalog.entity_numbers
        return numbers[edge.source], numbers[edge.target]

    def find(self, words: Iterable[str], kind: Kind, limit: int) -> list[int]:
        """Return the best rows of one kind that hold any of the words.

        Args:
            words: as `words.fold` makes them; those that the store does not hold are ignored.
            kind: which rows.
            limit: how many at most.

        Returns:
            Places in the catalog's tuple, best first by BM25, ties in catalog order.
        """
        match = self._match(words)
        if not match:
            return []
        with self._lock:
            rows = self._database.execute(_FIND.format(kind.value), (match, limit)).fetchall()
        return [row[0] for row in rows]

    def _match(self, words: Iterable[str]) -> str:
        """Return the FTS5 expression for any of the words, each quoted; rare words must be there in a large graph."""
        known = sorted((self.frequency(word), word) for word in set(words))
        known = [(count, word) for count, word in known if count]
        quoted = ['"' + word.replace('"', '""') + '"' for _, word in known]
        rare, total = 0, 0
        for count, _ in known:
            total += count
            rare += total <= _ROWS_READ or not rare
        every = " OR ".join(quoted)
        return every if rare == len(known) else f"({' OR '.join(quoted[:rare])}) AND ({every})"

    def edges_near(self, nodes: Sequence[int], hops: int, limit: int = 4_000) -> list[int]:
        """Return the relationships on all walks of up to `hops` edges from `nodes`, in catalog order.

        Args:
            nodes: places of entities.
            hops: length of the walks; 0 gives none.
            limit: most entities passed and most relationships returned.
        """
        if not nodes or not hops:
            return []
        arguments = {"start": json.dumps(list(nodes)), "hops": hops, "most": limit}
        with self._lock:
            return [row[0] for row in self._database.execute(_NEIGHBOURHOOD, arguments)]


def _words_of(entity: Entity) -> EntityWords:
    names = tuple(map(_name_words, (entity.name, *entity.aliases)))
    return EntityWords(names, type_words(entity.type), word_set(entity.description), years_of(names[0].all_words))


def _name_words(name: str) -> NameWords:
    everything = word_set(name)
    words = tuple(dict.fromkeys(word for word in fold(name) if word in everything))
    words = tuple(word for word in words if word not in _LEGAL_FORMS) or words
    phrases = tuple(sorted(word for word in everything if " " in word))
    return NameWords(
        words, frozenset((*words, *phrases)), phrases, frozenset(word for word in words if is_period(word))
    )


def _remember(cache: dict[K, V], key: K, value: V) -> None:
    if len(cache) >= _REMEMBERED:
        cache.clear()
    cache[key] = value
