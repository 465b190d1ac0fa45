"""Relations in words: what can be asked about an edge, and how an entity is called by one.

`AUDITED_BY` gives the question "Which company is Walmart audited by?" and, one step further in a chain, "the company
that Walmart is audited by". A relation whose word has no grammar that can be told is quoted as it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_graph_eval.generate.view import Link, View
from pytest_graph_eval.generate.wording import asked_type, base_form, words_of

__all__ = ["PERSON", "Phrase", "is_person", "phrase", "role_of"]

PERSON = ("person", "people", "human", "individual", "personne", "executive", "employee")

_PREPOSITIONS = frozenset(
    ("of", "in", "by", "to", "at", "on", "from", "with", "for", "as", "under", "through", "into", "over", "near")
)
_IRREGULAR = frozenset(
    ("built", "made", "led", "held", "sold", "bought", "won", "wrote", "ran", "known", "given", "taken", "born", "set")
)
_BARE_NOUNS = frozenset(("part", "capital", "head"))
"""Nouns before `of` that take no `a`."""


class Phrase(NamedTuple):
    """A relation of some `{x}` in words: the whole question for its other end, and what that end is called.

    `blind` tells that the words do not say which way the relation goes.
    """

    question: str
    noun: str
    blind: bool = False


def is_person(type_: str) -> bool:
    """Tell whether a type is one of people."""
    return any(word in PERSON for word in words_of(type_).split())


def phrase(view: View, link: Link, lang: str) -> Phrase:
    """Return how to ask for the other end of a link of `{x}`."""
    type_ = view.type_of(link.other)
    if lang == "fr":
        what = f"l'élément de type « {asked_type(type_)} »"
        linked = f"lié à {{x}} par la relation « {words_of(link.relation)} »"
        question = "Qui" if is_person(type_) else f"Quel élément de type « {asked_type(type_)} »"
        return Phrase(f"{question} est {linked} ?", f"{what} {linked}", blind=True)
    who, that = ("Who", "the person who") if is_person(type_) else (f"Which {asked_type(type_)}", "")
    words = words_of(link.relation)
    asking, telling = _english(words, link.way) or (f'is linked to {{x}} by "{words}"',) * 2
    blind = asking.endswith('"')
    return Phrase(f"{who} {asking}?", f"{that or f'the {asked_type(type_)} that'} {telling}", blind)


def _english(words: str, way: str) -> tuple[str, str] | None:
    """Return how a relation goes on after `Which company` and after `the company that`; None where nothing tells."""
    first, _, rest = words.partition(" ")
    governed = rest.rsplit(" ", 1)[-1] in _PREPOSITIONS
    if way == "both" or not (governed or not rest):
        return None
    if first in ("is", "was", "are", "were"):
        return _being(first, rest, way) if governed else None
    if first.endswith("ed") or first in _IRREGULAR:
        if governed:
            return _being("is", words, way)
        return (f"{first} {{x}}",) * 2 if way == "in" else (f"was {_participle(first)} by {{x}}", f"{{x}} {first}")
    if first.endswith("s") and not first.endswith("ss") and not (rest and rest.endswith(" of")):
        doing = f"does {{x}} {base_form(first)} {rest}".rstrip()
        return (f"{words} {{x}}",) * 2 if way == "in" else (doing, f"{{x}} {words}")
    if governed and rest == "of":
        article = "" if first in _BARE_NOUNS else "an " if first[0] in "aeiou" else "a "
        return _being("is", f"{article}{words}", way)
    return None


def _being(verb: str, rest: str, way: str) -> tuple[str, str]:
    return (f"{verb} {rest} {{x}}",) * 2 if way == "in" else (f"{verb} {{x}} {rest}", f"{{x}} {verb} {rest}")


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
