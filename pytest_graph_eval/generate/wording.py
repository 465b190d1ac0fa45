"""How questions are put, in English and French: the templates of the ancestors, and grammar as far as they need it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

LANGUAGES = ("en", "fr")

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "metric": "What {was} {owner's} {metric} {in_period}?",
        "metric_of": "What {was} the {metric} of {owner} {in_period}?",
        "metric_alone": "What {was} the {metric} {in_period}?",
        "metric_count": "How many {metric} did {owner} have {in_period}?",
        "metric_count_alone": "How many {metric} were there {in_period}?",
        "attribute": "What is the {metric} of {owner}?",
        "change": "How did {owner's} {metric} change from {earlier} to {later}?",
        "change_of": "How did the {metric} of {owner} change from {earlier} to {later}?",
        "change_count": "How did the number of {owner's} {metric} change from {earlier} to {later}?",
        "change_alone": "How did the {metric} change from {earlier} to {later}?",
        "largest": "Which {type} had the highest {metric} {in_period}?",
        "smallest": "Which {type} had the lowest {metric} {in_period}?",
        "role": "Who is the {role} of {owner}?",
        "risks": "What are {owner's} {risk} risks?",
        "risks_of": "What are the {risk} risks of {owner}?",
        "who": "Who is {owner}?",
        "what": "What is {owner}?",
        "between": "How are {owner} and {other} related?",
        "neighbours": "What is {owner} directly connected to in the graph?",
        "two_hops": "What can be reached from {owner} in exactly two steps in the graph?",
        "search": "Which {type} has to do with {words}?",
        "which_is": "Which {type} {told}?",
        "who_is": "Who {told}?",
        "how_many": "How many {types} does the knowledge graph hold?",
        "what_was": "What was {owner} {on_day}?",
        "as_of_day": "As things were {on_day}: {question}",
        "inventory_at": "How many {types} were there {on_day}, and which?",
        "inventory_now": "And how many {types} are there now, and which?",
        "how_many_at": "How many {types} were there {on_day}?",
        "added_in": "Which {types} were added in {year}?",
        "freshness": "When was {owner} last {verb}?",
        "freshness_at": "As the catalog was {on_day}, when had {owner} last been {verb}?",
        "covers": "Which period do the data of {owner} cover?",
        "snapshot": "Of which day are the data of {owner}?",
        "with_value": "Which {type} has the {key} “{value}”?",
        "and": "And {question}",
        "and_what": "And what is it?",
        "and_who": "And who is that?",
        "and_what_was": "And what was {owner}?",
        "and_freshness": "And when was {called} last {verb}?",
        "and_neighbours": "And what is {called} directly connected to in the graph?",
        "recap": "Which two things have I asked about so far?",
        "delete": "Delete {owner} from the knowledge graph.",
        "in_period": "in {period}",
        "fiscal": "FY{year}",
    },
    "fr": {
        "metric": "Quelle était la valeur de « {metric} » pour {owner} {in_period} ?",
        "metric_of": "Quelle était la valeur de « {metric} » pour {owner} {in_period} ?",
        "metric_alone": "Quelle était la valeur de « {metric} » {in_period} ?",
        "metric_count": "Quel était le nombre de « {metric} » de {owner} {in_period} ?",
        "metric_count_alone": "Quel était le nombre de « {metric} » {in_period} ?",
        "attribute": "Quelle est la valeur de « {metric} » pour {owner} ?",
        "change": "Comment « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
        "change_of": "Comment « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
        "change_count": "Comment le nombre de « {metric} » de {owner} a-t-il évolué entre {earlier} et {later} ?",
        "change_alone": "Comment « {metric} » a-t-il évolué entre {earlier} et {later} ?",
        "largest": "Pour quel élément « {type} » la valeur de « {metric} » était-elle la plus élevée {in_period} ?",
        "smallest": "Pour quel élément « {type} » la valeur de « {metric} » était-elle la plus faible {in_period} ?",
        "role": "Qui est {role} de {owner} ?",
        "risks": "En quoi consiste le risque « {risk} » de {owner} ?",
        "risks_of": "En quoi consiste le risque « {risk} » de {owner} ?",
        "who": "Qui est {owner} ?",
        "what": "Qu'est-ce que {owner} ?",
        "between": "Quel est le lien entre {owner} et {other} ?",
        "neighbours": "À quoi {owner} est-il directement relié dans le graphe ?",
        "two_hops": "Que peut-on atteindre depuis {owner} en exactement deux étapes dans le graphe ?",
        "search": "Quel élément « {type} » est lié à {words} ?",
        "which_is": "Quel élément « {type} » {told} ?",
        "who_is": "Qui {told} ?",
        "how_many": "Combien d'éléments « {type} » le graphe de connaissances contient-il ?",
        "what_was": "Qu'était {owner} {on_day} ?",
        "as_of_day": "Dans l'état {on_day} : {question}",
        "inventory_at": "Combien d'éléments « {type} » y avait-il {on_day}, et lesquels ?",
        "inventory_now": "Et combien d'éléments « {type} » y a-t-il maintenant, et lesquels ?",
        "how_many_at": "Combien d'éléments « {type} » y avait-il {on_day} ?",
        "added_in": "Quels éléments « {type} » ont été ajoutés en {year} ?",
        "freshness": "Quand {owner} a-t-il été mis à jour pour la dernière fois ?",
        "freshness_at": "D'après le catalogue tel qu'il était {on_day}, quand {owner} avait-il été mis à jour ?",
        "covers": "Quelle période les données de {owner} couvrent-elles ?",
        "snapshot": "De quel jour datent les données de {owner} ?",
        "with_value": "Quel élément « {type} » a pour « {key} » la valeur « {value} » ?",
        "and": "Et {question}",
        "and_what": "Et qu'est-ce que c'est ?",
        "and_who": "Et qui est-ce ?",
        "and_what_was": "Et qu'était {owner} ?",
        "and_freshness": "Et quand {called} a-t-il été mis à jour pour la dernière fois ?",
        "and_neighbours": "Et à quoi {called} est-il directement relié dans le graphe ?",
        "recap": "Sur quels deux éléments ai-je posé des questions jusqu'ici ?",
        "delete": "Supprime {owner} du graphe de connaissances.",
        "in_period": "en {period}",
        "fiscal": "l'exercice {year}",
    },
}
"""The questions and their parts by language. A language that is not here is English."""


def put(template: str, lang: str, **parts: str) -> str:
    """Return a text of the table with its parts filled in; `{owner's}` is the possessive of `owner`."""
    texts = _TEXTS.get(lang, _TEXTS["en"])
    if "owner" in parts:
        parts["owner's"] = possessive(parts["owner"])
    text = " ".join(texts[template].format_map(parts).split())
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
