"""Words of a text: the units in which names are compared.

A word is a run of letters, figures, marks and underscores; each sign that can be part of a name (`&`, `+`, `'`)
is a word of its own, and so is each character of a script that is written without spaces. White space, quotes,
hyphens, commas and points stand between words.
"""

from __future__ import annotations

from typing import NamedTuple

from pytest_graph_eval import lazy_re as re

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_NO_LETTER = (
    "\x00-/:-@\\[-^`{-©«-´¶-¹»-¿×÷\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066d"
    "\u06d4\u0964\u0965\u2000-\u20cf\u2150-\u215f\u2190-\u2bff\u3000-\u303f\ufe10-\ufe6f\U0001f000-\U0001faff"
)
# Initials with their points are one word: `U.S.` is `US`.
_INITIALS = r"(?<!\w)(?:[^\W\d_]\. ?)+[^\W\d_]\.(?!\w)"
_LETTER = rf"[^{_NO_LETTER}{_UNSPACED}]"
# Nearly all words have two letters, and are no initials then.
_TOKEN = re.compile(rf"{_LETTER}{{2,}}|{_INITIALS}|[^\s\"*`.,\-]")
_ASCII_TOKEN = re.compile(rf"\w{{2,}}|{_INITIALS}|[^\s\"*`.,\-]", re.ASCII)
_PLAIN_WORD = re.compile(r"[^\W\d_]+\Z")
_SAME = {"and": "&", "et": "&", "und": "&"}
_NOISE = re.compile(r"[\"*`]+")


class Words(NamedTuple):
    """The words of a text, folded, with their spans; parallel lists."""

    words: list[str]
    starts: list[int]
    ends: list[int]


def split(folded: str) -> Words:
    """Split folded text into words; `and` and `&` are the same word."""
    words = (_ASCII_TOKEN if folded.isascii() else _TOKEN).findall(folded)
    starts, ends, at = [], [], 0
    for word in words:  # nothing between words can begin one, so each stands where it is first found
        at = folded.index(word, at)
        starts.append(at)
        at += len(word)
        ends.append(at)
    if "." in "".join(words):
        words = [word.replace(".", "").replace(" ", "") for word in words]
    for same in _SAME.keys() & set(words):
        words = [_SAME[same] if word == same else word for word in words]
    return Words(words, starts, ends)


def is_plain_word(word: str) -> bool:
    """Tell whether a word is made of letters alone, so that it may also be an ordinary word of a language."""
    return bool(_PLAIN_WORD.match(word))


def gap_kind(gap: str) -> str:
    """Say what stands between two words.

    Returns:
        `""` for nothing or space, `-` for a hyphen, `. ` for a point before a space, `.` for one inside, `,` for a
        comma, and the gap itself where it parts what it stands between.
    """
    if gap == " " or not gap:
        return ""
    bare = _NOISE.sub("", gap)
    bare = bare.replace("–", "-").replace("—", "-")
    kind = bare.strip()
    if "\n" in bare:
        return "" if not kind and bare.count("\n") == 1 else bare
    if kind == "." and bare[-1:] != ".":
        return ". "
    if kind == "-" and len(bare) > 2:
        return bare
    return kind
