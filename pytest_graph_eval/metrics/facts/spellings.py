# ruff: noqa: SIM905 - tables of words read better as text
"""Other spellings of a name: a person's middle initials and surname first, ä, ö and ü written out.

`Eva M. Lund` and `Lund, Eva` are `Eva Lund`, `Mueller` is `Müller`; `Eva K. Lund` is not `Eva M. Lund`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.text import Text
from pytest_graph_eval.metrics.facts.words import gap_kind

_INITIALS = re.compile(r"[^\W\d_](?:\. ?[^\W\d_])*\.?\Z")
_NAME_PART = re.compile(r"[^\W\d_](?:[^\W\d_]|\. ?)*\Z")
_MOST_PARTS = 4
_MOST_MIDDLE = 2
# An initial has a point behind it.
_CLOSE = frozenset(("", ". "))


class Person(NamedTuple):
    """A name that a person may have: folded parts, the surname last."""

    first: str
    middle: tuple[str, ...]
    last: str


def person(words: Sequence[str], own: Sequence[str]) -> Person | None:
    """Return a name as a person's, or None where it cannot be one; `own` are its words as written."""
    if not 2 <= len(words) <= _MOST_PARTS or not all(map(_NAME_PART.match, own)):
        return None
    capitals = own[0][0].isupper() and own[-1][0].isupper()
    if not capitals or min(len(words[0]), len(words[-1])) < _SHORTEST:
        return None
    return Person(words[0], tuple(words[1:-1]), words[-1])


_SHORTEST = 2


def of_person(text: Text, name: Person) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each place where a person is named with other initials, or surname first."""
    positions = text.word_positions
    if name.first not in positions or name.last not in positions:
        return
    words = text.words.words
    for at in positions[name.first]:
        for end in range(at + 1, min(at + _MOST_MIDDLE + 2, len(words))):
            if end == at + 1 and not name.middle:
                continue
            if words[end] == name.last and _alike(text, at + 1, end, name.middle) and _are_close(text, at, end):
                yield at, end
    for at in positions[name.last]:
        if words[at + 1 : at + 2] != [name.first] or _gap(text, at) not in (",", ".,") or _is_led(text, at):
            continue
        end = at + 1
        while end + 1 < len(words) and _gap(text, end) in _CLOSE and _is_capital(text, end + 1):
            end += 1
        if end <= at + 1 + _MOST_MIDDLE and _alike(text, at + 2, end + 1, name.middle):
            yield at, end


def _alike(text: Text, start: int, end: int, middle: Sequence[str]) -> bool:
    """Tell whether the middle names at some words may be those of a person: initials may be missing or written out."""
    found = text.words.words[start:end]
    if not found or not middle:
        written = [text.plain[text.words.starts[i] : text.words.ends[i]] for i in range(start, end)]
        return all(w[0].isupper() and _INITIALS.match(w) for w in written) and all(map(_is_initial, middle))
    return len(found) == len(middle) and all(
        a == b or (1 in (len(a), len(b)) and a[0] == b[0]) for a, b in zip(found, middle, strict=True)
    )


def _is_initial(word: str) -> bool:
    return len(word) == 1


def _are_close(text: Text, start: int, end: int) -> bool:
    return all(_gap(text, i) == "" or (_gap(text, i) == ". " and i > start) for i in range(start, end))


def _gap(text: Text, at: int) -> str:
    return gap_kind(text.plain[text.words.ends[at] : text.words.starts[at + 1]])


def _is_capital(text: Text, at: int) -> bool:
    return text.plain[text.words.starts[at]].isupper()


def _is_led(text: Text, at: int) -> bool:
    """Tell whether a surname has its first name before it: in `Anna Lund, Eva` it is Anna's."""
    return at > 0 and _gap(text, at - 1) in _CLOSE and _is_capital(text, at - 1)


# --- words joined -------------------------------------------------------------------------------------------------

_INITIALS_GLUED = re.compile(r"([A-Z]{2,4})([A-Z][^\W\d_A-Z]{2,}\w*)\Z")
_INITIALS_APART = re.compile(r"[A-Z]{2,4}\Z|(?:[A-Z]\. ?){2,4}\Z")
_CAPITALISED = re.compile(r"[A-Z][^\W\d_A-Z]{2,}")


def joined(words: Sequence[str], own: Sequence[str]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield where the words of a name can be cut otherwise, and how: JPMorgan, JP Morgan; McDonald's, McDonalds."""
    for i, word in enumerate(own):
        if m := _INITIALS_GLUED.match(word):
            yield i, i + 1, (m[1].lower(), m[2].lower())
        elif _INITIALS_APART.match(word) and _CAPITALISED.match("".join(own[i + 1 : i + 2])):
            yield i, i + 2, (words[i] + words[i + 1],)
        elif list(words[i + 1 : i + 3]) == ["'", "s"]:
            yield i, i + 3, (f"{words[i]}s",)


# --- names that are words -----------------------------------------------------------------------------------------

# The small words that are names in another case: tell us, the US; he who, the WHO; it will, Will.
_SMALL = frozenset(
    "a all am an and any are as at be but by can do for from had has have he her him his how i if in is it its may me "
    "might mine more most must my no nor not now of off on one or our out own shall she so such than that the them "
    "then "
    "there they this to too two up us was we were what when where who why will with you your".split()
)


def is_small_word(folded: str, own: str, found: str) -> bool:
    """Tell whether a small word stands where a name is looked for that is written otherwise."""
    return (
        folded in _SMALL
        and own[0].isupper()
        and found != own
        and "." not in found
        and not (found.isupper() and len(found) > 1)
    )


# --- letters written out ------------------------------------------------------------------------------------------

_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_PAIR = re.compile("ae|oe|ue|aa")


def written_out(word: str) -> str:
    """Return a word folded, its umlauts as two letters: Müller is mueller."""
    lower = word.lower()
    return lower if lower.isascii() else fold(lower.translate(_OUT))


def other_letters(words: Sequence[str], own: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the folded words of a name with its umlauts written the other way, one way a pair of letters."""
    if (full := tuple(map(written_out, own))) != tuple(words):
        yield full
    elif all(map(str.isascii, own)):
        for i, word in enumerate(words):
            for m in _PAIR.finditer(word):
                yield (*words[:i], f"{word[: m.start() + 1]}{word[m.end() :]}", *words[i + 1 :])


def same_letters(text: Text, at: int, own: Sequence[str]) -> bool:
    """Tell whether the words at a place are those of a name where all umlauts are written out."""
    words = text.words
    return all(
        written_out(text.plain[words.starts[at + i] : words.ends[at + i]]) == written_out(part)
        for i, part in enumerate(own)
    )
