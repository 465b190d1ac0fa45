"""RDF terms as SPARQL results write them, made comparable: equal terms have equal keys, whatever their spelling.

A number's key is the number, so that integers, decimals and doubles of one value meet; all other keys are tuples that
begin with the kind of term, those of IRIs and plain literals with the word that results have for it. `codes` brings
numbers together that differ by noise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

Key = Hashable
XSD = "http://www.w3.org/2001/XMLSchema#"
BLANK = ("_",)
"""What stands for any blank node where its label does not count."""

LITERALS = ("literal", "typed-literal")

MAX_DEPTH = 20
"""How deep triple terms may be nested."""


class TermError(ValueError):
    """A cell that is no RDF term; the message says why."""


class TermRules(NamedTuple):
    """What makes two literals equal."""

    lexical: bool = False
    """Only the same characters and datatype, not the same value."""
    ignores_language: bool = False


# --- values of literals -------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"([+-]?)(?=\.?\d)0*+(\d*+)(?:\.(\d*+))?([eE][+-]?\d{1,9})?", re.ASCII)
_NAMED = {"inf": float("inf"), "+inf": float("inf"), "-inf": float("-inf"), "nan": ("nan",)}
_EXACT = 2**53
"""Whole numbers below this are exact as floats."""
_LONGEST_WHOLE = 300
"""Digits of a number that floats can hold; longer ones are equal only to themselves."""


def _number(text: str) -> Key | None:
    if text.isascii() and "_" not in text and len(text) <= _LONGEST_WHOLE:  # nearly all, read fast
        if text.isdecimal():
            return int(text)
        try:
            value = float(text)
        except ValueError:
            return None
        if value.is_integer() and "e" not in text and "E" not in text:
            if abs(value) < _EXACT:
                return int(value)
        elif isfinite(value):
            return value
        text = text.strip()
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _NAMED.get(text.lower())
    sign, whole, fraction, exponent = match.groups()
    if len(whole) > _LONGEST_WHOLE:
        return "long", sign.strip("+") + whole, (fraction or "").rstrip("0"), exponent
    return float(text) if exponent or (fraction and fraction.strip("0")) else int(sign + (whole or "0"))


def _boolean(text: str) -> Key | None:
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.lower())
    return None if value is None else ("boolean", value)


_ZONE = r"(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?"
_DATE = r"(-?\d{4,9})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
_DATE_TIME = re.compile(f"{_DATE}T{_TIME}{_ZONE}", re.ASCII)
_DAY = re.compile(_DATE + _ZONE, re.ASCII)
_CLOCK = re.compile(_TIME + _ZONE, re.ASCII)
_DURATION = re.compile(
    r"(-?)P(?=\d|T\d)(?:(\d{1,18})Y)?(?:(\d{1,18})M)?(?:(\d{1,18})D)?"
    r"(?:T(?=\d)(?:(\d{1,18})H)?(?:(\d{1,18})M)?(?:(\d{1,18}(?:\.\d{1,18})?)S)?)?", re.ASCII,
)  # fmt: skip


def _date_time(text: str) -> Key | None:
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return None
    days, seconds = _days(*match.groups()[:3]), _seconds(*match.groups()[3:7])
    if days is None or seconds is None:
        return None
    zone = _zone(match[8])
    return "instant", days * 86400 + seconds - (zone or 0), _fraction(match[7]), zone is None


def _day(text: str) -> Key | None:
    match = _DAY.fullmatch(text)
    days = match and _days(*match.groups()[:3])
    if match is None or days is None:
        return None
    zone = _zone(match[4])
    return "day", days * 86400 - (zone or 0), zone is None


def _clock(text: str) -> Key | None:
    match = _CLOCK.fullmatch(text)
    seconds = match and _seconds(*match.groups()[:4])
    if match is None or seconds is None:
        return None
    zone = _zone(match[5])
    return "clock", (seconds - (zone or 0)) % 86400, _fraction(match[4]), zone is None


def _days(year: str, month: str, day: str) -> int | None:
    """Return the days since the year 0 (proleptic Gregorian), or None where there is no such day."""
    y, m, d = int(year), int(month), int(day)
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not (1 <= m <= 12 and 1 <= d <= lengths[m - 1]):
        return None
    before = y - 1
    return y * 365 + before // 4 - before // 100 + before // 400 + sum(lengths[: m - 1]) + d


def _seconds(hour: str, minute: str, second: str, fraction: str | None) -> int | None:
    h, m, s = int(hour), int(minute), int(second)
    is_midnight = h == 24 and m == s == 0 and not _fraction(fraction)
    return h * 3600 + m * 60 + s if (h < 24 and m < 60 and s < 60) or is_midnight else None


def _fraction(digits: str | None) -> str:
    return (digits or "").rstrip("0")


def _zone(text: str | None) -> int | None:
    """Return a time zone as seconds east of UTC; None where none is given, which is another value than UTC."""
    if text is None or text == "Z":
        return None if text is None else 0
    return (int(text[1:3]) * 3600 + int(text[4:6]) * 60) * (-1 if text[0] == "-" else 1)


def _duration(text: str) -> Key | None:
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    sign = -1 if match[1] else 1
    years, months, days, hours, minutes = (int(part or 0) for part in match.groups()[1:6])
    seconds = days * 86400 + hours * 3600 + minutes * 60 + Decimal(match[7] or 0)
    return "duration", sign * (years * 12 + months), sign * seconds


Reader = Callable[[str], "Key | None"]
_NUMERIC = ("integer decimal double float int long short byte nonNegativeInteger positiveInteger nonPositiveInteger "
            "negativeInteger unsignedLong unsignedInt unsignedShort unsignedByte")  # fmt: skip
VALUE_READERS: Mapping[Reader, str] = {
    _number: _NUMERIC,
    _boolean: "boolean",
    _date_time: "dateTime dateTimeStamp",
    _day: "date",
    _clock: "time",
    _duration: "duration dayTimeDuration yearMonthDuration",
}
"""How the value of a literal is read, by the names of the datatypes of XML Schema; None for what is no such value."""

READERS: Mapping[Any, Reader] = {
    f"{XSD}{name}": reader for reader, names in VALUE_READERS.items() for name in names.split()
}
_SPELLINGS: Mapping[str, tuple[str, str]] = {
    **{f"{XSD}{name}": (r"[+-]00:00\Z", "Z") for name in ("gYear", "gYearMonth", "gMonth", "gMonthDay", "gDay")},
    f"{XSD}base64Binary": (r"\s+", ""),
}
"""What does not count in the text of a literal, by datatype: a pattern and what stands for it."""

MAY_BE_VALUE = re.compile(r"\s*(?:[+-]?\.?\d|-?P|[+-]?INF\s*\Z|NaN\s*\Z|(?:true|false)\s*\Z)", re.ASCII)
"""Where a text does not begin like this, none of `VALUE_READERS` reads it."""


def _literal(cell: Mapping[str, Any], value: str, rules: TermRules) -> Key:
    language = cell.get("xml:lang") or cell.get("lang")
    datatype = cell.get("datatype")
    if isinstance(language, str) and language:
        if rules.ignores_language:
            return "literal", value
        return "language", value, language.lower(), str(cell.get("its:dir") or "")
    if datatype is None or datatype == f"{XSD}string":
        return "literal", value
    if not isinstance(datatype, str):
        raise TermError("`datatype` is no text")
    reader = None if rules.lexical else READERS.get(datatype)
    key = reader(value.strip(" \t\r\n")) if reader else None
    if key is not None:
        return key
    if datatype == f"{XSD}hexBinary" and not rules.lexical:
        value = value.strip().upper()
    elif datatype in _SPELLINGS and not rules.lexical:
        value = re.sub(*_SPELLINGS[datatype], value.strip())
    return "typed", datatype, value


# --- terms --------------------------------------------------------------------------------------------------------


def read_term(cell: Any, rules: TermRules, depth: int = 0) -> Key | None:
    """Return the key of a cell, None for an unbound one.

    Raises:
        TermError: it is no RDF term.
    """
    if cell is None:
        return None
    try:
        kind, value = cell["type"], cell["value"]
    except (TypeError, KeyError, IndexError):
        raise TermError("an object with `type` and `value` is expected") from None
    if kind in LITERALS:
        return _literal(cell, _lexical(value), rules)
    if kind == "triple":
        return _triple(value, rules, depth)
    if kind not in ("uri", "iri", "bnode"):
        raise TermError(f"unknown type {str(kind)[:40]!r}")
    if not isinstance(value, str):
        raise TermError("`value` is no text")
    return ("blank" if kind == "bnode" else "uri"), value


def _lexical(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        try:
            return repr(value)
        except ValueError:
            raise TermError("`value` is a number that is too long") from None
    raise TermError("`value` is no text")


_PLACES = (("subject", "s"), ("predicate", "p"), ("object", "o"))


def _triple(value: Any, rules: TermRules, depth: int) -> Key:
    if not isinstance(value, Mapping) or depth >= MAX_DEPTH:
        raise TermError("a triple with `subject`, `predicate` and `object` is expected, not nested too deeply")
    parts = [read_term(value.get(long, value.get(short)), rules, depth + 1) for long, short in _PLACES]
    if None in parts:
        raise TermError("a triple with `subject`, `predicate` and `object` is expected")
    return ("triple", *parts)


def has_blank(key: Key | None) -> bool:
    """Tell whether a term is a blank node, or a triple with one in it."""
    return isinstance(key, tuple) and (key[0] == "blank" or (key[0] == "triple" and any(map(has_blank, key[1:]))))


def without_blanks(key: Key) -> tuple[Key, tuple[str, ...]]:
    """Return a key in which blank nodes have no labels, and the labels in the order in which they stand in it."""
    if isinstance(key, tuple) and key[0] == "blank":
        return BLANK, (key[1],)
    if isinstance(key, tuple) and key[0] == "triple":
        parts = [without_blanks(part) for part in key[1:]]
        return ("triple", *(part for part, _ in parts)), tuple(label for _, labels in parts for label in labels)
    return key, ()


_PREFIXES = {XSD: "xsd:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:"}


def shown_term(cell: Any, longest: int = 80) -> str:
    """Return a cell for a message as Turtle writes it, cut where it is long."""
    if cell is None:
        return "unbound"
    kind, value = cell.get("type"), cell.get("value")
    if kind == "triple" and isinstance(value, Mapping):
        parts = (shown_term(value.get(long, value.get(short)), longest) for long, short in _PLACES)
        return _cut(f"<< {' '.join(parts)} >>", longest)
    text = _cut(json.dumps(value if isinstance(value, str) else str(value), ensure_ascii=False)[1:-1], longest)
    if kind in ("uri", "iri"):
        return f"<{text}>"
    if kind == "bnode":
        return f"_:{text}"
    datatype, language = cell.get("datatype"), cell.get("xml:lang") or cell.get("lang")
    if language:
        return f'"{text}"@{language}'
    for namespace, prefix in _PREFIXES.items():
        if isinstance(datatype, str) and datatype.startswith(namespace):
            datatype = prefix + datatype.removeprefix(namespace)
    return f'"{text}"^^{datatype}' if datatype else f'"{text}"'


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
