"""What is wrong with expected facts before any answer comes: numbers, dates and names that nothing can match."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import as_of, dates, numbers, rules
from pytest_graph_eval.metrics.facts.names import compiled
from pytest_graph_eval.models.expect import Expect

_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf(?:inity)?|nan)", re.IGNORECASE)
Loc = tuple[str | int, ...]
Problem = tuple[Loc, str, str]


def problems(expect: Expect) -> list[Problem]:
    """Return everything that is wrong with the facts of an `Expect`: where in it, what, and the code."""
    rules = ((_numbers, expect.numbers), (_counts, expect.counts), (_dates, expect.dates or expect.as_of is not None))
    return [problem for rule, given in rules if given for problem in rule(expect)] + list(_names(expect))


def _numbers(expect: Expect) -> Iterator[Problem]:
    for index, item in enumerate(expect.numbers or ()):
        try:
            numbers.parse_gold(item.value)
        except ValueError as e:
            code = "not_finite" if _NOT_FINITE.fullmatch(item.value.strip()) or _overflows(item.value) else "bad_number"
            yield ("numbers", index, "value"), str(e), code
        try:
            rules.locale(item.locale)
        except ValueError as e:
            yield ("numbers", index, "locale"), str(e), "wrong_value"


def _overflows(text: str) -> bool:
    """Tell whether a number is larger than any that is counted with."""
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def _counts(expect: Expect) -> Iterator[Problem]:
    for key, item in (expect.counts or {}).items():
        nouns = item.nouns or [key]
        if not any(_has_word(noun) for noun in nouns):
            yield ("counts", key), f"{nouns[0]!r} is no noun: name what is counted, as in `features: 12`", "empty_name"


def _dates(expect: Expect) -> Iterator[Problem]:
    for index, item in enumerate(expect.dates or ()):
        try:
            gold = dates.parse_gold(item.value)
        except ValueError as e:
            yield ("dates", index, "value"), str(e), "bad_date"
            continue
        finest = ("year", "month", "day")
        if item.precision and finest.index(item.precision) > finest.index(gold.precision):
            message = f"{item.value!r} has no {item.precision}; write the whole date or a coarser `precision`"
            yield ("dates", index, "precision"), message, "contradiction"
    if expect.as_of is not None and not as_of.is_current(expect.as_of):
        try:
            is_day = dates.parse_gold(expect.as_of.strip()[:10]).precision == "day"
        except ValueError:
            is_day = False
        if not is_day or as_of.instant(expect.as_of) is None:
            message = f"{expect.as_of!r} is no instant: a day (2024-03-01), an ISO instant or `current` is expected"
            yield ("as_of",), message, "bad_date"


_NAMES = ("names", "forbidden", "order", "choice")


def _names(expect: Expect) -> Iterator[Problem]:
    written = expect.model_fields_set
    lists: list[tuple[Loc, Any]] = [((key,), getattr(expect, key)) for key in _NAMES if key in written]
    lists += [(("any_of", i), group) for i, group in enumerate(expect.any_of or ())]
    for loc, items in lists:
        for index, item in enumerate(items or ()):
            for name in (item.name, *item.aliases):
                if not _has_word(name):
                    yield (*loc, index), f"{name!r} has no letter or figure to look for", "empty_name"


def _has_word(name: str) -> bool:
    simple = name.isascii() and name.replace(" ", "").isalnum()
    return simple or bool(compiled(name).forms)
