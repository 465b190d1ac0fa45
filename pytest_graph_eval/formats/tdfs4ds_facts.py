"""The expected facts of tdfs4ds as an `expect:` of ours, and back. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pytest_graph_eval.metrics.facts.as_of import CURRENT
from pytest_graph_eval.models.expect import Expect

_IDENTITY = ("feature_name", "view_name", "object_name", "column_name", "entity_name", "domain_name")
_NOUNS = {"feature_count": ["features", "variables"], "process_count": ["processes", "processus"]}
_BREAKDOWNS = ("feature_count_by_entity", "domain_feature_counts")
_FILTER_WORDS = [
    "only", "where", "filter", "filters", "filtered", "filtering", "restricted", "restricts", "excluding", "excludes",
    "excluded", "limited to", "condition", "conditions", "seulement", "uniquement", "filtre", "filtres", "filtré",
    "filtrage", "restreint", "limité", "exclut", "hors", "sauf",
]  # fmt: skip
_ABSENT = {"absent_names": "absent_at_valid_time", "forbidden_names": "catalog_name_out_of_scope"}


SETS = frozenset((
    "required_names", "feature_names", "lineage_neighbors", "expected_any", "available_domains", "dates",
    "absent_names", "forbidden_names", "all_entity_variants", "group_by_keys",
))  # fmt: skip
"""Facts that are lists whose order means nothing."""


class Fact(NamedTuple):
    """One expected fact: what the format calls it in its results, the key of our `expect`, and the item there."""

    label: str
    key: str
    item: Any


def read_facts(facts: Mapping[str, Any], time: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield what facts and the time context of a turn ask for."""
    choice = facts.get("disambiguation_expected")
    if "required_names" in facts:
        yield from (Fact(f"name={n}", "names", n) for n in _listed(facts["required_names"]))
    elif not choice:
        yield from (Fact(f"{k}={facts[k]}", "names", facts[k]) for k in _IDENTITY if k in facts)
        yield from (Fact(f"feature={n}", "names", n) for n in facts.get("feature_names") or ())
    if choice:
        variants = [v.split(" (")[0] for v in facts.get("all_entity_variants") or ()]
        yield from (Fact(f"variant={v}", "choice", v) for v in variants)
    else:
        yield from _answer(facts)
    yield from _time(time)


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [value]


def _answer(facts: Mapping[str, Any]) -> Iterator[Fact]:
    yield from (Fact(f"neighbor={n}", "names", n) for n in facts.get("lineage_neighbors") or ())
    if facts.get("expected_any"):
        yield Fact(f"any of {facts['expected_any'][:6]}", "any_of", facts["expected_any"])
    yield from (Fact(f"domain={n}", "names", n) for n in facts.get("available_domains") or ())
    yield from _figures(facts)
    yield from (Fact(label, "dates", {"value": day, "day_first": "any"}) for label, day in _days(facts))
    if facts.get("group_by_keys"):
        columns = [k.rsplit(".", 1)[-1] for k in facts["group_by_keys"]]
        yield Fact(f"grain={columns}", "any_of", [*columns, "per", "par"])
    if facts.get("has_filters"):
        yield Fact("filter stated", "any_of", _FILTER_WORDS)
    if facts.get("must_exist"):
        yield Fact("denies_an_object_that_exists", "denial", False)
    if facts.get("not_registered_at"):
        yield Fact("not_registered_stated", "denial", True)
    for key, label in _ABSENT.items():
        yield from (Fact(f"{label}={n}", "forbidden", n) for n in facts.get(key) or ())


def _figures(facts: Mapping[str, Any]) -> Iterator[Fact]:
    for key, nouns in _NOUNS.items():
        if key in facts:
            value = facts[key]
            if isinstance(value, int) and value >= 0:
                yield Fact(f"{key}={value}", "counts", {nouns[0]: {"value": value, "nouns": nouns}})
            else:
                yield Fact(f"{key}={value}", "numbers", {"value": value})
    for key in _BREAKDOWNS:
        parts = facts.get(key) or {}
        for name, value in parts.items() if len(parts) > 1 else ():
            yield Fact(f"count[{name}]={value}", "numbers", {"value": value, "of": name, "if_named": True})


def _days(facts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the dates that are expected: those of the processes where there are any."""
    if not facts.get("processes"):
        return [(f"date={d}", d) for d in facts.get("dates") or ()]
    parts = (("business_date", "last_business_date"), ("manager_date", "manager_date"))
    return [(f"{label}={p[key]}", p[key]) for p in facts["processes"] for label, key in parts if p.get(key)]


def _time(time: Mapping[str, Any]) -> Iterator[Fact]:
    if time.get("as_of_expected"):
        yield Fact(f"as_of_stated={time['as_of_expected'][:19]}", "as_of", time["as_of_expected"])
    elif time.get("cleared"):
        yield Fact("answered_at_a_past_date_after_now", "as_of", CURRENT)


def as_expect(facts: Iterable[Fact]) -> dict[str, Any]:
    """Return facts as the data of an `Expect`."""
    expect: dict[str, Any] = {}
    for _, key, item in facts:
        if key == "counts":
            expect.setdefault(key, {}).update(item)
        elif key in ("denial", "as_of"):
            expect[key] = item
        else:
            expect.setdefault(key, []).append(item)
    return expect


def expected_intents(turn: Mapping[str, Any]) -> list[str]:
    """Return the intents that a turn accepts, the expected one first; none where it expects none."""
    named = [turn.get("expected_intent"), *(turn.get("acceptable_intents") or ())]
    return list(dict.fromkeys(str(intent) for intent in named if intent))


def as_facts(expect: Expect) -> tuple[dict[str, Any], set[str]]:
    """Return what an `expect` says in the format's keys, and the keys of ours for which it has no word."""
    held: dict[str, tuple[str, Any]] = {
        "names": ("required_names", [n.name for n in expect.names or ()]),
        "any_of": ("expected_any", [n.name for n in (expect.any_of or [[]])[0]]),
        "forbidden": ("forbidden_names", [n.name for n in expect.forbidden or ()]),
        "dates": ("dates", [d.value for d in expect.dates or ()]),
        "choice": ("all_entity_variants", [n.name for n in expect.choice or ()]),
    }
    facts = {word: value for word, value in held.values() if value}
    if expect.choice:
        facts["disambiguation_expected"] = True
    if expect.denial is False:
        facts["must_exist"] = True
    lost = expect.written - held.keys() - {"as_of", "intent"} - ({"denial"} if expect.denial is False else set())
    return facts, lost | ({"any_of"} if len(expect.any_of or ()) > 1 else set())
