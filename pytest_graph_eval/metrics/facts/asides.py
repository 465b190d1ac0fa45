"""What is set aside in an answer: the valid-time header, citation marks, quotations, block quotes, quoted code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.folding import fold

Span = tuple[int, int]
AsideKind = Literal["header", "citation", "quotation", "block quote", "code"]


class Aside(NamedTuple):
    """A part of the text that is not the answer's own statement."""

    start: int
    end: int
    kind: AsideKind


def find(plain: str, folded: str, clauses: Sequence[Span], code: Iterable[Span]) -> tuple[Aside, ...]:
    """Return all asides in order; `code` are the spans of inline code and fenced blocks.

    A quoted name or term is no quotation; and where nothing but quotations and code is left, they are the answer.
    """
    fixed = [*_headers(plain, folded, clauses), *_citations(plain)]
    spoken = [Aside(start, end, "code") for start, end in code if is_statement(plain[start:end])]
    quoted = [*_quotations(plain), *_block_quotes(plain), *spoken]
    if quoted and not _WORD.search(masked(plain, [*fixed, *quoted])):
        quoted = []
    return tuple(sorted((*fixed, *quoted)))


_WORD = re.compile(r"\w")
_VISIBLE = re.compile(r"[^\n]")
_THING = (
    r"[\W_]*(?:(?:the|this|le|la|les|l')\s*)?(?:knowledge |data )?(?:catalog(?:ue)?|graphe?|store|inventory|inventaire|"
    r"database|data|donnees|base|snapshot|state|etat|registry|registre|index|contents?)\b.{0,40}?"
)
_HEADER = re.compile(
    rf"{_THING}\b(?:as (?:it|they) (?:was|were|stood|existed) (?:on|at|in)|tel(?:le)?s? qu'(?:ils?|elles?|on) "
    rf"(?:etai(?:t|ent)|existai(?:t|ent)) (?:le|au|en|a la date du))\b\D{{0,20}}\d|"
    rf"{_THING}\b(?:as (?:of|at)|au|en date du|a la date du)\b.{{0,60}}\((?:valid time|temps de validite)\)"
)
_HEADER_CUES = ("as it ", "as they ", "valid time", "qu'il", "qu'elle", "qu'on", "temps de validite")
_SQUARE = re.compile(
    r"\[(?:(?:data|sources?|reports?|entities|relationships?|refs?|references?|kg|dc|docs?|documents?|chunks?|citations?|"
    r"notes?|pages?|pp?\.|\^)[^\[\]\n]{0,300}|\d{1,4}(?: ?[,;–-] ?\d{1,4})*)\]",
    re.IGNORECASE,
)
_ROUND = re.compile(
    r"\((?:data|sources?|refs?|references?|citations?|chunks?|pages?|pp?\.)[: ][^()\n]{0,300}"
    r"(?:\([^()\n]{0,100}\)[^()\n]{0,100}){0,8}\)",
    re.IGNORECASE,
)
_CITABLE = frozenset(".,;!?%\"')]_")
_LENTICULAR = re.compile(r"【[^】\n]{0,80}】")
_REFERENCES = re.compile(
    r"^[^\w\n]*(?:references|sources|bibliography|citations|références|quellen|fuentes|fonti)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DOUBLE = re.compile(r"\"([^\"\n]{1,2000})\"")
_SINGLE = re.compile(r"'(?<!\w')((?:[^'\n]|(?<=\w)'(?=\w)){2,400})'(?!\w)")
_STRONG = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|could|would|not|never|unable|cannot|est|sont|etait|etaient|ne|pas|"
    r"aucune?|introuvables?|ist|sind|nicht|keine?|nao|unknown|missing)\b|n't\b|\bn'"
)
_WEAK = re.compile(r"\b(?:no|non|can|will|do|may|should|nothing|none)\b")
_SAYS = re.compile(
    r"\b(?:says?|said|claim(?:s|ed)?|wrote|writes|replie[sd]|asked|asks|answered|stated|prompt|dit|disait|affirme|demande|"
    r"sagt|sagte|dice|dijo|disse)(?: that| que)?[,:]? ?\Z",
    re.IGNORECASE,
)
_SAID_AFTER = re.compile(
    r",? ?(?:(?:the |a |an )?[\w.'-]+ ){0,3}(?:says?|said|claim(?:s|ed)|wrote|writes|replie[sd]|asked|stated|dit|"
    r"affirme|sagte?|dijo|disse)\b"
)
_BLOCK_QUOTE = re.compile(r"^>[^\n]*(?:\n>[^\n]*)*", re.MULTILINE)


def masked(text: str, asides: list[Aside]) -> str:
    """Return `text` with the asides as blanks."""
    if not asides:
        return text
    parts: list[str] = []
    at = 0
    for start, end, _ in sorted(asides):
        if end > at:
            low = max(start, at)
            parts += (text[at:low], _VISIBLE.sub(" ", text[low:end]))
            at = end
    parts.append(text[at:])
    return "".join(parts)


def _headers(plain: str, folded: str, clauses: Sequence[Span]) -> list[Aside]:
    """Find the valid-time header, by its words, up to the end of its sentence."""
    if not any(cue in folded for cue in _HEADER_CUES):
        return []
    return [
        Aside(start, end, "header")
        for start, end in clauses
        if (start == 0 or plain[start - 1] in "\n*_>") and _HEADER.match(fold(plain[start:end]))
    ]


def _citations(text: str) -> list[Aside]:
    """Find citation marks, and the list of sources at the end."""
    found: list[Aside] = []
    if "[" in text:
        found += (Aside(m.start(), m.end(), "citation") for m in _SQUARE.finditer(text) if _is_cited(text, m))
    if "(" in text:
        found += (Aside(m.start(), m.end(), "citation") for m in _ROUND.finditer(text))
    if "【" in text:
        found += (Aside(m.start(), m.end(), "citation") for m in _LENTICULAR.finditer(text))
    if "\n" in text:
        heading = next((m for m in _REFERENCES.finditer(text) if m.start()), None)
        if heading:
            found.append(Aside(heading.start(), len(text), "citation"))
    return found


def _is_cited(text: str, mark: re.Match[str]) -> bool:
    """Tell whether a mark such as [12] follows what it cites; `counts: [12]` is a value."""
    if not mark[0][1].isdigit():
        return True
    before = text[max(0, mark.start() - 2) : mark.start()].rstrip(" ")[-1:]
    return before.isalnum() or before in _CITABLE


def _quotations(plain: str) -> list[Aside]:
    """Find quoted sentences and quoted denials; a quoted name or figure is the answer's own."""
    quotes: list[re.Match[str]] = []
    if '"' in plain:
        quotes += (m for m in _DOUBLE.finditer(plain) if not _is_inch(plain, m.start()))
    if "'" in plain:
        quotes += _SINGLE.finditer(plain)
    return [Aside(m.start(), m.end(), "quotation") for m in quotes if is_statement(m[1]) or _is_reported(plain, m)]


def _is_reported(text: str, quote: re.Match[str]) -> bool:
    """Tell whether somebody else says the quoted words: two or more, beside `says`, `claimed` and the like."""
    said = len(quote[1].split()) > 1
    if not said:
        return False
    spoken = quote[1][-1] in ",.!?" or text[quote.end() : quote.end() + 1] == ","
    after = spoken and _SAID_AFTER.match(text, quote.end(), quote.end() + 60)
    return bool(after or _SAYS.search(text, max(0, quote.start() - 24), quote.start()))


def _is_inch(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isdigit()


def is_statement(quoted: str) -> bool:
    """Tell whether quoted words say something, rather than name something."""
    words = quoted.split()
    titled = all(w[0].isupper() or not w[0].isalpha() for w in words)
    folded = fold(quoted)
    if _STRONG.search(folded) or (_WEAK.search(folded) and (not titled or quoted.isupper())):
        return len(words) > 1 or folded.startswith(("introuvable", "unknown", "missing"))
    if len(words) >= 3 and quoted.rstrip()[-1:] in ".,!?" and not titled:
        return True
    return len(words) >= 5 and sum(w[0].isupper() for w in words) * 2 < len(words)


def _block_quotes(text: str) -> list[Aside]:
    if ">" not in text:
        return []
    return [Aside(m.start(), m.end(), "block quote") for m in _BLOCK_QUOTE.finditer(text)]
