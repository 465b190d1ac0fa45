# ruff: noqa: SIM905 - tables of words read better as text
"""An answer as the facts engine reads it: plain text, its clauses and words, and what is set aside in it.

`normalise` is the one door. Everything is computed when first asked for, in linear time, and spans are
positions in `plain` unless said otherwise; `Text.raw_span` leads back to the answer as it came.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.asides import Aside, AsideKind, masked
from pytest_graph_eval.metrics.facts.asides import find as find_asides
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.markup import Trail, code_spans, strip
from pytest_graph_eval.metrics.facts.words import Words
from pytest_graph_eval.metrics.facts.words import split as split_words
from pytest_graph_eval.once import once

Span = tuple[int, int]


@lru_cache(maxsize=64)
def normalise(raw: str) -> Text:
    """Return the text of an answer; the same string gives the same object while it is remembered."""
    return Text(raw)


# `U.S.A.` is the word `usa`.
_MOST_INITIALS = 6


class Text:
    """One text: `raw` as it came, and views of it that are made when first used."""

    def __init__(self, raw: str) -> None:
        """Keep the raw text."""
        self.raw = raw
        self._trail = Trail()  # filled when `plain` is made
        self._without: dict[tuple[AsideKind, ...], str] = {}

    @once
    def plain(self) -> str:
        """The text without markup, with plain signs and spaces (module `markup`)."""
        return strip(self.raw, self._trail)

    def raw_span(self, start: int, end: int) -> Span:
        """Return the span of `raw` that became `plain[start:end]`."""
        return self._trail.back(start, end) if self.plain != self.raw else (start, end)

    @once
    def folded(self) -> str:
        """`plain` case-folded and without diacritics, for comparing; see `from_folded`."""
        return fold(self.plain)

    @once
    def line(self) -> str:
        """`plain` on one line, with single spaces."""
        return " ".join(self.plain.split())

    @once
    def line_casefolded(self) -> str:
        """`line` case-folded; diacritics stay."""
        return self.line.casefold()

    def from_folded(self, position: int) -> int:
        """Return the position in `plain` of a position in `folded`."""
        starts = self._folded_starts
        if starts is None:
            return position
        return bisect_right(starts, position) - 1 if position < starts[-1] else len(self.plain)

    @once
    def _folded_starts(self) -> list[int] | None:
        """Where each character of `plain` starts in `folded`, and the end; None when nothing moved."""
        if self.plain.isascii() or all(len(fold(c)) == 1 for c in set(self.plain)):
            return None
        starts, at = [], 0
        for char in self.plain:
            starts.append(at)
            at += len(fold(char))
        return [*starts, at]

    @once
    def words(self) -> Words:
        """The words in order (module `words`), with their spans in `plain`."""
        found = split_words(self.folded)
        if self._folded_starts is None:
            return found
        starts = [self.from_folded(start) for start in found.starts]
        return Words(found.words, starts, [self.from_folded(end - 1) + 1 for end in found.ends])

    @once
    def word_positions(self) -> dict[str, list[int]]:
        """Where each word stands, as indexes into `words`."""
        positions: dict[str, list[int]] = {}
        for at, word in enumerate(self.words.words):
            if word in positions:
                positions[word].append(at)
            else:
                positions[word] = [at]
        return positions

    def may_hold(self, word: str) -> bool:
        """Tell at little cost whether a folded word may be one of the text's; splitting it into words is put off."""
        positions = self.__dict__.get("word_positions")
        if positions is not None or word in self.folded:
            return positions is None or word in positions
        return len(word) <= _MOST_INITIALS and any(mark.join(word) in self.folded for mark in (".", ". "))

    @once
    def clauses(self) -> tuple[Span, ...]:
        """Sentences, parts between semicolons, list items, table rows: what one statement may span."""
        return tuple(_split(self.plain, 0, len(self.plain), _clause_ends(self.plain)))

    def clause_at(self, position: int) -> Span:
        """Return the clause that holds `position` (the nearest one before it where none does)."""
        return _holding(self.clauses, self._clause_starts, position, len(self.plain))

    def clause_after(self, position: int) -> Span | None:
        """Return the first clause that starts at or after `position`."""
        i = bisect_left(self._clause_starts, position)
        return self.clauses[i] if i < len(self.clauses) else None

    @once
    def _clause_starts(self) -> list[int]:
        return [start for start, _ in self.clauses]

    @once
    def phrases(self) -> tuple[Span, ...]:
        """Clauses, further divided at commas, colons, dashes, brackets and words such as `but` and `while`."""
        parts: list[Span] = []
        for start, end in self.clauses:
            ends = [m.span() for m in _PHRASE_END.finditer(self.plain, start, end)]
            parts += _split(self.plain, start, end, ends)
        return tuple(parts)

    def phrase_at(self, position: int) -> Span:
        """Return the phrase that holds `position`."""
        return _holding(self.phrases, self._phrase_starts, position, len(self.plain))

    def phrases_in(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the phrases that start in a span."""
        return self.phrases[bisect_left(self._phrase_starts, start) : bisect_left(self._phrase_starts, end)]

    @once
    def _phrase_starts(self) -> list[int]:
        return [start for start, _ in self.phrases]

    @once
    def asides(self) -> tuple[Aside, ...]:
        """What is set aside, in order (module `asides`)."""
        plain, spans = self.plain, code_spans(self.raw) if "`" in self.raw else ()
        code = [(self._trail.forth(start), self._trail.forth(end)) for start, end in spans]
        return find_asides(plain, self.folded, self.clauses, code)

    @once
    def whole(self) -> Text:
        """The same text with nothing set aside: evidence is quoted as a whole, and all of it counts."""
        other = Text(self.raw)
        other.__dict__ |= {"plain": self.plain, "folded": self.folded, "asides": ()}
        other._trail = self._trail
        return other

    def aside_at(self, start: int, end: int) -> AsideKind | None:
        """Return what kind of aside a span touches, if any."""
        i = bisect_left(self.asides, end, key=lambda a: a.start) - 1
        while i >= 0 and self._aside_reach[i] > start:
            if self.asides[i].end > start:
                return self.asides[i].kind
            i -= 1
        return None

    @once
    def _aside_reach(self) -> list[int]:
        """Up to where each aside and those before it reach."""
        return list(accumulate((a.end for a in self.asides), max))

    def without(self, *kinds: AsideKind) -> str:
        """Return `plain` with the asides of these kinds blanked out; positions stay."""
        if not self.asides:
            return self.plain
        if kinds not in self._without:
            self._without[kinds] = masked(self.plain, [a for a in self.asides if a.kind in kinds])
        return self._without[kinds]

    def around(self, start: int, end: int, width: int = 60) -> str:
        """Return about `width` characters of `plain` around a span on one line, for messages."""
        room = max(0, width - (end - start)) // 2
        low, high = max(0, start - room), min(len(self.plain), max(end, start) + room)
        if low:
            low = min(start, self.plain.find(" ", low, start) + 1 or low)
        if high < len(self.plain):
            high = max(end, self.plain.rfind(" ", end, high))
        cut = " ".join(self.plain[low : min(high, low + 2 * width)].split())
        return f"{'… ' if low else ''}{cut}{' …' if high < len(self.plain) else ''}"


# --- clauses ------------------------------------------------------------------------------------------------------

_CLAUSE_END = re.compile(r"[.!?…。！？;\n•](?<!\.(?=\d))[.!?…]*[\"')\]]*")
_PHRASE_END = re.compile(
    r",(?=\s)|:(?=\s|\Z)|\s[–—-]+\s|[—()]|\b(?:but|while|whereas|although|though|however|because|mais|tandis que|"
    r"alors que|bien que|cependant|pourtant|aber|jedoch|pero|sino|tuttavia|porém)\b",
    re.IGNORECASE,
)
_ALWAYS = frozenset("。！？;")
# Never the end of a sentence; not before a figure; only the end when a usual first word follows.
_TITLES = frozenset(
    "mr mrs ms dr prof st vs approx est ca cf e.g i.e al dept ave ed abs z.b bzw mme mlle "
    "jan feb mar apr jun jul aug sep sept oct nov dec janv févr fevr avr juil".split()
)
_NUMBERED = frozenset("no nos fig figs vol pp p nr art sec".split())
_SUFFIXES = frozenset("inc corp co ltd llc plc etc jr sr u.s u.k u.n s.a n.v b.v a.m p.m bros usw".split())
_STARTERS = frozenset(
    "the a an it its in on at he she this that these those there they we i you our as for however but and if no yes "
    "le la les l il elle ce cette ces ils elles on en dans der die das es er sie el los las".split()
)
_NEXT_WORD = re.compile(r"\s*[\"'(]?(\w*)")
_LONGEST_MARKER = 3
_MARKER = re.compile(r"(?:\d{1,3}|[a-zA-Z])\Z")
_BLOCK = re.compile(r"[|>\n]|[-*+•–]\s|\d{1,3}[.)]\s|[a-z][.)]\s")
_KEY = re.compile(r" *[\w-]{1,30}:(?:\s|\Z)")
_SOFT_END = re.compile(r"[^\W\d_]\Z|[,(]\Z")
_SOFT_START = re.compile(r"[a-zà-öø-ÿ\d($€£]")


def _clause_ends(text: str) -> list[Span]:
    """Return the spans that separate clauses."""
    return [m.span() for m in _CLAUSE_END.finditer(text) if _ends_clause(text, m)]


# Points that lead to a figure: Total assets ....... $ 1,204.
_LEADER = re.compile(r"\.+ {0,3}[$€£(-]? ?\d")
_MOST_POINTS = 3


def _ends_clause(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    first = text[start]
    if first in _ALWAYS:
        return True
    if first == "\n":
        return not _is_soft_break(text, start)
    if end - start > _MOST_POINTS and _LEADER.match(text, start):
        return False
    if first == "•":
        return start > 0 and text[start - 1].isspace()
    if end < len(text) and not text[end].isspace():
        return False
    return first != "." or text[start + 1 : start + 2] == "." or _ends_sentence(text, start, end)


def _ends_sentence(text: str, start: int, end: int) -> bool:
    """Tell whether a point ends a sentence, and not an abbreviation, an initial or the number of a list item."""
    words = text[max(0, start - 12) : start].split()
    last = words[-1].lstrip("(\"'").lower() if words else ""
    if len(last) <= _LONGEST_MARKER:
        line = max(text.rfind("\n", max(0, start - 5), start) + 1, start - 5, 0)
        if (line == 0 or text[line - 1] == "\n") and _MARKER.match(text[line:start]):
            return False
    if last in _TITLES:
        return False
    is_initial = len(last) == 1 and text[start - 1].isupper()
    if not (is_initial or last in _NUMBERED or last in _SUFFIXES):
        return True
    following = _NEXT_WORD.match(text, end)
    first = following[1] if following else ""
    if last in _NUMBERED:
        return not first[:1].isdigit()
    return not first or (first[0].isupper() and first.lower() in _STARTERS)


def _is_soft_break(text: str, at: int) -> bool:
    """Tell whether a line end is a mere wrap: a word before, a small letter or a figure after, no list, no table."""
    if _BLOCK.match(text, at + 1) or _KEY.match(text, at + 1) or text[at - 1 : at] == "\n":
        return False
    line = text.rfind("\n", max(0, at - 400), at) + 1
    if text.startswith("|", line):
        return False
    return bool(_SOFT_END.search(text, max(0, at - 1), at) and _SOFT_START.match(text, at + 1))


def _split(text: str, start: int, end: int, ends: list[Span]) -> list[Span]:
    """Return the parts of `text[start:end]` between `ends`, without the blanks around them."""
    parts = []
    for stop, after in (*ends, (end, end)):
        piece = text[start:stop]
        bare = piece.strip()
        if bare:
            first = start + len(piece) - len(piece.lstrip())
            parts.append((first, first + len(bare)))
        start = after
    return parts


def _holding(spans: tuple[Span, ...], starts: list[int], position: int, length: int) -> Span:
    i = bisect_right(starts, position) - 1
    return spans[max(i, 0)] if spans else (0, length)
