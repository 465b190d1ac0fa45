"""The roll of a run lists records in the order of their keys, whatever order they came in."""

from __future__ import annotations

import random

from pytest_graph_eval.gate.outcomes import Key, Kind
from pytest_graph_eval.gate.roll import Roll

KINDS: tuple[Kind, ...] = ("passed", "failed", "errors", "inconclusive", "skipped", "xfailed")


def roll(keys: list[Key], kinds: list[Kind]) -> Roll:
    found = Roll()
    for key, kind in zip(keys, kinds, strict=True):
        found.add(key, kind, weak=kind == "failed" and key[1] % 2 == 1)
    return found


def test_records_are_listed_in_order_by_what_they_count_as() -> None:
    chance = random.Random(3)
    keys: list[Key] = [(s, n, f"{s}::q{n}", f"q{n}") for s in ("a", "b") for n in range(40)]
    kinds = {key: chance.choice(KINDS) for key in keys}
    chance.shuffle(keys)
    found = roll(keys, [kinds[key] for key in keys])
    assert len(found) == 80
    for kind in KINDS:
        assert found.named(lambda key: key[2], kind) == [k[2] for k in sorted(keys) if kinds[k] == kind]
    weak = [k[2] for k in sorted(keys) if kinds[k] == "failed" and k[1] % 2]
    assert found.weak(lambda key: key[2]) == weak
    assert found.named(lambda key: key[2], "failed", "errors") == [
        k[2] for k in sorted(keys) if kinds[k] in ("failed", "errors")
    ]


def test_the_same_index_is_ordered_by_node_id() -> None:
    keys: list[Key] = [("a", 1, "z", "x"), ("a", 1, "a::y", "y"), ("a", 0, "a::w", "w"), ("a", 1, "a::b", "b")]
    assert roll(keys, ["passed"] * 4).named(lambda key: key[3], "passed") == ["w", "b", "y", "x"]


def test_an_id_that_two_records_share_is_named_by_its_node_id() -> None:
    keys: list[Key] = [("a", 0, "a::q", "q"), ("a", 1, "a::r", "r"), ("b", 0, "other", "q")]
    found = roll(keys, ["passed"] * 3)
    assert found.named(found.namer(), "passed") == ["a::q", "r", "other"]
    twice = roll([keys[0], keys[0]], ["passed"] * 2)
    assert twice.named(twice.namer(), "passed") == ["a::q", "a::q"]
