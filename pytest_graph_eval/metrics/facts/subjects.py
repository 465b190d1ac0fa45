"""Whom a figure belongs to: the name that it stands by, the noun that it counts, the unit in its label."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.context import Span, last_word, started
from pytest_graph_eval.metrics.facts.grid import row_at
from pytest_graph_eval.metrics.facts.page import Page, fold, glues
from pytest_graph_eval.metrics.facts.tables.cues import BREAK, CONTINUATIONS, PREPOSITIONS, RESPECTIVELY, SMALL_WORDS


def places(page: Page, name: str, start: int, end: int) -> list[Span]:
    """Return where a name stands as whole words between two positions."""
    wanted = fold(" ".join(name.split()))
    found = []
    at = page.lower.find(wanted, start, end) if wanted else -1
    while at >= 0:
        stop = at + len(wanted)
        if not (_joins(page.lower, at - 1, wanted[0]) or _joins(page.lower, stop, wanted[-1])):
            found.append((at, stop))
        at = page.lower.find(wanted, stop, end)
    return found


def _joins(lower: str, at: int, edge: str) -> bool:
    return 0 <= at < len(lower) and glues(edge) and glues(lower[at])


def stands_by(page: Page, span: Span, anchors: Sequence[Span], clause: Span, peers: Sequence[Span]) -> bool:
    """Tell whether a figure belongs to a name: same row or column of a table, or same statement.

    `anchors` are all places of the name, `peers` the spans of all figures, both in order. A figure that another
    subject, or another figure, separates from the name does not belong to it (`2 for CUST_ID, 3 for STORE_ID`).
    """
    row = row_at(page, span[0])
    if row is not None:
        column = row.column(span[0])
        if column < len(row.head) and _within(anchors, row.head[column]):
            return True
        for i, cell in enumerate(row.cells):
            if i != column and _within(anchors, cell) and not _within(peers, cell):
                return True
        clause = row.cells[column] if column < len(row.cells) else (row.start, row.end)
    inside = _near(_within(peers, clause), span, _MOST_PEERS)
    beside = _near(_within(anchors, clause), span, _MOST_ANCHORS)
    if beside and _has_rival(page, span, beside, clause, inside):
        return False
    if beside and len(inside) > 1 and RESPECTIVELY.search(page.lower, clause[0], clause[1]):
        in_order = [_in_order(page, span, anchor, clause, inside) for anchor in beside]
        if any(answer is not None for answer in in_order):
            return any(in_order)
    return any(_owns(page, anchor, span, clause, inside) for anchor in beside)


# So many figures and mentions on either side of a figure are looked at.
_MOST_PEERS = 16
_MOST_ANCHORS = 4


def _near(spans: Sequence[Span], span: Span, most: int) -> Sequence[Span]:
    """Return the spans next to a figure on either side."""
    at = started(spans, span[0])
    return spans[max(0, at - most) : at + most]


def _within(peers: Sequence[Span], clause: Span) -> Sequence[Span]:
    return peers[started(peers, clause[0] - 1) : started(peers, clause[1] - 1)]


_DIGITS = re.compile(r"\d+")
# What may stand between a figure and its period: `for the fiscal year`, but neither `from` nor `compared with`.
_LEADING = (PREPOSITIONS - {"from", "to"}) | frozenset(("the", "fiscal", "financial", "year", "quarter", "exercice"))


def _has_rival(page: Page, span: Span, anchors: Sequence[Span], clause: Span, peers: Sequence[Span]) -> bool:
    """Tell whether a name of the same form with other digits (FY2022 for FY2023) directly follows a figure.

    The figure then belongs to that one (`$572.8 billion in FY2022`), unless the name itself stands there, too.
    """
    wanted = page.lower[slice(*anchors[0])]
    if not _DIGITS.search(wanted):
        return False
    end = min((p[0] for p in peers if p[0] >= span[1]), default=clause[1])
    first = re.search(_alike(wanted), page.lower[span[1] : end])
    if first is None or _within(anchors, (span[1], end)):
        return False
    between = re.findall(r"[^\W\d_]+|[^\w\s(]", page.lower[span[1] : span[1] + first.start()])
    return all(word in _LEADING for word in between)


def _owns(page: Page, anchor: Span, span: Span, clause: Span, peers: Sequence[Span]) -> bool:
    """Tell whether a figure belongs to the name at `anchor` in running text."""
    lower = page.lower
    if anchor[0] < span[1] and span[0] < anchor[1]:
        return not (anchor[0] <= span[0] and span[1] <= anchor[1])  # a year that is the name itself
    start = anchor[0] - 1 if lower[anchor[0] - 1 : anchor[0]] == "(" else anchor[0]
    if start != anchor[0] or _COMPARED.search(lower, max(clause[0], start - _LONGEST_NAME), start):
        own = next((p for p in peers if p[0] >= anchor[1]), None)
        if own is not None and _ITS_OWN.fullmatch(lower, anchor[1], own[0]):
            return own == span
    left = max((p for p in peers if p[1] <= start), default=None)
    led = start != anchor[0] or last_word(page, start) in PREPOSITIONS
    if span[1] <= anchor[0]:
        broken = BREAK.search(lower, span[1], start)
        return left == span and (
            not broken or bool(_FRONTED.match(lower, clause[0]) and _TO_NAME.fullmatch(lower, span[1], start))
        )
    if left is not None and not BREAK.search(lower, left[1], start) and (led or start - left[1] <= 1):
        return False
    between = [p for p in peers if anchor[1] <= p[0] < span[0]]
    first = between[0][0] if between else span[0]
    colon = lower.find(":", anchor[1], first)
    topic = colon == anchor[1] and any(c.isalpha() for c in lower[colon:first])
    if topic and ":" not in lower[colon + 1 : span[0]]:
        return True
    if between and led and _other_period(lower, anchor, between[-1][1], span[0]):
        return False
    return _goes_on(page, between[-1][1] if between else anchor[1], span[0], led=led, fresh=not between)


# With 517 stores, Texas leads.
_FRONTED = re.compile(r"(?:with|at|having|mit|avec|con|com|met) (?:about |only |its |over )?[^\s,]*\d")
_TO_NAME = re.compile(r"[^,;:()|\d]{0,40}, (?:the )?")
# Acme at 24 % is ahead of Bolt at 20 %: with a figure of its own, what is compared with has no part in the other one.
_COMPARED = re.compile(
    r"\b(?:ahead of|behind|than|versus|vs\.?|against|compared (?:to|with)|beat(?:s|ing)?|above|below|before|topp(?:ed|"
    r"ing)|"
    r"trail(?:s|ed|ing)|surpass(?:es|ed|ing)|exceed(?:s|ed|ing)|devant|derriere|que|contre|vor|hinter|als|"
    r"gegenuber) (?:the )?\Z"
)
_ITS_OWN = re.compile(r"(?:'s?)?[,:]? ?(?:at|with|on|has|had|avec|mit|bei)? ?\(?(?:about |only |just )?")


def _other_period(lower: str, anchor: Span, start: int, end: int) -> bool:
    """Tell whether a name like the one at `anchor`, with other digits, leads a new part: in 2019 31, in 2020 28."""
    name = lower[slice(*anchor)]
    return any(c.isdigit() for c in name) and re.search(_alike(name), lower[start:end]) is not None


def _alike(name: str) -> str:
    """Return the pattern of names that differ in their digits only."""
    form = r"\d+".join(re.escape(part) for part in _DIGITS.split(name))
    return rf"(?<!\w){form}(?!\w)"


# The Rhine (1,233 km) is longer than the Elbe (1,094 km).
_NEW_NAME = re.compile(
    r" [a-z][a-z']* (?:the |le |la |les |l'|der |die |das |el |il )?"
    r"[A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)* ?\Z|"
    r" (?:than|versus|vs\.?|exceeds|exceeded) (?:the )?[A-Z][\w-]*(?: [a-z]+){1,2} ?\Z"
)


# Acme's 24 % beat Bolt's 20 %, Acme at 24 % is ahead of Bolt with 20 %.
_LONGEST_NAME = 80
_NEXT_NAME = re.compile(
    r" [A-Z][\w.&-]*(?: (?:& )?[A-Z][\w.&-]*)*(?:'s?|(?:'s?)?,? (?:at|with|on|had|has|made|reached|posted|earned|is|"
    r"was))"
    r"(?: (?:about|only|just|nearly|a|an|its))? \Z"
)
# Texas leads Florida, which has 345.
_WHICH = re.compile(r"[a-z] [A-Z][\w.&-]*(?: [A-Z][\w.&-]*)*, (?:which|who|whose) [a-z ]{0,24}\Z")
_THAT_OF = re.compile(r" (?:that|those) (?:of|at|for) [A-Z][\w.&-]*(?: [A-Z][\w.&-]*)*(?: (?:was|is|at|with|to))? \Z")


def _goes_on(page: Page, start: int, end: int, *, led: bool, fresh: bool) -> bool:
    """Tell whether the words before a figure go on about the same subject, from the last break on.

    `led`: the name is one of time or place (in FY2023), so a new subject does not end it but a new such name does.
    `fresh`: no other figure came in between.
    """
    lower = page.lower
    breaks = list(BREAK.finditer(lower, start, end))
    last = breaks[-1] if breaks else None
    bracket = page.text.find("(", max(start, end - 1), end + 1)
    if not fresh and bracket >= 0 and _NEW_NAME.search(page.text, start, bracket):
        return False
    if not fresh and _THAT_OF.search(page.text, max(start, end - _LONGEST_NAME), end):
        return False
    if not (fresh or led) and _NEXT_NAME.search(page.text, max(start, end - _LONGEST_NAME), end):
        return False
    if _WHICH.search(page.text, max(start, end - _LONGEST_NAME), end):
        return False
    if last is None or (fresh and last[0] in (":", "(", ")")):
        return True
    tail = re.findall(r"[^\W\d_][\w.'-]*", lower[last.end() : end])
    if not tail:
        return last[0] != ":"
    if led:
        return fresh or not (tail[0] in PREPOSITIONS and any(w not in CONTINUATIONS for w in tail[1:]))
    return tail[0] in CONTINUATIONS


_LIST = re.compile(r",? (?:and|et|und|y|e) |, ")


def _in_order(page: Page, span: Span, anchor: Span, clause: Span, peers: Sequence[Span]) -> bool | None:
    """Pair names and figures of an `A and B were 1 and 2 respectively`; None where the lists do not show."""
    before = anchor[1] <= peers[0][0]
    low, high = (clause[0], peers[0][0]) if before else (peers[-1][1], clause[1])
    edges = [low, *(edge for m in _LIST.finditer(page.lower, low, high) for edge in m.span()), high]
    items = list(zip(edges[::2], edges[1::2], strict=True))
    index = next((i for i, (start, end) in enumerate(items) if start <= anchor[0] < end), None)
    count = len(peers)
    if index is None or len(items) < count:
        return None
    if count == 2:
        joined = page.lower[items[index][1] : items[index][1] + 5].lstrip(", ").startswith(("and", "et", "und"))
        return span == peers[0 if joined else 1]
    first = len(items) - count if before else 0
    return 0 <= index - first < count and span == peers[index - first]


# --- nouns --------------------------------------------------------------------------------------------------------

_WORD_AFTER = re.compile(r"[^\W\d_]\w*(?:[.'-]\w+)*")
_STOPS = re.compile(r"[,;:.!?()|\n]")
_MOST_BETWEEN = 4
_LONGEST_PHRASE = 120


def noun_beside(page: Page, span: Span, noun: str, clause: Span, peers: Sequence[Span]) -> int:
    """Tell how close a noun stands to a figure.

    Returns:
        2 directly after it, 1 before it or in its row or column, 0 nowhere.
    """
    lower = page.lower
    i = started(peers, span[0])
    following = min(peers[i][0] if i < len(peers) else clause[1], clause[1], span[1] + _LONGEST_PHRASE)
    stop = _STOPS.search(lower, span[1], max(span[1], following))
    after = _words(lower, span[1], stop.start() if stop else following)
    stems = _stems(noun)
    if _contains(after[:_MOST_BETWEEN], stems):
        return 2
    i = started(peers, span[0] - 1) - 1
    previous = max(peers[i][1] if i >= 0 else clause[0], clause[0], span[0] - _LONGEST_PHRASE)
    before = _words(lower, previous, span[0])
    row = row_at(page, span[0])
    if row is not None:
        column = row.column(span[0])
        for cell in (*row.cells[:column], *row.head[column : column + 1]):
            before += _words(lower, *cell)
    return int(_contains(before, stems))


def _words(lower: str, start: int, end: int) -> list[str]:
    return _WORD_AFTER.findall(lower, start, end)


def noun_places(page: Page, noun: str) -> list[Span]:
    """Return where the first word of a noun stands in any number, for finding the figures around it."""
    stems = _stems(noun)
    found = []
    root = stems[0][: max(3, len(stems[0]) - 2)] if stems else ""
    at = page.lower.find(root) if root else -1
    while at >= 0:
        m = _WORD_AFTER.match(page.lower, at)
        end = m.end() if m else at + 1
        if m and _stem(m[0]) == stems[0] and not (at and glues(page.lower[at - 1])):
            found.append((at, end))
        at = page.lower.find(root, end)
    return found


def unit_in_label(page: Page, span: Span, unit: str) -> bool:
    """Tell whether a unit stands in the row or the column head of a figure."""
    row = row_at(page, span[0])
    if row is None:
        return False
    column = row.column(span[0])
    cells = (*row.cells[:column], *row.head[column : column + 1])
    return any(places(page, unit, *cell) for cell in cells)


@lru_cache(maxsize=1024)
def _stems(noun: str) -> list[str]:
    return [_stem(m[0]) for m in _WORD_AFTER.finditer(fold(noun.replace("_", " ")))]


def _contains(words: Sequence[str], stems: Sequence[str]) -> bool:
    found = list(map(_stem, words))
    if not stems or stems[0] not in found:
        return False
    return any(found[i : i + len(stems)] == stems for i in range(len(found)))


_COUNTED = re.compile(
    r" (?:people|children|(?:wo)?men|[a-z]{2,}[^\Wisu\d_]s)\b"
    r"(?! (?:an?|the|its|their|our|this|that|last|more|less|[0-9$€£]))"
)
_WITH_S = frozenset(
    ("diabetes", "versus", "always", "overseas", "dans", "sans", "moins", "alors", "vers", "sales", *SMALL_WORDS)
)


def counts_things(page: Page, at: int) -> bool:
    """Tell whether a plural noun follows a figure, so that it is a number of things; no verb, as in `exceeds the`."""
    m = _COUNTED.match(page.lower, at)
    return m is not None and m[0][1:] not in _WITH_S


@lru_cache(maxsize=16384)
def _stem(word: str) -> str:
    """Return a word without its plural ending: features, companies, boxes, journaux."""
    for ending, single in (("ies", "y"), ("aux", "al"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + single
    return word[:-1] if len(word) > 3 and word[-1] in "sx" and word[-2] != "s" else word
