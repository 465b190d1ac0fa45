"""Reads and writes the test cases of preciso-graphrag's graph-eval skill ("Test Case JSON Schema")."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.formats import entries as common
from pytest_graph_eval.formats.entries import DataFile, Entry, Position, called, own_id
from pytest_graph_eval.models.scenario import Scenario, slug

SHAPE = "an object with a list `test_cases`"
PLACES = (("test_cases", None),)

_TEXTS = ("question", "gold_answer", "category", "difficulty", "query_hints")
_LISTS = ("source_entities", "source_chunks")
_KEYS = (*_TEXTS, *_LISTS, "requires_yoy")


def matches(data: Any) -> bool:
    """Tell whether `data` is a file of this format."""
    return isinstance(data, Mapping) and isinstance(data.get("test_cases"), list)


def read(data: Mapping[str, Any], position: Position, name: str, *, prefix: str = "") -> DataFile:
    """Return the scenarios of a file and everything that is wrong with it.

    Ids that are no ids of ours become slugs and are kept as `source_id`. Keys that the format does not know are
    left alone: they are for other readers.
    """
    reader = _Reader(position, name, prefix)
    entries = [entry for index, case in enumerate(data["test_cases"]) if (entry := reader.case(case, index))]
    documents, bad = _documents(data, name)
    return DataFile(entries, documents, [*reader.problems, *bad])


class _Reader(common.Reader):
    """Reads one file."""

    def case(self, case: Any, index: int) -> Entry | None:
        place, where = ("test_cases", index), f"test_cases[{index}]"
        if not isinstance(case, Mapping):
            self.note(place, f"{where}: a test case is an object with `id` and `question`", "wrong_type")
            return None
        source_id = case.get("id")
        if not isinstance(source_id, str | int) or isinstance(source_id, bool) or not str(source_id).strip():
            self.note(place, f"{where}: the key 'id' is missing or no text", "missing_key", "id")
            return None
        raw, where = _scenario(case, str(source_id), self.prefix), called(where, case)
        scenario = self.checked(Scenario, raw, place, where) if self.is_first(raw["id"], where, place, "") else None
        return Entry(scenario, *self.position(place)) if scenario else None


def _scenario(case: Mapping[str, Any], source_id: str, prefix: str) -> dict[str, Any]:
    """Return a case in our keys; the format writes every key, so that empty values and false mean nothing."""
    scenario_id = slug(prefix + source_id)
    raw = {key: case[key] for key in _KEYS if case.get(key) not in (None, "", []) and case[key] is not False}
    if scenario_id != source_id:
        raw["source_id"] = source_id
    return {"id": scenario_id, **raw}


def _documents(data: Mapping[str, Any], name: str) -> tuple[list[str], list[Problem]]:
    documents = data.get("source_extractions") or []
    if isinstance(documents, list) and all(isinstance(d, str) and d.isprintable() for d in documents):
        return documents, []
    message = "source_extractions: expected a list of file names"
    return [], [Problem(name, 0, 0, message, "wrong_type", "source_extractions")]


def write(scenarios: Sequence[Scenario], *, generated_at: str, source_extractions: Iterable[str] = ()) -> str:
    """Return scenarios as a file of this format; reading it back gives the same ones.

    Args:
        scenarios: as they run; what the format cannot hold is left out (see `lost_keys`).
        generated_at: UTC in ISO form.
        source_extractions: the files that the graph was made from.
    """
    sources = Counter(s.source_id for s in scenarios)
    cases = [_case(s, foreign=sources[s.source_id] == 1) for s in scenarios]
    data = {
        "generated_at": generated_at,
        "source_extractions": list(source_extractions),
        "total_cases": len(cases),
        "test_cases": cases,
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _case(scenario: Scenario, *, foreign: bool) -> dict[str, Any]:
    return {
        "id": own_id(scenario) if foreign else scenario.id,
        "question": scenario.question,
        "gold_answer": scenario.gold_answer or "",
        "source_entities": scenario.source_entities,
        "source_chunks": scenario.source_chunks,
        "category": scenario.category or "",
        "difficulty": scenario.difficulty or "",
        "requires_yoy": bool(scenario.requires_yoy),
        "query_hints": scenario.query_hints,
    }


def lost_keys(scenarios: Iterable[Scenario]) -> list[str]:
    """Return the keys with which these scenarios say something that the format cannot hold."""
    return common.lost_keys(scenarios, _KEYS)
