"""A catalog as questions see it: entities by type, links between them, and names as people write them.

Indices over names and edges are made once and cheaply; the texts of an entity are read when it is first asked about,
so that a question costs the same in a graph of 100,000 entities.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from pytest_graph_eval.generate.drafts import Fact
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.graph.elements import Chunk, Entity, Relationship
from pytest_graph_eval.metrics.facts import Text, normalise
from pytest_graph_eval.metrics.facts.names import find
from pytest_graph_eval.metrics.facts.tables.legal_forms import LEGAL_FORMS

Found = TypeVar("Found")

LONGEST_NAME = 120
"""Characters of a name that a person would still type into a question."""

_WORDS = re.compile(r"\w+")
_QUALIFIER = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*$")
_ARTICLES = {"en": re.compile("The "), "fr": re.compile(r"(?:La|Le|Les) |L['’]")}
_ENOUGH = 5_000
"""Entities or edges of one type that recipes are made of at most."""
_TEXTS_KEPT = 5_000
_TEXTS_READ = 20
"""Texts in which it is looked up how a name is written."""


class Link(NamedTuple):
    """An edge as it is seen from one of its ends.

    `way` is `out` where that end is the source, `in` where it is the target, and `both` where the graph forgets it.
    """

    relation: str
    way: str
    other: str
    edge: Relationship

    @property
    def fact(self) -> Fact:
        """The edge as a plain fact."""
        ends = (self.edge.source, self.edge.target)
        source, target = ends if self.edge.directed else sorted(ends)
        return ("edge", source, self.relation, target)


def name_key(name: str) -> str:
    """Return what two spellings of one name share: its words without case, article and legal form."""
    words = _WORDS.findall(name.casefold())
    while len(words) > 1 and words[-1] in LEGAL_FORMS:
        words.pop()
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def _kept(method: Callable[[View, str], Found]) -> Callable[[View, str], Found]:
    """Keep what a method returned for a text, for as long as there is the view."""

    @functools.wraps(method)
    def found(self: View, text: str) -> Found:
        key = (method.__name__, text)
        if key not in self._kept:
            self._kept[key] = method(self, text)
        return self._kept[key]  # type: ignore[no-any-return]  # one dictionary holds what each method returned

    return found


class View:
    """One catalog and everything about it that kinds of scenarios ask for. Names are those of the catalog."""

    def __init__(self, catalog: Catalog) -> None:
        """Take a snapshot; it is never changed."""
        self.catalog = catalog
        self._kept: dict[tuple[str, str], Any] = {}
        self._texts: dict[str, Text] = {}

    @_kept
    def at(self, instant: str) -> View:
        """Return the graph as it was at an instant.

        Raises:
            UsageError: it is no day and no instant.
        """
        return View(self.catalog.at(instant))

    # --- entities

    def entity(self, name: str) -> Entity | None:
        """Return the entity of that exact name."""
        return self.catalog.entity(name)

    def type_of(self, name: str) -> str:
        """Return the type of an entity, empty where it has none."""
        entity = self.catalog.entity(name)
        return entity.type if entity else ""

    @cached_property
    def by_type(self) -> Mapping[str, Sequence[Entity]]:
        """The entities of each type, by name; those without a type are under the empty text."""
        found: defaultdict[str, list[Entity]] = defaultdict(list)
        for entity in self.catalog.entities:
            found[entity.type].append(entity)
        return dict(sorted(found.items()))

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[str]]:
        """The entities that each name can mean, whatever its case, article and legal form; aliases and labels too."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for entity in self.catalog.entities:
            for name in {entity.name, entity.label, *entity.aliases}:
                found[name_key(name)][entity.name] = None
        return {key: tuple(names) for key, names in found.items() if key}

    @cached_property
    def by_base(self) -> Mapping[str, Sequence[str]]:
        """The entities that share a name but for what stands in brackets behind it; only where there are several."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for entity in self.catalog.entities:
            for name in {entity.name, entity.label, *entity.aliases}:
                found[name_key(_QUALIFIER.sub("", name))][entity.name] = None
        return {key: tuple(names) for key, names in found.items() if key and len(names) > 1}

    def meanings(self, text: str) -> Sequence[str]:
        """Return the names of all entities that a name can mean."""
        return self.by_key.get(name_key(text), ())

    @_kept
    def is_plain(self, name: str) -> bool:
        """Tell whether the name of an entity means it alone, and can stand in a question."""
        shown = self.shown(name)
        if not 0 < len(shown) <= LONGEST_NAME or not shown.isprintable() or not find(self.text(shown), shown):
            return False  # what no text could be found to state (mark-up, bare signs) is no answer either
        return tuple(self.meanings(shown)) == (name,) and name_key(shown) not in self.by_base

    @cached_property
    def some_entities(self) -> Sequence[Entity]:
        """The entities that recipes are made of: all, or of a type with very many a part, drawn by their names."""
        return _some(self.catalog.entities, lambda entity: entity.type, lambda entity: entity.name)

    @cached_property
    def some_edges(self) -> Sequence[Relationship]:
        """The edges that recipes are made of: all, or of a type with very many a part, drawn by their ends."""
        return _some(self.catalog.relationships, lambda edge: edge.type, lambda edge: f"{edge.source}\0{edge.target}")

    # --- links

    @cached_property
    def _edges(self) -> Mapping[str, Sequence[Relationship]]:
        found: defaultdict[str, list[Relationship]] = defaultdict(list)
        for edge in self.catalog.relationships:
            found[edge.source].append(edge)
            found[edge.target].append(edge)
        return dict(found)

    def links(self, name: str) -> Iterator[Link]:
        """Yield the edges of an entity as they are seen from it, in the graph's order."""
        for edge in self._edges.get(name, ()):
            outward = edge.source == name
            way = ("out" if outward else "in") if edge.directed else "both"
            yield Link(edge.type, way, edge.target if outward else edge.source, edge)

    def linked(self, name: str, relation: str, way: str) -> list[Link]:
        """Return the links of one relation and one way."""
        return [link for link in self.links(name) if link.relation == relation and link.way == way]

    @_kept
    def single(self, name: str) -> tuple[Link, ...]:
        """Return the links of an entity that are the only ones of their relation and way."""
        links = [link for link in self.links(name) if link.relation]
        count = Counter(link[:2] for link in links)
        return tuple(link for link in links if count[link[:2]] == 1)

    @_kept
    def single_into(self, name: str) -> tuple[Link, ...]:
        """Return the links of an entity that are the only ones of their relation as seen from the other end."""
        links = (link for link in self.links(name) if link.relation)
        return tuple(link for link in links if any(back.edge is link.edge for back in self.single(link.other)))

    # --- texts

    def text(self, raw: str) -> Text:
        """Return a text as the facts engine reads it."""
        if raw not in self._texts:
            if len(self._texts) >= _TEXTS_KEPT:
                self._texts.clear()
            self._texts[raw] = normalise(raw)
        return self._texts[raw]

    def chunks(self, sources: Iterable[str]) -> list[Chunk]:
        """Return the chunks with these ids that the graph holds, each once."""
        found = (self.catalog.chunk(source) for source in dict.fromkeys(sources))
        return [chunk for chunk in found if chunk is not None]

    @_kept
    def shown(self, name: str) -> str:
        """Return the name of an entity as a person would write it.

        Extractors shout (`DOUG McMILLON`): then it is written as the texts around the entity write it, in small letters
        where they do so inside a sentence, and else as it is. A legal form is left out where the rest still means this
        entity alone.
        """
        return self._short(name, self._as_written(name))

    def called(self, name: str, lang: str = "en") -> str:
        """Return the name of an entity as it stands in a sentence: with an article where its description has one."""
        entity, shown = self.entity(name), self.shown(name)
        found = _ARTICLES[lang].match(entity.description) if entity else None
        if entity is None or found is None or not entity.description.startswith(shown, found.end()):
            return shown
        return f"{found[0].lower()}{shown}"

    def _as_written(self, name: str) -> str:
        entity = self.entity(name)
        plain = " ".join((entity.label if entity else name).split())
        if entity is None or not is_shouted(plain) or len(plain) > LONGEST_NAME:
            return plain
        edges = [link.edge.description for link, _ in zip(self.links(name), range(_TEXTS_READ), strict=False)]
        texts = [entity.description, *(chunk.content for chunk in self.chunks(entity.sources)), *edges]
        return self.written(plain, texts[:_TEXTS_READ]) or plain

    def written(self, name: str, texts: Iterable[str], *, inside: bool = False) -> str:
        """Return a name as texts write it in full, empty where they do not.

        What stands inside a sentence comes first, with a capital before without. With `inside` it alone counts, small
        letters first: what is no name has a capital only in headings and as the first word of a sentence.
        """
        found: dict[tuple[bool, bool], str] = {}
        for text in map(self.text, texts):
            for mention in find(text, name):
                written = text.plain[mention.start : mention.end]
                if len(written.split()) == len(name.split()) and not is_shouted(written):
                    opens = text.clause_at(mention.start)[0] == mention.start
                    found.setdefault((opens, written.islower()), written)
        order = [(False, True), (False, False)] if inside else sorted(found)
        return next((found[key] for key in order if key in found), "")

    def _short(self, name: str, written: str) -> str:
        words = written.split()
        for size in range(1, len(words)):
            short = " ".join(words[:size]).rstrip(",")
            if name_key(short) == name_key(written) and tuple(self.meanings(short)) == (name,):
                return short
        return written


T = TypeVar("T")


def _some(items: Sequence[T], kind: Callable[[T], str], name: Callable[[T], str]) -> list[T]:
    """Return the items of each kind, or every second, fourth ... by a hash where a kind has more than enough.

    What is drawn depends on the item and on the size of the graph alone, so that another one more changes little.
    """
    counts = Counter(map(kind, items))
    steps = {k: 1 << max(0, (count // _ENOUGH).bit_length()) for k, count in counts.items()}
    return [
        item for item in items
        if (step := steps[kind(item)]) == 1 or not zlib.crc32(name(item).encode("utf-8", "surrogatepass")) % step
    ]  # fmt: skip


def is_shouted(name: str) -> bool:
    """Tell whether a name is mostly capitals."""
    return sum(map(str.isupper, name)) > max(1, sum(map(str.islower, name)))


def once(read: Callable[[View], Found]) -> Callable[[View], Found]:
    """Read something out of each graph once, for as long as there is the graph."""
    kept: WeakKeyDictionary[View, Found] = WeakKeyDictionary()

    @functools.wraps(read)
    def found(view: View) -> Found:
        if view not in kept:
            kept[view] = read(view)
        return kept[view]

    return found
