"""What the words around a figure do to it: its direction, a denial, an open bound, and the clause it stands in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.page import Page
from pytest_graph_eval.metrics.facts.tables.corrections import (
    CAME_TRUE,
    CORRECTED,
    CORRECTED_WORDS,
    EXPECTED,
    EXPECTED_WORDS,
    INSTEAD,
    THOUGHT,
    THOUGHT_WORDS,
    WRONGLY,
)
from pytest_graph_eval.metrics.facts.tables.cues import (
    ABOVE,
    APPROXIMATE,
    BELOW,
    BOUND_AFTER,
    BOUNDS,
    DENIED_AFTER_UNSPACED,
    DENIED_BEFORE_UNSPACED,
    DENIERS,
    DENIERS_WITH,
    FALLING,
    FALLING_UNSPACED,
    FALSE_AFTER,
    FALSE_THAT,
    FALSE_WORDS,
    FILLERS,
    LEVELS,
    LEVELS_UNSPACED,
    RISING,
    RISING_UNSPACED,
)
from pytest_graph_eval.metrics.facts.tables.number_words import ARTICLES, EN, FR

Span = tuple[int, int]
_FARTHEST = 600


def scope(page: Page, at: int, clauses: Sequence[Span]) -> Span:
    """Return the clause that holds `at`, at most `_FARTHEST` either way."""
    lower = page.lower
    if not clauses:
        return max(0, at - _FARTHEST), min(len(lower), at + _FARTHEST)
    first = last = max(started(clauses, at) - 1, 0)
    if first and _goes_into(lower, clauses[first - 1], clauses[first]):
        first -= 1
    if last + 1 < len(clauses) and _goes_into(lower, clauses[last], clauses[last + 1]):
        last += 1
    return max(clauses[first][0], at - _FARTHEST), min(clauses[last][1], at + _FARTHEST)


def started(spans: Sequence[Span], at: int) -> int:
    """Return how many of some spans, in order, start at `at` or before."""
    return bisect_left(spans, (at + 1,))


def _goes_into(lower: str, first: Span, second: Span) -> bool:
    """Tell whether only the point of an abbreviation separates two clauses."""
    end = first[1] + (lower[first[1] : first[1] + 1] == ".")
    return _is_abbreviation(lower, end, second[0])


_ABBREVIATED = re.compile(r"(?:\b[a-z]\.){1,4}\Z|\b(?:inc|corp|co|ltd|no|vs|approx)\.\Z")


def _is_abbreviation(lower: str, end: int, following: int) -> bool:
    """Tell whether the point before `end` ends no sentence: Walmart U.S. $420.6 billion."""
    going_on = lower[following : following + 1]
    return going_on in _GOES_ON_WITH and bool(_ABBREVIATED.search(lower, max(0, end - 8), end))


_GOES_ON_WITH = frozenset("$€£¥₹0123456789(")


# --- direction ----------------------------------------------------------------------------------------------------

# A $2 million profit; the loss narrowed to $2 million.
_PROFIT = re.compile(r"(?:(?:net|operating|pre-?tax|gross|annual) )?(?:profit|surplus|gain)s?\b")
_LOSS = re.compile(
    r"\b(?:loss(?:es)?|deficit|shortfall) (?:\w+ ){0,3}?(?:narrow|wid|shr[aiu]nk|gr[eo]w|ros|fell|increas|decreas|"
    r"declin|reduc|improv|worsen|deepen|balloon|amount|c[ao]m)\w*(?: \w+){0,2}?(?: from \S+(?: (?:thousand|million|"
    r"billion|[mb]n?))? to)? \Z"
)
_AFTER = re.compile(r"(?: \([^()\n]{0,30}\))?[ -]([a-z]+ )?")


def direction(page: Page, span: Span, clause: Span) -> Literal["", "rise", "fall"]:
    """Tell whether the clause says that the figure is a rise or a fall.

    A word directly after it decides (`a 3.2 % drop`), else the nearest before it; a level that was reached or left
    (`fell to 20.4`, `down from 25.9`) has no direction.
    """
    if not _tells_direction(page):
        return ""
    lower = page.lower
    gap = _AFTER.match(lower, span[1], clause[1])
    for at in {gap.end() - len(gap[1] or ""), gap.end()} if gap else ():
        for cue, name in ((FALLING, "fall"), (RISING, "rise")):
            if cue.match(lower, at, clause[1]):
                return name  # type: ignore[return-value]  # the table holds the literals
    if gap and _PROFIT.match(lower, gap.end() - len(gap[1] or ""), clause[1]):
        return "rise"
    unspaced = _unspaced_direction(lower, span, clause) if not lower.isascii() else None
    if unspaced is not None:
        return unspaced
    arrow = _ARROWS.get(lower[max(0, span[0] - 2) : span[0]].strip(" (")[-1:])
    if arrow:
        return arrow
    if lower.endswith("negative at ", clause[0], span[0]):
        return "fall"
    if (last_word(page, span[0]) in LEVELS and not _is_of(lower, span[0])) or page.plain.endswith(
        " à ", max(0, span[0] - 3), span[0]
    ):
        return "fall" if _LOSS.search(lower, clause[0], span[0]) else ""
    fall = max((m.end() for m in FALLING.finditer(lower, clause[0], span[0])), default=-1)
    rise = max((m.end() for m in RISING.finditer(lower, clause[0], span[0])), default=-1)
    return "" if fall == rise == -1 else "fall" if fall >= rise else "rise"


_UNSPACED = rf"(?P<rise>{RISING_UNSPACED})|(?P<fall>{FALLING_UNSPACED})"
_UNSPACED_AFTER = re.compile(rf" ?(?:の|的|も|だけ|ほど|程)?(?:{_UNSPACED}|(?P<up>[増增])|(?P<down>[減减]))")
_UNSPACED_BEFORE = re.compile(_UNSPACED)
_UNSPACED_REACH = 12


def _unspaced_direction(lower: str, span: Span, clause: Span) -> Literal["", "rise", "fall"] | None:
    """Tell the direction of a figure in a script without spaces; None where no word of one is beside it."""
    m = _UNSPACED_AFTER.match(lower, span[1], clause[1])
    if m is None and lower[span[0] - 1 : span[0]] in LEVELS_UNSPACED:
        return "" if _UNSPACED_BEFORE.search(lower, max(clause[0], span[0] - _UNSPACED_REACH), span[0]) else None
    if m is None:
        m = next(
            reversed([*_UNSPACED_BEFORE.finditer(lower, max(clause[0], span[0] - _UNSPACED_REACH), span[0])]), None
        )
    return None if m is None else "rise" if m.lastgroup in ("rise", "up") else "fall"


def _tells_direction(page: Page) -> bool:
    """Tell at little cost whether anything on a page may say that a figure rose or fell."""
    known = page.memory.get("direction")
    if known is None:
        known = page.memory["direction"] = not page.text.isascii() or any(map(_may_be_direction, page.words))
    return bool(known)


@lru_cache(maxsize=16384)
def _may_be_direction(word: str) -> bool:
    return bool(FALLING.match(word) or RISING.match(word))


def _is_of(lower: str, at: int) -> bool:
    """Tell whether `von` before a figure is the of a change (ein Verlust von 5 %), and not the from of a level."""
    words = lower[max(0, at - 60) : at].split()
    return words[-1:] == ["von"] and any(cue.fullmatch(word) for cue in (FALLING, RISING) for word in words[-2:-1])


_ARROWS: dict[str, Literal["rise", "fall"]] = {
    **dict.fromkeys("▲△↑↗⬆", "rise"),
    **dict.fromkeys("▼▽↓↘⬇", "fall"),
}


def last_word(page: Page, at: int) -> str:
    """Return the word before a place, `about` and the like left out."""
    words = page.lower[max(0, at - 40) : at].split()
    while words and words[-1] in APPROXIMATE:
        words.pop()
    return words[-1] if words else ""


# --- bounds and denials -------------------------------------------------------------------------------------------

_BOUND_BEFORE = re.compile(rf"(?:{BOUNDS.pattern})(?: an?| une?)? ?\Z")
_BELOW_BEFORE = re.compile(rf"(?:{BELOW}) ?\Z")
_PASSED_BEFORE = re.compile(rf"(?:{BELOW}|{ABOVE}) ?\Z")
_LONGEST_BOUND = 24
_LONGEST_DENIAL = 100
_LONGEST_VERB = 48
_MOST_FILLERS = 9


# The Portuguese `até` keeps its accent: who ate 12 did eat them.
_UP_TO = re.compile(r"(?<!subiu )(?<!cresceu )(?<!chegou )(?<!caiu )(?<!aumentou )\b[Aa]té \Z")


def is_bound(page: Page, span: Span) -> bool:
    """Tell whether a figure is a limit (more than 12, 12 or more), which does not state it."""
    before = page.lower[max(0, span[0] - _LONGEST_BOUND) : span[0]]
    if _BOUND_BEFORE.search(before) or BOUND_AFTER.match(page.lower, span[1]):
        return True
    return _UP_TO.search(page.plain, max(0, span[0] - _LONGEST_BOUND), span[0]) is not None


def is_passed(page: Page, span: Span) -> bool:
    """Tell whether a figure is said to be passed, either way: less than 5 %, above 5 %; not just under 5 %."""
    return _is_compared(page, span, _PASSED_BEFORE)


def is_below(page: Page, span: Span) -> bool:
    """Tell whether the value is said to be below a figure; `more than $611 billion` rounds, and states it."""
    return _is_compared(page, span, _BELOW_BEFORE)


_PASSED_UNSPACED = re.compile("未満|未满|を?超え|を上回|を下回|미만|초과")


def _is_compared(page: Page, span: Span, bound: re.Pattern[str]) -> bool:
    before = page.lower[max(0, span[0] - _LONGEST_BOUND) : span[0]]
    return bool(bound.search(before)) or _PASSED_UNSPACED.match(page.lower, span[1]) is not None


_ASKED = re.compile(r"[)\"'’” ]{0,2}[?？]")
_YES = re.compile(r"\W*(?:yes|yeah|yep|correct|exactly|indeed|oui|ja|si)\b")
# Where a question of its own begins behind what is stated: it is 12, is there more?
_BREAK = re.compile(r"[,;:(，：（]|(?<![\w.])[-–—]+(?= )|[–—]")
_ASKING = re.compile(
    r"\W*(?:(?:so|and|but|or|then|well|alors|donc|et|mais|ou)\W+)?(?:is|are|was|were|do|does|did|has|have|had|can|"
    r"could|will|"
    r"would|should|may|might|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|what|which|who|how|when|where|why|"
    r"est-ce|est-il|"
    r"etait-ce|combien|quel(?:le)?s?|qui|ist|war|sind|hat|wie|was|es|fue)\b"
)


def _is_asked(lower: str, end: int, clause: Span) -> bool:
    """Tell whether a clause asks for what ends at `end`, rather than for something else after stating it."""
    asked = _ASKED.match(lower, clause[1])
    if asked is None or _YES.match(lower, asked.end()):
        return False
    return not _BREAK.search(lower, end, clause[1]) or _ASKING.match(lower, clause[0]) is not None


_FIGURE = re.compile(rf"\d|\b(?:{'|'.join((EN.keys() | FR.keys()) - ARTICLES)})\b")
_WORD = re.compile(r"\w")
_LONGEST_CORRECTION = 160


def is_taken_back(page: Page, span: Span, clause: Span, other: re.Pattern[str] = _WORD) -> bool:
    """Tell whether what stands there is corrected in the same breath: I thought 12, but it is 13; 12, no, 13.

    `other` is what the correction must hold.
    """
    lower, words = page.lower, page.words
    if not words.isdisjoint(CORRECTED_WORDS):
        m = CORRECTED.match(lower, span[1])
        if m is not None and other.search(lower, m.end(), m.end() + _LONGEST_BOUND):
            return True
    if _was_expected(page, span, clause, other):
        return True
    if words.isdisjoint(THOUGHT_WORDS):
        return False
    if WRONGLY.search(lower, clause[0], span[0]):
        return True
    thought = max((m.end() for m in THOUGHT.finditer(lower, clause[0], span[0])), default=None)
    if thought is None or INSTEAD.search(lower, thought, span[0]) or _FIGURE.search(lower, thought, span[0]):
        return False
    instead = INSTEAD.search(lower, span[1], clause[1] + _LONGEST_CORRECTION)
    return instead is not None and bool(other.search(lower, instead.end(), instead.end() + _LONGEST_CORRECTION))


def _was_expected(page: Page, span: Span, clause: Span, other: re.Pattern[str]) -> bool:
    """Tell whether what stands there was only expected, and something else came true."""
    if page.words.isdisjoint(EXPECTED_WORDS):
        return False
    lower = page.lower
    clause = max(clause[0], span[0] - _FARTHEST), min(clause[1], span[1] + _FARTHEST)
    expected = max((m.end() for m in EXPECTED.finditer(lower, clause[0], clause[1])), default=None)
    if expected is None or (expected < span[0] and _FIGURE.search(lower, expected, span[0])):
        return False
    if span[1] < expected and not _BE.fullmatch(lower, span[1], expected):
        return False
    came = CAME_TRUE.search(lower, max(expected, span[1]), clause[1])
    if came is None or (expected < span[0] and INSTEAD.search(lower, expected, span[0])):
        return False
    return bool(other.search(lower, came.end(), clause[1]))


# 12 stores were planned, Doe was expected to be it.
_BE = re.compile(r"(?: [a-z]+){0,3} (?:was|were|had been|is|are) [a-z]+")


# It did not reach 12, it doesn't cover 27%; but it did not score in 12 games.
_DID_NOT = re.compile(
    r"\b(?:do(?:es)?|did)(?:n't| not) (?!only\b|just\b|merely\b|until\b)[a-z]+"
    r"(?: (?:about|approximately|around|exactly|the|a))? \Z|"
    r"\b(?:fail(?:s|ed)? to (?:reach|hit|meet|exceed|attain|achieve|pass)|(?:fell|falls?|came in|"
    r"comes in) (?:\w+ )?short of)"
    r"(?: (?:about|approximately|even|the|its|a))* \Z"
)


def _is_denied_unspaced(lower: str, span: Span) -> bool:
    before = DENIED_BEFORE_UNSPACED.search(lower, max(0, span[0] - _UNSPACED_REACH), span[0])
    return bool(before or DENIED_AFTER_UNSPACED.match(lower, span[1]))


def is_denied(page: Page, span: Span, clause: Span) -> bool:
    """Tell whether a figure or date is stated only to be denied, or asked for."""
    lower = page.lower
    if _is_asked(lower, span[1], clause) or _DID_NOT.search(lower, max(clause[0], span[0] - _LONGEST_VERB), span[0]):
        return True
    if not page.words.isdisjoint(FALSE_WORDS) and (
        FALSE_THAT.search(lower, clause[0], span[0]) or FALSE_AFTER.match(lower, span[1], clause[1])
    ):
        return True
    if is_taken_back(page, span, clause, _FIGURE) or (not lower.isascii() and _is_denied_unspaced(lower, span)):
        return True
    words = lower[max(clause[0], span[0] - _LONGEST_DENIAL) : span[0]].split()
    following = ""
    for i, word in enumerate(reversed(words)):
        bare = word.lstrip("([").rpartition("'")[2] if word != "'" else word
        if i > _MOST_FILLERS or word[-1] in ",;:)|":
            return False
        if word.endswith("n't") or bare in DENIERS:
            return True
        if word in DENIERS_WITH:
            return following == DENIERS_WITH[word] or DENIERS_WITH[word] == ""
        if word == "plus" and following == "que":
            return False
        if word in ("longer", "plus"):
            earlier = words[max(0, len(words) - i - 4) : len(words) - i - 1]
            return earlier[-1:] == ["no"] or any(w == "ne" or w.startswith("n'") for w in earlier)
        if word == "no" and i > 0 and words[-i] in FILLERS and following not in ("the", "of"):
            return True
        if bare not in FILLERS:
            return False
        following = bare
    return False
