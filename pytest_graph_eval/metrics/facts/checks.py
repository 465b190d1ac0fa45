"""The checks of `expect:`, run on an answer and on what was retrieved: one outcome per expected item.

`in:` says which text an item is looked for in: by default the answer, or the evidence where there is no answer (an
empty answer is an answer). With `both` it is enough that one of them states it, and neither may hold what must not
be there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

from pytest_graph_eval.metrics.facts import assertions, statements, wording
from pytest_graph_eval.metrics.facts.as_of import used
from pytest_graph_eval.metrics.facts.denials import Asked
from pytest_graph_eval.metrics.facts.findings import Finding, broken
from pytest_graph_eval.metrics.facts.names import NO_NAMES, NameIndex, find
from pytest_graph_eval.metrics.facts.text import Text, normalise
from pytest_graph_eval.models.expect import ANSWER_CHECKS, RETRIEVAL_CHECKS, Expect
from pytest_graph_eval.models.records import Check, Response, Score
from pytest_graph_eval.once import once

# A failed check of these kinds says something that must not be said; one makes the metric `facts` 0.
_OF_ANSWERS = frozenset(ANSWER_CHECKS)
_VIOLATIONS = frozenset(("forbidden", "excludes"))
_VIOLATION_RULES = frozenset(("denied", "denial_with_value", "past_date"))


class _Place(NamedTuple):
    label: str
    text: Text


@dataclass
class Surroundings:
    """What deciding one item may need beside the text: the known names, what was asked, the reported valid time."""

    expect: Expect
    catalog: NameIndex
    question: str
    response: Response | None

    @once
    def names(self) -> NameIndex:
        """The catalog, and every name that the checks themselves hold."""
        return self.catalog.extended((name, "") for name in _names_in(self.expect))

    @once
    def asked(self) -> Asked:
        """What was asked about."""
        return Asked(self.question, tuple(n.name for n in self.expect.names or ()))


def _names_in(expect: Expect) -> Iterator[str]:
    groups = [expect.names or (), expect.order or (), expect.choice or (), *(expect.any_of or ())]
    for name in (n for group in groups for n in group):
        yield from (name.name, *name.aliases)
    for bad in expect.forbidden or ():
        yield from (bad.name, *bad.aliases, *bad.except_)


_Look = Callable[[Text, Surroundings], Finding]


class _Item(NamedTuple):
    """One expected item: its kind, how it is shown, where it is looked for, and the function that looks."""

    kind: str
    shown: str
    expected: Any
    where: str | None
    look: _Look
    only_with: str | None = None
    """A name without which the item is not looked for."""


_Reader = Callable[[str, Any, Expect], Iterator[_Item]]


def _items(expect: Expect) -> Iterator[_Item]:
    """Yield every expected item in the order of `ANSWER_CHECKS`."""
    given = expect.__dict__  # for most scenarios, to ask for each of the kinds is what takes longest
    for kind in ANSWER_CHECKS:
        if given[kind] is not None:
            yield from _READERS[kind](kind, given[kind], expect)


def _texts(look: Callable[[Any, Text], Finding], main: str) -> _Reader:
    """Return the reader of items, one or a list, that need nothing but the text; `main` holds the shown value."""

    def read(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
        for item in value if isinstance(value, list) else [value]:
            given = item.__dict__ if main else {}  # a pattern is a mere text
            shown = given[main] if main else item
            where = given.get("where") or expect.where
            only_with = (item.of or item.near) if given.get("if_named") else None
            yield _Item(kind, str(shown), shown, where, lambda text, _, item=item: look(item, text), only_with)  # type: ignore[misc]

    return read


def _named(look: Callable[[Any, Text, NameIndex], Finding]) -> _Reader:
    """Return the reader of names that are looked for one by one."""

    def read(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
        for item in value:
            where = item.where or expect.where
            yield _Item(kind, item.name, item.name, where, partial(_with_names, look, item))

    return read


def _with_names(
    look: Callable[[Any, Text, NameIndex], Finding], item: Any, text: Text, around: Surroundings
) -> Finding:
    return look(item, text, around.names)


def _counts(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
    for key, item in value.items():
        nouns = item.nouns or [key]
        look = partial(_count, item.value, nouns)
        yield _Item(kind, f"{item.value} {nouns[0]}", {key: item.value}, item.where or expect.where, look)


def _count(value: int, nouns: list[str], text: Text, _: Surroundings) -> Finding:
    return statements.count(value, nouns, text)


def _groups(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
    for group in value:
        names = [n.name for n in group]
        where = next((n.where for n in group if n.where), None) or expect.where
        yield _Item(kind, f"one of {', '.join(names)}", names, where, partial(_with_names, assertions.any_of, group))


def _order(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
    names = [n.name for n in value]
    yield _Item(kind, ", ".join(names), names, expect.where, partial(_with_names, assertions.order, value))


def _choice(kind: str, value: Any, expect: Expect) -> Iterator[_Item]:
    for item in value:
        look = partial(_with_names, partial(assertions.choice, value), item)
        yield _Item(kind, item.name, item.name, item.where or expect.where, look)


def _denial(kind: str, value: bool, expect: Expect) -> Iterator[_Item]:
    def look(text: Text, around: Surroundings) -> Finding:
        return statements.denial(value, text, around.asked)

    yield _Item(kind, "a denial" if value else "no denial", value, expect.where, look)


def _as_of(kind: str, value: str, expect: Expect) -> Iterator[_Item]:
    def look(text: Text, around: Surroundings) -> Finding:
        actual = around.response.as_of if around.response else None
        return statements.as_of(value, text, used(value, actual), actual)

    yield _Item(kind, value, value, expect.where, look)


_READERS: Mapping[str, _Reader] = {
    "numbers": _texts(statements.number, "value"),
    "counts": _counts,
    "dates": _texts(statements.date, "value"),
    "names": _named(assertions.name),
    "any_of": _groups,
    "forbidden": _named(assertions.forbidden),
    "denial": _denial,
    "order": _order,
    "choice": _choice,
    "as_of": _as_of,
    "contains": _texts(wording.contains, "text"),
    "excludes": _texts(wording.excludes, "text"),
    "matches": _texts(wording.matches, ""),
    "equals": _texts(wording.equals, "text"),
}


# --- running ------------------------------------------------------------------------------------------------------


def run_checks(
    expect: Expect,
    *,
    answer: Text | None,
    evidence: Text | None,
    catalog: NameIndex | None = None,
    question: str = "",
    response: Response | None = None,
) -> list[Check]:
    """Run all checks of `expect` and return one outcome per expected item, in the order of the keys.

    Args:
        expect: what is expected.
        answer: the answer, None where the target gave none.
        evidence: the text of all that was retrieved, None where the target maps none.
        catalog: the known names; the longest one takes a place.
        question: what was asked; it tells denials of the thing asked about from others.
        response: the whole response, for what was retrieved and the valid time used.
    """
    around = Surroundings(expect, catalog or NO_NAMES, question, response)
    texts = {"answer": answer, "evidence": evidence and evidence.whole}
    checks = [_run(item, texts, around) for item in _items(expect) if _applies(item, texts)]
    if all(expect.__dict__[kind] is None for kind in RETRIEVAL_CHECKS):
        return checks
    from pytest_graph_eval.metrics.retrieved import retrieval_checks  # which itself reads names of this package

    return checks + retrieval_checks(expect, response or Response())


def _applies(item: _Item, texts: Mapping[str, Text | None]) -> bool:
    """Tell whether an item counts: one about a name that is not mentioned may say that it does not."""
    return not item.only_with or any(find(place.text, item.only_with) for place in _places(item.where, texts))


def _run(item: _Item, texts: Mapping[str, Text | None], around: Surroundings) -> Check:
    places = _places(item.where, texts)
    if not places:
        where = item.where or "answer"
        words = f"cannot be looked for: the target maps no {where}; map it in `response:` or say `in:`"
        return _check(item, _Place(where, normalise("")), broken("not_mapped", words))
    looks = [(place, item.look(place.text, around)) for place in places]
    place, finding = looks[0] if len(looks) == 1 else min(looks, key=lambda pair: _rank(item, pair[1]))
    return _check(item, place, finding)


def _places(where: str | None, texts: Mapping[str, Text | None]) -> list[_Place]:
    """Return the texts to look in; with `both` those that there are."""
    if where is None:
        where = "answer" if texts["answer"] is not None else "evidence"
    if where != "both":
        text = texts[where]
        return [] if text is None else [_Place(where, text)]
    labels = ("answer", "evidence")
    return [_Place(label, text) for label in labels if (text := texts[label]) is not None]


def _rank(item: _Item, finding: Finding) -> int:
    """Order findings by what decides: what must not be said decides where it is said, all else where it is said."""
    must_not = item.kind in _VIOLATIONS or (item.kind == "denial" and item.expected is False)
    order = (False, None, True) if must_not else (True, False, None)
    return order.index(finding.holds)


_OUTCOMES: Mapping[bool | None, Literal["pass", "fail", "error"]] = {True: "pass", False: "fail", None: "error"}


def _check(item: _Item, place: _Place, finding: Finding) -> Check:
    span = place.text.raw_span(*finding.span) if finding.span else None
    return Check.of(
        kind=item.kind,
        outcome=_OUTCOMES[finding.holds],
        expected=item.expected,
        found=finding.found,
        message=f"{item.kind}: {item.shown} {finding.words.replace('{where}', place.label)}",
        rule=finding.rule,
        span=span,
        where="evidence" if place.label == "evidence" else "answer",
    )


def facts_score(checks: Iterable[Check]) -> Score:
    """Return the share of the answer checks that hold; a violation makes it 0; unscored without any.

    A violation is a failed check on what must not be said: a forbidden name or text, a denial of what exists, a value
    beside a denial, a past date where the present is asked for.
    """
    counted = [c for c in checks if c.kind in _OF_ANSWERS]
    decided = [c for c in counted if c.outcome != "error"]
    if not decided:
        return Score(value=None, reason="no check could be decided" if counted else "no fact checks")
    broken_rules = [c for c in decided if c.outcome == "fail" and is_violation(c)]
    if broken_rules:
        return Score(value=0.0, reason=f"violation: {broken_rules[0].message}")
    hits = sum(c.outcome == "pass" for c in decided)
    return Score(value=hits / len(decided), reason=f"{hits} of {len(decided)} fact checks hold")


def is_violation(check: Check) -> bool:
    """Tell whether a check that failed failed by what was said, and not by what was left out."""
    return check.kind in _VIOLATIONS or check.rule in _VIOLATION_RULES


def facts_found(checks: Iterable[Check]) -> dict[str, Any]:
    """Return which expected facts hold, which do not, and what must not be said but is; empty without any.

    `as_of_match` tells whether the target used the expected valid time, `as_of_stated` whether the answer states it (of
    `current`: whether it speaks of a past one); None where that is unknown.
    """
    counted = [c for c in checks if c.kind in _OF_ANSWERS and c.outcome != "error"]
    if not counted:
        return {}
    time: Mapping[str, bool | None] = next((c.found for c in counted if c.kind == "as_of"), {})
    failed = [c for c in counted if c.outcome == "fail"]
    return {
        "hits": [_label(c) for c in counted if c.outcome == "pass"],
        "misses": [_label(c) for c in failed if not is_violation(c)],
        "violations": [_label(c) for c in failed if is_violation(c)],
        "as_of_match": time.get("used"),
        "as_of_stated": time.get("stated"),
    }


def _label(check: Check) -> str:
    return f"{check.kind}: {check.expected}"


def check_answer(
    answer: str,
    expect: Expect | Mapping[str, Any],
    *,
    question: str = "",
    catalog: Iterable[str | tuple[str, str]] = (),
) -> list[Check]:
    """Check a text against expected facts, without a target.

    Args:
        answer: the text.
        expect: an `Expect`, or a mapping as in a suite's `expect:`.
        question: what was asked, where denials are checked.
        catalog: known names, or pairs of name and type; the longest one takes a place.

    Returns:
        One outcome per expected item.

    Raises:
        pydantic.ValidationError: `expect` is a mapping that no suite could hold.
    """
    wanted = expect if isinstance(expect, Expect) else Expect.model_validate(expect)
    pairs = ((name, "") if isinstance(name, str) else name for name in catalog)
    return run_checks(
        wanted,
        answer=normalise(answer),
        evidence=None,
        catalog=NameIndex(pairs),
        question=question,
        response=Response(answer=answer),
    )
