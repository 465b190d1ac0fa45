"""Which of a kind's recipes are built: drawn by the seed, spread over types and subjects, never more than needed.

The draw orders recipes by a hash of seed and recipe, so that it depends on neither the machine nor the order of files,
and one more entity in the graph moves no other recipe.
"""

from __future__ import annotations

import functools
import hashlib
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from heapq import heappush, heapreplace, nsmallest

from pytest_graph_eval.generate.drafts import Draft, Spec
from pytest_graph_eval.generate.kinds.kind import Kind
from pytest_graph_eval.generate.view import View, once

_FIRST = 8
"""Recipes of each type of entity and relation that are kept beside those that are wanted."""

_MOST_IN_VAIN = 200
"""Recipes that are tried one after another in vain before a kind is given up: of a million, the others are alike."""

_ENOUGH = 4_000
"""Recipes of one kind that are looked at in a graph that has more."""

_DIGITS = re.compile(r"\d+")


class Drawn:
    """The recipes of one kind in the order of the draw, built one by one as they are asked for."""

    def __init__(self, kind: Kind, view: View, seed: int, wanted: int) -> None:
        """Take how many will be asked for; nothing is enumerated yet."""
        self.kind = kind
        self.reasons: Counter[str] = Counter()
        """Why recipes were not built."""
        self.recipes: int | None = None
        """How many there are; None before the first is asked for."""
        self._view = view
        self._seed = seed
        self._most = _FIRST + 2 * wanted
        self._tried: set[bytes] = set()
        self._tried_in_vain = 0
        self._order = self._all()

    @property
    def tried(self) -> int:
        """How many recipes were tried."""
        return len(self._tried)

    def next(self, lang: str, asked: set[str]) -> tuple[Spec, Draft] | None:
        """Return the next recipe that the graph answers, with its scenario; None when there are no more.

        Args:
            lang: the language to ask in.
            asked: questions that were asked already; those of the scenario are added.
        """
        while self._tried_in_vain < _MOST_IN_VAIN and (recipe := next(self._order, None)) is not None:
            self._tried_in_vain += 1
            spec = {**recipe, "lang": lang}
            draft = self.kind.build(self._view, spec, self.reasons)
            if draft is None:
                continue
            questions = " / ".join(ask.question for ask in draft.asks)
            if questions in asked:
                self.reasons["the same question is asked already"] += 1
                continue
            asked.add(questions)
            self._tried_in_vain = 0
            return spec, draft
        return None

    def _all(self) -> Iterator[Spec]:
        most = self._most
        while True:
            drawn, count = draw(self.kind.specs(self._view), self._view, f"{self._seed} {self.kind.name}", most)
            self.recipes = count
            for key, spec in drawn:
                if key not in self._tried:
                    self._tried.add(key)
                    yield spec
            if most >= count:  # no stratum holds more than all of them
                return
            most *= 16


def draw(specs: Iterable[Spec], view: View, salt: str, most: int) -> tuple[list[tuple[bytes, Spec]], int]:
    """Return the first recipes of each stratum in the order of the draw, and how many recipes there are in all.

    A stratum is a type of entity with a type of relation. The order goes round the strata, and in each round through
    the subjects: `NET SALES FY2022` and `NET SALES FY2023` are one.
    """
    heaps: defaultdict[tuple[str, str], list[tuple[int, bytes, Spec]]] = defaultdict(list)
    count = 0
    for spec in specs:
        count += 1
        key = _key(salt, (f"{name}={value}" for name, value in spec.items()))
        heap = heaps[_stratum(spec, view)]
        item = (-int.from_bytes(key), key, spec)
        if len(heap) < most:
            heappush(heap, item)
        elif item[0] > heap[0][0]:
            heapreplace(heap, item)
    ranked = []
    for stratum, heap in heaps.items():
        seen: Counter[str] = Counter()
        rounds: Counter[int] = Counter()
        for _, key, spec in sorted(heap, key=lambda item: item[1]):
            subject = _DIGITS.sub("", next(iter(spec.values()), ""))
            again = seen[subject]
            seen[subject] += 1
            rounds[again] += 1
            ranked.append(((again, rounds[again], _key(salt, stratum)), key, spec))
    ranked.sort(key=lambda item: item[:2])
    return [(key, spec) for _, key, spec in ranked], count


def _key(salt: str, words: Iterable[str]) -> bytes:
    text = "\0".join((salt, *words))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _stratum(spec: Spec, view: View) -> tuple[str, str]:
    entity = view.entity(next(iter(spec.values()), ""))
    return (entity.type if entity else "", spec.get("relation", ""))


def few(specs: Callable[[View], Iterable[Spec]]) -> Callable[[View], Iterable[Spec]]:
    """Bound the recipes of a kind of which a large graph has far more than anybody asks for: by a hash of each."""

    @once
    @functools.wraps(specs)
    def bounded(view: View) -> Iterable[Spec]:
        return nsmallest(
            _ENOUGH, specs(view), key=lambda s: zlib.crc32("\0".join(s.values()).encode("utf-8", "replace"))
        )

    return bounded
