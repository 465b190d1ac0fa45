"""Numbers written as words, English and French up to the billions: `two hundred and five`, `quatre-vingt-dix-sept`.

A run of words is read whole (the longest reading of either language), so `twenty-one` is never twenty or one.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.other_cardinals import anywhere, cardinal, longest_anywhere
from pytest_graph_eval.metrics.facts.other_cardinals import longest as longest_other
from pytest_graph_eval.metrics.facts.page import Page, glues
from pytest_graph_eval.metrics.facts.rules import language
from pytest_graph_eval.metrics.facts.tables.cues import LABELS, NOT_COUNTED
from pytest_graph_eval.metrics.facts.tables.number_words import (
    ARTICLES,
    BEFORE_BIG,
    COLLIDING,
    EN,
    FR,
    HUNDREDS_APART,
    ORDINALS_EN,
    ORDINALS_FR,
    ORDINALS_OTHER,
    OTHER_CARDINALS,
    OTHER_ONES,
    PARTS,
    SCALES_EN,
    SCALES_FR,
    SINGLES,
    TWO,
    VAGUE,
    ZERO_WORDS,
    ZEROS,
)
from pytest_graph_eval.metrics.facts.tables.scales import MULTIPLES, SCALES
from pytest_graph_eval.metrics.facts.word_grammar import Kind, Reading, longest


class WordNumber(NamedTuple):
    """A number in words. `needs_noun`: it counts only beside the noun that is counted (one, un, neuf, no)."""

    start: int
    end: int
    value: Decimal
    kind: Kind = "cardinal"
    needs_noun: bool = False
    vague: bool = False


_FOLD = "fold"
_ORDINALS: dict[str, int] = {**ORDINALS_OTHER, **ORDINALS_EN, **ORDINALS_FR}
_SCALES = {**SCALES_FR, **SCALES_EN}
_TRIGGERS = frozenset(
    {*EN, *FR, *_SCALES, *_ORDINALS, *VAGUE, *MULTIPLES, *ZEROS, *ZERO_WORDS, "half", "quarter", "demi", "moitie",
     *TWO, "cent", "cents", "hundred", "single", "third", "tiers", "quart", *(f"{word}{_FOLD}" for word in EN)}
)  # fmt: skip
# Directly after digits these belong to them (5 million, 30 second, 12 sept); every other word begins its own figure.
_AFTER_DIGITS = _TRIGGERS - {*ZEROS, *ZERO_WORDS, *EN, *FR} | COLLIDING
_MILLION = 6
_BIG_WORDS = frozenset(word for word, power in SCALES.items() if power >= _MILLION)
_SEVERAL = frozenset().union(*(OTHER_CARDINALS[language] for language in ("es", "pt")), ("mil", "ciento", "cento"))
_ONES = frozenset().union(*OTHER_ONES.values())
_OTHER_LANGUAGES = frozenset(BEFORE_BIG).union(_ONES, *OTHER_CARDINALS.values(), *HUNDREDS_APART.values(), ("mil",))
# What is a number in a longer word: zweiundzwanzig, duecentocinquanta.
_GLUED = re.compile(
    r"[a-z](?:und|en)[a-z]{3,9}(?:zig|ßig|tig)\b|hundert|tausend|honderd|duizend|[a-z]cent|cento[a-z]|mila\b|"
    r"(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[auoi]"
)
# What a word says when no other word of a number follows it.
_LONE: dict[str, Reading] = {
    **{word: Reading(Decimal(n), 1, "ordinal") for word, n in _ORDINALS.items() if word not in PARTS},
    **{word: Reading(Decimal(n), 1) for word, n in {**FR, **EN}.items() if word != "vingts"},
}
_RUN_WORD = re.compile(r"[a-z]+")
_STEP = re.compile(r"(?: |-| - )(?=[a-z])")
_MOST_WORDS = 24
# Enough to see what follows a lone number word.
_FEWEST_WORDS = 2
_VOCABULARY = (
    _TRIGGERS
    | PARTS.keys()
    | frozenset(("and", "et", "a", "an", "of", "de", "point", "virgule", "un", "demie", "vingts", "hundredth", _FOLD))
)


def find(page: Page) -> list[WordNumber]:
    """Return the numbers in words, in order, none inside another."""
    found: list[WordNumber] = []
    end = 0
    for start, word in _occurrences(page):
        if start < end:
            continue
        number = _read(page, start, word)
        if number is not None and number.start >= end:
            found.append(number)
            end = number.end
    return found


def _occurrences(page: Page) -> list[tuple[int, str]]:
    """Return where words that may begin a number stand."""
    triggers = page.words & _TRIGGERS
    if not triggers and page.words.isdisjoint(_OTHER_LANGUAGES) and not _GLUED.search(page.lower):
        return []
    tongue = language(page)
    if tongue == "en":
        triggers -= COLLIDING | ORDINALS_OTHER.keys()
    elif tongue in OTHER_CARDINALS:
        triggers |= {word for word in page.words if cardinal(word, tongue)} | _before_big(page)
    elif tongue is None:
        triggers |= {word for word in page.words if word in _SEVERAL or anywhere(word)} | _before_big(page)
    places = []
    for word in triggers:
        at = page.lower.find(word)
        while at >= 0:
            multiplied = (word in _AFTER_DIGITS or word == "mil") and page.lower[
                max(0, at - 2) : max(0, at - 1)
            ].isdigit()
            if not multiplied and _stands_alone(page.lower, at, at + len(word)):
                places.append((at, word))
            at = page.lower.find(word, at + len(word))
    return sorted(places)


def _before_big(page: Page) -> frozenset[str]:
    """Return the words that are figures before a scale word only, where there is one."""
    return frozenset() if page.words.isdisjoint(_BIG_WORDS) else page.words & (BEFORE_BIG.keys() | _ONES)


def _stands_alone(lower: str, start: int, end: int) -> bool:
    before, after = lower[start - 1] if start else " ", lower[end] if end < len(lower) else " "
    if glues(before) or glues(after) or before in "-/@#&.":
        return False
    return not (after in "_@/" or (after == "." and lower[end + 1 : end + 2].isalnum()))


def _read(page: Page, start: int, word: str) -> WordNumber | None:
    """Read the number that begins with `word`, with an article before it where that belongs to it."""
    words, ends = _run(page.lower, start)
    before = _word_before(page.lower, start)
    if word.endswith(_FOLD) and word[:-4] in EN:
        return WordNumber(start, ends[0], Decimal(EN[word[:-4]]), "ratio")
    if (other := _other(page, start, word)) is not None:
        return other
    if word in ZEROS or word in ZERO_WORDS:
        return _zero(page, start, words, ends, before)
    if word in TWO:
        return _two(page, start, word, before)
    if word == "single" or (word == "one" and _NOT_ONE.search(page.lower, max(0, start - 8), start)):
        none = word == "one" or _NOT_A.search(page.lower, max(0, start - 12), start)
        return WordNumber(start, ends[0], Decimal(0 if none else 1), needs_noun=True)
    if word in ("cent", "cents") and (before in ("per", "pour", "p.") or not _speaks_french(page, words)):
        return None
    lone = len(words) == 1 or words[1] not in _VOCABULARY
    part = _LONE.get(word) if lone else None
    part = part or longest(words, article=before in ("a", "an", "un", "une", "the", "la", "le"))
    if part is None or (word == "second" and before in ("per", "a", "each", "every", "one", "split")):
        return None
    end = ends[part.length - 1]
    if part.length == 1 and word in ARTICLES:
        return _article(start, end, words, before, part)
    kind: Kind = "ratio" if words[part.length : part.length + 1] == [_FOLD] else part.kind
    if kind == "ratio":
        end = ends[part.length]
    if words[part.length : part.length + 1] in (["something"], ["odd"], ["ish"]):
        return None
    return WordNumber(start, end, part.value, kind, vague=words[part.length - 1] in VAGUE)


# Not a single store, not one store: none.
_NOT_A = re.compile(r"(?:\bnot|n't|\bwithout) (?:a |even a |have a )\Z")
_NOT_ONE = re.compile(r"(?:\A|[.;\n] ?)not \Z")
_NOT_BOTH = re.compile(r"(?: [^\W\d_]+){1,3} (?:and|und|y|e|ed|as well as)\b")
_OF = re.compile(r" (?:of|de|di)(?: the| les| los| las)?(?= )")


def _two(page: Page, start: int, word: str, before: str) -> WordNumber | None:
    """Read both and a pair of: two of the noun that follows; `both stores and offices` counts nothing."""
    end = start + len(word)
    if TWO[word] == "both":
        joined = _NOT_BOTH.match(page.lower, end)
        return None if joined else WordNumber(start, end, Decimal(2), needs_noun=True)
    of = _OF.match(page.lower, end)
    article = before in ("a", "un", "une", "um", "the")
    return WordNumber(start, of.end(), Decimal(2), needs_noun=True) if of and article else None


def _other(page: Page, start: int, word: str) -> WordNumber | None:
    """Read a number in words of another language than English and French."""
    tongue = language(page)
    if tongue is not None and tongue not in OTHER_CARDINALS:
        return None
    if half := _HALF.match(page.lower, start):
        return WordNumber(start, half.end(), Decimal(BEFORE_BIG[half[0]]))
    run = _WORDS_APART.match(page.lower, start)
    words = run[0].split(" ") if run else [word]
    if word in _ONES and SCALES.get("".join(words[1:2]), 0) >= _MILLION:
        found: tuple[int, int] | None = (1, 1)
    elif tongue is None:
        found = longest_anywhere(words)
    else:
        found = longest_other(words, tongue)
    if found is None:
        return None
    number, end = Decimal(found[0]), start + len(" ".join(words[: found[1]]))
    if more := _AND_HALF.match(page.lower, end):
        return WordNumber(start, more.end(), Decimal(int((number + Decimal("0.5")) * 10 ** SCALES[more[1]])))
    return WordNumber(start, end, number)


# Halves before a scale word, medio millón, and after one: un millón y medio.
_BIG = "|".join(sorted(filter(str.isascii, _BIG_WORDS)))
_HALF = re.compile(rf"(?:{'|'.join(sorted(BEFORE_BIG))})(?= (?:{_BIG})\b)")
_AND_HALF = re.compile(rf" ({_BIG}) (?:y|e) (?:medi[oa]|mezzo|meio)\b")
_WORDS_APART = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,9}")


def _run(lower: str, start: int) -> tuple[list[str], list[int]]:
    """Return the words from `start` on that single spaces and hyphens join, and where each ends."""
    words: list[str] = []
    ends: list[int] = []
    at = start
    while len(words) < _MOST_WORDS and (m := _RUN_WORD.match(lower, at)):
        words.append(m[0])
        ends.append(m.end())
        step = _STEP.match(lower, m.end()) if m[0] in _VOCABULARY or len(words) < _FEWEST_WORDS else None
        if step is None:
            break
        at = step.end()
    return words, ends


def _word_before(lower: str, start: int) -> str:
    """Return the word that stands directly before `start`, after one space or an apostrophe."""
    if start < 2 or lower[start - 1] not in " '":
        return ""
    line = max(lower.rfind(" ", max(0, start - 20), start - 1), lower.rfind("\n", max(0, start - 20), start - 1))
    return lower[line + 1 : start - 1]


def _speaks_french(page: Page, words: Sequence[str]) -> bool:
    return language(page) == "fr" or (len(words) > 1 and (words[1] in FR or words[1] in SCALES_FR))


_NO_COUNT_AFTER = frozenset(("no", "this", "that", "any", "each", "which", "number", "day", "every"))


def _article(start: int, end: int, words: Sequence[str], before: str, part: Reading) -> WordNumber | None:
    """Read a lone one, un, une or neuf: an exact count after `exactly` or before `seul`, else only beside its noun."""
    following = words[1] if len(words) > 1 else ""
    if before in SINGLES or following in ("seul", "seule"):
        return WordNumber(start, end, part.value)
    if words[0] == "one" and (following in NOT_COUNTED or before in _NO_COUNT_AFTER or before in LABELS):
        return None
    return WordNumber(start, end, part.value, needs_noun=True)


def _zero(page: Page, start: int, words: Sequence[str], ends: Sequence[int], before: str) -> WordNumber | None:
    """Read a word that states zero; all but `zero` and `none` need the noun of what there is none of."""
    word, following = words[0], words[1] if len(words) > 1 else ""
    if word == "zero" and page.lower[ends[0] : ends[0] + 1] == "-":  # zero-emission
        return None
    if word in ("non", "nao"):
        there = _THERE_ARE_NONE.match(page.lower, ends[0])
        return WordNumber(start, there.end(), Decimal(0), needs_noun=True) if there else None
    if word in ("zero", "nil", "nought"):
        return WordNumber(start, ends[0], Decimal(0)) if following not in ("day", "sum", "trust") else None
    if word in ZERO_WORDS:
        return WordNumber(start, ends[0], Decimal(0), needs_noun=following in ("of", "de"))
    if word == "any" and not _denied(page.lower, start):
        return None
    if word == "pas":
        link = ("d'",) if page.lower.startswith(" d'", ends[0]) else ("de",)
        if following != link[0].rstrip("'"):
            return None
        return WordNumber(start, ends[1], Decimal(0), needs_noun=True)
    if not following and not before and word not in ("no", "any", "pas"):
        return WordNumber(start, ends[0], Decimal(0))  # Aucune.
    if not following or following in NOT_COUNTED or before in ("there's", "say"):
        return None
    return WordNumber(start, ends[0], Decimal(0), needs_noun=True)


_THERE_ARE_NONE = re.compile(r" (?:ci sono|c'e|ci siano|ha|hanno|existem?|houve|tem|possui)(?: piu| mais)?(?= )")
_DENIED = re.compile(r"(?:\bnot|n't|\bwithout|\bnever)(?: [a-z]+){0,2} \Z")


def _denied(lower: str, start: int) -> bool:
    return _DENIED.search(lower, max(0, start - 30), start) is not None
