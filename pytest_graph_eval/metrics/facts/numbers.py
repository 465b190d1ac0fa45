"""Figures in a text, in digits and in words: whole tokens, so that nothing inside a date or a name is a figure.

`find` gives the figures of a text, `parse_gold` the one figure of an expected value.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import get_args

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import context, dates, figures, number_words, numerals, rules, suffixes
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC, Separators
from pytest_graph_eval.metrics.facts.grid import with_labels
from pytest_graph_eval.metrics.facts.joins import joined
from pytest_graph_eval.metrics.facts.page import Page, page
from pytest_graph_eval.metrics.facts.tables.currencies import CODES, HUNDREDTHS
from pytest_graph_eval.metrics.facts.tokens import NumberToken, NumberTokens, UnitClass


@lru_cache(maxsize=32)
def find(plain: str, *, locale: str = "auto") -> NumberTokens:
    """Return the figures of a text in order; the same text gives the same tokens while it is remembered.

    `locale` declares what a lone comma or point before three digits is; `auto` goes by the language of the text.

    Raises:
        ValueError: a locale that is not known (`rules.locale`); no text ever raises.
    """
    text = page(plain)
    digits = figures.find(text, _separators(text, rules.locale(locale)))
    others = [*_in_words(text), *_in_numerals(text)]
    tokens = _merged(digits, others) if others else digits
    return NumberTokens(with_labels(text, joined(text, tokens)))


def _separators(text: Page, locale: str) -> Separators:
    """Return what a lone comma and a lone point before three digits are."""
    if locale != "auto":
        comma = "decimal" if locale in rules.COMMA_DECIMAL else "group"
        return comma, "group" if locale in rules.POINT_GROUPS else "decimal"
    if not ("," in text.text or "." in text.text):
        return "group", "decimal"
    guess = rules.language(text)
    return ("both" if guess in rules.COMMA_OR_GROUP else "group"), (
        "group" if guess in rules.POINT_GROUPS else "decimal"
    )


def _merged(digits: list[NumberToken], others: list[NumberToken]) -> list[NumberToken]:
    """Return all tokens in order; where two overlap, the one in digits stays."""
    kept: list[NumberToken] = []
    for token in sorted((*digits, *others), key=lambda t: (t.span[0], -t.span[1])):
        if kept and token.span[0] < kept[-1].span[1]:
            if token.text[0].isdigit() and not kept[-1].text[-1].isdigit():
                kept[-1] = token
            continue
        kept.append(token)
    return kept


# --- words and numerals -------------------------------------------------------------------------------------------


def _in_words(text: Page) -> Iterator[NumberToken]:
    """Return the figures in words, with the scale, unit and sign that stand around them."""
    found = number_words.find(text)
    shut = dates.spans(text) if found else []
    at = 0
    for number in found:
        while at < len(shut) and shut[at][1] <= number.start:
            at += 1
        if at < len(shut) and shut[at][0] < number.end:
            continue
        yield _worded(text, number)


def _worded(text: Page, number: number_words.WordNumber) -> NumberToken:
    start, end, kind, sign = number.start, number.end, number.kind, 0
    after = suffixes.read(text, end, money=False)
    if kind == "fraction" and (gap := _OF_A.match(text.lower, end)):
        share = suffixes.read(text, gap.end(), money=False)  # half a percent
        kind, after = ("cardinal", share) if share.unit_class in ("percent", "points") else (kind, after)
    unit_class: UnitClass = "plain" if kind == "cardinal" else kind
    value, currency, unit = number.value, "", after.unit
    needs_noun = number.needs_noun and not (number.value and after.unit_class in ("percent", "points", "money"))
    if kind == "cardinal" and not after.identifier and not needs_noun:
        end, currency = after.end, after.currency
        unit_class = after.unit_class if after.unit_class != "ordinal" else "plain"
        power = after.power - (2 if after.per_point == 100 or currency in HUNDREDTHS else 0)
        value = ARITHMETIC.multiply(ARITHMETIC.scaleb(value, power), Decimal(after.factor))
        start, sign = _minus(text, start)
        value = Decimal(format(value.copy_negate() if sign < 0 else value, "f"))
    return NumberToken(
        (start, end), text.plain[start:end], value, unit_class, currency=currency, unit=unit, sign=sign,
        measure=after.measure if kind == "cardinal" else None, approximate=number.vague, needs_noun=needs_noun,
    )  # fmt: skip


_OF_A = re.compile(r"(?: of)?(?: an?| one)?(?= )")


def _minus(text: Page, start: int) -> tuple[int, int]:
    """Return where a figure in words begins with the word minus before it, and its sign."""
    for word in ("minus ", "negative "):
        if text.lower.endswith(word, max(0, start - 12), start):
            return start - len(word), -1
    return start, 0


def _in_numerals(text: Page) -> Iterator[NumberToken]:
    for start, end, value, percent in numerals.numerals(text):
        after = suffixes.read(text, end, money=False)
        unit_class: UnitClass = "percent" if percent else after.unit_class
        stop = after.end
        ordinal = text.text[start - 1 : start] == "第"
        yield NumberToken(
            (start, stop), text.plain[start:stop], value, "ordinal" if ordinal else unit_class, currency=after.currency,
            unit=after.unit,
        )  # fmt: skip


# --- expected values ----------------------------------------------------------------------------------------------

_ALONE = {"one": 1, "un": 1, "une": 1, "neuf": 9, "none": 0, "no": 0, "aucun": 0, "aucune": 0}


def parse_gold(text: object, unit_class: UnitClass | None = None, *, currency: str | None = None,
               default_scale: str | None = None) -> NumberToken:  # fmt: skip
    """Return the figure of an expected value such as `$611.3 billion`, `-3.2`, `3rd`, `10-12` or a plain number.

    `unit_class` says what a bare figure is (money, percent, points, count, ...), `currency` of which currency a money
    figure is, `default_scale` in which scale an unmarked one is to be read.

    Raises:
        ValueError: there is not exactly one figure, or it is of another class; the message says what to write.
    """
    raw = _as_text(text)
    token = _only_figure(raw)
    token = token._replace(approximate=len(raw) > len(token.text) and context.is_bound(page(raw), token.span))
    if unit_class is not None:
        token = _classed(raw, token, unit_class)
    if currency is not None:
        if currency not in CODES and currency not in CODES.values():
            raise ValueError(f"currency {currency!r} is not known: a code such as USD, EUR or INR is expected")
        token = token._replace(currency=CODES.get(currency, currency), unit_class="money")
    power = rules.SCALE_NAMES.get(default_scale or "", 0)
    if power and token.power == 0 and token.unit_class in ("plain", "money", "count"):
        token = token._replace(value=ARITHMETIC.scaleb(token.value, power), power=power)
    return token


def _as_text(text: object) -> str:
    """Return the expected value as text; a float as it prints, and nothing that is no finite number."""
    if isinstance(text, str):
        return text.strip()
    if isinstance(text, bool) or not isinstance(text, int | float | Decimal):
        raise ValueError(f"{text!r} is no figure: a number or a text such as '$611.3 billion' is expected")
    try:
        value = Decimal(str(text))
    except InvalidOperation:  # pragma: no cover - str of a number always parses
        raise ValueError(f"{text!r} is no figure") from None
    if not value.is_finite():
        raise ValueError(f"{text!r} is no finite figure")
    return format(value, "f")


@lru_cache(maxsize=4096)
def _only_figure(raw: str) -> NumberToken:
    plain = Decimal(raw) if raw.lstrip("+-").replace(".", "", 1).isdecimal() and raw.isascii() else None
    if plain is not None and len(raw) <= rules.MOST_DIGITS:
        sign = {"-": -1, "+": 1}.get(raw[0], 0)
        maybe_year = raw.isdecimal() and len(raw) == 4 and int(raw) in rules.YEARS
        return NumberToken((0, len(raw)), raw, plain, sign=sign, maybe_year=maybe_year)
    if (usual := usual_figure(raw)) is not None:
        return usual
    if raw.lower() in _ALONE:
        return NumberToken((0, len(raw)), raw, Decimal(_ALONE[raw.lower()]))
    tokens = [t for t in find(raw) if t.unit_class != "year"]
    figures_only = [t for t in tokens if not t.needs_noun] or tokens
    if len(figures_only) == 1:
        return figures_only[0]._replace(needs_noun=False)
    day = dates.find(raw)
    if len(figures_only) > 1:
        listed = ", ".join(repr(t.text) for t in figures_only[:4])
        raise ValueError(
            f"{raw!r} holds {len(figures_only)} figures ({listed}): exactly one is expected; list them apart"
        )
    advice = "; expect it under `dates`" if day else ""
    raise ValueError(f"{raw!r} holds no figure: a value such as 12, '6.7%' or '$611.3 billion' is expected{advice}")


_USUAL = re.compile(
    r"(?P<minus>-)?(?P<dollar>\$)?(?P<digits>[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,11}|0(?=\.))(?P<fraction>\.\d+)?"
    r"(?: (?P<scale>thousand|million|billion|trillion)|(?P<percent> ?%))?"
)


def usual_figure(raw: str) -> NumberToken | None:
    """Return the figure of a text such as `$611.3 billion` or `6.7%`, as `find` reads it; None for all other texts.

    Most expected values are written so, and a suite has thousands of them.
    """
    found = _USUAL.fullmatch(raw) if raw.isascii() else None
    if found is None or len(raw) > rules.MOST_DIGITS or not (found["dollar"] or found["percent"]):
        return None
    if found["dollar"] and found["percent"]:
        return None
    power = rules.SCALE_NAMES.get(found["scale"] or "", 0)
    value = Decimal((found["minus"] or "") + found["digits"].replace(",", "") + (found["fraction"] or ""))
    return NumberToken(
        (0, len(raw)),
        raw,
        ARITHMETIC.scaleb(value, power) if power else value,
        "money" if found["dollar"] else "percent",
        currency="$" if found["dollar"] else "",
        power=power,
        sign=-1 if found["minus"] else 0,
    )


def _classed(raw: str, token: NumberToken, unit_class: UnitClass) -> NumberToken:
    """Return the token as one of the declared class; only a bare figure can become another."""
    if unit_class not in get_args(UnitClass):
        raise ValueError(f"unit class {unit_class!r} is not known: one of {', '.join(get_args(UnitClass))} is expected")
    if token.unit_class == unit_class:
        return token
    bare = token.unit_class == "plain" or (unit_class == "plain" and token.unit_class in ("money", "ratio"))
    if not bare or unit_class == "range" or (unit_class == "ordinal" and not token.is_exact):
        raise ValueError(
            f"{raw!r} is {_ARTICLES.get(token.unit_class, 'a ' + token.unit_class)} figure, not {unit_class}"
        )
    return token._replace(unit_class=unit_class)


_ARTICLES = {"ordinal": "an ordinal"}
