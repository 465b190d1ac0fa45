"""Reads RDF triples as entities and relationships.

A resource is an entity, named by its label, or by the end of its IRI; where several share a label, each is named
`label (end of its IRI)`. Literals become attributes, and sentences of the description; object properties become
relationships. A blank node without a label belongs to what points at it: its literals are attributes of that
(`address city`), or, where it points at something itself (an employment), details and valid time of the relationship.
Classes and properties only lend their labels, unless there is nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.graph import validity
from pytest_graph_eval.graph.elements import Document, Entity, Part, Relationship
from pytest_graph_eval.graph.reading import rdf_terms as terms

Triple = tuple[Any, Any, Any]
Details = tuple[tuple[tuple[str, ...], Any], ...]
Values = dict[str, list[Any]]
_DEPTH = 8
"""How many blank nodes in a row are followed."""
_DCMI = re.compile(r"\b(start|end)\s*=\s*([^;]+)")


class _Statement(NamedTuple):
    """A value of a resource, the properties that lead there, and what is said about this one statement."""

    path: tuple[str, ...]
    value: Any
    details: Details = ()


def read_triples(graphs: Mapping[str, Iterable[Triple]]) -> tuple[Part, list[Problem]]:
    """Read graphs that are one: a resource may be named in one file and related in another.

    Args:
        graphs: by the name of their file, in messages and as documents; terms are those of rdflib.

    Returns:
        What they hold together, and everything that is wrong with it.
    """
    reader = _Reader(graphs)
    entities = tuple(reader.entity(node) for node in reader.names)
    edges = tuple(edge for node in reader.names for edge in reader.relationships(node))
    documents = tuple(Document(name, name) for name in graphs)
    return Part(", ".join(graphs), entities, edges, (), documents, ordered=True), reader.problems


class _Reader:
    def __init__(self, graphs: Mapping[str, Iterable[Triple]]) -> None:
        from rdflib import BNode, Literal

        self._blank, self._literal = BNode, Literal
        self.problems: list[Problem] = []
        self._terms: dict[str, str] = {}
        self._out: defaultdict[Any, dict[tuple[str, Any], None]] = defaultdict(dict)
        self._file: dict[Any, str] = {}
        objects: set[Any] = set()
        for file, graph in graphs.items():
            for subject, predicate, value in graph:
                self._out[subject][str(predicate), value] = None
                self._file.setdefault(subject, file)
                objects.add(value)
        self._pointed_at = {node for node in objects if isinstance(node, BNode)}
        self._said_about = dict(self._reified())
        self._remember_classes()
        self._nodes = self._resources()

    # -- which resources there are

    def _values(self, node: Any, properties: Iterable[str]) -> Iterator[Any]:
        for wanted in properties:
            yield from (value for predicate, value in self._out.get(node, ()) if predicate == wanted)

    def _reified(self) -> Iterator[tuple[Any, Triple]]:
        """Yield the nodes that stand for a statement, with it."""
        for node, pairs in self._out.items():
            said = dict(iter(pairs))
            for subject, predicate, value in terms.REIFIED:
                if subject in said and predicate in said and value in said:
                    yield node, (said[subject], str(said[predicate]), said[value])

    def _remember_classes(self) -> None:
        self._properties = {predicate for pairs in self._out.values() for predicate, _ in pairs}
        self._above: defaultdict[str, set[str]] = defaultdict(set)
        classes = set()
        for node, pairs in self._out.items():
            for predicate, value in pairs:
                if predicate == terms.TYPE:
                    classes.add(str(value))
                    if str(value) in terms.CLASSES:
                        classes.add(str(node))
                    if str(value) in terms.PROPERTIES:
                        self._properties.add(str(node))
                elif predicate == f"{terms.RDFS}subClassOf":
                    classes |= {str(node), str(value)}
                    self._above[str(node)].add(str(value))
        self._classes = classes

    def _resources(self) -> list[Any]:
        """Return what is an entity: first of all individuals, classes where there are none."""
        everything = [node for node in self._out if self._may_be_entity(node)]
        individuals = [node for node in everything if not self._is_schema(node)]
        found = dict.fromkeys(individuals or [node for node in everything if str(node) not in self._properties])
        for node in list(found):
            for statement in self._statements(node):
                if not isinstance(statement.value, self._literal) and self._is_related(statement, bool(individuals)):
                    found.setdefault(statement.value)
        for subject, _, value in self._said_about.values():
            found.update(dict.fromkeys(node for node in (subject, value) if not isinstance(node, self._literal)))
        return list(found)

    def _may_be_entity(self, node: Any) -> bool:
        if node in self._said_about or f"{terms.RDF}first" in dict(iter(self._out[node])):
            return False
        return not isinstance(node, self._blank) or self._stands_alone(node)

    def _stands_alone(self, node: Any) -> bool:
        """Tell whether a blank node is a resource of its own: it has a label, or nothing that it belongs to."""
        return node not in self._pointed_at or next(self._values(node, terms.LABELS), None) is not None

    def _is_schema(self, node: Any) -> bool:
        return str(node) in self._classes or str(node) in self._properties or terms.is_vocabulary(str(node))

    def _is_related(self, statement: _Statement, individuals: bool) -> bool:
        """Tell whether the object of a statement is an entity that it relates to."""
        node, predicate = statement.value, statement.path[-1]
        if predicate == terms.TYPE or node in self._said_about or (individuals and self._is_schema(node)):
            return False
        if isinstance(node, self._blank):
            return self._stands_alone(node)
        return node in self._out or not (terms.is_address(predicate, str(node)) or terms.is_vocabulary(str(node)))

    # -- what is said of a resource

    def _statements(self, node: Any, seen: tuple[Any, ...] = ()) -> Iterator[_Statement]:
        """Yield what is said of a node, that of the blank nodes that belong to it among it."""
        for predicate, value in self._out.get(node, ()):
            for member in self._members(value):
                if not isinstance(member, self._blank) or self._stands_alone(member):
                    yield _Statement((predicate,), member)
                elif member not in seen and len(seen) < _DEPTH:
                    yield from self._through(predicate, member, (*seen, member))

    def _through(self, predicate: str, node: Any, seen: tuple[Any, ...]) -> Iterator[_Statement]:
        inner = [s for s in self._statements(node, seen) if s.path != (terms.TYPE,)]
        literals = tuple((s.path, s.value) for s in inner if isinstance(s.value, self._literal))
        links = [s for s in inner if not isinstance(s.value, self._literal)]
        for statement in links or inner:
            details = (*literals, *statement.details) if links else ()
            yield _Statement((predicate, *statement.path), statement.value, details)

    def _members(self, node: Any) -> list[Any]:
        """Return the members of an RDF list, or the node itself."""
        members: list[Any] = []
        seen = set()
        while isinstance(node, self._blank) and node not in seen:
            seen.add(node)
            first = list(self._values(node, (f"{terms.RDF}first",)))
            if not first:
                break
            members += first
            node = next(self._values(node, (f"{terms.RDF}rest",)), None)
        return members or [node]

    def _called(self, node: Any) -> str:
        """Return the best label of a resource, or the end of its IRI."""
        if label := self._label(node):
            return label
        if not isinstance(node, self._blank):
            return terms.readable(str(node))
        pairs = sorted((p, str(v)) for p, v in self._out[node] if not isinstance(v, self._blank))
        return f"{self._type(node) or 'node'} {hashlib.sha256(repr(pairs).encode()).hexdigest()[:6]}"

    def _label(self, node: Any) -> str:
        for wanted in terms.LABELS:
            labels = [v for v in self._values(node, (wanted,)) if isinstance(v, self._literal) and str(v).strip()]
            if labels:
                return " ".join(str(terms.best(labels)[0]).split())
        return ""

    @cached_property
    def labels(self) -> dict[Any, str]:
        """What each entity is called."""
        return {node: self._called(node) for node in self._nodes}

    @cached_property
    def names(self) -> dict[Any, str]:
        """The unique name of each entity."""
        shared = Counter(self.labels.values())
        longer = {n: label if shared[label] == 1 else f"{label} ({_end(n)})" for n, label in self.labels.items()}
        shared = Counter(longer.values())
        return {node: name if shared[name] == 1 else f"{name} <{node}>" for node, name in longer.items()}

    def _type(self, node: Any) -> str:
        kinds = {str(v) for v in self._values(node, (terms.TYPE,)) if not isinstance(v, self._blank)} - terms.NO_TYPES
        return min((self._called_term(kind) for kind in kinds - self._over(kinds)), default="")

    def _over(self, kinds: Collection[str]) -> set[str]:
        """Return the classes above the given ones, at any distance."""
        above: set[str] = set()
        waiting = [up for kind in kinds for up in self._above.get(kind, ()) if up != kind]
        while waiting:
            kind = waiting.pop()
            if kind not in above:
                above.add(kind)
                waiting += self._above.get(kind, ())
        return above

    def _called_term(self, iri: str) -> str:
        """Return what a class or a property is called."""
        from rdflib import URIRef

        known = self._terms.get(iri)
        if known is None:
            known = self._terms[iri] = self._label(URIRef(iri)) or terms.local_name(iri)
        return known

    # -- entities and relationships

    def entity(self, node: Any) -> Entity:
        """Return a resource as an entity; unreadable valid times are noted as problems."""
        values: Values = defaultdict(list)
        times = []
        for path, value, _ in self._statements(node):
            if isinstance(value, self._literal):
                if terms.time_key(path):
                    times.append((path, value))
                values["\n".join(path)].append(value)
            elif path[-1] != terms.TYPE and value not in self.names and not isinstance(value, self._blank):
                values["\n".join(path)].append(self._literal(str(value)))
        name, label = self.names[node], self.labels[node]
        holds, unused = self._times(node, times, relation=False)
        texts = [str(text).strip() for wanted in terms.TEXTS for text in terms.best(values.pop(wanted, ()))]
        caveats = [str(text) for wanted in terms.CAVEATS for text in terms.best(values.pop(wanted, ()))]
        caveats += ["deprecated" for flag in values.pop(terms.DEPRECATED, ()) if flag.value is True]
        other = {" ".join(str(v).split()) for wanted in (*terms.LABELS, *terms.ALIASES) for v in values.pop(wanted, ())}
        told = self._told({k: v for k, v in values.items() if k in unused or not _is_time(k)})
        lines = (f"{key}: {_listed(literals)}" for key, literals in told.items())
        return Entity(
            name=name,
            type=self._type(node),
            description="\n".join(dict.fromkeys((*filter(None, texts), *lines))),
            aliases=tuple(sorted(other - {"", name, label})),
            attributes={key: terms.value_of(v[0]) if len(v) == 1 else _listed(v) for key, v in told.items()},
            label=label,
            caveat="\n".join(caveats),
            valid_from=holds.start,
            valid_to=holds.end,
            iri="" if isinstance(node, self._blank) else str(node),
        )

    def _told(self, values: Values) -> Values:
        """Return literals in the best language by what their properties are called."""
        found: Values = defaultdict(list)
        for path in sorted(values):
            found[" ".join(terms.words(self._called_term(iri)) for iri in path.split("\n"))] += terms.best(values[path])
        return found

    def relationships(self, node: Any) -> Iterator[Relationship]:
        """Yield what a resource is related to; a statement that is spoken about once for each time it is."""
        about = self._about.get(node, [])
        said = {triple[1:] for _, triple in about}
        plain = (s for s in self._statements(node) if len(s.path) > 1 or (s.path[0], s.value) not in said)
        stated = (_Statement((p,), value, self._literals(speaker)) for speaker, (_, p, value) in about)
        for path, value, details in (*plain, *stated):
            if path[-1] != terms.TYPE and value in self.names and value != node:
                yield self._relationship(node, path, value, details)

    def _literals(self, node: Any) -> Details:
        return tuple((s.path, s.value) for s in self._statements(node) if isinstance(s.value, self._literal))

    @cached_property
    def _about(self) -> dict[Any, list[tuple[Any, Triple]]]:
        """The nodes that speak about a statement, by its subject."""
        about: defaultdict[Any, list[tuple[Any, Triple]]] = defaultdict(list)
        for node, triple in self._said_about.items():
            about[triple[0]].append((node, triple))
        return dict(about)

    def _relationship(self, node: Any, path: tuple[str, ...], value: Any, details: Details) -> Relationship:
        times = [(inner, literal) for inner, literal in details if terms.time_key(inner, about_relation=True)]
        holds, _ = self._times(node, times, relation=True)
        named = self._told(_grouped(details))
        called = [self._called_term(iri) for iri in path]
        sentence = f"{self.labels[node]} {terms.words(called[-1])} {self.labels[value]}"
        told = "; ".join(f"{key}: {_listed(literals)}" for key, literals in named.items())
        return Relationship(
            source=self.names[node],
            target=self.names[value],
            type=called[-1],
            description=f"{sentence} ({told})." if told else f"{sentence}.",
            keywords=",".join(called[::-1]),
            valid_from=holds.start,
            valid_to=holds.end,
        )

    def _times(self, node: Any, times: list[tuple[tuple[str, ...], Any]], *, relation: bool) -> Any:
        """Return the valid time that literals give, and the paths of those that are no times after all."""
        given: dict[str, str] = {}
        unused = set()
        for path, literal in sorted(times, key=str):
            key = terms.time_key(path, about_relation=relation)
            span = _span(str(literal)) if key == "span" else {key: str(literal)}
            if span:
                given |= span
            else:
                unused.add("\n".join(path))
        holds, messages = validity.read(given)
        self.problems += (
            Problem(self._file.get(node, ""), 0, 0, f"{self._shown(node)}{message}") for message in messages
        )
        return holds, unused

    def _shown(self, node: Any) -> str:
        return self.labels[node] if isinstance(node, self._blank) else f"<{node}>"


def _grouped(details: Details) -> Values:
    values: Values = defaultdict(list)
    for path, literal in details:
        values["\n".join(path)].append(literal)
    return values


def _listed(literals: list[Any]) -> str:
    return "; ".join(map(str, literals))


def _is_time(path: str) -> bool:
    return bool(terms.time_key(tuple(path.split("\n"))))


def _end(node: Any) -> str:
    return terms.readable(str(node))


def _span(text: str) -> dict[str, str]:
    """Return the ends of a period: ISO 8601 (`2001/2003`), DCMI (`start=2001; end=2003`), a lone time; or nothing."""
    ends = dict(zip(("start", "end"), text.split("/"), strict=False)) if "/" in text else dict(_DCMI.findall(text))
    ends = {key: value.strip() for key, value in ends.items() if value.strip() not in ("", "..")}
    ends = ends or {"start": text, "end": text}
    found = {f"valid_{'from' if key == 'start' else 'to'}": value for key, value in ends.items()}
    return found if not validity.read(found)[1] else {}
