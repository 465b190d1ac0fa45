"""Reads and writes the scenario sets of tdfs4ds: conversations with expected facts, intents and valid times.

A file with only `turns` (its results, or what came before sets) is regrouped by scenario; it holds no facts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from pytest_graph_eval.errors import Problem, SuiteError, UsageError
from pytest_graph_eval.formats import entries as common
from pytest_graph_eval.formats.entries import MODES, DataFile, Entry, Lenient, Position, by_key, called, own_id
from pytest_graph_eval.formats.tdfs4ds_facts import SETS, as_expect, as_facts, expected_intents, read_facts
from pytest_graph_eval.metrics.facts.as_of import instant, is_current
from pytest_graph_eval.models.scalars import Data, Flag, StrList, Text, plain
from pytest_graph_eval.models.scenario import Scenario, Turn, slug
from pytest_graph_eval.models.validation import Loc, dotted

SHAPE = "an object with a list `scenarios`, each with `turns`, or with `turns` alone"
PLACES = (("scenarios", None), ("scenarios", None, "turns", None), ("turns", None))
_KEPT = ("question", "description", "category", "turns", "fact_spec")
_TURN_KEPT = {"question", "expect", "fact_spec", "facts", "as_of"}


class _Time(Lenient):
    as_of_expected: Text | None = None
    cleared: Flag = False


class _Turn(Lenient):
    user: Text = Field(min_length=1)
    expected_intent: Text | None = None
    acceptable_intents: StrList = []
    fact_spec: dict[Text, Data] = {}
    expected_facts: dict[Text, Data] = {}
    time_context: _Time = _Time()


class _Scenario(Lenient):
    id: Text = Field(min_length=1)
    category: Text | None = None
    description: Text = ""
    turns: list[Any] = Field(min_length=1)


def matches(data: Any) -> bool:
    """Tell whether `data` is a file of this format."""
    return isinstance(data, Mapping) and any(isinstance(data.get(key), list) for key in ("scenarios", "turns"))


def read(data: Mapping[str, Any], position: Position, name: str, *, prefix: str = "") -> DataFile:
    """Return the scenarios of a file and everything that is wrong with it, by scenario and turn."""
    reader = _Reader(position, name, prefix)
    return DataFile([entry for raw in _raw_scenarios(data) if (entry := reader.scenario(*raw))], (), reader.problems)


def _raw_scenarios(data: Mapping[str, Any]) -> Iterator[tuple[Any, Loc, list[Loc]]]:
    """Yield each scenario as it is written, its place, and those of its turns."""
    if isinstance(data.get("scenarios"), list):
        for index, raw in enumerate(data["scenarios"]):
            turns = raw.get("turns") if isinstance(raw, Mapping) else None
            places: list[Loc] = [("scenarios", index, "turns", n) for n, _ in enumerate(_as_list(turns))]
            yield raw, ("scenarios", index), places
        return
    groups: dict[str, list[tuple[Any, Loc]]] = {}
    for number, turn in enumerate(data["turns"]):
        owner = turn.get("scenario_id") if isinstance(turn, Mapping) else None
        groups.setdefault(str(owner or "S?"), []).append((turn, ("turns", number)))
    for id_, group in groups.items():
        first = group[0][0] if isinstance(group[0][0], Mapping) else {}
        about = {key: first.get(key) for key in ("category", "description")}
        turns = [_legacy(turn) for turn, _ in group]
        yield {"id": id_, **about, "turns": turns}, group[0][1], [place for _, place in group]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _legacy(turn: Any) -> Any:
    """Return what counts of a turn of a results file: its other keys say what came of it then."""
    known = ("user", "expected_intent")
    return {key: turn[key] for key in known if key in turn} if isinstance(turn, Mapping) else turn


class _Reader(common.Reader):
    """Reads one file."""

    def scenario(self, raw: Any, place: Loc, places: Sequence[Loc]) -> Entry | None:
        where = called(dotted(place), raw)
        read = self.checked(_Scenario, raw, place, where)
        if read is None:
            return None
        turns = [self._turn(turn, at, f"{where}: turn {n}") for n, (turn, at) in
                 enumerate(zip(read.turns, places, strict=True), 1)]  # fmt: skip
        id_ = slug(self.prefix + read.id)
        if not self.is_first(id_, where, place, "") or None in turns:
            return None
        about = {"source_id": read.id if id_ != read.id else None, "category": read.category or None}
        data = {"id": id_, **about, "description": read.description, "turns": turns}
        data = {key: value for key, value in data.items() if value not in (None, "")}
        scenario = self.checked(Scenario, data, place, where)
        return Entry(scenario, *self.position(place)) if scenario is not None else None

    def _turn(self, raw: Any, place: Loc, where: str) -> Turn | None:
        read = self.checked(_Turn, raw, place, where)
        if read is None:
            return None
        try:
            expect = as_expect(read_facts(read.expected_facts, read.time_context.model_dump()))
        except (TypeError, AttributeError, ValueError) as e:
            self.note(
                place, f"{where}: expected_facts: a fact has another form than tdfs4ds writes ({e})", "wrong_type"
            )
            return None
        if intents := expected_intents(read.model_dump()):
            expect["intent"] = intents
        data = {"question": read.user, "expect": expect, "fact_spec": read.fact_spec, "facts": read.expected_facts}
        return self.checked(Turn, {key: value for key, value in data.items() if value}, place, where)


# --- writing ------------------------------------------------------------------------------------------------------


def write(scenarios: Sequence[Scenario], *, generated_at: str = "", **_: Any) -> str:
    """Return scenarios as a file of this format; reading it back gives the same ones.

    What the format cannot hold is left out (see `lost_keys`).
    """
    data: dict[str, Any] = {"scenarios": [written(s) for s in scenarios]}
    stamp = {"generated_at": generated_at} if generated_at else {}
    data["meta"] = {**stamp, "scenario_hash": fingerprint(data), "n_scenarios": len(scenarios)}
    return json.dumps(plain(data), ensure_ascii=False, indent=2) + "\n"


def written(scenario: Scenario) -> dict[str, Any]:
    """Return one scenario as it is in a set."""
    turns = _turns(scenario)
    id_ = own_id(scenario)
    return {
        "id": id_,
        "category": scenario.category or ("multi_turn" if len(turns) > 1 else "standard"),
        "description": scenario.description,
        "multi_turn": len(turns) > 1,
        "thread_id": f"eval_{id_.lower()}",
        "turns": [_written_turn(turn, n) for n, turn in enumerate(turns, 1)],
    }


def _turns(scenario: Scenario) -> list[Turn]:
    lone = Turn(question=scenario.question, expect=scenario.expect, fact_spec=scenario.fact_spec)
    return scenario.turns or [lone]


def _written_turn(turn: Turn, number: int) -> dict[str, Any]:
    first, *others = turn.expect.intent or [""]
    as_of = turn.expect.as_of
    cleared = as_of is not None and is_current(as_of)
    return {
        "turn": number,
        "user": turn.question,
        "expected_intent": first,
        **({"acceptable_intents": [first, *others]} if others else {}),
        "fact_spec": turn.fact_spec,
        "expected_facts": turn.facts or as_facts(turn.expect)[0],
        "time_context": {"as_of_expected": None if cleared else as_of, "cleared": cleared},
    }


def lost_keys(scenarios: Iterable[Scenario]) -> list[str]:
    """Return the keys with which these scenarios say something that the format cannot hold."""
    scenarios = list(scenarios)
    lost: set[str] = set(common.lost_keys(scenarios, (*_KEPT, "expect")))
    for turn in (turn for s in scenarios for turn in _turns(s)):
        lost |= {f"turns.{key}" for key in turn.model_fields_set - _TURN_KEPT}
        lost |= set() if turn.facts else {f"expect.{key}" for key in as_facts(turn.expect)[1]}
    return sorted(lost)


# --- sets ---------------------------------------------------------------------------------------------------------


def fingerprint(data: Mapping[str, Any]) -> str:
    """Return 12 hex digits over all of a set that can change a verdict: ids, questions, facts, intents and times.

    The order of the scenarios, of keys and of lists of names does not matter, nor how a number is written.
    """
    scenarios = sorted(_text([s.get("id"), [_identity(t) for t in s.get("turns") or ()]]) for s in data["scenarios"])
    return hashlib.sha256(_text(scenarios).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _identity(turn: Mapping[str, Any]) -> list[Any]:
    time = turn.get("time_context") or {}
    expected = time.get("as_of_expected")
    moment = instant(expected) if isinstance(expected, str) else None
    when = [moment.isoformat() if moment else expected, bool(time.get("cleared"))]
    facts = _canonical(turn.get("expected_facts") or {})
    facts |= {key: sorted(facts[key], key=_text) for key in SETS & facts.keys() if isinstance(facts[key], list)}
    return [turn.get("user"), facts, sorted(expected_intents(turn)), when]


def _canonical(value: Any) -> Any:
    """Return data with every number written in one way: 1.0 is 1."""
    if isinstance(value, Mapping):
        return {str(key): _canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def merge(base: Mapping[str, Any], incoming: Mapping[str, Any], mode: str = "append") -> dict[str, Any]:
    """Return one set of two.

    `append`: an incoming scenario takes the place of the base's with the same id, others follow behind; `meta` merges
    by key, with count and fingerprint made anew. `replace`: the incoming set as it is.

    Raises:
        UsageError: an unknown mode.
        SuiteError: an id is missing, or stands twice in one of the sets.
    """
    if mode not in MODES:
        raise UsageError(f"merge mode {mode!r}: expected one of {', '.join(MODES)}")
    sets = {"incoming": incoming.get("scenarios") or []}
    if mode == "append":
        sets = {"base": base.get("scenarios") or [], **sets}
    if problems := [p for name, scenarios in sets.items() for p in _bad_ids(scenarios, name)]:
        raise SuiteError(problems)
    if mode == "replace":
        return dict(incoming)
    scenarios = list({str(s["id"]): s for own in sets.values() for s in own}.values())
    meta = by_key(base.get("meta") or {}, incoming.get("meta") or {}) | {"n_scenarios": len(scenarios)}
    if "scenario_hash" in meta:
        meta["scenario_hash"] = fingerprint({"scenarios": scenarios})
    return {"scenarios": scenarios, "meta": meta}


def _bad_ids(scenarios: Iterable[Mapping[str, Any]], name: str) -> Iterator[Problem]:
    for id_, count in Counter(str(s.get("id") or "") for s in scenarios).items():
        if not id_:
            yield Problem(name, 0, 0, "a scenario has no `id`; give it one", "missing_key", "id")
        elif count > 1:
            yield Problem(name, 0, 0, f"duplicate id {id_!r}; ids are unique in a set", "duplicate_id", id_)
