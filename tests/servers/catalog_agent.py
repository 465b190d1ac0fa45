"""A scripted agent that answers from an extraction file with valid times, in English and French, turn by turn.

It reads file and questions by itself and shares no code with the package. `FAULTS` makes it answer wrongly in one way.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FAULTS: set[str] = set()
"""`no_past`: answers for now whatever day is asked for. `sticky`: never clears a day. `forgetful`: forgets what a
conversation is about, and its day. `vague`: says nothing but that it cannot tell."""

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december", "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
          "novembre", "décembre")  # fmt: skip
INTENTS = (
    ("inventory", r"how many|combien"),
    ("added", r"added in|ajoutés en"),
    ("freshness", r"refreshed|mis à jour"),
    ("period", r"which period|quelle période|which day|quel jour"),
    ("recap", r"so far|jusqu'ici"),
    ("with_value", r"has the .* “|a pour «"),
    ("neighbours", r"connected to|relié dans"),
    ("related", r"\breads?\b|deriv|\bus(?:e|es|ed|ing)\b"),
    ("definition", r"what (?:is|was)|qu'est|qu'était"),
)


class Agent:
    """Answers one question after another."""

    def __init__(self, path: Path) -> None:
        data = json.loads(path.read_text(encoding="utf-8"))
        self.entities, self.edges = data["entities"], data["relationships"]
        self.names = sorted({e["entity_name"] for e in self.entities}, key=len, reverse=True)

    def __call__(self, question: str, conversation: Any, as_of: str | None = None) -> dict[str, Any]:
        state = conversation.state
        state.setdefault("when", as_of)  # the day that a conversation begins with
        state["fr"] = bool(re.search(r"\b(?:qu|quel|quels|quelle|combien|quand|quoi|qui|jour)\b", question.lower()))
        state["when"] = self.day(question, state)
        if named := next((n for n in self.names if n in question), None):
            state["subject"] = named
            state.setdefault("subjects", []).append(named)
        elif "forgetful" in FAULTS:
            state["subject"] = None
        intent = next(name for name, words in INTENTS if re.search(words, question.lower()))
        answer = "I cannot tell." if "vague" in FAULTS else getattr(self, intent)(question, state)
        day = state["when"]
        header = (
            f"*{'Catalogue tel qu’il était le' if state['fr'] else 'Catalog as it was on'} {day}*\n\n" if day else ""
        )
        return {"answer": header + answer, "as_of": day or "current"}

    def day(self, question: str, state: dict[str, Any]) -> str | None:
        if found := re.search(r"(?:on|le) (\d{1,2})(?:er)? (\S+) (\d{4})", question):
            month = MONTHS.index(found[2].lower().rstrip(",")) % 12 + 1
            return f"{found[3]}-{month:02}-{int(found[1]):02}"
        clears = re.search(r"\bnow\b|maintenant", question) and "sticky" not in FAULTS
        return None if clears or "forgetful" in FAULTS else state.get("when")

    def holds(self, item: dict[str, Any], state: dict[str, Any]) -> bool:
        day = None if "no_past" in FAULTS else state["when"]
        start, end = item.get("valid_from", ""), item.get("valid_to", "9999")
        return end == "9999" if day is None else start <= day <= end

    def known(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [e for e in self.entities if self.holds(e, state)]

    def subject(self, state: dict[str, Any]) -> dict[str, Any] | None:
        return next((e for e in self.known(state) if e["entity_name"] == state.get("subject")), None)

    def missing(self, state: dict[str, Any]) -> str:
        name = state.get("subject") or "It"
        return f"{name} n'existe pas dans le catalogue." if state["fr"] else f"{name} is not registered in the catalog."

    def definition(self, question: str, state: dict[str, Any]) -> str:
        found = self.subject(state)
        return found["description"] if found else self.missing(state)

    def inventory(self, question: str, state: dict[str, Any]) -> str:
        type_ = self.type(question)
        names = [e["entity_name"] for e in self.known(state) if e["entity_type"] == type_.upper()]
        if not names:
            return f"Il n'y avait aucun élément de type « {type_} »." if state["fr"] else f"There were no {type_}s."
        if state["fr"]:
            return f"Il y a {len(names)} éléments de type « {type_} » : {', '.join(names)}."
        return f"There are {len(names)} {type_}{'s' * (len(names) > 1)}: {', '.join(names)}."

    def type(self, question: str) -> str:
        return next(t for t in sorted({e["entity_type"].lower() for e in self.entities}) if t in question.lower())

    def added(self, question: str, state: dict[str, Any]) -> str:
        type_, year = self.type(question), re.search(r"\b(?:in|en) (\d{4})", question)
        first: dict[str, str] = {}
        for e in self.entities:
            if e["entity_type"] == type_.upper():
                first[e["entity_name"]] = min(e["valid_from"], first.get(e["entity_name"], "9999"))
        names = [name for name, since in first.items() if year and since.startswith(year[1])]
        return f"{'Ont été ajoutés' if state['fr'] else 'These were added'} : {', '.join(names)}."

    def attribute(self, state: dict[str, Any], *keys: str) -> list[str]:
        found = self.subject(state)
        return [found["attributes"][key] for key in keys if found and key in found["attributes"]]

    def freshness(self, question: str, state: dict[str, Any]) -> str:
        return f"{state.get('subject')} : {', '.join(self.attribute(state, 'last_refreshed')) or 'no date'}."

    def period(self, question: str, state: dict[str, Any]) -> str:
        days = self.attribute(state, "period_start", "period_end", "snapshot_date")
        return f"{state.get('subject')} : {' - '.join(days) or 'no date'}."

    def recap(self, question: str, state: dict[str, Any]) -> str:
        return ", ".join(dict.fromkeys([] if "forgetful" in FAULTS else state["subjects"])) + "."

    def with_value(self, question: str, state: dict[str, Any]) -> str:
        found = re.search(r"has the (.+) “(.+)”", question) or re.search(r"pour « (.+) » la valeur « (.+) »", question)
        assert found is not None
        key = found[1].replace(" ", "_")
        state["subject"] = next(e["entity_name"] for e in self.known(state) if e["attributes"].get(key) == found[2])
        return f"{state['subject']}."

    def near(self, state: dict[str, Any], relation: str = "") -> list[str]:
        name = state.get("subject")
        edges = [e for e in self.edges if relation in e["keywords"] and self.holds(e, state)]
        found = [
            e["tgt_id"] if e["src_id"] == name else e["src_id"] for e in edges if name in (e["src_id"], e["tgt_id"])
        ]
        return list(dict.fromkeys(found))

    def neighbours(self, question: str, state: dict[str, Any]) -> str:
        return f"{', '.join(self.near(state)) or 'Nothing'}."

    def related(self, question: str, state: dict[str, Any]) -> str:
        words = {r"\breads?\b": "READS_FROM", r"deriv": "DERIVED_FROM", r"\bus(?:e|es|ed|ing)\b": "USES"}
        relation = next(relation for word, relation in words.items() if re.search(word, question))
        found = self.near(state, relation)
        state["subject"] = found[0] if found and "forgetful" not in FAULTS else None
        return f"{', '.join(found) or 'Nothing'}."


def agent() -> Agent:
    """Make the agent over the catalog beside this file."""
    return Agent(Path(__file__).with_name("store.json"))
