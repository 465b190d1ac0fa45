"""What no generated question may be: one that holds its answer, breaks off, or cannot be typed."""

from __future__ import annotations

import re

from pytest_graph_eval.generate.drafts import Ask, Draft, Unanswerable
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.metrics.answers import answer_correctness
from pytest_graph_eval.metrics.facts import normalise
from pytest_graph_eval.metrics.facts.names import find
from pytest_graph_eval.metrics.facts.phrases import STOP_WORDS
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario

_LONGEST_QUESTION = 400
_FEW_WORDS = 4
_DANGLING = re.compile(
    r"(?:^|\s)(?:the|a|an|and|or|le|la|les|un|une|de|du|des|et|ou|pour|aux?)\s*[?.!]*\Z|\s[.,;]|\(\s*\)|«\s*»|\s's\b",
    re.IGNORECASE,
)
"""Ends after an article or a conjunction, and holes; a preposition may end a question (`that Flipkart is part of`)."""


def check(draft: Draft) -> None:
    """Refuse a scenario with a question that is no good one.

    Raises:
        Unanswerable: says what is wrong.
    """
    for ask in draft.asks:
        if not ask.question.isprintable() or len(ask.question) > _LONGEST_QUESTION:
            raise Unanswerable("a name in it is too long, or holds signs that cannot be typed")
        if _DANGLING.search(ask.question):
            raise Unanswerable("the question breaks off")
        if ask.gold_answer and holds_answer(ask):
            raise Unanswerable("the question holds its answer")


def holds_answer(ask: Ask) -> bool:
    """Tell whether a question says its gold answer; of one in many words, half of those that tell."""
    gold, question = normalise(ask.gold_answer or ""), normalise(ask.question.replace("?", "."))
    if find(question, ask.gold_answer or ""):
        return True
    told = {word for word in gold.words.words if any(map(str.isalnum, word))} - STOP_WORDS
    if len(told) > _FEW_WORDS:
        return 2 * len(told & set(question.words.words)) >= len(told)
    score, _ = answer_correctness(_scenario(ask, asked="?"), Response(answer=question.raw), question, None)
    return score.value == 1.0 and bool(told)


def state_gold(view: View, ask: Ask, chunk_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the chunks that state the gold answer, fully or, in words, for the most part.

    Raises:
        Unanswerable: the graph has such chunks, and none states it.
    """
    chunks = view.chunks(chunk_ids)
    stating = []
    for chunk in chunks:
        text = view.text(chunk.content)
        score, _ = answer_correctness(_scenario(ask), Response(answer=chunk.content), text, None)
        if score.value == 1.0 or (score.value and not any(map(str.isdigit, ask.gold_answer or ""))):
            stating.append(chunk.id)
    if chunks and not stating:
        raise Unanswerable("the source chunk does not state it")
    return tuple(stating)


def _scenario(ask: Ask, asked: str = "") -> Scenario:
    return Scenario(
        id="x", question=asked or ask.question, gold_answer=ask.gold_answer, requires_yoy=ask.requires_yoy or None
    )
