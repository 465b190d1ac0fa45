"""Names in a text: whole words, whatever their case, diacritics, hyphens, quotes and legal form; longest name wins.

A `Name` is compiled once and looked up in the words of a text; a `NameIndex` holds the names of a catalog and
finds them all in one pass whose time depends on the text, not on the number of names.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import spellings
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.tables.legal_forms import LEGAL_FORMS, LEGAL_LETTERS
from pytest_graph_eval.metrics.facts.text import Text
from pytest_graph_eval.metrics.facts.words import Words, gap_kind, is_plain_word
from pytest_graph_eval.once import once

_ARTICLES = frozenset(("the",))
_ABBREVIATED = LEGAL_FORMS.union(
    ("st", "dr", "mr", "mrs", "ms", "prof", "jr", "sr", "bros", "no", "dept", "gen", "mt", "ft")
)


class Mention(NamedTuple):
    """One place where a name stands: its span in the plain text, and the name as the catalog or suite writes it."""

    start: int
    end: int
    name: str


class _Form(NamedTuple):
    """One way to write a name: its words, what stands between them, and whether its case decides."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    own: tuple[str, ...]
    by_case: bool


class Name:
    """A name as it is looked for: as written, without its legal form, and without a leading article."""

    def __init__(self, name: str) -> None:
        """Compile a name; a name without any word has no `forms`."""
        self.name = name
        self.forms = tuple(_forms(Text(name)))
        self.key = self.forms[-1].words if self.forms else ()

    @once
    def spelled(self) -> tuple[_Form, ...]:
        """The forms with their umlauts written the other way."""
        return tuple(
            form._replace(words=words) for form in self.forms for words in spellings.other_letters(form.words, form.own)
        )

    @once
    def joined(self) -> tuple[_Form, ...]:
        """The forms with words cut otherwise: JPMorgan for JP Morgan, and the other way round."""
        return tuple(_cut(form, *change) for form in self.forms for change in spellings.joined(form.words, form.own))

    @once
    def person(self) -> spellings.Person | None:
        """The name as a person's, where it can be one."""
        return spellings.person(self.forms[0].words, self.forms[0].own) if len(self.forms) == 1 else None

    @property
    def is_one_word(self) -> bool:
        """Tell whether the name, as written, is one word of letters, perhaps with signs around it."""
        words = self.forms[0].words if self.forms else ()
        return sum(w.isalnum() or "_" in w for w in words) == 1 and any(is_plain_word(w) for w in words)


@lru_cache(maxsize=65536)
def compiled(name: str) -> Name:
    """Return the compiled form of a name."""
    return Name(name)


def key_of(name: str) -> tuple[str, ...]:
    """Return what two spellings of one name share: its words, folded, without article and legal form."""
    return compiled(name).key


def entity_key(name: str) -> tuple[str, ...]:
    """Return what two spellings of one entity's name share: its words, folded; the legal form stays."""
    forms = compiled(_IN_SINGLE_QUOTES.sub(r"\1", name)).forms
    return forms[0].words if forms else ()


_IN_SINGLE_QUOTES = re.compile(r"\A\s*['‘](.*)['’]\s*\Z", re.DOTALL)


def _forms(text: Text) -> Iterator[_Form]:
    """Yield the name in full, then shorter forms, the barest last."""
    words = text.words
    low, high = 0, len(words.words)
    if high:
        yield _form(text, words, low, high, by_case=False)
    bare = high
    while bare and (cut := _legal_end(words.words[:bare])):
        bare = cut
    if words.words[:1] and words.words[0] in _ARTICLES and bare > 1:
        low = 1
    if (low, bare) != (0, high) and low < bare:
        alone = bare - low == 1 and is_plain_word(words.words[low])
        yield _form(text, words, low, bare, by_case=alone)


def _legal_end(words: Sequence[str]) -> int:
    """Return how many words are left without the legal form at the end, 0 where there is none or nothing left."""
    if words[-1] in LEGAL_FORMS:
        return len(words) - 1
    for letters in LEGAL_LETTERS:
        if tuple(words[-len(letters) :]) == letters:
            return len(words) - len(letters)
    return len(words) - 1 if words[-1] == "&" and len(words) > 1 else 0


def _form(text: Text, words: Words, low: int, high: int, *, by_case: bool) -> _Form:
    gaps = tuple(gap_kind(text.plain[words.ends[i] : words.starts[i + 1]]) for i in range(low, high - 1))
    own = tuple(text.plain[words.starts[i] : words.ends[i]] for i in range(low, high))
    return _Form(tuple(words.words[low:high]), gaps, own, by_case)


def _cut(form: _Form, low: int, high: int, words: tuple[str, ...]) -> _Form:
    """Return a form with other words from `low` to `high`."""
    gaps = (*form.gaps[:low], *("",) * (len(words) - 1), *form.gaps[high - 1 :])
    own = (*form.own[:low], *words, *form.own[high:])
    return _Form((*form.words[:low], *words, *form.words[high:]), gaps, own, by_case=False)


def find(text: Text, name: str, case: str = "any") -> list[Mention]:
    """Return the mentions of a name in a text, in order.

    Args:
        text: the text to look in.
        name: the name; its legal form and article may be missing in the text.
        case: `any`; `exact`; or `auto`, where a one-word name counts in its own case or in capitals only.
    """
    compiled_name = compiled(name)
    by_case = case == "auto" and compiled_name.is_one_word
    found: dict[int, Mention] = {}
    for form, at in _standing(text, compiled_name):
        start, end = text.words.starts[at], text.words.ends[at + len(form.words) - 1]
        if start in found or not _is_whole(text, start, end):
            continue
        if len(form.words) == 1 and spellings.is_small_word(form.words[0], form.own[0], text.plain[start:end]):
            continue
        if case == "exact" and not _same_case(text, at, form):
            continue
        if (by_case or form.by_case) and not _own_case(text, at, form, capital=not by_case):
            continue
        found[start] = Mention(start, end, name)
    person = compiled_name.person
    if person is not None and case != "exact" and text.may_hold(person.last):
        for first, last in spellings.of_person(text, person):
            start = text.words.starts[first]
            found.setdefault(start, Mention(start, text.words.ends[last], name))
    return [found[start] for start in sorted(found)]


def _standing(text: Text, name: Name) -> Iterator[tuple[_Form, int]]:
    """Yield each form of a name with the places where its words stand."""
    for form in name.forms:
        for at in _places(text, form):
            yield form, at
    for form in name.joined:
        for at in _places(text, form):
            yield form, at
    for form in name.spelled:
        for at in _places(text, form):
            if spellings.same_letters(text, at, form.own):
                yield form, at


def _places(text: Text, form: _Form) -> Iterator[int]:
    """Yield the index of the first word of each place where the words of a form stand."""
    if not text.may_hold(max(form.words, key=len)) and "&" not in form.words:
        return
    positions = text.word_positions
    rarest, offset = min((len(positions.get(w, ())), i) for i, w in enumerate(form.words))
    if not rarest:
        return
    words, size = text.words.words, len(form.words)
    for position in positions[form.words[offset]]:
        at = position - offset
        if at >= 0 and tuple(words[at : at + size]) == form.words and _gaps_fit(text, at, form):
            yield at


def _gaps_fit(text: Text, at: int, form: _Form) -> bool:
    words = text.words
    return all(
        _gap_fits(
            gap_kind(text.plain[words.ends[at + i] : words.starts[at + i + 1]]), gap, form.words[i], form.words[i + 1]
        )
        for i, gap in enumerate(form.gaps)
    )


_GENERATIONS = frozenset(("jr", "sr", "ii", "iii", "iv"))


def _gap_fits(found: str, own: str, before: str, after: str) -> bool:
    """Tell whether what stands between two words of a text may stand there in the name."""
    if found == own or (found in ("", "-") and own in ("", "-")):
        return True
    if own in (". ", ",", ".,"):
        return found in ("", ". ", ",", ".", ".,")
    if found in (",", ".,"):
        return after in LEGAL_FORMS or after in _GENERATIONS
    if found in (". ", "."):
        return (len(before) == 1 or before in _ABBREVIATED) and own in ("", ". ", ".")
    return own == "." and len(before) == 1 and found == ""


def _is_whole(text: Text, start: int, end: int) -> bool:
    """Tell whether a mention is not part of a longer sign run: `C` is not in `C++`, `C+` not in `C++`."""
    plain = text.plain
    after = plain[end : end + 1]
    last = plain[end - 1]
    if last.isalnum():
        return after not in ("+", "#") or plain[end + 1 : end + 2].isalnum()
    before = plain[start - 1 : start]
    return after != last and not (before == plain[start] and not before.isalnum())


def _same_case(text: Text, at: int, form: _Form) -> bool:
    words = text.words
    return all(text.plain[words.starts[at + i] : words.ends[at + i]] == own for i, own in enumerate(form.own))


def _own_case(text: Text, at: int, form: _Form, *, capital: bool) -> bool:
    """Tell whether a one-word name stands in its own case, in capitals, or made a capital by the start of its clause.

    With `capital`, a capital where the name has one is enough.
    """
    words = text.words
    for i, own in enumerate(form.own):
        start = words.starts[at + i]
        found = text.plain[start : words.ends[at + i]]
        if found == found.upper() or _bare(found) == _bare(own):
            continue
        if capital and found[0].isupper() and own[0].isupper():
            continue
        small = found[0].lower() + found[1:]
        if _bare(small) != _bare(own) or text.clause_at(start)[0] != start:
            return False
    return True


def _bare(word: str) -> str:
    """Return a word without diacritics, in its own case."""
    return word if word.isascii() else "".join(fold(c).upper() if c.isupper() else fold(c) for c in word)


# --- catalogs -----------------------------------------------------------------------------------------------------


class NameIndex:
    """The names of a catalog with their types; finds all of them in a text in one pass."""

    def __init__(self, names: Iterable[tuple[str, str]] = (), base: NameIndex | None = None) -> None:
        """Index pairs of name and type on top of `base`; names without any word are left out."""
        self._names = tuple(dict.fromkeys((name, type_) for name, type_ in names))
        self._base = base

    @once
    def _found(self) -> WeakKeyDictionary[Text, tuple[Mention, ...]]:
        return WeakKeyDictionary()

    @once
    def _names_found(self) -> WeakKeyDictionary[Text, tuple[str, ...]]:
        return WeakKeyDictionary()

    def extended(self, names: Iterable[tuple[str, str]]) -> NameIndex:
        """Return an index that knows these names too; nothing of this one is made anew."""
        return NameIndex(names, self)

    def __len__(self) -> int:
        return len(self._names) + (len(self._base) if self._base else 0)

    def knows(self, name: str) -> bool:
        """Tell whether a name is in the catalog, whatever its case, article and legal form."""
        return key_of(name) in self._types or (self._base is not None and self._base.knows(name))

    def type_of(self, name: str) -> str:
        """Return the type of a name, empty where it is unknown."""
        return self._types.get(key_of(name)) or (self._base.type_of(name) if self._base is not None else "")

    @once
    def _types(self) -> dict[tuple[str, ...], str]:
        return {key: type_ for name, type_ in self._names if (key := key_of(name))}

    @once
    def _forms(self) -> tuple[dict[tuple[str, ...], tuple[str, _Form]], dict[str, tuple[int, ...]]]:
        """Every form by its words, and by its first word the lengths to try, longest first."""
        forms: dict[tuple[str, ...], tuple[str, _Form]] = {}
        lengths: dict[str, set[int]] = {}
        for name, _ in self._names:
            for form in compiled(name).forms:
                forms.setdefault(form.words, (name, form))
                lengths.setdefault(form.words[0], set()).add(len(form.words))
        return forms, {word: tuple(sorted(sizes, reverse=True)) for word, sizes in lengths.items()}

    def find(self, text: Text) -> tuple[Mention, ...]:
        """Return the longest known name at each place of a text, in order; a name inside a longer one is left out."""
        if not (self._names or self._base):
            return ()
        if text not in self._found:
            found = tuple(self._scan(text)) if self._names else ()
            if self._base is not None:
                found = _longest((*self._base.find(text), *found))
            self._found[text] = found
        return self._found[text]

    def names_in(self, text: Text) -> tuple[str, ...]:
        """Return the names that `find` finds in a text, each once, in order."""
        if text not in self._names_found:
            self._names_found[text] = tuple(dict.fromkeys(m.name for m in self.find(text)))
        return self._names_found[text]

    def _scan(self, text: Text) -> Iterator[Mention]:
        forms, lengths = self._forms
        words, starts, ends = text.words
        reach = 0
        for at in _first_words(text, lengths):
            for size in lengths[words[at]]:
                entry = forms.get(tuple(words[at : at + size]))
                if entry is None or at + size > len(words):
                    continue
                name, form = entry
                start, end = starts[at], ends[at + size - 1]
                if _gaps_fit(text, at, form) and _is_whole(text, start, end):
                    if _may_be_common(form) and not _own_case(text, at, form, capital=True):
                        continue
                    if end > reach:
                        reach = end
                        yield Mention(start, end, name)
                    break


NO_NAMES = NameIndex()
"""The catalog of who knows none."""


def _first_words(text: Text, first: Mapping[str, object]) -> Sequence[int]:
    """Return the places in order where a name of the index may begin."""
    positions = text.word_positions
    if len(first) < len(positions):
        return sorted(at for word in first if word in positions for at in positions[word])
    return [at for at, word in enumerate(text.words.words) if word in first]


def _longest(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Return mentions in order, without those that lie inside another."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start, -m.end)):
        if not kept or mention.end > kept[-1].end:
            kept.append(mention)
    return tuple(kept)


def _may_be_common(form: _Form) -> bool:
    return len(form.words) == 1 and is_plain_word(form.words[0])


def uncovered(
    mentions: Iterable[Mention], *known: Sequence[Mention], same: Iterable[tuple[str, ...]] = ()
) -> list[Mention]:
    """Return the mentions that are not part of a longer known name of something else.

    Args:
        mentions: what was found of one name.
        known: results of `NameIndex.find` for the same text.
        same: the keys of names that mean the same thing.
    """
    keys = frozenset(same)
    return [m for m in mentions if not any(covering(m, longer, keys) for longer in known)]


def covering(
    mention: Mention, known: Sequence[Mention], same: frozenset[tuple[str, ...]] = frozenset()
) -> Mention | None:
    """Return the longer known name of something else around a mention, if there is one."""
    key, size = key_of(mention.name), mention.end - mention.start
    i = bisect_right(known, mention.start, key=lambda m: m.start) - 1
    while i >= 0 and known[i].end >= mention.end:
        longer = key_of(known[i].name)
        if known[i].end - known[i].start > size and longer != key and longer not in same:
            return known[i]
        i -= 1
    return None
