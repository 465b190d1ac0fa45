"""What was retrieved against what should have been: the ancestor's precision, and standard measures by name.

Measures are set-based: repeats count once and each gold item is found once, at the rank of its first match. A
measure without a gold set, or on a list that the target does not map, is unscored and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.names import entity_key
from pytest_graph_eval.models.expect import RelationshipCheck
from pytest_graph_eval.models.records import Entity, Relationship, Response, Score
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.texts import listed

_METRIC_TYPES = ("FINANCIAL_METRIC", "DATE_PERIOD", "COMPANY")
RELEVANT_TYPES: Mapping[str, Sequence[str]] = {
    "metric_retrieval": _METRIC_TYPES,
    "aggregation": _METRIC_TYPES,
    "yoy_comparison": _METRIC_TYPES,
    "segment_performance": (*_METRIC_TYPES, "GEOGRAPHIC_SEGMENT", "PRODUCT_LINE"),
    "entity_relationship": ("PERSON", "COMPANY", "LEGAL_ENTITY"),
    "risk_factor": ("RISK_FACTOR", "REGULATION", "COMPANY"),
    "multi_hop": ("PERSON", "COMPANY", "GEOGRAPHIC_SEGMENT", "PRODUCT_LINE"),
}
"""The entity types that a question of each category asks for."""

MANY_ENTITIES = 15
MANY_PENALTY = 1.5


@lru_cache(maxsize=256)
def _unscored(reason: str) -> Score:
    return Score(value=None, reason=reason)


# --- the ancestor's precision -------------------------------------------------------------------------------------


def relevant_entities(
    scenario: Scenario, response: Response, relevant_types: Mapping[str, Sequence[str]] = RELEVANT_TYPES
) -> list[Entity] | None:
    """Return the retrieved entities that are in `source_entities` or of a type that the category asks for, each once.

    None where the scenario tells nothing of the kind, or the target maps no entities.
    """
    gold = {entity_key(name) for name in scenario.source_entities}
    types = {t.casefold() for t in relevant_types.get(scenario.category or "", ())}
    if response.entities is None or scenario.expect.no_evidence or not (gold or types):
        return None
    kept = {entity_key(e.name): e for e in reversed(response.entities)}
    return [e for key, e in reversed(kept.items()) if key in gold or e.type.casefold() in types]


def precision(
    scenario: Scenario,
    response: Response,
    relevant_types: Mapping[str, Sequence[str]] = RELEVANT_TYPES,
    *,
    found: int | None = None,
) -> tuple[Score, list[str]]:
    """Return the share of retrieved entities that are relevant, and flags.

    An entity is relevant when it is in `source_entities` or of a type that the scenario's category asks for.

    Args:
        scenario: names the relevant entities and the category.
        response: what came back; its entities are the kept ones.
        relevant_types: entity types by category; compared without case.
        found: how many entities the raw reply held, for the flag; default: those of `response`.

    Returns:
        The score (divided by 1.5 above 15 entities), and `precision_issue` where the raw reply held more than 15.
    """
    if response.entities is None:
        return _unscored("the target maps no entities"), []
    flags = ["precision_issue"] if (len(response.entities) if found is None else found) > MANY_ENTITIES else []
    if scenario.expect.no_evidence:
        return _unscored("nothing should be retrieved: precision has no object"), flags
    relevant = relevant_entities(scenario, response, relevant_types)
    if relevant is None:
        return _unscored("neither source_entities nor relevant types for the category"), flags
    kept = {entity_key(e.name) for e in response.entities}
    if not kept:
        return Score(value=0.0, reason="no entity was retrieved"), flags
    value = len(relevant) / len(kept)
    reason = f"{len(relevant)} of {len(kept)} retrieved entities are relevant"
    if len(kept) > MANY_ENTITIES:
        value /= MANY_PENALTY
        reason += f"; divided by {MANY_PENALTY} because more than {MANY_ENTITIES} came back"
    return Score(value=value, reason=reason), flags


# --- sets ---------------------------------------------------------------------------------------------------------


class SetComparison(NamedTuple):
    """Precision, recall, F1 and average precision of a retrieved list, with what was left out of it."""

    precision: float
    recall: float
    f1: float
    average_precision: float
    duplicates: int
    dropped: int


def compare_sets(
    gold: Iterable[str | None],
    retrieved: Iterable[str | None],
    *,
    normalise: str = "entity",
    k: int | None = None,
    split_on: str | None = None,
) -> SetComparison | None:
    """Compare two lists of names or ids as sets; the order of `retrieved` matters for average precision only.

    Args:
        gold: what should be retrieved.
        retrieved: what was, best first.
        normalise: `entity` compares names whatever their case and quotes, `id` compares exactly.
        k: look at the first `k` distinct items only; precision is then a share of `k`.
        split_on: a separator that joins several ids in one field.

    Returns:
        The comparison, or None where `gold` holds nothing: then nothing is defined.
    """
    key: Callable[[str], Any] = entity_key if normalise == "entity" else str.strip
    wanted = {key(item) for item in _parts(gold, split_on)} - {key("")}
    if not wanted:
        return None
    items = [key(item) for item in _parts(retrieved, split_on)]
    named = [item for item in items if item]
    distinct = list(dict.fromkeys(named))
    ranking = _ranking(distinct, [lambda item, g=g: item == g for g in wanted])[:k]  # type: ignore[misc]
    size = k or len(ranking)
    share = sum(ranking) / size if size else 0.0
    recall = sum(ranking) / len(wanted)
    f1 = 2 * share * recall / (share + recall) if share + recall else 0.0
    average = _average_precision(ranking, len(wanted))
    return SetComparison(share, recall, f1, average, len(named) - len(distinct), len(items) - len(named))


def _parts(items: Iterable[str | None], split_on: str | None) -> Iterator[str]:
    """Yield the single names; one that is missing is an empty one."""
    for item in items:
        yield from (item or "").split(split_on) if split_on else (item or "",)


# --- ids and relationships -----------------------------------------------------------------------------------------


def same_id(gold: str, found: str) -> bool:
    """Tell whether two chunk ids are the same; a bare id matches one with a document in front (`doc::id`)."""
    if gold == found:
        return True
    if ("::" in gold) == ("::" in found):
        return False
    return gold.rpartition("::")[2] == found.rpartition("::")[2]


_KEYWORDS = re.compile(r"[,;|]|<SEP>")


def _words(text: str) -> str:
    return " ".join(text.replace("_", " ").split()).casefold()


def is_relationship(gold: RelationshipCheck, found: Relationship) -> bool:
    """Tell whether a retrieved edge is the expected one; its type may be one of several keywords."""
    if gold.type and _words(gold.type) not in {_words(t) for t in (found.type, *_KEYWORDS.split(found.type))}:
        return False
    ends = entity_key(gold.source), entity_key(gold.target)
    there = entity_key(found.source), entity_key(found.target)
    return ends == there or (not gold.directed and ends == there[::-1])


def triple(gold: RelationshipCheck) -> str:
    """Return an expected relationship as `source -type-> target`."""
    return f"{gold.source} -{gold.type or '*'}-> {gold.target}"


# --- measures by name ---------------------------------------------------------------------------------------------


class _Lists(NamedTuple):
    """A gold set and a ranking of distinct items: for each rank, whether it finds a gold item not found before."""

    what: str
    gold: tuple[str, ...]
    missing: tuple[str, ...]
    ranking: list[bool]
    relevant: list[bool]


def _ranking(items: Sequence[Any], golds: Sequence[Callable[[Any], bool]]) -> list[bool]:
    """Return for each rank whether it finds a gold item that no earlier rank found."""
    left = list(golds)
    hits = []
    for item in items:
        i = next((i for i, matches in enumerate(left) if matches(item)), None)
        hits.append(i is not None)
        if i is not None:
            del left[i]
    return hits


def _entities(scenario: Scenario, response: Response) -> _Lists | str:
    if not scenario.source_entities:
        return "no source_entities"
    if response.entities is None:
        return "the target maps no entities"
    gold = {entity_key(name): name for name in reversed(scenario.source_entities)}
    found = list(dict.fromkeys(entity_key(e.name) for e in response.entities))
    hits = [key in gold for key in found]
    missing = tuple(name for key, name in gold.items() if key not in set(found))
    return _Lists("source entities", tuple(gold.values()), missing, hits, hits)


def _chunks(scenario: Scenario, response: Response) -> _Lists | str:
    if not scenario.source_chunks:
        return "no source_chunks"
    if response.chunks is None:
        return "the target maps no chunks"
    gold = list(dict.fromkeys(scenario.source_chunks))
    found = list(dict.fromkeys(c.id for c in response.chunks))
    hits = _ranking(found, [lambda item, g=g: same_id(g, item) for g in gold])  # type: ignore[misc]
    missing = tuple(g for g in gold if not any(same_id(g, f) for f in found))
    relevant = [any(same_id(g, f) for g in gold) for f in found]
    return _Lists("source chunks", tuple(gold), missing, hits, relevant)


def _chunks_or_entities(scenario: Scenario, response: Response) -> _Lists | str:
    return _chunks(scenario, response) if scenario.source_chunks else _entities(scenario, response)


def _relationships(scenario: Scenario, response: Response) -> _Lists | str:
    expected = scenario.expect.relationships
    if not expected:
        return "no expect.relationships"
    if response.relationships is None:
        return "the target maps no relationships"
    found = response.relationships
    held = {triple(gold): any(is_relationship(gold, r) for r in found) for gold in expected}
    missing = tuple(text for text, is_there in held.items() if not is_there)
    hits = [True] * (len(held) - len(missing))
    return _Lists("relationships", tuple(held), missing, hits, hits)


def _recall(lists: _Lists, k: int | None) -> float:
    return sum(lists.ranking[:k]) / len(lists.gold)


def _precision(lists: _Lists, k: int | None) -> float:
    size = k or len(lists.relevant)
    return sum(lists.relevant[:k]) / size if size else 0.0


def _hit_rate(lists: _Lists, k: int | None) -> float:
    return float(any(lists.ranking[:k]))


def _reciprocal_rank(lists: _Lists, k: int | None) -> float:
    return next((1 / rank for rank, hit in enumerate(lists.ranking[:k], 1) if hit), 0.0)


def _mean_precision(lists: _Lists, k: int | None) -> float:
    return _average_precision(lists.ranking[:k], len(lists.gold))


def _average_precision(ranking: Sequence[bool], gold: int) -> float:
    found, total = 0, 0.0
    for rank, hit in enumerate(ranking, 1):
        if hit:
            found += 1
            total += found / rank
    return total / gold


def _ndcg(lists: _Lists, k: int | None) -> float:
    gain = math.fsum(1 / math.log2(rank + 1) for rank, hit in enumerate(lists.ranking[:k], 1) if hit)
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(len(lists.gold), k or len(lists.gold)) + 1))
    return gain / ideal


_Source = Callable[[Scenario, Response], "_Lists | str"]
_Formula = Callable[["_Lists", "int | None"], float]
_MEASURES: Mapping[str, tuple[_Source, _Formula]] = {
    "entity_recall": (_entities, _recall),
    "entity_precision": (_entities, _precision),
    "relationship_recall": (_relationships, _recall),
    "chunk_recall": (_chunks, _recall),
    "chunk_precision": (_chunks, _precision),
    "precision": (_chunks_or_entities, _precision),
    "hit_rate": (_chunks_or_entities, _hit_rate),
    "RR": (_chunks_or_entities, _reciprocal_rank),
    "AP": (_chunks_or_entities, _mean_precision),
    "nDCG": (_chunks_or_entities, _ndcg),
}


def _ranks(ranking: Sequence[bool]) -> str:
    """Tell where gold items stand among how many, from which all measures can be made again."""
    found = [str(rank) for rank, hit in enumerate(ranking, 1) if hit]
    return f", at {'rank' if len(found) == 1 else 'ranks'} {listed(found, 10)} of {len(ranking)}" if found else ""


def measure(name: str, scenario: Scenario, response: Response) -> Score:
    """Return a standard retrieval measure by its name, such as `entity_recall` or `nDCG@5`.

    Args:
        name: one of `metrics.names`; `@k` cuts the ranking of distinct items at `k`.
        scenario: holds the gold set (`source_chunks`, `source_entities`, `expect.relationships`).
        response: what came back, best first.

    Returns:
        The score, unscored with a reason where the gold set or the list is missing.

    Raises:
        KeyError: there is no such measure.
    """
    base, _, cutoff = name.partition("@")
    source, formula = _MEASURES[base]
    k = int(cutoff) if cutoff else None
    lists = source(scenario, response)
    if isinstance(lists, str):
        return _unscored(lists)
    reason = f"{len(lists.gold) - len(lists.missing)} of {len(lists.gold)} {lists.what} retrieved"
    if source is not _relationships:
        reason += _ranks(lists.ranking)
    if lists.missing:
        reason += f"; missing: {listed(lists.missing, 5)}"
    return Score(value=min(1.0, formula(lists, k)), reason=reason)
