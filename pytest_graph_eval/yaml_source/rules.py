"""What YAML means here: the core rules of YAML 1.2 for plain scalars, the parser, and the bounds of a file."""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 1_000_000
"""Most values in one file, each use of an alias counted with everything in it."""

Loader: Any = getattr(getattr(yaml, "cyaml", None), "CParser", yaml.SafeLoader)
"""Yields events, in C where libyaml is there."""

_WORDS: dict[str, Any] = {word: value for value, words in ((None, "null Null NULL ~"), (True, "true True TRUE"),
                                           (False, "false False FALSE")) for word in words.split()}  # fmt: skip
_WORDS[""] = None
_WORDS.update(dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan))
_WORDS.update({sign + word: math.copysign(math.inf, -1 if sign == "-" else 1)
               for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")})  # fmt: skip
_NUMBER_START = frozenset("+-.0123456789")
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MOST_DIGITS = 4000  # Python refuses to read longer whole numbers


def resolve(text: str) -> Any:
    """Return what a plain scalar means by the YAML 1.2 core rules; the text itself where it is text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START or len(text) > _MOST_DIGITS:
        return text
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text
