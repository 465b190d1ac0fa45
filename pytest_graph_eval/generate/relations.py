"""Relations in words: what can be asked about an edge, and how an entity is called by one.

`AUDITED_BY` gives the question "Which company is Walmart audited by?" and, one step further in a chain, "the company
that Walmart is audited by". A relation whose word has no grammar that can be told is quoted as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pytest_graph_eval.generate.drafts import Unanswerable
from pytest_graph_eval.generate.view import Link, View
from pytest_graph_eval.generate.wording import asked_type, base_form, words_of
from pytest_graph_eval.graph.retrieval.words import STOP_WORDS, fold

PERSON = ("person", "people", "human", "individual", "personne", "executive", "employee")

_PREPOSITIONS = frozenset(
    ("of", "in", "by", "to", "at", "on", "from", "with", "for", "as", "under", "through", "into", "over", "near")
)
_PLACES = frozenset(("in", "at", "on", "near"))
_IRREGULAR = frozenset(
    ("built", "made", "led", "held", "sold", "bought", "won", "wrote", "ran", "known", "given", "taken", "born", "set")
)
_BASE_VERBS = frozenset(
    ("own", "sell", "buy", "measure", "employ", "use", "produce", "supply", "operate", "contain", "include", "support",
     "require", "depend", "feed", "read", "write", "manage", "lead", "serve", "make", "build", "run", "issue", "audit",
     "acquire", "found", "cause", "treat", "affect", "know", "follow", "create", "has", "have", "is", "are")
)  # fmt: skip
_BARE_NOUNS = frozenset(("part", "capital", "head"))
"""Nouns before `of` that take no `a`."""


class Phrase(NamedTuple):
    """A relation of some `{x}` in words: the whole question for its other end, and what that end is called.

    `blind` tells that the words do not say which way the relation goes.
    """

    question: str
    noun: str
    blind: bool = False


@lru_cache(maxsize=4096)
def is_person(type_: str) -> bool:
    """Tell whether a type is one of people."""
    return any(word in PERSON for word in words_of(type_).split())


def phrase(view: View, link: Link, lang: str) -> Phrase:
    """Return how to ask for the other end of a link of `{x}`."""
    type_ = view.type_of(link.other)
    if lang == "fr":
        what = f"l'élément « {asked_type(type_)} »"
        linked = f"lié par « {words_of(link.relation)} » à {{x}}"
        question = "Qui est" if is_person(type_) else f"Quel élément « {asked_type(type_)} » est"
        return Phrase(f"{question} {linked} ?", f"{what} {linked}", blind=True)
    who, that = ("Who", "the person who") if is_person(type_) else (f"Which {asked_type(type_)}", "")
    words = words_of(link.relation)
    if link.way == "both":
        link = link._replace(way=_told_way(view, link, words))
    if link.way == "out" and (noun := _noun(words)):
        return Phrase(f"{'Who' if is_person(type_) else 'What'} is the {noun} of {{x}}?", f"the {noun} of {{x}}")
    head, preposition, tail = _english(words, link.way) or (f'is linked by "{words}" to {{x}}', "", "")
    blind = head.startswith("is linked by")
    if blind and STOP_WORDS.issuperset(fold(words)):
        raise Unanswerable("the relation's word says nothing")
    if preposition:
        which = "whom" if is_person(type_) else f"which {asked_type(type_)}"
        question = f"{preposition.capitalize()} {which} {head}?"
        return Phrase(question, f"the {asked_type(type_)} {preposition} {'whom' if who == 'Who' else 'which'} {tail}")
    return Phrase(f"{who} {head}?", f"{that or f'the {asked_type(type_)} that'} {tail or head}", blind)


def _told_way(view: View, link: Link, words: str) -> str:
    """Return the way of a relation that the graph forgets and its description tells: `X is audited by Y`."""
    before, said, after = link.edge.description.casefold().partition(f" {words} ")
    ends = [link.edge.source, link.edge.target]
    x, y = (view.shown(name).casefold() for name in (ends[1] if ends[0] == link.other else ends[0], link.other))
    if not said or (x in before) == (y in before) or (x in after) == (y in after) or (x in before) == (x in after):
        return "both"
    return "out" if x in before else "in"


def _noun(words: str) -> str:
    """Return what the target of a relation is to its source (`hasOwner`, `owner`), empty where the word is no noun."""
    noun = words.removeprefix("has ")
    verbal = noun.endswith(("ed", "ing", "s")) or noun in _BASE_VERBS | _IRREGULAR | _PREPOSITIONS
    return "" if " " in noun or verbal else noun


def _english(words: str, way: str) -> tuple[str, str, str] | None:
    """Return how a relation goes on after `Which company` and after `the company that`; None where no word tells.

    Between the two stands the preposition that goes before both (`By which company`), empty where there is none; the
    second is empty where it is the first.
    """
    first, _, rest = words.partition(" ")
    middle, _, last = words.rpartition(" ")
    preposition = last if last in (_PREPOSITIONS if middle else _PLACES) else ""
    if way == "both" or not (preposition or not rest):
        return None
    if first.endswith("ed") or first in _IRREGULAR or first == preposition:
        if preposition:
            return _being(middle, preposition, way)
        return (
            (f"{first} {{x}}", "", "") if way == "in" else (f"was {_participle(first)} by {{x}}", "", f"{{x}} {first}")
        )
    if first in ("is", "was", "are", "were"):
        return _being(middle.removeprefix(first).strip(), preposition, way)
    if first.endswith("s") and not first.endswith("ss") and preposition != "of":
        if way == "in":
            return f"{words} {{x}}", "", ""
        doing = f"does {{x}} {base_form(first)} {middle.removeprefix(first).strip()}".rstrip()
        return doing, preposition, f"{{x}} {middle or first}"
    if preposition == "of":
        article = "" if first in _BARE_NOUNS else "an " if first[0] in "aeiou" else "a "
        return _being(f"{article}{middle}", preposition, way)
    return None


def _being(what: str, preposition: str, way: str) -> tuple[str, str, str]:
    """Return how `is audited by` goes on; `what` may be empty (`is in`)."""
    if way == "in":
        return " ".join(f"is {what} {preposition} {{x}}".split()), "", ""
    return f"is {{x}} {what}".rstrip(), preposition, f"{{x}} is {what}".rstrip()


def _participle(past: str) -> str:
    return {"wrote": "written", "ran": "run"}.get(past, past)


# --- roles ------------------------------------------------------------------------------------------------------------

_DECLARED = re.compile(r"(?:^|,)\s*(?:role|title|position|fonction|poste)\s*=\s*([^,=]+)", re.IGNORECASE)
_ENDED = re.compile(r"(?:^|,)\s*(?:until|to|end|ended|jusqu[^=]*)\s*=", re.IGNORECASE)
_ROLE = {
    "en": r"\b(?:is|serves as|acts as|works as) (?:the |an? )?([^\W\d_][\w&' -]{1,70}?) (?:of|at|for) (?:the )?",
    "fr": r"\best (?P<art>le |la |l['’])([^\W\d_][\w&' -]{1,70}?) (?:de |du |des |d['’])(?:la |l['’])?",
}


class Role(NamedTuple):
    """What a person is to an organisation, as a text says it; `current` is False where it has ended."""

    title: str
    current: bool


def role_of(view: View, link: Link, lang: str) -> Role | None:
    """Return the role that a person, the other end of a link, has for an organisation; None where no text tells.

    It is read from the edge's keywords (`role=`), else from what its or the person's description says (`X is the
    captain of Y`), in the language asked in.
    """
    edge, person = link.edge, view.entity(link.other)
    owner = edge.source if edge.target == link.other else edge.target
    if person is None or not is_person(person.type):
        return None
    current = not _ENDED.search(edge.keywords) and not (edge.valid_to or person.valid_to)
    declared = _DECLARED.search(edge.keywords)
    if declared:
        return Role(_without_owner(declared[1].strip(), view, owner), current)
    for text in (edge.description, person.description):
        found = re.search(rf"{_ROLE[lang]}{re.escape(view.shown(owner))}(?!\w)", text)
        if found:
            return Role(f"{found['art']}{found[2]}" if lang == "fr" else found[1], current)
    return None


def _without_owner(title: str, view: View, owner: str) -> str:
    """Return a title without the organisation that a question names anyway."""
    shown = re.escape(view.shown(owner))
    return re.sub(
        rf"\s+(?:of|at|for|de|du|,)\s+(?:the\s+)?(?:{shown}|{re.escape(owner)})\.?$", "", title, flags=re.IGNORECASE
    )
