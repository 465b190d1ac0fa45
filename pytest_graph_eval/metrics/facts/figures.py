"""Figures written in digits: whole tokens with their sign, currency, scale and unit.

Nothing that only contains digits is a figure: dates, times, versions, identifiers, labels, list and citation marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import dates, numerals, prefixes, rules, subjects, suffixes
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC, FRACTIONS, SHORT, Separators, values
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables.cues import PERIODS, VERBS_TOO, YEAR_BEFORE, YEAR_OR_COUNT_BEFORE
from pytest_graph_eval.metrics.facts.tables.currencies import ADJECTIVES, CODES, GROUPS, HUNDREDTHS
from pytest_graph_eval.metrics.facts.tables.scales import CJK_UNITS
from pytest_graph_eval.metrics.facts.tables.series import (
    CALLED_AFTER,
    CALLED_BY_NUMBER,
    NAMED,
    NAMED_AFTER,
    NO_LABEL_AFTER,
    OUT_OF,
    PAGED,
    SERIES,
    SOFT_LABELS,
)
from pytest_graph_eval.metrics.facts.tokens import NumberToken, UnitClass

_LEXEME = re.compile(rf"[0-9{''.join(FRACTIONS)}][0-9]*(?:[.,'_٬٫:/-][0-9]+)*")
_SPACED = re.compile(r"(?: \d{3})+(?![\d:/])(?:[.,٫]\d+(?![\d:/.,]\d?))?")
_FRACTION_AFTER = re.compile(rf" ?([{''.join(FRACTIONS)}])| (\d{{1,2}})[/⁄](\d{{1,2}})(?![\d/])")
_CHUNK = re.compile(r"[^\s|,;()\[\]]*")
_CLOCK = re.compile(r"\d{1,2}:[0-5]\d(?::[0-5]\d)?(?:[.,]\d+)?\Z")
_MARKER = re.compile(r"[.)] +\S")
_LETTERED = re.compile(r"\([a-z]\)(?!\w)|M (?:Co\b|Company|Corp)")  # 401(k), 3M Company
_PHONE = re.compile(r"\+?\(?\d{1,4}\)?(?:[ .-]\(?\d{1,4}\)?){2,6}(?!\d)")
_BEFORE_PHONE = frozenset("+(")
_LONGEST_NAME = 60
_LABELS_AT_TIMES = SOFT_LABELS | VERBS_TOO
_CODE_AFTER = re.compile(r" ?([A-Z]{3}|[A-Z][a-z]{4,9})\b")
_ARTICLES_DE = frozenset("der die das den dem des am im zum vom beim zur ihre seine ihr sein ihren seinen".split())  # noqa: SIM905
_LINK = re.compile(r"(?:https?|ftp|file)://\S+|www\.\S+", re.IGNORECASE)
_CITATION = re.compile(
    r"\[\^?\d{1,4}(?: ?[,;-] ?\d{1,4}){0,40}\]|"
    r"\[(?:data|source|sources|ref|refs|reports?|entities|relationships|chunks?|docs?|documents?|cite|citation|see)\b"
    r"[^\[\]\n]{0,400}\]",
    re.IGNORECASE,
)


def find(page: Page, separators: Separators) -> list[NumberToken]:
    """Return the figures in digits, in order; ranges are still two figures."""
    return _Scan(page, separators).run() if _LEXEME.search(page.text) else []


@dataclass(slots=True)
class _Figure:
    """A figure in the making: its digits as values, and where they stand."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    whole: bool = True


class _Scan:
    """One pass over a page."""

    def __init__(self, page: Page, separators: Separators) -> None:
        self.page = page
        self.text = page.text
        self.separators = separators
        self.closed = _closed(page)
        self.at = 0
        self.enumerated = "(1)" in page.text and "(2)" in page.text

    def run(self) -> list[NumberToken]:
        found: list[NumberToken] = []
        at = 0
        while (m := _LEXEME.search(self.text, at)) is not None:
            shut = self._shut(m.start())
            if shut:
                at = shut
                continue
            token, at = self._lexeme(m)
            # A sign between two figures (0$.0) belongs to the first.
            if token is not None and (not found or token.span[0] >= found[-1].span[1]):
                found.append(token)
        return found

    def _shut(self, start: int) -> int:
        """Return the end of the date, link or citation that holds `start`, or 0."""
        while self.at < len(self.closed) and self.closed[self.at][1] <= start:
            self.at += 1
        if self.at < len(self.closed) and self.closed[self.at][0] <= start:
            return self.closed[self.at][1]
        return 0

    def _lexeme(self, m: re.Match[str]) -> tuple[NumberToken | None, int]:
        """Read one run of digits and the marks that join them; return its token, if any, and where to go on."""
        text, (start, end) = self.text, m.span()
        core = m[0]
        if prefixes.is_glued(text, start) or _LETTERED.match(text, end):
            return None, self._skip(end)
        if core[0] in FRACTIONS:
            end, core = start + 1, core[0]
            return self._token(_Figure(start, end, (FRACTIONS[core],), whole=False))
        if core[0] == "0" or text[start - 1 : start] in _BEFORE_PHONE:
            phone = self._phone(start, core)
            if phone:
                return None, phone
        if ":" in core:
            return self._colon(start, end, core)
        if "/" in core:
            return self._slash(start, end, core)
        if "-" in core:
            if core.count("-") > 1 or _is_period(core):
                return None, self._skip(end)
            end = start + core.index("-")
            core = text[start:end]
        if len(core) <= 3 and core.isdigit() and core[0] != "0" and text[end : end + 1] == " ":
            spaced = _SPACED.match(text, end)
            if spaced and not self._reaches_date(spaced.end()):
                end = spaced.end()
                core = text[start:end]
        return self._figure(start, end, core)

    def _skip(self, end: int) -> int:
        """Return the end of the chunk that holds an identifier."""
        m = _CHUNK.match(self.text, end)
        return m.end() if m else end

    def _reaches_date(self, end: int) -> bool:
        return self.at < len(self.closed) and self.closed[self.at][0] < end

    def _phone(self, start: int, core: str) -> int:
        """Return the end of a telephone number that starts here, or 0."""
        m = _PHONE.match(self.text, start - (self.text[start - 1 : start] in _BEFORE_PHONE))
        if m is None:
            return 0
        groups = re.findall(r"\d+", m[0])
        if not 8 <= sum(map(len, groups)) <= 15 or (core[0] != "0" and all(len(g) == 3 for g in groups[1:])):
            return 0
        return m.end()

    def _colon(self, start: int, end: int, core: str) -> tuple[NumberToken | None, int]:
        """Read a time, which is no figure, or a ratio such as 3:1."""
        left, _, right = core.partition(":")
        if _CLOCK.match(core) or not (left.isdigit() and right.isdigit()) or len(core) > 12 or not int(right):
            return None, self._skip(end)
        value = SHORT.divide(Decimal(left), Decimal(right))
        token, at = self._token(_Figure(start, end, (value,), whole=False))
        return (token._replace(unit_class="ratio") if token else None), at

    def _slash(self, start: int, end: int, core: str) -> tuple[NumberToken | None, int]:
        """Read a fraction such as 2/3; everything else with a slash is no figure."""
        top, _, bottom = core.partition("/")
        if not (top.isdigit() and bottom.isdigit()) or len(core) > 7 or not 0 < int(top) < int(bottom):
            return None, self._skip(end)
        value = SHORT.divide(Decimal(top), Decimal(bottom))
        token, at = self._token(_Figure(start, end, (value,), whole=False))
        if token is not None and token.unit_class == "plain" and token.power == 0:
            token = token._replace(unit_class="fraction")
        return token, at

    def _figure(self, start: int, end: int, core: str) -> tuple[NumberToken | None, int]:
        """Read plain digits with separators, and a fraction after them."""
        found = values(core, self.separators)
        if not found:
            return None, self._skip(end)
        following = self.text[end : end + 2].lstrip(" ")[:1]
        m = (
            _FRACTION_AFTER.match(self.text, end)
            if following.isnumeric() and core.isdigit() and len(core) <= 4
            else None
        )
        if m is not None:
            part = FRACTIONS[m[1]] if m[1] else _ratio(m[2], m[3])
            if part is not None:
                return self._token(_Figure(start, m.end(), (ARITHMETIC.add(found[0], part),), whole=False))
        whole = core.isdigit()
        if following > "~" and (following in CJK_UNITS or following in numerals.MORE):
            spaced = end + (self.text[end] == " ")
            value, end = numerals.compound(self.text, found[0], spaced)
            found, whole = (value,), False
        return self._token(_Figure(start, end, found, whole=whole))

    def _token(self, figure: _Figure) -> tuple[NumberToken | None, int]:
        """Read what stands around the digits and make the token of it."""
        page, text = self.page, self.text
        before = prefixes.read(page, figure.start)
        if before.identifier:
            return None, self._skip(figure.end)
        if before.point and figure.whole:
            figure.values = tuple(Decimal(f"0.{text[figure.start : figure.end]}") for _ in figure.values)
        closed = before.bracket and text[figure.end : figure.end + 1] == ")"
        after = suffixes.read(page, figure.end + closed, money=bool(before.currency))
        if after.identifier:
            return None, self._skip(figure.end)
        if before.currency in GROUPS and text[after.end : after.end + 2].lstrip(" ")[:1].isupper():
            after = self._with_code(before, after)
        if before.word in _ARTICLES_DE and after.end == figure.end and self._is_german_ordinal(figure):
            after = after._replace(end=figure.end + 1, unit_class="ordinal")
        if self._is_named(figure, before, after):
            return None, self._skip(figure.end)
        if before.tolerance or self._is_mark(figure, before, after):
            return None, figure.end
        end = after.end
        outside = closed and after.end > figure.end + 1
        if before.bracket and not closed and text[end : end + 1] == ")":
            closed, end = True, end + 1
        start = before.start - before.bracket * (closed and not before.bracket_after_currency)
        token = _made(page, figure, before, after, (start, end))
        if closed and not before.sign:
            minus = outside or before.bracket_after_currency or _stands_alone(text, start, end)
            token = _in_brackets(token, minus=minus)
        return token, end

    def _with_code(self, before: prefixes.Before, after: suffixes.After) -> suffixes.After:
        """Read the code or word behind an amount that says which dollar it is: $12 CAD, $12 million Canadian."""
        m = _CODE_AFTER.match(self.text, after.end)
        code = (CODES.get(m[1]) or ADJECTIVES.get(m[1].lower())) if m else None
        if m is None or code not in GROUPS[before.currency]:
            return after
        before.currency = code
        return after._replace(end=m.end())

    def _is_german_ordinal(self, figure: _Figure) -> bool:
        """Tell whether a point makes the figure an ordinal: die 21. Ausgabe."""
        digits = figure.whole and figure.end - figure.start <= 3
        noun = (
            digits and self.text.startswith(". ", figure.end) and self.text[figure.end + 2 : figure.end + 3].isalpha()
        )
        return noun and rules.language(self.page) == "de"

    def _numbers_something(self, before: prefixes.Before) -> bool:
        """Tell whether the word before a figure is a label here: week 12, not per week 12 nor they number 12."""
        led = " ".join(self.page.lower[max(0, before.start - 40) : before.start].split()[-2:-1])
        verb = before.word == "number" and led.endswith("s") and not led.endswith(("us", "ss"))
        return not verb and led not in NO_LABEL_AFTER

    def _is_called_by(self, figure: _Figure, before: prefixes.Before) -> bool:
        """Tell whether a thing is called by a number: bus number 7, the number 7 bus, but not the number 7 is."""
        led = " ".join(self.page.lower[max(0, before.start - 40) : before.start].split()[-2:-1])
        if led == "the":
            return bool(CALLED_AFTER.match(self.page.lower, figure.end))
        return led in CALLED_BY_NUMBER

    def _is_named(self, figure: _Figure, before: prefixes.Before, after: suffixes.After) -> bool:
        """Tell whether a figure is the end of a name: S&P 500, the Nokia 3310 was."""
        text, start, end = self.text, before.start, figure.end
        if before.word in SERIES and text[figure.start : end] in SERIES[before.word]:
            return after.end == end and not after.measure and text[end : end + 1] != ","
        if not before.word or not text[start - 1 - len(before.word)].isupper() or not figure.whole:
            return False
        led = NAMED_AFTER.match(self.page.lower, end)
        return bool(led and NAMED.search(text, max(0, start - _LONGEST_NAME), start))

    def _is_mark(self, figure: _Figure, before: prefixes.Before, after: suffixes.After) -> bool:
        """Tell whether a bare whole number numbers something: a label's, or a list item's."""
        text, start = self.text, figure.start
        worded = after.power and not text[figure.end : figure.end + 1].isalpha()
        if worded or after.unit_class not in ("plain", "ordinal") or before.currency:
            return False
        if before.word in _LABELS_AT_TIMES:
            lower_case = text[before.start - 1 - len(before.word)].islower()
            soft = before.word in SOFT_LABELS
            if soft and figure.whole and not after.measure:
                called = before.word == "number" and self._is_called_by(figure, before)
                if called or not (lower_case and after.unit):
                    return called or self._numbers_something(before)
            verb = not soft and lower_case and subjects.counts_things(self.page, figure.end)
        else:
            verb = False
        if before.label and not verb and (figure.whole or text.count(".", start, figure.end)):
            return True
        if not figure.whole:
            return False
        if before.word in OUT_OF and PAGED.search(self.page.lower, max(0, start - _LONGEST_NAME), start):
            return not subjects.counts_things(self.page, figure.end)
        if before.word in PERIODS and figure.end - start == 2:
            return True
        if self.enumerated and before.bracket and text[figure.end : figure.end + 1] == ")":
            return figure.end - start <= 2
        line = text[max(0, start - 6) : start]
        opens = start <= 6 or "\n" in line
        first = opens and not line.rpartition("\n")[2].strip(" >#(*-")
        return bool(first and figure.end - start <= 3 and before.sign == 0 and _MARKER.match(text, figure.end))


def _ratio(top: str, bottom: str) -> Decimal | None:
    if not 0 < int(top) < int(bottom):
        return None
    return SHORT.divide(Decimal(top), Decimal(bottom))


def _is_period(core: str) -> bool:
    """Tell whether two joined figures are years: 2019-2023, 2022-23."""
    first, _, second = core.partition("-")
    if not (len(first) == 4 and first.isdigit() and second.isdigit() and int(first) in rules.YEARS):
        return False
    return (len(second) == 4 and int(second) in rules.YEARS) or (
        len(second) == 2 and int(second) == (int(first) + 1) % 100
    )


def _closed(page: Page) -> list[tuple[int, int]]:
    """Return the spans that hold no figures: dates, links and citation marks."""
    spans = dates.spans(page)
    if "://" in page.text or "www." in page.lower:
        spans = spans + [m.span() for m in _LINK.finditer(page.text)]
    if "[" in page.text:
        spans = spans + [m.span() for m in _CITATION.finditer(page.text)]
    return sorted(spans)


def _made(
    page: Page, figure: _Figure, before: prefixes.Before, after: suffixes.After, span: tuple[int, int]
) -> NumberToken:
    """Put the parts of a token together."""
    currency = before.currency or after.currency
    kind: UnitClass = after.unit_class
    if page.text[span[0] - 1 : span[0]] == "第" and kind == "plain":
        kind = "ordinal"
    elif before.percent and kind == "plain":
        kind = "percent"
    elif kind == "plain" and currency:
        kind = "money"
    scale = after.power or before.power
    power = scale - (2 if after.per_point == 100 or currency in HUNDREDTHS else 0)
    found = [ARITHMETIC.scaleb(v, power) for v in figure.values] if power else list(figure.values)
    if after.factor != 1:
        found = [ARITHMETIC.multiply(v, Decimal(after.factor)) for v in found]
    if after.maybe_scaled:
        found += figure.values
    if before.sign < 0:
        found = [v.copy_negate() for v in found]
    priced = kind == "money" and before.word == "in" and not (before.currency or after.power)  # in 2023 dollars
    four = figure.end - figure.start == _YEAR_LENGTH and figure.whole and (kind == "plain" or priced)
    year, maybe_year = _year(page, figure, before, after) if four else (False, False)
    return NumberToken(
        span, page.plain[span[0] : span[1]], found[0], "year" if year else kind, tuple(found[1:]), None, currency,
        after.unit, after.measure, scale, before.sign, before.approximate, False, maybe_year,
    )  # fmt: skip


def _year(page: Page, figure: _Figure, before: prefixes.Before, after: suffixes.After) -> tuple[bool, bool]:
    """Tell whether four bare digits are a year, and whether they may be one."""
    if (
        before.sign
        or before.power
        or after.power
        or after.measure
        or int(page.text[figure.start : figure.end]) not in rules.YEARS
    ):
        return False, False
    word = before.word.strip("(.,'")
    if word in _BEFORE_YEAR_OR_COUNT and page.text[figure.end : figure.end + 2].strip(" ").isalpha():
        return not subjects.counts_things(page, figure.end), True
    around = page.text[figure.start - 1 : figure.start] + page.text[figure.end : figure.end + 1]
    return around == "()" or (word in YEAR_BEFORE and word not in YEAR_OR_COUNT_BEFORE), True


_YEAR_LENGTH = 4
# The 2020 race, its 2020 report; but the 2020 runners.
_BEFORE_YEAR_OR_COUNT = frozenset(("the", "its", "their", "our", "his", "her", "this"))


def _in_brackets(token: NumberToken, *, minus: bool) -> NumberToken:
    """Give a figure in brackets its negative value: the only one in accounts, the other one in running text."""
    every = (token.value, *token.readings)
    negative = tuple(v.copy_negate() for v in every)
    if token.unit_class not in ("plain", "money", "percent", "points"):
        return token
    if minus:
        return token._replace(value=negative[0], readings=negative[1:], sign=-1)
    return token._replace(readings=(*token.readings, *negative))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Tell whether nothing else stands in the cell, or between a colon and the end of the sentence."""
    before = text[max(0, start - 2) : start].rstrip(" ")[-1:]
    after = text[end : end + 2].lstrip(" ")[:1]
    return before in ("|", ":") and after in ("", "|", "\n", ".", ";", ",")
