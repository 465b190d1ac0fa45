"""How questions are put, in English and French: the templates of the ancestors, and grammar as far as they need it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

LANGUAGES = ("en", "fr")

_TEMPLATES: Mapping[str, Mapping[str, str]] = {
    "metric": {
        "en": "What {was} {owner's} {metric} {in_period}?",
        "fr": "Quelle était la valeur de « {metric} » pour {owner} {in_period} ?",
    },
    "metric_of": {
        "en": "What {was} the {metric} of {owner} {in_period}?",
        "fr": "Quelle était la valeur de « {metric} » pour {owner} {in_period} ?",
    },
    "metric_alone": {
        "en": "What {was} the {metric} {in_period}?",
        "fr": "Quelle était la valeur de « {metric} » {in_period} ?",
    },
    "metric_count": {
        "en": "How many {metric} did {owner} have {in_period}?",
        "fr": "Quel était le nombre de « {metric} » de {owner} {in_period} ?",
    },
    "metric_count_alone": {
        "en": "How many {metric} were there {in_period}?",
        "fr": "Quel était le nombre de « {metric} » {in_period} ?",
    },
    "attribute": {
        "en": "What is the {metric} of {owner}?",
        "fr": "Quelle est la valeur de « {metric} » pour {owner} ?",
    },
    "change": {
        "en": "How did {owner's} {metric} change from {earlier} to {later}?",
        "fr": "Comment « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
    },
    "change_of": {
        "en": "How did the {metric} of {owner} change from {earlier} to {later}?",
        "fr": "Comment « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
    },
    "change_count": {
        "en": "How did the number of {owner's} {metric} change from {earlier} to {later}?",
        "fr": "Comment le nombre de « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
    },
    "change_alone": {
        "en": "How did the {metric} change from {earlier} to {later}?",
        "fr": "Comment « {metric} » a-t-il évolué entre {earlier} et {later} ?",
    },
    "largest": {
        "en": "Which {type} had the highest {metric} {in_period}?",
        "fr": "Pour quel élément « {type} » la valeur de « {metric} » était-elle la plus élevée {in_period} ?",
    },
    "smallest": {
        "en": "Which {type} had the lowest {metric} {in_period}?",
        "fr": "Pour quel élément « {type} » la valeur de « {metric} » était-elle la plus faible {in_period} ?",
    },
    "role": {"en": "Who is the {role} of {owner}?", "fr": "Qui est {role} de {owner} ?"},
    "risks": {"en": "What are {owner's} {risk} risks?", "fr": "En quoi consiste le risque « {risk} » de {owner} ?"},
    "risks_of": {
        "en": "What are the {risk} risks of {owner}?",
        "fr": "En quoi consiste le risque « {risk} » de {owner} ?",
    },
    "who": {"en": "Who is {owner}?", "fr": "Qui est {owner} ?"},
    "what": {"en": "What is {owner}?", "fr": "Qu'est-ce que {owner} ?"},
    "between": {
        "en": "How are {owner} and {other} related?",
        "fr": "Quel est le lien entre {owner} et {other} ?",
    },
    "neighbours": {
        "en": "What is {owner} directly connected to in the graph?",
        "fr": "À quoi {owner} est-il directement relié dans le graphe ?",
    },
    "two_hops": {
        "en": "What can be reached from {owner} in exactly two steps in the graph?",
        "fr": "Que peut-on atteindre depuis {owner} en exactement deux étapes dans le graphe ?",
    },
    "search": {
        "en": "Which {type} has to do with {words}?",
        "fr": "Quel élément « {type} » est lié à {words} ?",
    },
    "which_is": {"en": "Which {type} {told}?", "fr": "Quel élément « {type} » {told} ?"},
    "who_is": {"en": "Who {told}?", "fr": "Qui {told} ?"},
    "how_many": {
        "en": "How many {types} does the knowledge graph hold?",
        "fr": "Combien d'éléments « {type} » le graphe de connaissances contient-il ?",
    },
    "what_was": {"en": "What was {owner} {on_day}?", "fr": "Qu'était {owner} {on_day} ?"},
    "as_of_day": {"en": "As things were {on_day}: {question}", "fr": "Dans l'état {on_day} : {question}"},
    "inventory_at": {
        "en": "How many {types} were there {on_day}, and which?",
        "fr": "Combien d'éléments « {type} » y avait-il {on_day}, et lesquels ?",
    },
    "inventory_now": {
        "en": "And how many {types} are there now, and which?",
        "fr": "Et combien d'éléments « {type} » y a-t-il maintenant, et lesquels ?",
    },
    "how_many_at": {
        "en": "How many {types} were there {on_day}?",
        "fr": "Combien d'éléments « {type} » y avait-il {on_day} ?",
    },
    "added_in": {
        "en": "Which {types} were added in {year}?",
        "fr": "Quels éléments « {type} » ont été ajoutés en {year} ?",
    },
    "freshness": {
        "en": "When was {owner} last {verb}?",
        "fr": "Quand {owner} a-t-il été mis à jour pour la dernière fois ?",
    },
    "freshness_at": {
        "en": "As the catalog was {on_day}, when had {owner} last been {verb}?",
        "fr": "D'après le catalogue tel qu'il était {on_day}, quand {owner} avait-il été mis à jour ?",
    },
    "covers": {
        "en": "Which period do the data of {owner} cover?",
        "fr": "Quelle période les données de {owner} couvrent-elles ?",
    },
    "snapshot": {
        "en": "Of which day are the data of {owner}?",
        "fr": "De quel jour datent les données de {owner} ?",
    },
    "with_value": {
        "en": "Which {type} has the {key} “{value}”?",
        "fr": "Quel élément « {type} » a pour « {key} » la valeur « {value} » ?",
    },
    "and": {"en": "And {question}", "fr": "Et {question}"},
    "and_what": {"en": "And what is it?", "fr": "Et qu'est-ce que c'est ?"},
    "and_who": {"en": "And who is that?", "fr": "Et qui est-ce ?"},
    "and_what_was": {"en": "And what was {owner}?", "fr": "Et qu'était {owner} ?"},
    "and_freshness": {
        "en": "And when was {called} last {verb}?",
        "fr": "Et quand {called} a-t-il été mis à jour pour la dernière fois ?",
    },
    "and_neighbours": {
        "en": "And what is {called} directly connected to in the graph?",
        "fr": "Et à quoi {called} est-il directement relié dans le graphe ?",
    },
    "recap": {
        "en": "Which two things have I asked about so far?",
        "fr": "Sur quels deux éléments ai-je posé des questions jusqu'ici ?",
    },
    "delete": {
        "en": "Delete {owner} from the knowledge graph.",
        "fr": "Supprime {owner} du graphe de connaissances.",
    },
    "in_period": {"en": "in {period}", "fr": "en {period}"},
    "fiscal": {"en": "FY{year}", "fr": "l'exercice {year}"},
}


def put(template: str, lang: str, **parts: str) -> str:
    """Return a text of the table with its parts filled in; `{owner's}` is the possessive of `owner`.

    A language that the table does not have is English.
    """
    texts = _TEMPLATES[template]
    if "owner" in parts:
        parts["owner's"] = possessive(parts["owner"])
    text = " ".join(texts.get(lang, texts["en"]).format_map(parts).split())
    return _joined_articles(text) if lang == "fr" else text


def filled(text: str, lang: str, x: str) -> str:
    """Return a text with a name in the place of `{x}`; French prepositions join the article of the name."""
    whole = text.replace("{x}", x)
    return _joined_articles(whole) if lang == "fr" else whole


def _joined_articles(text: str) -> str:
    """Return a French text in which `à le` is `au`, and `de les` is `des`."""
    return re.sub(r"\b([àÀ]|[dD]e) (les?) (?=\w)", lambda m: f"{_JOINED[m[1].lower(), m[2]]} ", text)


_JOINED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}


def possessive(name: str) -> str:
    """Return `Walmart's`, `Nordsund Lines'`."""
    return f"{name}'" if name[-1:] in "sS" and not name.endswith("'s") else f"{name}'s"


def is_plural(words: str) -> bool:
    """Tell whether an English noun phrase is plural by its last word."""
    last = words.rsplit(maxsplit=1)[-1].casefold() if words.split() else ""
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))


def plural(words: str) -> str:
    """Return the plural of an English noun phrase."""
    if is_plural(words):
        return words
    if re.search(r"[^aeiou]y$", words):
        return f"{words[:-1]}ies"
    if words.endswith("person"):
        return f"{words[:-6]}people"
    return f"{words}es" if words.endswith(("s", "x", "z", "ch", "sh")) else f"{words}s"


def base_form(verb: str) -> str:
    """Return the base form of an English verb in the third person: `carries` is `carry`, `operates` is `operate`."""
    if verb in ("has", "does", "goes"):
        return {"has": "have", "does": "do", "goes": "go"}[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "zzes")) else verb[:-1]


@lru_cache(maxsize=4096)
def words_of(label: str) -> str:
    """Return a type or relation as words: `GEOGRAPHIC_SEGMENT`, `worksFor` and `works-for` are two words each."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", label)
    return " ".join(word.lower() for word in re.split(r"[\W_]+", spaced) if word)


def asked_type(label: str) -> str:
    """Return a type as a question names it; `entity` where there is none."""
    return words_of(label) or "entity"


def join(words: list[str], lang: str) -> str:
    """Return `a, b and c`."""
    last = {"fr": " et "}.get(lang, " and ")
    return last.join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
