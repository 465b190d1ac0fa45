"""Names that a text denies: the name in a clause that says it does not exist, is not it, or came later."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import phrases
from pytest_graph_eval.metrics.facts.context import is_taken_back
from pytest_graph_eval.metrics.facts.denials import CUT, REACH, SPOKEN, Asked, Context, denial_in, suspects
from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.names import Mention
from pytest_graph_eval.metrics.facts.page import page
from pytest_graph_eval.metrics.facts.tables.corrections import CORRECTED_WORDS, EXPECTED_WORDS, THOUGHT_WORDS
from pytest_graph_eval.metrics.facts.text import Text

_STAND_IN = "Zqname"
TAKEN_BACK = CORRECTED_WORDS | THOUGHT_WORDS | EXPECTED_WORDS
_LIST_REACH = 100
# What one side of it denies, the other does not.
_CONTRAST = re.compile(
    r"(?<!\ball )(?<!thing )(?<!one )\b(?:but|mais|sino|sondern|maar)\b(?! (?:for|not)\b)", re.IGNORECASE
)
_LIST_ITEM = re.compile(r"(?:[-*+•–]|\d{1,3}[.)]|\|)\s*")


def is_denied(text: Text, mention: Mention) -> str:
    """Say why a mention asserts nothing: it is denied, said to come later, asked about or quoted. Empty: it asserts."""
    kind = text.aside_at(mention.start, mention.end)
    if kind:
        return f"in a {kind}"
    start, end = whole = text.clause_at(mention.start)
    languages = suspects(text).get(whole, set())
    if text.plain[end : end + 1] in ("?", "？"):
        return "in a question"
    own = text.without(*SPOKEN)
    low, end = max(start, mention.start - REACH), min(end, mention.end + REACH)
    before, after = _CONTRAST.split(own[low : mention.start])[-1], _CONTRAST.split(own[mention.end : end])[0]
    clause = f"{before}{_STAND_IN}{after}"
    cased = phrases.expand(" ".join(clause.split()))
    folded = fold(cased)
    if phrases.EXCEPTED.search(folded.partition(_STAND_IN.lower())[0]):
        return ""
    said = phrases.REPORTED.search(folded.partition(_STAND_IN.lower())[0])
    if said and not said[0].startswith("contra"):  # it is not true that it is; but what is not true not to be is
        return "" if phrases.NEGATION.search(folded, said.end()) else "denied"
    asked = Asked(names=(_STAND_IN,))
    context = Context(text, own, start, asked)
    if phrases.negated_name(_STAND_IN.lower()).search(folded) or denial_in(cased, context, languages):
        return "denied"
    if said:
        return "denied"
    if not TAKEN_BACK.isdisjoint(text.word_positions) and is_taken_back(page(own), (mention.start, mention.end), whole):
        return "taken back"
    if phrases.LATER.search(CUT.split(folded.partition(_STAND_IN.lower())[2])[0]):
        return "said to come later"
    return _denied_by_lead(text, own, start)


def _denied_by_lead(text: Text, own: str, start: int) -> str:
    """Look whether a list item stands under a sentence such as "The following do not exist:"."""
    at = start
    for _ in range(_LIST_REACH):
        if not _LIST_ITEM.match(text.plain, at) or at == 0:
            return ""
        line_end = at - 1
        at = text.plain.rfind("\n", 0, line_end) + 1
        if not _LIST_ITEM.match(text.plain, at):
            lead = own[at:line_end].strip()
            context = Context(text, own, at, Asked(names=("following",)))
            languages = set().union(*suspects(text).values())
            return "denied" if lead.endswith(":") and denial_in(lead, context, languages) else ""
    return ""
