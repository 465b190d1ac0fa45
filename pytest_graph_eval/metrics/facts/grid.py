# ruff: noqa: SIM905 - tables of words read better as text
"""Table rows and columns, and the scales that stand in labels: ($ millions) in a head, (in thousands) above a table.

A label gives its scale, currency or percent sign to the bare figures of its row, its column, or the lines under it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.digits import ARITHMETIC
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables import currencies
from pytest_graph_eval.metrics.facts.tables.scales import CJK_UNITS, LETTERS, SCALES, SHORT_SUFFIXES
from pytest_graph_eval.metrics.facts.tables.units import SYMBOLS
from pytest_graph_eval.metrics.facts.tokens import NumberToken

Span = tuple[int, int]


class Row(NamedTuple):
    """A table row: its cells without the blanks around them, and the head row of its table (empty if it has none)."""

    start: int
    end: int
    cells: tuple[Span, ...]
    head: tuple[Span, ...]
    is_head: bool = False

    def column(self, position: int) -> int:
        """Return the number of the cell that holds `position`."""
        return max(0, bisect_right([start for start, _ in self.cells], position) - 1)


# --- tables -------------------------------------------------------------------------------------------------------

_LINE = re.compile(r"[^\n]*\|[^\n]*")
# A line with more bars is no row of a table.
_MOST_CELLS = 200
_RULER = re.compile(r"[|\s:+-]*-[|\s:+-]*\Z")


def row_at(page: Page, position: int) -> Row | None:
    """Return the table row that holds `position`, if one does."""
    rows = _rows(page)
    if not rows:
        return None
    i = bisect_left(rows, (position + 1,)) - 1
    return rows[i] if i >= 0 and position < rows[i].end else None


def rows_under(page: Page, row: Row) -> list[Row]:
    """Return the rows of the table whose head `row` is."""
    rows = _rows(page)
    first = bisect_right(rows, row.start, key=lambda r: r.start)
    last = first
    while last < len(rows) and rows[last].head == row.cells:
        last += 1
    return list(rows[first:last])


def _rows(page: Page) -> tuple[Row, ...]:
    known = page.memory.get("rows")
    if not isinstance(known, tuple):
        known = tuple(_read_rows(page)) if "|" in page.text else ()
        page.memory["rows"] = known
    return known


def _read_rows(page: Page) -> Iterator[Row]:
    text, table = page.text, list[Span]()
    for m in _LINE.finditer(text):
        if table and (table[-1][1] + 1 != m.start() or m.start() in page.heads):
            yield from _table(page, table)
            table = []
        table.append(m.span())
    yield from _table(page, table)


def _table(page: Page, lines: Sequence[Span]) -> Iterator[Row]:
    """Return the rows of adjacent lines with bars; the head is above a ruler, or is a first line without digits."""
    text = page.text
    ruler = next((i for i, (start, end) in enumerate(lines[:3]) if _RULER.match(text[start:end])), None)
    if (lines and lines[0][0] in page.heads) or (
        ruler is None and lines and not any(c.isdigit() for c in text[slice(*lines[0])])
    ):
        ruler = 0
    head = _cells(text, *lines[max(ruler - 1, 0)]) if ruler is not None else ()
    for i, (start, end) in enumerate(lines):
        if (i == ruler and ruler) or text.count("|", start, end) > _MOST_CELLS:
            continue
        is_head = ruler is not None and i <= max(ruler - 1, 0)
        yield Row(start, end, _cells(text, start, end), () if is_head else head, is_head)


def _cells(text: str, start: int, end: int) -> tuple[Span, ...]:
    line = text[start:end]
    at = start + line.startswith("|")
    cells = []
    for piece in text[at : end - (line.endswith("|") and len(line) > 1)].split("|"):
        bare = piece.strip()
        first = at + (len(piece) - len(piece.lstrip()) if bare else 0)
        cells.append((first, first + len(bare)))
        at += len(piece) + 1
    return tuple(cells)


# --- labels -------------------------------------------------------------------------------------------------------

_BRACKETS = re.compile(r"[(\[]((?:[^()\[\]\n|\d]|'?000){1,44})[)\]]")
_IN = re.compile(r"(?<![^\s(,])(?:in|en|em) ([^\n|.:,;()\d]{2,44}?)(?= ?(?:[|:.;),\n]|\Z))")
_UNIT_LINE = re.compile(r" ?: ?([^\n|.;,\d]{1,40})(?=[\n|.;,)]|\Z)")
_UNIT_LABELS = (
    *("units:", "unit:", "currency:", "unite:", "einheit:", "unidad:", "unidade:", "devise:"),
    *("单位:", "單位:", "単位:"),
)
_LONGEST_CELL = 24
_DIGIT = re.compile(r"\d")
_PIECE = re.compile(r"[$€£¥₹%]|'?000'?s?|[百十千万億亿兆]+|円|元|원|[^\W\d_百十千万億亿兆円元]+(?:\.[^\W\d_]+)*")
_FILLERS = frozenset(
    "in of de d en em di the and except per share amounts amount all figures stated expressed unaudited as at im von "
    "data values unless otherwise indicated noted where us u.s 单位 單位 単位 单 位 expressed exprimes montants".split()
)
# `in ...` without brackets is looked for where one of these stands: a lone `million` follows its own figure.
_IN_CURRENCY = ("in usd", "in us$", "in eur", "in gbp", "in inr", "in jpy", "in cny", "in $", "in €", "en €")
_PLURALS = frozenset(
    "thousands tausend millions millionen millones milioni milhoes billions milliards milliers milliarden miliardi "
    "bilhoes trillions crore crores lakh lakhs mio mrd mln bn percent".split()
)


@dataclass(frozen=True, slots=True)
class _Label:
    """What a label says about the figures that it governs."""

    span: Span
    power: int
    currency: str
    percent: bool


def with_labels(page: Page, tokens: Sequence[NumberToken]) -> list[NumberToken]:
    """Return the tokens, bare figures with the scale of the label that governs them."""
    labels = list(_labels(page)) if tokens else []
    if labels:
        tokens = [_labelled(page, token, labels) for token in tokens if not _is_label(token, labels)]
    if page.words.isdisjoint(_UNIT_COLUMNS) or not _rows(page):
        return list(tokens)
    return [_measured(page, token) if _is_bare(token) else token for token in tokens]


def _measured(page: Page, token: NumberToken) -> NumberToken:
    """Return a token with the unit of measure that a column of units gives for its row."""
    row = row_at(page, token.span[0])
    start, end = _unit_cell(page, row) if row is not None else (0, 0)
    symbol = page.text[start:end]
    measure = SYMBOLS.get(symbol)
    return token._replace(measure=measure, unit=symbol) if measure and token.unit_class == "plain" else token


def _unit_cell(page: Page, row: Row) -> Span:
    """Return the cell of a row that stands in a column of units; an empty span where its table has none."""
    for column, (start, end) in enumerate(row.head[: len(row.cells)]):
        if page.lower[start:end] in _UNIT_COLUMNS:
            return row.cells[column]
    return 0, 0


_UNIT_COLUMNS = frozenset(
    ("unit", "units", "uom", "unite", "unites", "einheit", "unidad", "unita", "unidade", "eenheid")
)


def _labelled(page: Page, token: NumberToken, labels: Sequence[_Label]) -> NumberToken:
    if _is_bare(token):
        return _scaled(page, token, labels)
    if token.unit_class == "plain" and not token.measure:
        i = bisect_right(labels, token.span[0], key=_start)
        if i < len(labels) and _follows(page, token, labels[i]) and labels[i].currency and not labels[i].power:
            return token._replace(currency=labels[i].currency, unit_class="money")
    return token


def _is_label(token: NumberToken, labels: Sequence[_Label]) -> bool:
    """Tell whether a figure in numerals (百万円) is a label itself."""
    i = bisect_right(labels, token.span[0], key=_start) - 1
    return i >= 0 and token.span[1] <= labels[i].span[1]


def _is_bare(token: NumberToken) -> bool:
    return (
        token.power == 0 and token.measure is None and token.unit_class in ("plain", "money") and not token.needs_noun
    )


def _labels(page: Page) -> Iterator[_Label]:
    """Return the labels of a page in order."""
    found: dict[int, _Label] = {}
    lower = page.lower
    patterns = [_BRACKETS] if "(" in lower or "[" in lower else []
    if not page.words.isdisjoint(_PLURALS) or any(s in lower for s in _IN_CURRENCY):
        patterns.append(_IN)
    for pattern in patterns:
        for m in pattern.finditer(lower):
            label = _label(page, *m.span(1))
            if label is not None:
                found.setdefault(m.start(1), label)
    for start, end in _unit_lines(page):
        label = _label(page, start, end)
        if label is not None:
            found.setdefault(start, label)
    for row in _rows(page):
        for start, end in row.cells[0 if row.is_head else 1 :]:
            if 0 < end - start <= _LONGEST_CELL and not _DIGIT.search(page.text[start:end].replace("000", "")):
                percent = _PERCENT_CELL.fullmatch(page.lower, start, end)
                label = _Label((start, end), 0, "", True) if percent else _label(page, start, end)
                if label is not None:
                    found.setdefault(start, label)
    return iter(sorted(found.values(), key=lambda label: label.span))


# Change in %, % of sales.
_PERCENT_CELL = re.compile(
    r"[^%$€£¥()]* (?:in |en |em )?(?:%|percent|prozent|pct)|% (?:change|chg|of|var|growth|share)\b[^%()]*"
)


def _unit_lines(page: Page) -> Iterator[Span]:
    """Return what stands after `Unit:` and the like."""
    lower = page.lower
    for label in _UNIT_LABELS if ":" in lower else ():
        at = lower.find(label)
        while at >= 0:
            m = _UNIT_LINE.match(lower, at + len(label) - 1)
            if m is not None:
                yield m.span(1)
            at = lower.find(label, at + 1)


def _label(page: Page, start: int, end: int) -> _Label | None:
    """Read a label; None where it says anything but a scale, a currency or a percent sign."""
    power, currency, percent, letter = 0, "", False, 0
    for m in _PIECE.finditer(page.lower, start, end):
        piece = m[0].removeprefix("d'")
        written = page.text[m.start() : m.end()]
        if "000" in piece:
            power += 3
        elif piece in currencies.SYMBOLS:
            currency = currencies.SYMBOLS[piece]
        elif piece == "%" or piece in ("percent", "pct", "prozent", "percentage"):
            percent = True
        elif piece in SCALES or piece in SHORT_SUFFIXES:
            power += SCALES.get(piece) or SHORT_SUFFIXES[piece]
        elif piece[0] in CJK_UNITS:
            power += sum(CJK_UNITS[c] for c in piece)
        elif piece in LETTERS:
            letter = 3 if page.text[m.start() : m.end() + 1] == "T€" else LETTERS[piece]  # Tausend Euro
        elif written in currencies.CODES or piece in currencies.WORDS or piece in currencies.CJK_WORDS:
            currency = (
                currencies.CODES.get(written) or currencies.WORDS.get(piece) or currencies.CJK_WORDS.get(piece) or ""
            )
        elif glued := currencies.SCALED_CODE.fullmatch(written):
            power, currency = power + currencies.SCALE_OF[glued[1].lower()], glued[2]
        elif piece not in _FILLERS:
            return None
    power += letter if currency else 0
    games = page.lower[start:end] == "won"
    if games or not (power or currency or percent) or (letter and not currency):
        return None
    return _Label((start, end), power, currency, percent)


def _scaled(page: Page, token: NumberToken, labels: Sequence[_Label]) -> NumberToken:
    """Apply the label that governs a token, if one does."""
    at = token.span[0]
    row = row_at(page, at)
    if row is not None and row.is_head:
        return token
    count = bisect_right(labels, at, key=_start)
    if count < len(labels) and not token.maybe_year and _follows(page, token, labels[count]):
        return _apply(token, labels[count], sure=True)
    own = _of_cell(page, row, at, labels) if row is not None else []
    if row is not None and _is_per_share(page, row):
        own = [label for label in own if row.start <= label.span[0]]
    for label in own:
        token = _apply(token, label, sure=True)
    if own:
        return token
    for i in range(count - 1, max(-1, count - 1 - _MOST_LABELS), -1):
        label = labels[i]
        if at - label.span[1] > _FARTHEST:
            break
        if _governs_text(page, row, label, at) and not (row is not None and _is_per_share(page, row)):
            direct = not re.search(r"[\d\n]", page.text[label.span[1] : at])
            return _apply(token, label, sure=direct)
    return token


# Amounts per share stand in full under a caption such as (in millions, except per share data).
_PER_SHARE = re.compile(
    r"\b(?:per (?:\w+ )?share|eps|je aktie|par action|por accion|per azione|por acao|per aandeel)\b"
)


def _is_per_share(page: Page, row: Row) -> bool:
    return bool(row.cells and _PER_SHARE.search(page.lower, *row.cells[0]))


def _start(label: _Label) -> int:
    return label.span[0]


# How far back a label is looked for, and how many of them are tried.
_FARTHEST = 4000
_MOST_LABELS = 8


def _follows(page: Page, token: NumberToken, label: _Label) -> bool:
    """Tell whether a label stands directly behind a figure: 611,289 (in millions), 611.3 billion (EUR)."""
    between = page.lower[token.span[1] : label.span[0]]
    return between in (" (", " in ", " en ", "(") or bool(_NEXT_KEY.fullmatch(between))


# `currency: USD` under `amount: 1200` is the unit of that, and of nothing below.
_NEXT_KEY = re.compile(rf"\n *(?:{'|'.join(map(re.escape, _UNIT_LABELS))}) ?")
_KEY_AND_FIGURE = re.compile(r"[:=] *[^\n]*\d *\n *[\w ]*: ?\Z")
_LONGEST_LINE = 120


def _of_cell(page: Page, row: Row, at: int, labels: Sequence[_Label]) -> list[_Label]:
    """Return the labels that govern a cell: before it in its row, heads of its column and of the labels, its unit."""
    column = row.column(at)
    spans = [(row.start, at)]
    if column < len(row.head):
        spans += [row.head[column], row.head[0]] if column else [row.head[0]]
        unit = _unit_cell(page, row)
        spans += [unit] if unit[0] > at else []
    found = []
    for start, end in spans:
        i = bisect_left(labels, start, key=_start)
        while i < len(labels) and labels[i].span[0] < end:
            found.append(labels[i])
            i += 1
    return found


def _governs_text(page: Page, row: Row | None, label: _Label, at: int) -> bool:
    """Tell whether a label governs what follows: its own line, or as a caption the block or the table under it."""
    start = label.span[0]
    if row_at(page, start) is not None or _KEY_AND_FIGURE.search(page.text, max(0, start - _LONGEST_LINE), start):
        return False
    between = page.text[label.span[1] : at]
    if "\n" not in between:
        return row is None and ". " not in between
    line = between.partition("\n")[0]
    if any(c.isdigit() for c in line):
        return False
    gaps = between.count("\n\n")
    if gaps == 1 and row is None:  # a caption of its own, with a blank line under it
        alone = not page.text[page.text.rfind("\n", 0, start) + 1 : start].strip(" (*_") and not line.strip(" )*_:")
        return alone and _ENDS_LINE.match(page.text, at) is not None
    return gaps == 0 or (gaps == 1 and row is not None and _is_same_table(page, label, row))


_ENDS_LINE = re.compile(r"[(]?[\d.,']+[)]? *(?:\n|\Z)")


def _is_same_table(page: Page, label: _Label, row: Row) -> bool:
    """Tell whether no text stands between a caption and the table."""
    between = page.text[label.span[1] : row.start]
    lines = [line for line in between.split("\n")[1:] if line.strip()]
    return all("|" in line for line in lines)


def _apply(token: NumberToken, label: _Label, *, sure: bool) -> NumberToken:
    """Give a token what a label says; `sure`: there is no other reading."""
    if token.unit_class == "percent" or (label.percent and token.unit_class != "plain"):
        return token
    if label.percent:
        return token._replace(unit_class="percent")
    every = (token.value, *token.readings)
    scaled = tuple(ARITHMETIC.scaleb(v, label.power) for v in every) if token.power == 0 else every
    also = () if sure and not token.maybe_year else every
    currency = token.currency or label.currency
    return token._replace(
        value=scaled[0],
        readings=(*scaled[1:], *also) if label.power else token.readings,
        power=token.power or label.power,
        currency=currency,
        unit_class="money" if currency else token.unit_class,
        maybe_year=False,
    )
