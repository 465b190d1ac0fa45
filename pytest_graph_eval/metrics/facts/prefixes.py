"""What stands before a figure: its sign, its currency, an opening bracket, a word that makes it a label or a year."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import Page, glues
from pytest_graph_eval.metrics.facts.tables import currencies
from pytest_graph_eval.metrics.facts.tables.cues import APPROXIMATE, LABELS, MINUS, NO_SIGN_AFTER, PLUS, YEAR_BEFORE

_LONGEST_CODE = 4
_LONGEST_WORD = 24
_BETWEEN_FIGURES = ")%"
_SIGNS = frozenset("(-+")
_BEGINNINGS = frozenset(":|=")
_PARTING = frozenset(("", " ", "\n", "$", "("))


@dataclass(slots=True)
class Before:
    """What stands before a figure, from `start` on. `identifier`: the figure is part of one, or a label's number."""

    start: int
    sign: int = 0
    currency: str = ""
    bracket: bool = False
    bracket_after_currency: bool = False
    percent: bool = False
    point: bool = False
    identifier: bool = False
    label: bool = False
    word: str = ""
    approximate: bool = False
    tolerance: bool = False
    power: int = 0


def read(page: Page, at: int) -> Before:
    """Read what stands before the figure that begins at `at`."""
    text = page.text
    found = Before(at)
    if at == 0 or text[at - 1] == "\n":
        return found
    char = text[at - 1]
    if char == " " and _follows_plain_word(page, found):
        return found
    if char in currencies.SYMBOLS and text[at - 2 : at - 1] == " ":
        found.start = at - 1
        if _follows_plain_word(page, found):
            found.currency = currencies.SYMBOLS[char]
            return found
        found.start = at
    if char == ".":
        found.start = at - 1
        if at > 1 and text[at - 2].isalnum():
            _take_code(page, found, at - 1, spaced=False)
            return found
        found.point = text[at - 2 : at - 1] != "."
        char = text[at - 2 : at - 1]
    if char not in currencies.SYMBOLS:
        _sign(page, found)
    if not found.identifier:
        _currency(page, found)
    if not found.identifier and text[found.start - 1 : found.start] == "(":
        _bracket(page, found)
    if not found.identifier and text[found.start - 1 : found.start] != "(":
        _word(page, found)
    _scale(page, found, at)
    return found


def is_glued(text: str, at: int) -> bool:
    """Tell whether letters that are no currency code stand directly before a figure (FY2023, FEATURE_12, v12)."""
    char = text[at - 1 : at]
    if char in _PARTING or not glues(char) or char.isdigit():
        return False
    low = at - 1
    while low and at - low < _LONGEST_CODE and text[low - 1].isalpha():
        low -= 1
    return text[low:at] not in currencies.CODES and not _is_letter_sign(text, low, at, at)


def _is_letter_sign(text: str, low: int, at: int, figure: int) -> bool:
    """Tell whether one letter is the sign of a currency: nothing else but an amount follows it."""
    known = at - low == 1 and text[low] in currencies.LETTER_SIGNS and currencies.AMOUNT.match(text, figure)
    before = text[low - 1 : low] if low else ""
    if before == "-":
        before = text[low - 2 : low - 1] if low > 1 else ""
    return bool(known) and not (before and (glues(before) or before in "&-./"))


def _follows_plain_word(page: Page, found: Before) -> bool:
    """Take the word before, where it is one that says nothing about the figure: the usual case."""
    lower, at = page.lower, found.start
    floor = at - _LONGEST_WORD if at > _LONGEST_WORD else 0
    low = lower.rfind(" ", floor, at - 1)
    if low < 0 or "\n" in lower[low : at - 1]:
        return False
    word = lower[low + 1 : at - 1]
    last = word[-1:]
    if word in _TELLING or not (last in _QUIET or last.isalpha()) or not word.isascii() or not word[0].isalpha():
        return False
    found.word = word
    return True


_QUIET = frozenset(",:;")
_TELLING = frozenset(
    {*MINUS, *PLUS, *APPROXIMATE, *LABELS, "+/-", "r"}
    | currencies.SCALED_WORDS
    | {f"{word}:" for word in currencies.SCALED_WORDS}
    | {code.lower() for code in currencies.CODES} | {f"{code.lower()}." for code in currencies.CODES}
)  # fmt: skip


_LONGEST_SCALE = 16


def _scale(page: Page, found: Before, at: int) -> None:
    """Read a currency and a scale in front of the figure at `at`; a year is no figure of that scale."""
    text = page.text
    while text[at - 1 : at] in _SIGNS:
        at -= 1
    if text[at - 1 : at] != " ":
        return
    m = currencies.SCALE_BEFORE.search(text, max(0, at - _LONGEST_SCALE), at)
    if m is None or _YEAR.match(text, at):
        return
    sign = m[1] or m[5]
    symbol = currencies.SYMBOLS.get(sign[-1])
    code = currencies.PREFIXES.get(sign[:-1], symbol) if symbol else currencies.CODES.get(sign.rstrip("."))
    if code is not None:
        scale = (m[2] or m[3] or m[4]).lower()
        found.power = currencies.SCALE_OF[scale] if m[4] else currencies.SCALES_BEFORE[scale]
        found.currency, found.start = code, min(m.start(), found.start)


_YEAR = re.compile(r"(?:19|20)\d\d(?![.,]?\d)")


def _char(text: str, at: int) -> str:
    return text[at] if 0 <= at < len(text) else ""


def _sign(page: Page, found: Before) -> None:
    """Read a sign directly before; a hyphen after a letter belongs to an identifier, one after a figure to a range."""
    text, at = page.text, found.start
    char = _char(text, at - 1)
    if char in ("-", "+") and char:
        before = _char(text, at - 2)
        if char == "-" and before and glues(before) and not before.isdigit():
            found.identifier = True
        elif before and before in currencies.SYMBOLS and _belongs_to_figure_before(text, at - 2):
            return
        elif char == "+" and before and (glues(before) or before == "/"):
            found.identifier = glues(before)
        elif not (before and (before.isdigit() or before in _BETWEEN_FIGURES or before == "-")):
            found.sign = -1 if char == "-" else 1
            found.start = at - 1
    elif char == " " and not found.sign and _is_minus_apart(page, at - 2):
        found.sign = -1
        found.start = at - 2
    elif char == "±":
        found.tolerance = True
    elif char in ("#", "@", "\\", "^", "&") or (
        char == "/" and _char(text, at - 2).isalnum() and not _UNIT_BEFORE.search(text, max(0, at - _LONGEST_SCALE), at)
    ):
        found.identifier = True
    elif char == "'" and _char(text, at - 2) == " ":
        found.label = text[max(0, at - 16) : at - 2].rpartition(" ")[2].lower() in YEAR_BEFORE


# 120 MW/240 MWh are two figures.
_UNIT_BEFORE = re.compile(r"\d ?(?:[A-Za-zµμ]{1,4}|°[CF])/\Z")


def _is_minus_apart(page: Page, at: int) -> bool:
    """Tell whether a minus stands at `at`, a blank before its figure; a hyphen is one where a figure begins only."""
    char = _char(page.plain, at)
    return char == "−" or (char == "-" and _char(page.text, at - 1) == " " and _char(page.text, at - 2) in _BEGINNINGS)


def _currency(page: Page, found: Before) -> None:
    """Read a currency sign or code, glued or after one space, and the sign before it."""
    text = page.text
    spaced = _char(text, found.start - 1) == " "
    at = found.start - spaced
    char = _char(text, at - 1)
    if char in currencies.SYMBOLS and not (spaced and _belongs_to_figure_before(text, at - 1)):
        _take_symbol(page, found, at - 1, char)
    elif char == "%" and not spaced and not _char(text, at - 2).isalnum() and found.sign == 0:
        found.percent, found.start = True, at - 1
    elif spaced and char == "/" and text[max(0, at - 3) : at] in ("S/", " S/", "(S/"):
        found.currency, found.start = "PEN", at - 2
    elif spaced and char == "." and _char(text, at - 2).isalpha():
        _take_code(page, found, at - 1, spaced)
    elif char.isalpha() and (spaced or glues(char)):
        _take_code(page, found, at, spaced)
    elif char == "_":
        found.identifier = True


def _belongs_to_figure_before(text: str, at: int) -> bool:
    before = _char(text, at - 1)
    return before.isdigit() or (before == " " and _char(text, at - 2).isdigit()) or before in ("k", "K", "M", "B", ")")


def _take_symbol(page: Page, found: Before, at: int, char: str) -> None:
    text = page.text
    found.currency, found.start = currencies.SYMBOLS[char], at
    low = at
    while (
        low
        and at - low < _LONGEST_CODE
        and (text[low - 1].isascii() and (text[low - 1].isalpha() or text[low - 1] == "."))
    ):
        low -= 1
    prefix = text[low:at]
    if char == "$" and prefix in currencies.PREFIXES and not (low and glues(text[low - 1])):
        found.currency, found.start = currencies.PREFIXES[prefix], low
    elif char == "$" and len(prefix) == 1 and prefix.isupper() and not (low and glues(text[low - 1])):
        found.currency, found.start = f"{prefix}$", low  # some dollar, but not the one of the United States
    elif prefix and prefix in currencies.CODES and not (low and glues(text[low - 1])):
        found.currency, found.start = currencies.CODES[prefix], low
    _sign_before_currency(page, found)


def _sign_before_currency(page: Page, found: Before) -> None:
    text, at = page.text, found.start
    char, before = _char(text, at - 1), _char(text, at - 2)
    if (
        found.sign == 0
        and char in ("-", "+")
        and char
        and not (before and (glues(before) or before in _BETWEEN_FIGURES))
    ):
        found.sign, found.start = (-1 if char == "-" else 1), at - 1
    elif found.sign == 0 and char == " " and _char(page.plain, at - 2) == "−":
        found.sign, found.start = -1, at - 2


def _take_code(page: Page, found: Before, at: int, spaced: bool) -> None:
    """Read letters that end at `at`: a code such as USD or Rs, else, when glued, an identifier."""
    text = page.text
    low = at
    while low and at - low <= _LONGEST_CODE and text[low - 1].isalpha():
        low -= 1
    code = text[low:at]
    alone = not (low and glues(text[low - 1]))
    if code in currencies.CODES and alone:
        found.currency, found.start = currencies.CODES[code], low
        _sign_before_currency(page, found)
    elif (not spaced or code == "R") and _is_letter_sign(text, low, at, found.start):
        found.currency, found.start = currencies.LETTER_SIGNS[code], low
        _sign_before_currency(page, found)
    elif not spaced:
        found.identifier = True


def _bracket(page: Page, found: Before) -> None:
    """Read an opening bracket, and a currency or a sign before it."""
    text = page.text
    if _char(text, found.start - 1) != "(":
        return
    before = _char(text, found.start - 2)
    found.bracket = True
    if not found.currency and before and before in currencies.SYMBOLS:
        found.start -= 1
        _take_symbol(page, found, found.start - 1, before)
        found.bracket_after_currency = True


def _word(page: Page, found: Before) -> None:
    """Read the word before: a minus, a label, a preposition of time, about."""
    text, lower, at = page.text, page.lower, found.start
    if _char(text, at - 1) != " ":
        if _char(text, at - 1) in ("~", "≈") and at:
            found.approximate = True
        elif _char(text, at - 1) in ("§", "№", "°", "º"):
            found.label = True
        return
    low = at - 1
    floor = max(0, at - 1 - _LONGEST_WORD)
    while low > floor and lower[low - 1] not in " \n":
        low -= 1
    word = lower[low : at - 1].lstrip("([\"'*")
    found.word = word
    if word in MINUS or word in PLUS:
        previous = lower[max(0, low - 8) : max(0, low - 1)].rpartition(" ")[2]
        if found.sign == 0 and previous not in NO_SIGN_AFTER:
            found.sign, found.start = (-1 if word in MINUS else 1), low
    elif word in APPROXIMATE:
        found.approximate = True
    elif not found.currency and found.sign == 0 and word in LABELS:
        found.label = True
    elif found.currency in currencies.GROUPS and text[low : at - 1] in currencies.CODES:
        found.currency, found.start = currencies.CODES[text[low : at - 1]], low
    elif word in ("±", "+/-"):
        found.tolerance = True
