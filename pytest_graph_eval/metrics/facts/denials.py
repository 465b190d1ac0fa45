"""Denials: does a text say that it does not know, or that the thing asked about does not exist?

A denial has a subject. "Rows not found in ORDERS" denies rows, not the feature that was asked about; "it does not
exist" denies the only thing it can mean; "I don't know" denies whatever was asked. Quoted text, conditions and
questions deny nothing. The phrases stand in `phrases`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import phrases
from pytest_graph_eval.metrics.facts.asides import AsideKind
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.tables.denials import STORE
from pytest_graph_eval.metrics.facts.text import Span, Text, normalise
from pytest_graph_eval.metrics.facts.words import split
from pytest_graph_eval.once import once

SPOKEN: tuple[AsideKind, ...] = ("header", "citation", "quotation", "block quote", "code")


class Denial(NamedTuple):
    """One denial: the span of its clause in the plain text, and the words that deny."""

    start: int
    end: int
    words: str


@dataclass(frozen=True)
class Asked:
    """What was asked about: the question, and the names that the scenario is about. Empty is unknown."""

    question: str = ""
    names: tuple[str, ...] = ()

    @once
    def words(self) -> frozenset[str]:
        """The content words of question and names, folded."""
        words = _words_of(fold(" ".join((normalise(self.question).plain, *self.names))))
        return frozenset(w for w in words if len(w) > 1 and w not in phrases.STOP_WORDS)

    def __bool__(self) -> bool:
        return bool(self.words)


# Short codes are words of their own, sign and all: K-7, C-57/19.
_CODE = re.compile(r"\b[a-z]{1,3}[-/]\d[\w/-]*")


def _words_of(folded: str) -> set[str]:
    """Return the words of a folded phrase, and the codes in it."""
    words = set(split(folded).words)
    return words.union(_CODE.findall(folded)) if "-" in folded or "/" in folded else words


# How far a subject or an object may stand from the words that deny it.
REACH = 160
# A name in the singular sense of the word: `AVG_BASKET`, `FY2023`, `McMillon`.
_IDENTIFIER = re.compile(r"\b(?:\w*[^\W_]_\w+|[A-Z]{2,}\d*s?\b|[A-Z]+\d+\w*|[A-Za-z]*[a-z][A-Z]\w*)")
_CAPITALISED = re.compile(r"(?<=\w )[A-Z][\w'&-]+|[A-Z][\w'&-]+(?= [A-Z])")
_LONE_CAPITAL = re.compile(r"[A-Z][\w'&-]+")
_PLURALS = frozenset(
    ["rows", "values", "lines", "cells", "keys", "nulls", "columns", "items", "orders", "customers", "duplicates"]
)
CUT = re.compile(
    r"[,:;()—–|]| - |\b(?:but|while|whereas|although|though|however|because|so|mais|car|alors que|tandis que|aber|pero|"
    r"mas)\b|"
    r"\b(?:and|et)\b(?= (?:it|this|that|they|i|we|there|the|il|elle|je|nous|on|ce|le|la|les)\b)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|any|some|such|specific|exact|sufficient|enough|relevant|further|more|le|la|les|une?|des?|du|der|"
    r"die|das|den|ein|eine[nr]?|el|los|las|una|il|lo|gli|os|as|uma?|to|de la) )+"
)
_DEFINITE = re.compile(r"^(?:the|le|la|les|l|el|los|las|der|die|das|il|lo|o)\b")
# Who could not find or tell a thing denies it, unless it is a fault: I could not find any errors.
_SEARCHED = re.compile(
    r"^(?:i|we|system|assistant|agent|model|tool|search|query)\b.*\b(?:not|unable|fail\w*|never)\b.*\b(?:find|found|"
    r"locate|"
    r"identify|retrieve|determine|tell|recall|establish|detect|calculate|compute|confirm|verify)\b"
)
_NOT_KNOWN = re.compile(
    r"\b(?:undisclosed|unknown|unspecified|unclear|unavailable|(?:not|never) .*\b(?:disclosed|specified|stated|known|"
    r"given|mentioned|reported|recorded|published|public|provided|available|named|identified|documented|revealed))\b"
)
_FAULTS = re.compile(
    r"\b(?:errors?|problems?|issues?|mistakes?|faults?|bugs?|discrepanc\w+|differences?|reasons?|flaws?|evidence|"
    r"objections?|"
    r"inconsistenc\w+|contradictions?|violations?|defects?|fault|anything|difference)\b"
)
_YEAR = re.compile(r"(?:19|20)\d\d\b")
# A year that is not the name of a source: the 2022 report.
_A_YEAR = re.compile(rf"\b(?:19|20)\d\d\b(?!(?: \w+)? (?:{STORE})\b)")
# Behind a denial: a figure of something else.
_SAYS_MORE = re.compile(r"\b(?:but|while|whereas|though|although) (?:the|its|their|in|for)\b.*\d")
_CALLED = re.compile(r"(?:called|named|titled|nommee?|appelee?|namens|llamad[oa]|chiamat[oa]|chamad[oa])\b")
_OWNED = re.compile(rf"{_DEFINITE.pattern}|^(?:his|her|its|their|son|sa|ses|leurs?)\b")
_THAT_NAME = re.compile(
    r"\b(?:of|by|with|under) (?:that|this|such an?) (?:name|title|number|id|description)\b|"
    r"\bde (?:ce nom|ese nombre)\b|\bmit diesem namen\b"
)
_HEAD_END = re.compile(
    r" (?:of|in|from|for|with|on|at|by|to|about|regarding|concerning|that|which|who|is|are|was|were|has|have|does|do|"
    r"did|applies|apply|then|named|called|exists?|existed|ist|sind|war|waren|wird|werden|wurden?|esta|fue|foi|sono|"
    r"nommee?|appelee?|de|du|des|d|dans|sur|pour|par|ne|qui|est|"
    r"sont|von|in|fur|uber|del|sobre|para|di|per|sul|em)\b"
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|does|did|can|will|est|sont|etait|a|ont)\b")
_QUERY_WORD = re.compile(
    r"^(?:what|who|whom|whose|when|where|which|how|why|whether|if|qui|quand|ou|comment|combien|pourquoi|si|quel\w*|que|"
    r"wer|wie|wann|wo|warum|ob|quien|cuando|cuanto|chi|quando|quanto|quem)\b"
)
_FILLER = re.compile(
    r"^(?:(?:unfortunately|however|sorry|also|and|but|so|then|yes|no|well|malheureusement|cependant|toutefois|donc|"
    r"leider)\W+)+"
)


def find(text: Text, asked: Asked = Asked()) -> list[Denial]:
    """Return the denials of what was asked about, in order."""
    own = text.without(*SPOKEN)
    found = []
    for (start, end), languages in suspects(text).items():
        if text.plain[end : end + 2].lstrip(")\"'").startswith(("?", "？")):
            continue
        words = denial_in(own[start:end], Context(text, own, start, asked), languages)
        if words:
            found.append(Denial(start, end, words))
    return found


@lru_cache(maxsize=16)
def suspects(text: Text) -> dict[Span, set[str]]:
    """Return the clauses that hold a word which denials are made of, in order, with the languages of those words."""
    words, starts, _ = text.words
    places = [
        (at, languages)
        for word, positions in text.word_positions.items()
        if (languages := phrases.languages_of(word))
        for at in positions
    ]
    for sign, cue in (("'", ("English", "French")), ("/", ("English",))):  # n't, n', n/a
        places += ((i, cue) for i in text.word_positions.get(sign, ()) if i and words[i - 1].endswith("n"))
    found: dict[Span, set[str]] = {}
    for at, languages in sorted(places):
        found.setdefault(text.clause_at(starts[at]), set()).update(languages)
    if not text.plain.isascii():
        for m in phrases.UNSPACED.finditer(text.plain):
            found.setdefault(text.clause_at(m.start()), set()).add("Unspaced")
        return dict(sorted(found.items()))
    return found


def denying_phrases(text: Text, denial: Denial, asked: Asked) -> list[Span]:
    """Return the phrases of a denial's clause that deny; the whole clause where no single one does."""
    own = text.without(*SPOKEN)
    context = Context(text, own, denial.start, asked)
    whole = denial.start, denial.end
    languages = suspects(text)[whole]
    return [span for span in text.phrases_in(*whole) if denial_in(own[slice(*span)], context, languages)] or [whole]


class Context(NamedTuple):
    """Where a clause stands, for what it leaves open: pronouns and missing subjects."""

    text: Text
    own: str
    start: int
    asked: Asked
    language: str = ""
    words: str = ""
    rest: str = ""


def denial_in(clause: str, context: Context, languages: set[str]) -> str:
    """Return the denying words of one clause, empty where there are none about what was asked.

    `languages` are those of the words in it that denials are made of.
    """
    cased = phrases.expand(" ".join(clause.split()))
    folded = fold(cased)
    if len(folded) != len(cased):
        cased = folded
    for language, policy, pattern in ((name, *p) for name in sorted(languages) for p in phrases.denial_patterns(name)):
        for m in pattern.finditer(folded):
            before, after = cased[max(0, m.start() - REACH) : m.start()], cased[m.end() : m.end() + REACH]
            if _is_void(fold(before)) or _is_partial(m[0], fold(after), context.asked):
                continue
            if m[0].startswith("no ") and _IS_NO.search(folded, 0, m.start()):
                continue
            if folded.endswith("never ", 0, m.start()) and not phrases.NEGATION.search(m[0]):
                continue
            if _is_aside(before, f"{m[0]}{after}", context) or _is_of_another_year(before, m[0], after, context.asked):
                continue
            if _counts(policy, before, after, context._replace(language=language, words=m[0], rest=after)):
                return m[0].strip()
    return ""


_CONCEDED = re.compile(
    r"\W*(?:while|although|though|even (?:though|if)|whereas|bien que|obwohl|auch wenn|aunque|sebbene|anche se|embora|"
    r"hoewel) "
    r"[^.;,\n]*, \w",
    re.IGNORECASE,
)
# Before that there was no CFO; I have no further information about her.
_EARLIER = re.compile(
    r"\b(?:previously|formerly|before (?:that|then)|until then|prior to that|auparavant|zuvor|vorher)\b"
)
_FURTHER = re.compile(r"\bno (?:further|additional|other|more)\b")


def _is_aside(before: str, denial: str, context: Context) -> bool:
    """Tell whether a denial only adds to what was stated: what was not before, or what more is not known."""
    aside = _EARLIER.search(fold(CUT.split(before)[-1])) or _FURTHER.search(fold(denial))
    return bool(aside) and _says_something(context, before)


# That was no result: it says what that is not, and not that there is none.
_IS_NO = re.compile(r"\b(?:this|that|these|those|it|they|he|she) (?:is|are|was|were|has been|had been|will be) \Z")


def _is_of_another_year(before: str, words: str, after: str, asked: Asked) -> bool:
    """Tell whether a denial speaks of other years than the question: the 2021 margin, where that of 2023 is asked."""
    wanted = set(filter(_YEAR.fullmatch, asked.words))
    if not wanted:
        return False
    said = {m[0] for part in (CUT.split(before)[-1] + words, _object_part(after)) for m in _A_YEAR.finditer(part)}
    return bool(said) and said.isdisjoint(wanted)


def _is_void(before: str) -> bool:
    """Tell whether what stands before a denial takes it back: a condition, "it is false that", a relative clause."""
    last = CUT.split(before)[-1].strip()
    return bool(
        phrases.CONDITION.search(last) or phrases.REPORTED.search(before) or phrases.RELATIVE.search(before.rstrip())
    )


def _is_partial(denial: str, after: str, asked: Asked) -> bool:
    """Tell whether a denial is limited to a part: "not defined for customers without orders"."""
    limit = phrases.LIMIT.match(after)
    if limit is None or not phrases.WEAK.search(denial):
        return False
    rest = " ".join(after[limit.end() :].split()[:6])
    return not (phrases.PLACE_OR_TIME.search(rest) or asked.words & set(split(rest).words))


def _counts(policy: phrases.Policy, before: str, after: str, context: Context) -> bool:
    if policy == "open":
        return True
    if policy == "subject":
        return _is_subject(before, after, context)
    if policy == "object":
        return _is_object(after, context)
    parts = _object_part(after)
    return _is_subject(before, after, context) if before.strip() or not parts else _is_object(after, context)


def _is_subject(before: str, after: str, context: Context) -> bool:
    """Tell whether the words before a predicate are what was asked about; after "we never found" those after it."""
    parts = [p.strip() for p in CUT.split(before)]
    last = _FILLER.sub("", next((p for p in reversed(parts) if p), ""))
    lead = phrases.LEAD_IN.match(fold(last))
    last = last[lead.end() :] if lead else last
    folded = fold(last)
    if not folded:
        return True
    words = folded.split()
    if words[0] in phrases.NEGATIVE:
        return False
    if words[-1] in phrases.SPEAKERS or words[0] in phrases.SPEAKERS:
        return _is_object(after, context)
    if len(words) > 1 and words[0] in _POSSESSIVES:
        return _is_asked(last, context, alone=True) or not _says_something(context, before)
    if words[0] in phrases.PRONOUNS and len(words) <= 3 and not _IDENTIFIER.search(last):
        return len(words) > 1 or words[0] in phrases.DEMONSTRATIVES or _means_asked(context)
    return _is_asked(last, context, alone=True)


_POSSESSIVES = frozenset(
    ("her", "his", "its", "their", "son", "sa", "ses", "leur", "leurs", "ihr", "ihre", "sein", "seine")
)
_FIGURE = re.compile(r"\d")


def _says_something(context: Context, before: str) -> bool:
    """Tell whether a name or a figure is stated before a denial, which then may be about something else."""
    said = f"{context.own[: context.start]} {before}"
    return bool(context.asked and (_CAPITALISED.search(said) or _FIGURE.search(said)))


def _object_part(after: str) -> str:
    parts = CUT.split(after)
    return parts[0].strip() if parts else ""


def _is_object(after: str, context: Context) -> bool:
    """Tell whether the words after a denying phrase are what was asked about."""
    part = _object_part(after)
    folded = fold(part)
    if not folded or _QUERY_WORD.match(folded):
        return True
    first, _, rest = folded.partition(" ")
    if first in ("that", "que") and _VERB.search(rest):
        return False
    if rest and first in _POSSESSIVES:
        return _is_asked(part, context, alone=False) or not _says_something(context, "")
    if first in phrases.PRONOUNS or first in phrases.DEMONSTRATIVES:
        return True
    return _is_asked(part, context, alone=False)


def _is_asked(part: str, context: Context, *, alone: bool) -> bool:
    """Tell whether a noun phrase names what was asked about, by its head and, for `information`, its complement."""
    folded = fold(part)
    bare = _ARTICLE.sub("", folded)
    head, _, rest = _partition(bare)
    asked = context.asked
    cased_head = part[len(part) - len(bare) :][: len(head)]
    head_words, all_words = _words_of(head), _words_of(bare)
    if asked.words & head_words:
        return True
    named_head = bool(_IDENTIFIER.search(cased_head) or _CAPITALISED.search(part[: len(part) - len(rest)]))
    common = context.words.endswith("keine")  # in German all nouns have a capital, and names are rarely many
    if not named_head and not common and len(cased_head.split()) == 1 and _LONE_CAPITAL.fullmatch(cased_head):
        named_head = not {head} & (_PLURALS | phrases.GENERIC | phrases.STOP_WORDS)
    if _THAT_NAME.search(bare):
        return True
    dated = head_words & phrases.ANSWER_NOUNS and not alone  # no founding date for Acme
    if asked.words & all_words and (dated or _CALLED.match(rest.strip())):
        return True
    if not asked and (_CALLED.match(rest.strip()) or (_YEAR.match(bare) and not alone)):
        return True
    if named_head:
        return not asked
    if head_words & phrases.GENERIC and not (context.language == "English" and phrases.names_thing(head)):
        complement = part[len(part) - len(rest) :] if rest else ""
        named = set(split(fold(" ".join(_IDENTIFIER.findall(complement)))).words)
        return not (asked and named) or bool(asked.words & all_words)
    if head.split()[:1] and head.split()[0] in phrases.DEMONSTRATIVES:
        return True
    conceded = _CONCEDED.match(context.own, context.start)  # while the reason is unknown, it is 12
    if head_words & phrases.ANSWER_NOUNS and _DEFINITE.match(folded) and not conceded:
        return not rest or not _IDENTIFIER.search(part[len(part) - len(rest) :])
    if not asked:
        if alone:  # the only thing that is said at all
            only = len(context.text.clauses) == 1 and not _SAYS_MORE.search(context.rest)
            return only and bool(_OWNED.match(folded) and _NOT_KNOWN.search(context.words))
        searched = _SEARCHED.search(context.words) and not _FAULTS.search(head)
        return bool(_DEFINITE.match(folded) or searched)
    return False


def _partition(phrase: str) -> tuple[str, str, str]:
    m = _HEAD_END.search(f" {phrase}", 1)
    if m is None:
        return phrase, "", ""
    return phrase[: m.start() - 1].strip(), m[0], phrase[m.start() - 1 :]


def _means_asked(context: Context) -> bool:
    """Tell whether a lone pronoun can only mean what was asked about."""
    before = context.own[: context.start]
    named = {fold(n) for n in _IDENTIFIER.findall(before)} | {fold(n) for n in _CAPITALISED.findall(before)}
    if not context.asked:
        return len(named) <= 1
    mentioned = set(split(" ".join(sorted(named))).words)
    return not mentioned or bool(mentioned & context.asked.words)
