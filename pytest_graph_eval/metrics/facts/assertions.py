"""Checks on names: stated, one of several, not asserted, in an order, all of them offered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.context import is_taken_back
from pytest_graph_eval.metrics.facts.denied_names import TAKEN_BACK, is_denied
from pytest_graph_eval.metrics.facts.findings import Finding, broken, found_in, opening, quoted
from pytest_graph_eval.metrics.facts.names import Mention, NameIndex, compiled, covering, find, key_of, uncovered
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.text import Text
from pytest_graph_eval.models.expect import ForbiddenName, NameCheck

_EMPTY = "has no letter or figure to look for"


def name(item: NameCheck, text: Text, known: NameIndex) -> Finding:
    """Look for a name or one of its aliases; a mention is enough, unless another name is set against it."""
    if not compiled(item.name).forms:
        return broken("empty_name", _EMPTY)
    mentions = _mentions(item, text, known)
    if not mentions:
        return _missing(item, text, known)
    stated = next((m for m in mentions if not _is_ruled_out(text, m)), None)
    span = (stated or mentions[0]).start, (stated or mentions[0]).end
    if stated is None:
        return Finding(
            False, "ruled_out", f"is in the {{where}} only to be ruled out: {quoted(text, span)}", None, span
        )
    return Finding(True, "stated", f"is stated in the {{where}}: {quoted(text, span)}", found_in(text, span), span)


_ARTICLES = (
    r"(?: (?:the|an?|by|from|in|at|to|of|le|la|les|de|du|der|die|das|den|dem|el|il|lo|o|het|een|von|par|por|da|do))*"
)
_NOT = (
    r"(?:\bnot|n't|\bnicht|\bkein\w*|\bpas|\bno (?:es|fue|era|son|fueron)|\bnon (?:e|era|fu|sono|erano)|"
    r"\bnao (?:e|era|foi|sao)|\bniet|\bgeen)"
)
_NOT_BEFORE = re.compile(rf"{_NOT}{_ARTICLES} \Z")
_BUT_AFTER = re.compile(
    r",? ?(?:\w+ ){0,3}?(?:but|rather|sondern|sino|mais|ma|bensi|mas|maar)\b"
    r"(?! (?:also|he|she|they|it|was|is|for|auch|tambien|anche|tambem|il|elle|er|sie))"
)
# Another name stands there in its place: John, not Jane; John rather than Jane.
_INSTEAD = re.compile(
    rf"\w[^.;]*(?:[,(] ?(?:and )?(?:not|nicht|pas|(?:et |e )?non|niet)|\b(?:rather than|instead of|as opposed to|"
    rf"plutot que|"
    rf"au lieu de|anstatt|statt|anstelle von|en lugar de|en vez de|invece di|em vez de|in plaats van)){_ARTICLES} \Z"
)
_LONGEST_CLAUSE = 240


def _is_ruled_out(text: Text, mention: Mention) -> bool:
    """Tell whether a name is set against another one (not Jane but John) or corrected in the same breath."""
    known, clause = page(text.plain), text.clause_at(mention.start)
    low = max(clause[0], mention.start - _LONGEST_CLAUSE)
    if _NOT_BEFORE.search(known.lower, low, mention.start) and _BUT_AFTER.match(known.lower, mention.end, clause[1]):
        return True
    if _INSTEAD.match(known.lower, low, mention.start):
        return True
    return not TAKEN_BACK.isdisjoint(text.word_positions) and is_taken_back(known, (mention.start, mention.end), clause)


def _mentions(item: NameCheck, text: Text, known: NameIndex) -> list[Mention]:
    """Return the mentions of a name and its aliases, in order, without those inside longer names and citation marks."""
    found = [m for written in (item.name, *item.aliases) for m in find(text, written, item.case)]
    if not found:
        return []
    kept = uncovered(found, known.find(text), same=_keys(item))
    return sorted(m for m in kept if text.aside_at(m.start, m.end) not in ("header", "citation"))


def _keys(item: NameCheck | ForbiddenName) -> set[tuple[str, ...]]:
    return {key_of(written) for written in (item.name, *item.aliases)}


def _missing(item: NameCheck, text: Text, known: NameIndex) -> Finding:
    """Say what stands there instead of a name: a longer name, another case, a part of it, other known names."""
    anywhere = [m for written in (item.name, *item.aliases) for m in find(text, written)]
    if anywhere:
        m = anywhere[0]
        longer = covering(m, known.find(text))
        span = (longer.start, longer.end) if longer else (m.start, m.end)
        kind = text.aside_at(*span)
        rule = "longer_name" if longer else f"in_{kind}" if kind else "other_case"
        why = f"it is part of {longer.name!r}" if longer else f"it is in a {kind}" if kind else "in another case"
        words = f"is not stated in the {{where}}; {why}: {quoted(text, span)}"
        return Finding(False, rule, words, found_in(text, span), span)
    part = _part_of(item, text)
    if part is not None:
        words = f"is not stated in the {{where}}; nearest: {quoted(text, part)}"
        return Finding(False, "not_stated", words, found_in(text, part), part)
    others = _others(item, text, known)
    if others:
        words = f"is not stated in the {{where}}; known names there: {', '.join(others)}"
        return Finding(False, "not_stated", words, others[0])
    return Finding(False, "not_stated", f"is not stated in the {{where}}; it says {opening(text)}")


def _part_of(item: NameCheck, text: Text) -> tuple[int, int] | None:
    """Return where the rarest word of a name stands, if one of some length does."""
    words = {w for written in (item.name, *item.aliases) for w in key_of(written) if len(w) > 2}
    there = [(len(text.word_positions[w]), w) for w in words if w in text.word_positions]
    if not there:
        return None
    at = text.word_positions[min(there)[1]][0]
    return text.words.starts[at], text.words.ends[at]


def _others(item: NameCheck, text: Text, known: NameIndex, most: int = 3) -> list[str]:
    """Return the first known names of the text that are of the same type, where types are known."""
    type_ = known.type_of(item.name)
    alike = (name for name in known.names_in(text) if not type_ or known.type_of(name) == type_)
    return list(islice(alike, most))


def any_of(group: Sequence[NameCheck], text: Text, known: NameIndex) -> Finding:
    """Look for one name of a group."""
    findings = [name(item, text, known) for item in group]
    hits = [(f, item.name) for f, item in zip(findings, group, strict=True) if f.holds]
    if hits:
        first, _ = min(hits, key=lambda hit: hit[0].span or (0, 0))
        return first._replace(found=[written for _, written in hits])
    near = next((f for f in findings if f.span), findings[0])
    if near.holds is None:
        return near
    return near._replace(found=[], words=near.words.replace("is not stated", "are not stated, none of them,", 1))


def forbidden(item: ForbiddenName, text: Text, known: NameIndex) -> Finding:
    """Look for a name that must not be asserted; one that is denied, quoted or said to come later is not."""
    if not compiled(item.name).forms:
        return broken("empty_name", _EMPTY)
    mentions = [m for written in (item.name, *item.aliases) for m in find(text, written, item.case)]
    allowed = [m for written in item.except_ for m in find(text, written)]
    others = known.find(text) if mentions else ()
    excuses = []
    for mention in sorted(uncovered(mentions, others, sorted(allowed), same=_keys(item))):
        span = mention.start, mention.end
        excuse = is_denied(text, mention)
        if not excuse:
            words = f"must not be asserted in the {{where}}, but is: {quoted(text, span)}"
            return Finding(False, "asserted", words, found_in(text, span), span)
        excuses.append((excuse, span))
    if excuses:
        excuse, span = excuses[0]
        words = f"is not asserted in the {{where}}: it is {excuse}: {quoted(text, span)}"
        return Finding(True, "not_asserted", words, None, span)
    return Finding(True, "not_mentioned", "is not mentioned in the {where}")


def order(items: Sequence[NameCheck], text: Text, known: NameIndex) -> Finding:
    """Compare the order of the first assertions of names with the expected one."""
    firsts: list[tuple[Mention, str]] = []
    for item in items:
        mention = _first_asserted(item, text, known)
        if mention is None:
            missing = name(item, text, known)
            if missing.holds is None:
                return missing
            words = missing.words if not missing.holds else "is not asserted in the {where}"
            return Finding(False, "not_stated", f"cannot be in order: {item.name} {words}", None, missing.span)
        firsts.append((mention, item.name))
    found = [written for _, written in sorted(firsts)]
    wanted = [item.name for item in items]
    if found == wanted:
        return Finding(
            True, "in_order", "stand in this order in the {where}", found, (firsts[0][0].start, firsts[0][0].end)
        )
    at = next(i for i, (a, b) in enumerate(zip(found, wanted, strict=True)) if a != b)
    early = next(m for m, written in firsts if written == found[at])
    span = early.start, early.end
    words = (
        f"stand in another order in the {{where}}: {', '.join(found)}; {found[at]} comes early: {quoted(text, span)}"
    )
    return Finding(False, "out_of_order", words, found, span)


def _first_asserted(item: NameCheck, text: Text, known: NameIndex) -> Mention | None:
    return next((m for m in _mentions(item, text, known) if not is_denied(text, m)), None)


# --- choices ------------------------------------------------------------------------------------------------------

_OFFER = re.compile(
    r"\?|？|\b(?:which|either|whether|do you mean|did you mean|could mean|may mean|refers? to|both|several|multiple|"
    r"different|ambiguous|clarify|specify|one of|choose|two|three|four|exists? (?:in|for|under)|respectively|"
    r"lequel|laquelle|lesquels|soit|precise[rz]?|plusieurs|ambigue?s?|deux|trois|welche[rs]?|cual(?:es)?|quale|qual)\b"
)


def choice(all_items: Sequence[NameCheck], item: NameCheck, text: Text, known: NameIndex) -> Finding:
    """Look for one variant of an ambiguous question: named, and beside the others offered or answered for itself."""
    named = name(item, text, known)
    if not named.holds or not all(_mentions(other, text, known) for other in all_items):
        return named
    if _OFFER.search(text.folded) or _apart(all_items, text, known):
        return named._replace(rule="offered")
    place = quoted(text, named.span or (0, 0))
    words = f"is named in the {{where}}, but neither offered as a choice nor answered for itself: {place}"
    return Finding(False, "no_choice", words, named.found, named.span)


def _apart(items: Iterable[NameCheck], text: Text, known: NameIndex) -> bool:
    """Tell whether every variant has a phrase of its own that says something beside the name, or its own figure."""
    variants = [_mentions(item, text, known) for item in items]
    phrases = {_own_phrase(mentions, text) for mentions in variants}
    if None not in phrases and len(phrases) == len(variants):
        return True
    starts = sorted(m.start for mentions in variants for m in mentions)
    return all(any(_has_figure(text, m, starts) for m in mentions) for mentions in variants)


def _own_phrase(mentions: Iterable[Mention], text: Text) -> tuple[int, int] | None:
    for m in mentions:
        start, end = text.phrase_at(m.start)
        if any(c.isalnum() for c in text.plain[start : m.start] + text.plain[m.end : end]):
            return start, end
    return None


def _has_figure(text: Text, mention: Mention, starts: Sequence[int]) -> bool:
    """Tell whether a figure follows a mention before another variant is named."""
    end = next((s for s in starts if s >= mention.end), text.clause_at(mention.start)[1])
    return any(c.isdigit() for c in text.plain[mention.end : end])
