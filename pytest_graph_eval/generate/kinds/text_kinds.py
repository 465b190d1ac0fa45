"""Kinds of scenarios about what is said of entities, how many there are, and what the graph does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pytest_graph_eval.generate.drafts import Ask, Draft, Spec, Unanswerable
from pytest_graph_eval.generate.figures import split_period
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.quality import state_gold
from pytest_graph_eval.generate.relations import is_person
from pytest_graph_eval.generate.view import View, is_shouted, once
from pytest_graph_eval.generate.wording import LANGUAGES, asked_type, join, plural, put, words_of
from pytest_graph_eval.graph.elements import Entity
from pytest_graph_eval.graph.retrieval.words import STOP_WORDS, fold

_SENTENCE = re.compile(r"(?<=[^\W\d_]{3}[.!?])\s+(?=[^\W\d_a-z])|\n")
_LONGEST_GOLD = 300
_METRICS = {"metrics": ["context_relevancy", "faithfulness", "answer_correctness"]}
"""What is asked about one entity, whose neighbours are no noise: no type says what else may be retrieved."""
_MOST_VARIANTS = 5
_RARE = 3
"""In how many descriptions a word stands that a search can be about."""
_SEARCH_WORDS = 3


def _first_sentence(text: str) -> str:
    """Return the first sentence of a description, on one line."""
    return " ".join(_SENTENCE.split(text.strip(), maxsplit=1)[0].split())


def _described(view: View, name: str) -> tuple[Entity, str]:
    entity = view.entity(name)
    if entity is None:
        raise Unanswerable("the entity is not in the graph")
    if not view.is_plain(name):
        raise Unanswerable("its name means several entities, or cannot be typed")
    gold = _first_sentence(entity.description)
    if len(gold.split()) < 4 or len(gold) > _LONGEST_GOLD:
        raise Unanswerable("its description is no sentence")
    return entity, gold


# --- risks ------------------------------------------------------------------------------------------------------------


def _is_risk(type_: str) -> bool:
    return not {"risk", "risks", "risque", "risques"}.isdisjoint(words_of(type_).split())


def _risks(view: View) -> Iterator[Spec]:
    for type_, entities in view.by_type.items():
        if _is_risk(type_):
            yield from ({"entity": entity.name} for entity in entities)


def _risk(view: View, spec: Spec) -> Draft:
    entity, gold = _described(view, spec["entity"])
    links = [
        link for link in view.links(entity.name)
        if split_period(link.other) is None and not _is_risk(view.type_of(link.other))
    ]  # fmt: skip
    if len({link.other for link in links}) != 1:
        raise Unanswerable("it is not the risk of one entity")
    owner = links[0].other
    if not view.is_plain(owner):
        raise Unanswerable("its owner's name means several entities")
    risk = re.sub(r"\s*\b(?:risks?|risques?)\b\s*(?:of|de|d')?\s*", " ", entity.label, flags=re.IGNORECASE).strip()
    texts = [gold, *(chunk.content for chunk in view.chunks(entity.sources))]
    risk = view.written(risk, texts, inside=True) or (risk.lower() if is_shouted(risk) else risk)
    if not risk:
        raise Unanswerable("its name does not say which risk it is")
    lang = spec.get("lang", "en")
    question = put("risks", lang, owner=view.called(owner, lang), risk=risk)
    ask = Ask(question, gold, {}, (entity.name,), query_hints=f"risk, {risk}")
    ask = replace(ask, source_chunks=state_gold(view, ask, entity.sources))
    return Draft((ask,), frozenset({links[0].fact, ("says", entity.name, gold)}))


# --- definitions ------------------------------------------------------------------------------------------------------


def _definitions(view: View) -> Iterator[Spec]:
    for entity in view.some_entities:
        if entity.description and split_period(entity.label) is None and not _is_risk(entity.type):
            yield {"entity": entity.name}


def define(view: View, spec: Spec) -> Draft:
    """Ask what an entity is."""
    entity, gold = _described(view, spec["entity"])
    template = "who" if is_person(entity.type) else "what"
    lang = spec.get("lang", "en")
    ask = Ask(put(template, lang, owner=view.called(entity.name, lang)), gold, {}, (entity.name,))
    ask = replace(ask, source_chunks=state_gold(view, ask, entity.sources))
    return Draft((ask,), frozenset({("says", entity.name, gold)}), settings=_METRICS)


# --- search -----------------------------------------------------------------------------------------------------------


@once
def _holders(view: View) -> Mapping[str, Sequence[str]]:
    """Return the words that stand in few descriptions, each with the entities whose description or name has it."""
    found: dict[str, list[str]] = {}
    for entity in view.catalog.entities:
        for word in set(fold(f"{entity.label} {entity.description}")):
            names = found.setdefault(word, [])
            if len(names) <= _RARE:
                names.append(entity.name)
    return {word: names for word, names in found.items() if len(names) <= _RARE}


def _searches(view: View) -> Iterator[Spec]:
    yield from (spec for spec in _definitions(view) if view.type_of(spec["entity"]))


def _search(view: View, spec: Spec) -> Draft:
    """Ask for an entity by its description: by what it says the entity is, else by the rarest words in it."""
    entity, said = _described(view, spec["entity"])
    holders = _holders(view)
    lang, shown = spec.get("lang", "en"), view.shown(entity.name)
    rare = {w: holders[w] for w in _own_words(entity) if w in holders}
    chosen = sorted(rare, key=lambda w: (len(rare[w]), -len(w), w))[:_SEARCH_WORDS]
    if len(chosen) < _SEARCH_WORDS:
        raise Unanswerable("its description has too few words of its own")
    close = {n for w in chosen for n in rare[w] if sum(n in rare[v] for v in chosen) >= len(chosen) - 1}
    if not all(view.is_plain(name) and view.type_of(name) == entity.type for name in close):
        raise Unanswerable("other entities are described in the same words")
    words = [word for folded, word in _own_words(entity).items() if folded in chosen]
    told = _PREDICATE[lang].fullmatch(said.removeprefix(shown)) if said.startswith(f"{shown} ") else None
    who = "who" if is_person(entity.type) else "which"
    question = (
        put(f"{who}_is", lang, type=asked_type(entity.type), told=f"{told[1]} {told[2]}")
        if told
        else put("search", lang, type=asked_type(entity.type), words=join(words, lang))
    )
    ask = Ask(question, shown, {"any_of": [[view.shown(n) for n in sorted(close)]]}, (entity.name,))
    ask = replace(ask, source_chunks=state_gold(view, ask, entity.sources))
    return Draft((ask,), frozenset({("says", entity.name, said)}), settings=_METRICS)


_PREDICATE = {
    "en": re.compile(r" (is|was|are|were) ([^?]{10,160}?)[.;]?"),
    "fr": re.compile(r" (est|était) ([^?]{10,160}?)[.;]?"),
}


def _own_words(entity: Entity) -> dict[str, str]:
    """Return the words of a description that name and type do not say, folded and as they are written."""
    named = {*fold(entity.label), *fold(words_of(entity.type))} | STOP_WORDS
    words: dict[str, str] = {}
    for word in re.findall(r"(?<![\w'’-])[^\W\d_]{5,}(?![\w'’-])", _first_sentence(entity.description)):
        folded = fold(word)
        if word.islower() and len(folded) == 1 and folded[0] not in named:
            words.setdefault(folded[0], word)
    return words


# --- counts -----------------------------------------------------------------------------------------------------------


def _types(view: View) -> Iterator[Spec]:
    yield from ({"type": type_} for type_ in view.by_type if words_of(type_))


def _count(view: View, spec: Spec) -> Draft:
    type_, lang = spec["type"], spec.get("lang", "en")
    count = len(view.by_type.get(type_, ()))
    if not count or sum(words_of(t) == words_of(type_) for t in view.by_type) > 1:
        raise Unanswerable("the type is not there, or is written in several ways")
    noun = asked_type(type_) if lang == "fr" else plural(asked_type(type_))
    question = put("how_many", lang, type=asked_type(type_), types=noun)
    check = {"value": count, "nouns": sorted({noun, asked_type(type_)})}
    return Draft((Ask(question, str(count), {"counts": {noun: check}}),), frozenset({("count", type_, str(count))}))


# --- one name, several entities ---------------------------------------------------------------------------------------


def _shared(view: View) -> Iterator[Spec]:
    yield from ({"name": key} for key in sorted(view.by_base))


def _choice(view: View, spec: Spec) -> Draft:
    names = sorted(view.by_base.get(spec["name"], ()))
    if not 2 <= len(names) <= _MOST_VARIANTS:
        raise Unanswerable("the name means one entity, or too many to list")
    labels = [entity.label for name in names if (entity := view.entity(name))]
    variants = labels if len({*map(str.casefold, labels)}) == len(labels) else names
    if len({*map(str.casefold, variants)}) < len(variants):
        raise Unanswerable("nothing tells the entities of that name apart")
    base = min((re.sub(r"\s*[(\[].*", "", v) for v in variants), key=len)
    if any(v.casefold() == base.casefold() for v in variants):
        raise Unanswerable("one of the entities has the bare name")
    ask = Ask(put("what", spec.get("lang", "en"), owner=base), None, {"choice": variants}, tuple(names))
    return Draft((ask,), frozenset({("variant", spec["name"], name) for name in names}))


# --- out of scope -----------------------------------------------------------------------------------------------------


_ELSEWHERE = {
    ("tungsten", "tungstène"): (
        "What is the boiling point of tungsten?",
        "Quel est le point d'ébullition du tungstène ?",
    ),
    ("sonata", "sonate"): ("Who composed the Moonlight Sonata?", "Qui a composé la Sonate au clair de lune ?"),
    ("penguin", "manchot"): (
        "How deep can an emperor penguin dive?",
        "À quelle profondeur plonge un manchot empereur ?",
    ),
    ("chess", "échecs"): ("How does a knight move in chess?", "Comment se déplace un cavalier aux échecs ?"),
    ("pompeii", "pompéi"): ("Which volcano destroyed Pompeii?", "Quel volcan a détruit Pompéi ?"),
    ("sourdough", "levain"): ("How long does sourdough bread rise?", "Combien de temps lève un pain au levain ?"),
    ("saturn", "saturne"): ("Who discovered the rings of Saturn?", "Qui a découvert les anneaux de Saturne ?"),
    ("sonnet", "alexandrin"): ("Which rhymes does a sonnet have?", "Quelles rimes un sonnet a-t-il ?"),
}
"""Questions that hardly any graph is about, by the words that would tell otherwise."""


def _elsewhere(view: View) -> Iterator[Spec]:
    if view.catalog.entities:
        yield from ({"topic": topic} for topic, _ in _ELSEWHERE)


def _outside(view: View, spec: Spec, *, answers: bool) -> Draft:
    words = next((words for words in _ELSEWHERE if words[0] == spec["topic"]), None)
    if words is None:
        raise Unanswerable("there is no question about that")
    texts = [*(f"{e.name} {e.description}" for e in view.catalog.entities), *(c.content for c in view.catalog.chunks)]
    if any(word in text.casefold() for text in texts for word in words):
        raise Unanswerable("the graph may be about that")
    question = _ELSEWHERE[words][LANGUAGES.index(spec.get("lang", "en"))]
    return Draft((Ask(question, None, {"denial": True} if answers else {"no_evidence": True}),), frozenset())


# --- writes -----------------------------------------------------------------------------------------------------------


def _delete(view: View, spec: Spec) -> Draft:
    entity, _ = _described(view, spec["entity"])
    lang = spec.get("lang", "en")
    question = put("delete", lang, owner=view.called(entity.name, lang))
    settings = {"skip": "it changes the graph; remove this line to ask it of a copy", "serial": True}
    ask = Ask(question, None, {"names": [view.shown(entity.name)]}, (entity.name,))
    return Draft((ask,), frozenset({("entity", entity.name)}), settings=settings)


_NO_TEXT = "no entity has a description"
_OUTSIDE = "every question from elsewhere has a word of the graph in it"
KINDS = (
    Kind("risk_factor", "risk_factor", "medium", "no entity is a risk", _risks, _risk, ("entity",)),
    Kind("definition", "definition", "easy", _NO_TEXT, _definitions, define, ("entity",)),
    Kind("search", "search", "medium", _NO_TEXT, _searches, _search, ("entity",)),
    Kind("summary", "summary", "medium", "no entity has a type", _types, _count, ("type",), answers=True),
    Kind("disambiguation", "disambiguation", "medium", "no two entities share a name", _shared, _choice, ("name",),
         answers=True),
    Kind("out_of_scope", "out_of_scope", "easy", _OUTSIDE, _elsewhere, partial(_outside, answers=True), ("topic",),
         answers=True, share=1, fills=False),
    Kind("out_of_scope_evidence", "out_of_scope", "easy", _OUTSIDE, _elsewhere, partial(_outside, answers=False),
         ("topic",), answers=False, share=1, fills=False),
    Kind("delete", "writes", "easy", _NO_TEXT, _definitions, _delete, ("entity",), groups=frozenset({"writes"}),
         share=1, fills=False),
)  # fmt: skip
