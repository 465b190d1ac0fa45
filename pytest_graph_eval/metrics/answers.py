"""The ancestor's metrics on texts: context relevancy, faithfulness with its hallucinations, answer correctness.

All look for facts by value, not by wording (`metrics.facts`), and are unscored where they have no object.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts import KeyFact, NameIndex, Text, key_facts, normalise, stated
from pytest_graph_eval.metrics.facts.denied_names import is_denied
from pytest_graph_eval.metrics.facts.keyfacts import date_facts, number_facts
from pytest_graph_eval.metrics.facts.names import find
from pytest_graph_eval.metrics.facts.phrases import STOP_WORDS
from pytest_graph_eval.metrics.facts.statements import date_verdict, number_verdict
from pytest_graph_eval.metrics.facts.tokens import NumberToken
from pytest_graph_eval.metrics.retrieval import same_id
from pytest_graph_eval.models.records import Response, Score
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.texts import listed

PARTIAL_RELEVANCY = 0.7
PARTIAL_TEXT = 0.5


def _unscored(reason: str) -> Score:
    return Score(value=None, reason=reason)


def context_relevancy(scenario: Scenario, response: Response, names: NameIndex | None = None) -> Score:
    """Tell whether the retrieved chunks can answer the question.

    Args:
        scenario: names the source chunks and holds the gold answer.
        response: what came back.
        names: the known names, as key facts of the gold answer.

    Returns:
        1.0 where a source chunk was retrieved, 0.7 where a retrieved chunk states a key fact of the gold answer, else
        0.0. Without source chunks: 1.0 where any chunk came back. Unscored where the target maps no chunks, or where
        nothing should be retrieved.
    """
    if response.chunks is None:
        return _unscored("the target maps no chunks")
    if scenario.expect.no_evidence:
        return _unscored("nothing should be retrieved: relevancy has no object")
    if not scenario.source_chunks:
        count = len(response.chunks)
        return Score(value=float(count > 0), reason=f"no source_chunks given; {count} chunks retrieved")
    found = next((c.id for c in response.chunks for g in scenario.source_chunks if same_id(g, c.id)), None)
    if found is not None:
        return Score(value=1.0, reason=f"source chunk {found} was retrieved")
    gold = normalise(scenario.gold_answer or "")
    facts = key_facts(gold, names, ignore=scenario.question)
    for chunk in response.chunks:
        text = normalise(chunk.content)
        fact = next((f for f in facts if stated(f, text)), None)
        if fact is not None:
            reason = f"no source chunk was retrieved, but {chunk.id or 'a chunk'} states “{fact.text}”"
            return Score(value=PARTIAL_RELEVANCY, reason=reason)
    return Score(value=0.0, reason=f"none of {listed(scenario.source_chunks, 5)} was retrieved")


def faithfulness(
    scenario: Scenario,
    response: Response,
    answer: Text | None,
    evidence: Text | None,
    names: NameIndex | None = None,
) -> tuple[Score, list[str]]:
    """Return the share of the answer's key facts that the evidence states, and the others as hallucinations.

    Without an answer it is the share of the gold answer's key facts that the evidence states. Facts that are in the
    question never count. Unscored where the target maps no chunks, or where there is no key fact.

    Args:
        scenario: question and gold answer.
        response: what came back.
        answer: its answer as a text, None where there is none.
        evidence: all that was retrieved as a text.
        names: the known names.
    """
    if response.chunks is None:
        return _unscored("the target maps no chunks"), []
    subject = normalise(scenario.gold_answer or "") if answer is None else answer
    whose = "the gold answer's" if answer is None else "the answer's"
    facts = key_facts(subject, names, ignore=scenario.question)
    if not facts:
        return _unscored(f"{whose} text holds no key fact" if subject.plain else "there is no text to look for"), []
    there = evidence or normalise("")
    missing = [f for f in facts if not stated(f, there)]
    value = (len(facts) - len(missing)) / len(facts)
    reason = f"{len(facts) - len(missing)} of {len(facts)} of {whose} key facts are in the evidence"
    if missing:
        reason += f"; not there: {listed([f.text for f in missing], 5)}"
    invented = [_hallucination(f, subject) for f in missing] if answer is not None else []
    return Score(value=value, reason=reason), invented


def _hallucination(fact: KeyFact, text: Text) -> str:
    return f'"{fact.text}": not in the evidence ("{text.around(*fact.span, width=40)}")'


# --- answer correctness -------------------------------------------------------------------------------------------


def answer_correctness(
    scenario: Scenario,
    response: Response,
    answer: Text | None,
    evidence: Text | None,
    names: NameIndex | None = None,
) -> tuple[Score, list[str]]:
    """Return how much of the gold answer is stated, and flags.

    Numbers and dates of the gold answer, by value, unit and scale: matched / expected. `requires_yoy`: value 1, value
    2 and the change (as an amount or a percentage) in equal parts. A gold answer in words: 1.0 where it stands as a
    phrase, 0.5 where at least half of its content words stand as whole words, else 0.0.

    It is looked for in the answer, and in the evidence only where there is no answer at all.

    Returns:
        The score, unscored without a gold answer; and `yoy_incomplete` where a part of a comparison is missing.
    """
    if not scenario.gold_answer:
        return _unscored("no gold answer"), []
    text = (evidence and evidence.whole) if answer is None else answer
    where = "the evidence" if answer is None else "the answer"
    if text is None:
        return _unscored("the target maps neither an answer nor evidence"), []
    gold = normalise(scenario.gold_answer)
    figures = number_facts(gold)
    if scenario.requires_yoy and figures:
        score = _comparison(gold, figures, text, where)
        return score, ["yoy_incomplete"] if score.value != 1.0 else []
    expected = _not_asked([*date_facts(gold), *figures], scenario.question)
    if expected:
        missing = [f for f in expected if not _is_stated(f, text)]
        found = len(expected) - len(missing)
        reason = f"{found} of {len(expected)} numbers and dates of the gold answer are in {where}"
        reason += f"; not there: {listed([f.text for f in missing], 5)}" if missing else ""
        return Score(value=found / len(expected), reason=reason), []
    return _wording(scenario.gold_answer, gold, text, where), []


def _not_asked(facts: Sequence[KeyFact], question: str) -> list[KeyFact]:
    """Leave out what the question says already, unless that is all."""
    asked = normalise(question.replace("?", "."))  # what is asked about is said there
    return [f for f in facts if not stated(f, asked)] or list(facts)


def _is_stated(fact: KeyFact, text: Text, abs_tol: Decimal | None = None) -> bool:
    """Tell whether a text states a fact itself: not denied, not only quoted beside another value."""
    if isinstance(fact.token, NumberToken):
        return number_verdict(text, fact.token, abs_tol=abs_tol).verdict == "pass"
    return fact.token is not None and date_verdict(text, fact.token).verdict == "pass"


_CHANGE = re.compile(
    r"(?:\b(?:by|delta|change|up|down|increased?|decreased?|grew|rose|fell|gain|loss|growth|decline|drop|de|hausse|baisse)"
    r"(?: of)?|[Δ(±]) *\W{0,2}\Z",
    re.IGNORECASE,
)
_ENDPOINT = re.compile(r"\b(?:from|to|versus|vs\.?|against|à|à partir de) *\W{0,2}\Z", re.IGNORECASE)


def _comparison(gold: Text, figures: Sequence[KeyFact], text: Text, where: str) -> Score:
    """Score value 1, value 2 and the change, in equal parts of what the gold answer states."""
    values = [f for f in figures if not _is_change(f, gold)][:2]
    changes = [f for f in figures if f not in values]
    parts = [(f.text, _is_stated(f, text)) for f in values]
    if changes:
        said = any(_is_stated(f, text, abs_tol=f.token.quantum) for f in changes if isinstance(f.token, NumberToken))
        parts.append((" or ".join(f.text for f in changes), said))
    missing = [words for words, is_there in parts if not is_there]
    reason = f"{len(parts) - len(missing)} of {len(parts)} parts of the comparison are in {where}"
    reason += f"; not there: {', '.join(missing)}" if missing else ""
    return Score(value=(len(parts) - len(missing)) / len(parts), reason=reason)


def _is_change(fact: KeyFact, gold: Text) -> bool:
    """Tell whether a figure of a comparison is the change: signed, a share, or after `by`, `delta` and the like."""
    before = gold.plain[max(0, fact.span[0] - 24) : fact.span[0]]
    if _ENDPOINT.search(before):
        return False
    token = fact.token
    signed = isinstance(token, NumberToken) and (token.sign != 0 or token.unit_class in ("percent", "points"))
    return signed or bool(_CHANGE.search(before))


def _wording(raw: str, gold: Text, text: Text, where: str) -> Score:
    """Score a gold answer in words."""
    mentions = find(text, raw)
    denied = [reason for m in mentions if (reason := is_denied(text, m))]
    if len(mentions) > len(denied):
        return Score(value=1.0, reason=f"the gold answer stands in {where}")
    if mentions:
        return Score(value=0.0, reason=f"the gold answer is only {denied[0]} in {where}")
    words = list(dict.fromkeys(w for w in gold.words.words if w not in STOP_WORDS and (len(w) > 1 or not w.isascii())))
    there = [w for w in words if w in text.word_positions]
    half = bool(words) and len(there) * 2 >= len(words)
    reason = f"{len(there)} of {len(words)} content words of the gold answer are in {where}"
    return Score(value=PARTIAL_TEXT if half else 0.0, reason=reason)
