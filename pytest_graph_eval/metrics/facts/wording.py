"""Checks on the wording of a text: contains, excludes, matches, equals."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.findings import Finding, broken, opening, quoted
from pytest_graph_eval.metrics.facts.patterns import SearchTimeout, search
from pytest_graph_eval.metrics.facts.text import Span, Text, normalise
from pytest_graph_eval.models.expect import TextCheck


def contains(item: TextCheck, text: Text) -> Finding:
    """Look for a piece of text, normalised and case-folded unless `case: exact`."""
    span = _place(item, text)
    if span is None:
        return Finding(False, "not_contained", _absent(item, text), span=_other_case(item, text))
    return Finding(True, "contained", f"stands in the {{where}}: {quoted(text, span)}", _at(text, span), span)


def excludes(item: TextCheck, text: Text) -> Finding:
    """Look for a piece of text that must not be there."""
    span = _place(item, text)
    if span is None:
        return Finding(True, "not_contained", "is not in the {where}")
    words = f"must not be in the {{where}}, but is: {quoted(text, span)}"
    return Finding(False, "contained", words, _at(text, span), span)


def equals(item: TextCheck, text: Text) -> Finding:
    """Compare the whole text."""
    wanted, found = _form(normalise(item.text), item.case), _form(text, item.case)
    if wanted == found:
        return Finding(True, "equal", "is the whole {where}", text.plain)
    start = next(
        (i for i, (a, b) in enumerate(zip(wanted, found, strict=False)) if a != b), min(len(wanted), len(found))
    )
    near = text.around(min(start, len(text.plain)), min(start + 1, len(text.plain)))
    words = f"is not the {{where}}: it differs from “{near or 'nothing'}” on"
    return Finding(False, "not_equal", words, text.plain[:200])


def matches(pattern: str, text: Text) -> Finding:
    """Search a regular expression in the text as it came, and in its plain form."""
    try:
        raw = search(pattern, text.raw)
        plain = None if raw or text.raw == text.plain else search(pattern, text.plain)
    except SearchTimeout as e:
        return broken("too_slow", f"could not be decided: {e}; simplify the pattern")
    except (re.error, OverflowError, RecursionError) as e:
        return broken("bad_regex", f"is no regular expression: {e}")
    found = text.raw[raw[0] : raw[1]] if raw else text.plain[plain[0] : plain[1]] if plain else None
    if found is None:
        return Finding(False, "no_match", f"matches nothing in the {{where}}, which says {opening(text)}")
    return Finding(True, "match", f"matches “{found}” in the {{where}}", found, plain)


def _form(text: Text, case: str) -> str:
    return text.line if case == "exact" else text.line_casefolded


def _place(item: TextCheck, text: Text) -> Span | None:
    """Return where the piece stands; where folding moved characters, the whole text stands for the place."""
    wanted, flat = _form(normalise(item.text), item.case), _form(text, item.case)
    at = flat.find(wanted)
    if at < 0:
        return None
    return (at, at + len(wanted)) if len(flat) == len(text.plain) else (0, len(text.plain))


def _at(text: Text, span: Span) -> str:
    return " ".join(text.plain[span[0] : span[1]].split())[:200]


def _other_case(item: TextCheck, text: Text) -> Span | None:
    return _place(item.model_copy(update={"case": "any"}), text) if item.case == "exact" else None


def _absent(item: TextCheck, text: Text) -> str:
    span = _other_case(item, text)
    if span is not None:
        return f"is not in the {{where}} in this case; there is {quoted(text, span)}"
    words = sorted(normalise(item.text).words.words, key=len, reverse=True)
    near = next((w for w in words if w in text.word_positions), None)
    if near is None:
        return f"is not in the {{where}}, which says {opening(text)}"
    at = text.word_positions[near][0]
    return f"is not in the {{where}}; nearest: {quoted(text, (text.words.starts[at], text.words.ends[at]))}"
