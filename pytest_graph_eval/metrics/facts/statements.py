"""Checks on what a text states: numbers, counts, dates, denials, its valid time.

The answer's own words come first; a quotation or a block quote counts where they hold no candidate at all. The
valid-time header and citation marks never count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import as_of as valid_time
from pytest_graph_eval.metrics.facts import context, dates, denials, numbers, subjects
from pytest_graph_eval.metrics.facts.asides import AsideKind
from pytest_graph_eval.metrics.facts.backend import is_backend_error
from pytest_graph_eval.metrics.facts.compare import NumberVerdict, match_number
from pytest_graph_eval.metrics.facts.dates import DateToken, DateVerdict, DayFirst
from pytest_graph_eval.metrics.facts.denials import Asked
from pytest_graph_eval.metrics.facts.findings import Finding, broken, found_in, opening, quoted
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.phrases import CONTRAST, GUESS, HELPFUL
from pytest_graph_eval.metrics.facts.tables.cues import YEAR_BEFORE
from pytest_graph_eval.metrics.facts.text import Span, Text, normalise
from pytest_graph_eval.metrics.facts.tokens import NumberToken
from pytest_graph_eval.models.expect import DateCheck, NumberCheck

Precision = Literal["day", "month", "year"]

_NEVER: tuple[AsideKind, ...] = ("header", "citation")
_SPOKEN: tuple[AsideKind, ...] = (*_NEVER, "quotation", "block quote")
_NOTHING = ("no_candidate", "class_mismatch")

V = TypeVar("V", NumberVerdict, DateVerdict)


def own_words(text: Text) -> str:
    """Return what the text says itself; asides are blank and positions stay."""
    return text.without(*_SPOKEN)


def _first_own(text: Text, match: Callable[[str], V]) -> V:
    """Match in the answer's own words, then in what it quotes where those hold no candidate."""
    own = text.without(*_SPOKEN)
    verdict = match(own)
    if verdict.verdict == "fail" and verdict.reason in _NOTHING and verdict.token is None:
        all_ = text.without(*_NEVER)
        return match(all_) if own != all_ else verdict
    return verdict


# --- numbers ------------------------------------------------------------------------------------------------------


def number(item: NumberCheck, text: Text) -> Finding:
    """Look for a number, by value, unit, scale and sign."""
    try:
        gold = numbers.parse_gold(item.value, default_scale=item.default_scale)
    except ValueError as e:
        return broken("bad_number", f"cannot be looked for: {e}")
    verdict = number_verdict(
        text, gold, locale=item.locale, rel_tol=item.rel_tol, abs_tol=item.abs_tol, select=item.select, near=item.near,
        of=item.of, unit=item.unit, accept_percent=item.accept_percent, accept_fraction=item.accept_fraction,
        accept_bare=item.accept_bare, default_scale=item.default_scale,
    )  # fmt: skip
    return _of_number(text, verdict)


def count(value: int, nouns: Sequence[str], text: Text) -> Finding:
    """Look for an exact whole number of things; the noun decides between several numbers."""
    return _of_number(text, number_verdict(text, numbers.parse_gold(value, "count"), unit_class="count", nouns=nouns))


def number_verdict(text: Text, gold: NumberToken, *, locale: str = "auto", **options: Any) -> NumberVerdict:
    """Tell whether a text states a figure; `options` are those of `compare.match_number`."""

    def match(plain: str) -> NumberVerdict:
        return match_number(gold, plain, numbers.find(plain, locale=locale), text.clauses, **options)

    return _first_own(text, match)


_REASONS = {
    "no_candidate": "there is no such figure",
    "out_of_tolerance": "the value is another one",
    "class_mismatch": "the figure is of another kind",
    "unit_mismatch": "the unit is another one",
    "currency_mismatch": "the currency is another one",
    "sign_mismatch": "the sign is the other one",
    "range_only": "only a range is stated",
    "extra_candidate": "another figure is stated beside it",
    "anchor_mismatch": "it stands by something else",
    "negated": "it is stated only to be denied",
}


def _of_number(text: Text, verdict: NumberVerdict) -> Finding:
    span = verdict.token.span if verdict.token else None
    found = _value_of(text, verdict.token) if verdict.token else None
    tolerance = f"; {room}" if (room := verdict.tolerance) else ""
    if verdict.verdict == "pass":
        return Finding(True, "stated", f"is stated in the {{where}} as “{found}”{tolerance}", found, span)
    words = f"is not stated in the {{where}}: {_REASONS[verdict.reason]} ({verdict.reason}{tolerance})"
    near = f"; nearest: “{found}” in {quoted(text, span)}" if span else f"; it says {opening(text)}"
    return Finding(False, verdict.reason, words + near, found, span)


def _value_of(text: Text, token: NumberToken) -> str:
    return found_in(text, token.span)


# --- dates --------------------------------------------------------------------------------------------------------


def date(item: DateCheck, text: Text) -> Finding:
    """Look for a date; a coarser one is not enough, and an ambiguous one neither."""
    try:
        gold = dates.parse_gold(item.value)
    except ValueError as e:
        return broken("bad_date", f"cannot be looked for: {e}")

    verdict = date_verdict(text, gold, precision=item.precision, day_first=item.day_first)
    span = verdict.token.span if verdict.token else None
    found = found_in(text, span) if span else None
    if verdict.verdict == "pass":
        return Finding(True, "stated", f"is stated in the {{where}} as “{found}”", found, span)
    rule = "wrong_date" if verdict.reason == "no_candidate" and span else verdict.reason
    why = {
        "less_precise": "a coarser date is stated",
        "ambiguous_date": "the date has two readings; declare `day_first`",
        "wrong_date": "the date is another one",
        "negated": "it is stated only to be denied",
        "no_candidate": "there is no date",
    }[rule]
    near = f"; nearest: “{found}” in {quoted(text, span)}" if span else f"; it says {opening(text)}"
    return Finding(False, rule, f"is not stated in the {{where}}: {why} ({rule}){near}", found, span)


def date_verdict(
    text: Text, gold: DateToken, *, precision: Precision | None = None, day_first: DayFirst = None
) -> DateVerdict:
    """Tell whether a text states a date."""

    def match(plain: str) -> DateVerdict:
        tokens = _dates_in(plain, day_first).around(gold.year)
        verdict = dates.match_date(gold, tokens, precision=precision)
        denied = None
        while verdict.verdict == "pass" and (flaw := _flaw(plain, verdict.token, text)):
            denied = verdict.token if flaw == "negated" else denied
            tokens = [token for token in tokens if token is not verdict.token]
            verdict = dates.match_date(gold, tokens, precision=precision)
        return DateVerdict("fail", "negated", denied) if denied and verdict.verdict == "fail" else verdict

    return _first_own(text, match)


def _flaw(plain: str, token: DateToken | None, text: Text) -> Literal["", "negated", "count"]:
    """Say why a date of the right value does not state it: it is denied, or no year but a number of things."""
    if token is None:
        return ""
    known, (start, end) = page(plain), token.span
    if token.kind == "year":
        before = context.last_word(known, start)
        led = not before.isalpha() or before in YEAR_BEFORE | _BEFORE_YEAR_TOO
        if not led and subjects.counts_things(known, end):
            return "count"
        if any(figure.measure and figure.span[0] == start for figure in numbers.find(plain, locale="auto")):
            return "count"
    denied = context.is_denied(known, token.span, context.scope(known, start, text.clauses))
    return "negated" if denied else ""


# Its 2023 results, les ventes 2023.
_BEFORE_YEAR_TOO = frozenset(("the", "its", "their", "our", "his", "her", "my", "this", "a", "an", "le", "la", "les"))


class _Dates:
    """The dates of one text, by year: many checks ask for those of the same long text."""

    def __init__(self, tokens: Sequence[DateToken]) -> None:
        self.tokens = tokens
        self.by_year: dict[int | None, list[DateToken]] = {}
        for token in tokens:
            for year in {reading[0] for reading in (*token.admitted, (token.year,))}:
                self.by_year.setdefault(year, []).append(token)

    def around(self, year: int | None) -> Sequence[DateToken]:
        """Return the dates that may state one of `year`, or else those of the nearest year; all of a short text."""
        if len(self.tokens) < _FEW or year is None:
            return self.tokens
        known = [y for y in self.by_year if y is not None]
        nearest = year if year in self.by_year else min(known, key=lambda y: abs(y - year), default=None)
        return [*self.by_year.get(nearest, ()), *self.by_year.get(None, ())] if nearest is not None else self.tokens


_FEW = 32


@lru_cache(maxsize=64)
def _dates_in(plain: str, day_first: DayFirst) -> _Dates:
    return _Dates(dates.find(plain, day_first=day_first))


# --- denials ------------------------------------------------------------------------------------------------------


def denial(expected: bool, text: Text, asked: Asked) -> Finding:
    """Look for a denial of what was asked about.

    An empty answer and an error of the machinery decide nothing. Where a denial is expected, one that comes with a
    value all the same is none.
    """
    if not any(c.isalnum() for c in text.plain):
        return broken("empty_answer", "cannot be decided: the {where} is empty")
    if is_backend_error(text.raw):
        return broken("backend_error", f"cannot be decided: the {{where}} is an error: {opening(text)}")
    found = denials.find(text, asked)
    if not found:
        words = f"is in the {{where}}: {opening(text)}"
        return Finding(not expected, "no_denial", words if not expected else f"is expected, but none {words}", False)
    first = found[0].start, found[0].end
    where = f"in the {{where}}: {quoted(text, first)}"
    if not expected:
        return Finding(False, "denied", f"is expected, but there is one {where}", True, first)
    value = value_beside(text, found, asked)
    if value is not None:
        words = f"is expected, but a value comes with it in the {{where}}: {quoted(text, value)}"
        return Finding(False, "denial_with_value", words, True, value)
    return Finding(True, "denied", f"is {where}", True, first)


def value_beside(text: Text, found: Sequence[denials.Denial], asked: Asked) -> Span | None:
    """Return a value that is stated although something is denied: an amount, or whatever follows a "but".

    Figures of the question, and those in the denying phrase itself, are no values.
    """
    own = own_words(text)
    question = normalise(asked.question).plain
    known = {t.value for t in numbers.find(question, locale="auto")} if question else set()
    denying = [span for d in found for span in denials.denying_phrases(text, d, asked)]
    guesses = list(_guesses(text, own, found))
    for token in numbers.find(own, locale="auto"):
        if token.unit_class == "ordinal" or token.needs_noun or token.value in known:
            continue
        if _inside(token.span, denying):
            continue
        strong = token.unit_class in ("money", "percent", "points") or token.power or token.measure
        if (strong and not token.maybe_year) or _inside(token.span, guesses):
            return token.span
    return _guessed_name(text, own, guesses, asked)


def _inside(span: Span, spans: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _guesses(text: Text, own: str, found: Sequence[denials.Denial]) -> Iterator[Span]:
    """Yield what follows a contrast after a denial, in its clause or as the next one, unless it only offers help."""
    for d in found:
        clause = own[d.start : d.end]
        contrast = CONTRAST.search(fold(clause))
        spans = [(d.start + contrast.end(), d.end)] if contrast else []
        following = text.clause_after(d.end)
        if following and GUESS.match(fold(own[slice(*following)])):
            spans.append(following)
        yield from (span for span in spans if not HELPFUL.search(fold(own[slice(*span)])))


_NAME = re.compile(r"\b[A-Z][\w'-]+(?: (?:[A-Z]\.|[A-Z][\w'-]+))+")


def _guessed_name(text: Text, own: str, guesses: Sequence[Span], asked: Asked) -> Span | None:
    for start, end in guesses:
        for m in _NAME.finditer(own, start, end):
            words = set(normalise(m[0]).words.words)
            if not words & asked.words:
                return m.span()
    return None


# --- valid time ---------------------------------------------------------------------------------------------------


def as_of(expected: str, text: Text, used: bool | None, actual: str | None) -> Finding:
    """Look for the valid time: stated in the text, and used by the target where it reports one.

    `found` tells both halves apart; an unreported one is None and decides nothing.
    """
    try:
        stated = valid_time.stated(text, expected)
    except ValueError as e:
        return broken("bad_date", f"cannot be looked for: {e}")
    found = {"stated": stated.holds, "used": used}
    unreported = "" if used is not None else "; the target reports no valid time, so only the text is checked"
    near = f": {quoted(text, stated.span)}" if stated.span else ""
    if valid_time.is_current(expected):
        if stated.holds:
            words = f"is expected, but the {{where}} speaks of {stated.day}{near}"
            return Finding(False, "past_date", words, found, stated.span)
    elif not stated.holds:
        other = f"it speaks of {stated.day}{near}" if stated.span else f"it says {opening(text)}"
        return Finding(False, "not_stated", f"is not stated in the {{where}}; {other}", found, stated.span)
    if used is False:
        words = f"was not the valid time that the target used: it used {actual or 'the present'!r}"
        return Finding(False, "other_instant", words, found, stated.span)
    return Finding(True, "stated", f"is the valid time of the {{where}}{near}{unreported}", found, stated.span)
