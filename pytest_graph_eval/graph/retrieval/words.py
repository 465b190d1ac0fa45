"""Folds text to the words that are indexed and compared: one rule for names, descriptions, chunks and questions.

Case, accents, possessives, plural and verb endings do not count; `FY23`, `fiscal year 2023` and `FY2023` are one
word; `U.S.` is `us`; numbers are whole (`14.7%` is `14.7`). Scripts that put no spaces between words become runs
of two and three characters, so that any part of a text can be found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain

from pytest_graph_eval.graph.retrieval.synonyms import ASKED, SAME

_ENGLISH = """
a an the this that these those there here it its he him his she her they them their we our you your i my me
is are was were be been being am do does did done have has had having can could will would shall should may might must
of in on at to for from by with about into onto over under between among through during before after within without
upon per as than then so such and or nor but not if because while both either each some any all more most less least
other another what which who whom whose when where why how many much please tell say know
"""
_FRENCH = """
le la les un une des du de et ou est sont etait etaient ete sera ont avait avoir etre fait font ce cet cette ces
il elle ils elles nous vous je se sa ses leur leurs dans sur sous avec sans pour par chez entre vers au aux en y
ne pas plus qui que quoi dont quel quelle quels quelles quand comment pourquoi combien
"""
STOP_WORDS = frozenset((_ENGLISH + _FRENCH).split())
"""Articles, pronouns, auxiliaries, prepositions, question words, politeness. Not `us`: it is `U.S.`"""

_TOKEN = re.compile(
    r"fy['’]?(\d{4}|\d{2})(?![^\W_])"  # 1: a fiscal year
    r"|((?:[^\W\d_]\.){2,})"  # 2: an abbreviation with its points
    r"|['’]s(?![^\W_])|(?:[cdjlmnst]|qu)['’](?=\w)"  # a possessive, a French elision: nothing
    r"|(\d+(?:[.,]\d+)*)"  # 3: a number
    # 4: a word. Vowel signs of Indic, Thai, Lao, Tibetan, Burmese and Khmer are marks, which \w leaves out.
    r"|([^\W\d_](?:[^\W_]|[\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff])*(?:&[^\W_]+)*[+#]*)"
)
_COMMON_LENGTH = 32
_FISCAL = frozenset({"fy", "fiscal", "exercic"})
_GRAMS = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul: written with spaces, but particles cling to the words
    "]+"
)
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
"""Accents, and the points of Hebrew and Arabic, which most texts leave out."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_VOWEL = re.compile("[aeiouy]")
_IRREGULAR = {
    "sold": "sell", "bought": "buy", "grew": "grow", "grown": "grow", "ran": "run", "led": "lead", "rose": "rise",
    "fell": "fall", "fallen": "fall", "wrote": "write", "written": "write", "won": "win", "made": "make",
    "held": "hold", "built": "build", "began": "begin", "begun": "begin", "became": "become", "paid": "pay",
    "left": "leave", "lost": "lose", "spent": "spend", "men": "man", "women": "woman", "children": "child",
    "people": "person",
}  # fmt: skip


def fold(text: str) -> list[str]:
    """Return all words of a text in order, stop words included."""
    words = list(chain.from_iterable(map(_WORDS.__getitem__, text.split())))
    return words if _FISCAL.isdisjoint(words) else list(_with_fiscal_years(words))


def content(text: str) -> list[str]:
    """Return the words of a text in order without stop words."""
    words = list(chain.from_iterable(map(_CONTENT.__getitem__, text.split())))
    return words if _FISCAL.isdisjoint(words) else list(_with_fiscal_years(words))


def _words_of(token: str) -> tuple[str, ...]:
    """Return the words of a text without white space."""
    words: list[str] = []
    for year, abbreviation, number, word in _TOKEN.findall(token.lower() if token.isascii() else _plain(token)):
        if word:
            words += [stem(word)] if word.isascii() else _split(word)
        elif number:
            words.append(number.replace(",", ""))
        elif year:
            words.append(f"fy{_century(year)}")
        elif abbreviation:
            words.append(abbreviation.replace(".", ""))
    return tuple(words)


class _Remembered(dict[str, tuple[str, ...]]):
    """The words of the tokens seen so far. Texts repeat their short tokens, and a look-up is far faster than a fold."""

    most = 200_000

    def __init__(self, compute: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, token: str) -> tuple[str, ...]:
        words = self._compute(token)
        if len(token) <= _COMMON_LENGTH and len(self) < self.most:
            self[token] = words
        return words


_WORDS = _Remembered(_words_of)
_CONTENT = _Remembered(lambda token: tuple(word for word in _words_of(token) if word not in STOP_WORDS))


def _with_fiscal_years(words: list[str]) -> Iterator[str]:
    """Yield `fiscal year 2023` and `FY 23` as the one word `fy2023`."""
    at = 0
    while at < len(words):
        year = at + (2 if words[at + 1 : at + 2] == ["year"] else 1)
        if words[at] in _FISCAL and year < len(words) and re.fullmatch(r"\d\d(?:\d\d)?", words[year]):
            yield f"fy{_century(words[year])}"
            at = year + 1
        else:
            yield words[at]
            at += 1


def _plain(text: str) -> str:
    """Return a text in lower case without accents and without compatibility forms."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


def _century(year: str) -> str:
    """Return `23` as 2023 and `98` as 1998."""
    return year if len(year) == 4 else ("20" if year < "70" else "19") + year


def _split(word: str) -> Iterator[str]:
    """Yield the parts of a word that is not ASCII: runs of a script without spaces as grams, the rest as words."""
    at = 0
    for run in _GRAMS.finditer(word):
        if at < run.start():
            yield stem(word[at : run.start()])
        yield from _grams(run[0])
        at = run.end()
    if at < len(word):
        yield stem(word[at:])


def _grams(run: str) -> Iterator[str]:
    """Yield the run's parts of two and of three characters, or the one character that it is."""
    if len(run) == 1:
        yield run
    for size in (2, 3):
        for at in range(len(run) - size + 1):
            yield run[at : at + size]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return an English word without its plural or verb ending; short and foreign words stay nearly as they are."""
    if word in STOP_WORDS:
        return word
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return _IRREGULAR.get(word, word)
    word = _IRREGULAR.get(word, word)
    if word.endswith(("ies", "sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and not word.endswith("eed") and len(root) >= 3 and _VOWEL.search(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if len(word) > 3 and word[-1] == "e":
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


@lru_cache(maxsize=50_000)
def word_set(text: str) -> frozenset[str]:
    """Return the words of a text without stop words, and the phrases in it that mean one thing.

    A text of nothing but stop words (`The Who`) keeps them.
    """
    words = fold(text)
    single = frozenset(words)
    phrases = [] if _FIRST_OF_PHRASES.isdisjoint(single) else _phrases_in(words)
    return (single - STOP_WORDS or single).union(phrases)


def _phrases_in(words: list[str]) -> list[str]:
    joined = f" {' '.join(words)} "
    return [phrase for phrase in PHRASES if f" {phrase} " in joined]


@lru_cache(maxsize=10_000)
def type_words(type_: str) -> frozenset[str]:
    """Return the words of a type label: `GEOGRAPHIC_SEGMENT`, `worksFor` and `Legal Entity` are two words each."""
    return word_set(_CAMEL.sub(" ", type_))


def is_gram(word: str) -> bool:
    """Tell whether a word is a run of characters of a script without spaces."""
    return not word.isascii() and _GRAMS.fullmatch(word) is not None


def is_period(word: str) -> bool:
    """Tell whether a word is a year or a fiscal year."""
    digits = word.removeprefix("fy")
    return len(digits) == 4 and digits.isdigit() and digits[:2] in ("19", "20", "21")


def years_of(words: frozenset[str]) -> frozenset[str]:
    """Return the years among words, fiscal or not."""
    return frozenset(word.removeprefix("fy") for word in words if is_period(word))


PHRASES = tuple(
    sorted(
        {
            " ".join(fold(text))
            for group in (*SAME, *(g for pair in ASKED for g in pair))
            for text in group
            if " " in text
        }
    )
)
"""The phrases of several words that mean one thing, folded."""
_FIRST_OF_PHRASES = frozenset(phrase.split()[0] for phrase in PHRASES)
