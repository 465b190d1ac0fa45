"""A scripted agent over an invented feature store: it keeps conversations, and answers in English and French."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CATALOG = Path(__file__).with_name("features.json")
MONTHS = {"january": 1, "march": 3, "mars": 3, "june": 6, "juin": 6}
NUMBERS = {"en": ("no", "one", "two", "three", "four"), "fr": ("aucune", "une", "deux", "trois", "quatre")}
INTENTS = (
    ("SUMMARY", r"how many|which features|combien|quelles variables"),
    ("FRESHNESS", r"refreshed|up to date|mise? à jour"),
    ("LINEAGE", r"made from|come from|vient"),
    ("OWNER", r"\bowns\b|responsable"),
    ("DEFINITION", r"what is|what was|qu'est-ce|the \w+ one"),
)


@dataclass(frozen=True)
class Feature:
    """One feature of the store; a name may stand in several domains."""

    name: str
    domain: str
    means: str
    signifie: str
    since: str
    refreshed: str
    table: str
    owner: str


def features() -> list[Feature]:
    """Return what the catalog holds."""
    entities = json.loads(CATALOG.read_text(encoding="utf-8"))["entities"]
    return [Feature(e["entity_name"], **row) for e in entities for row in e["attributes"].values()]


class Agent:
    """Answers one question after another; what a conversation is about stands in its state."""

    def __init__(self) -> None:
        self.all = features()

    def __call__(self, question: str, conversation: Any) -> dict[str, Any]:
        state = conversation.state
        state["lang"] = "fr" if re.search(r"\b(?:quelles|combien|qu'est|et|elle|une)\b", question.lower()) else "en"
        intent = state["intent"] = self.intent(question, state)
        state["when"] = self.when(question, state)
        state["subject"] = self.subject(question, state)
        state["domain"] = self.domain(question, state)
        known = self.known(state["when"])
        answer, used = getattr(self, intent.lower())(state, known)
        return {
            "answer": self.header(state) + answer,
            "intent": intent,
            "as_of": state["when"] or "current",
            "names": sorted({f.name for f in used}),
        }

    def intent(self, question: str, state: dict[str, Any]) -> str:
        """Take a question for what it is; a follow-up without a word of its own asks the same again."""
        text = question.lower()
        found = next((name for name, words in INTENTS if re.search(words, text)), None)
        is_follow_up = text.startswith(("and ", "et "))
        return found or (state.get("intent", "OUT_OF_SCOPE") if is_follow_up else "OUT_OF_SCOPE")

    def when(self, question: str, state: dict[str, Any]) -> str | None:
        """Return the day that is asked about: it holds until another one, or until now."""
        if iso := re.search(r"\d{4}-\d{2}-\d{2}", question):
            return iso[0]
        if day := re.search(r"(\d{1,2})(?:er|st)? (?:of )?(\w+) (\d{4})", question):
            return f"{day[3]}-{MONTHS[day[2].lower()]:02}-{int(day[1]):02}"
        return None if re.search(r"\b(?:now|maintenant)\b", question) else state.get("when")

    def subject(self, question: str, state: dict[str, Any]) -> str | None:
        """Return the feature that is asked about, or that a pronoun stands for."""
        return next((f.name for f in self.all if f.name in question), state.get("subject"))

    def domain(self, question: str, state: dict[str, Any]) -> str | None:
        """Return the domain that is named, now or before."""
        return next((f.domain for f in self.all if re.search(rf"\b{f.domain}\b", question)), state.get("domain"))

    def known(self, when: str | None) -> list[Feature]:
        """Return the features that were registered by then."""
        return [f for f in self.all if when is None or f.since <= when]

    def header(self, state: dict[str, Any]) -> str:
        """Say of which day the answer speaks, where it is not today."""
        if state["when"] is None:
            return ""
        words = {"en": "Catalog as it was on", "fr": "Catalogue tel qu'il était le"}[state["lang"]]
        return f"*{words} {state['when']}*\n\n"

    def found(self, state: dict[str, Any], known: list[Feature]) -> list[Feature]:
        """Return the features of that name, in the domain where one is named."""
        named = [f for f in known if f.name == state["subject"]]
        return [f for f in named if f.domain == state["domain"]] or named

    def definition(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        found = self.found(state, known)
        if not found:
            return self.missing(state), []
        if len(found) > 1:
            return self.choice(state, found), found
        (feature,) = found
        if state["lang"] == "fr":
            return f"{feature.name} (domaine {feature.domain}) est {feature.signifie}.", found
        return f"{feature.name} (domain {feature.domain}) is {feature.means}.", found

    def missing(self, state: dict[str, Any]) -> str:
        if state["lang"] == "fr":
            return f"{state['subject']} n'existe pas dans le catalogue."
        return f"{state['subject']} is not registered in the catalog."

    def choice(self, state: dict[str, Any], found: list[Feature]) -> str:
        domains = [f.domain for f in found]
        if state["lang"] == "fr":
            return f"{found[0].name} existe dans {' et '.join(domains)}. Lequel voulez-vous ?"
        return f"{found[0].name} stands in {' and '.join(domains)}. Which one do you mean?"

    def summary(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        found = [f for f in known if f.domain == state["domain"]]
        count, names = NUMBERS[state["lang"]][len(found)], ", ".join(f.name for f in found)
        if state["lang"] == "fr":
            return f"Le domaine {state['domain']} compte {count} variables : {names}.", found
        return f"The domain {state['domain']} has {count} feature{'s' * (len(found) != 1)}: {names}.", found

    def freshness(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        (feature,) = self.found(state, known)
        if state["lang"] == "fr":
            return f"{feature.name} a été mise à jour le {feature.refreshed}.", [feature]
        return f"{feature.name} was last refreshed on {feature.refreshed}.", [feature]

    def lineage(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        (feature,) = self.found(state, known)
        if state["lang"] == "fr":
            return f"{feature.name} vient de la table {feature.table}.", [feature]
        return f"{feature.name} comes from the table {feature.table}.", [feature]

    def owner(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        (feature,) = self.found(state, known)
        return f"{feature.name} is owned by the {feature.owner} team.", [feature]

    def out_of_scope(self, state: dict[str, Any], known: list[Feature]) -> tuple[str, list[Feature]]:
        return "I only know the feature store: ask me about a feature or a domain.", []


def agent() -> Agent:
    """Make the agent that the suite asks."""
    return Agent()
