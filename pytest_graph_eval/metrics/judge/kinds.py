"""The kinds of judgement in one table: what each asks, with which prompt, and how its reply becomes scores."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any

from pytest_graph_eval.metrics.judge import custom, rubric
from pytest_graph_eval.metrics.judge.cases import Case, Scored, Unscored
from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_object, reason_of
from pytest_graph_eval.metrics.judge.rubric import document
from pytest_graph_eval.models.judge_settings import JudgeSettings

BLANK = "The question of the reference or the actual answer is a blank string!"
"""graphrag-eval's own words, which its readers look for."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One judgement of an answer.

    `ask` returns the user message and raises `Unscored` where it does not apply; `read` returns the scores of a reply
    and raises `ReplyProblem` where it has none. `system` never holds anything of the answer.
    """

    name: str
    prompt: str
    system: str
    ask: Callable[[Case], str]
    read: Callable[[str, Case], Scored]
    outputs: tuple[str, ...] = ()
    """What a custom judgement gives, also where it fails."""


def kinds_of(settings: JudgeSettings) -> list[Kind]:
    """Return the judgements that a suite asks for."""
    return [*(kind for name in settings.asked for kind in _KINDS[name]()), *_custom_kinds(settings)]


def _custom_kinds(settings: JudgeSettings) -> Iterator[Kind]:
    frame = prompt("custom")
    for one in settings.custom:
        system = f"{frame.text}\n\n{custom.instructions(one)}"
        ask, read = partial(custom.ask, one), partial(custom.read, one)
        yield Kind(one.name, frame.name, system, ask, read, tuple(one.outputs))


def _kind(name: str, ask: Callable[[Case], str], read: Callable[[str, Case], Scored], shown: str = "") -> Kind:
    text = prompt(name)
    return Kind(shown or name, text.name, text.text, ask, read)


# --- claims -------------------------------------------------------------------------------------------------------


def _ask_claims(case: Case) -> str:
    texts = {"question": case.question, "reference_answer": case.reference_answer, "actual_answer": case.actual_answer}
    for name, text in texts.items():
        if text is None:
            raise Unscored(f"no {name.replace('_', ' ')}", code="missing")
    if not all((text or "").strip() for text in texts.values()):
        raise Unscored(BLANK)
    return document(case, texts)


def _read_claims(raw: str, _: Case) -> Scored:
    keys = ("reference_claims_count", "actual_claims_count", "matching_claims_count")
    (reference, actual, matching), data = _counts(raw, keys)
    if matching > min(reference, actual):
        raise ReplyProblem(
            "out_of_range", f"{keys[2]}: found {matching}, expected at most {min(reference, actual)}, the smaller count"
        )
    scores = _shares("answer", matching / reference, matching / actual)
    return Scored(scores, {"answer_f1": reason_of(data)}, {key: data[key] for key in keys})


# --- relevance ----------------------------------------------------------------------------------------------------


def _ask_relevance(case: Case) -> str:
    if not (case.question or "").strip() or not (case.actual_answer or "").strip():
        raise Unscored("no answer to judge")
    return document(case, {"question": case.question, "answer": case.actual_answer})


def _read_relevance(raw: str, _: Case) -> Scored:
    keys = ("statements_count", "relevant_statements_count")
    (whole, relevant), data = _counts(raw, keys, others=("noncommittal",))
    if not isinstance(data.get("noncommittal"), bool):
        raise ReplyProblem("no_score", "noncommittal: expected true or false")
    share = _share(relevant, whole, keys[1]) * (not data["noncommittal"])
    return Scored({"answer_relevance": share}, {"answer_relevance": reason_of(data)}, {key: data[key] for key in keys})


# --- retrieval ----------------------------------------------------------------------------------------------------


def _retrieval_kinds() -> Iterator[Kind]:
    for of, reference in (("answer", _reference_answer), ("context", _reference_contexts)):
        yield _kind("retrieval", partial(_ask_retrieval, reference), partial(_read_retrieval, of), f"retrieval_{of}")


def _reference_answer(case: Case) -> str:
    if not (case.reference_answer or "").strip():
        raise Unscored("no reference answer")
    return case.reference_answer or ""


def _reference_contexts(case: Case) -> str:
    if not case.reference_contexts:
        raise Unscored("no reference texts: no expected `retrieval` step has texts as its output")
    return "\n".join(case.reference_contexts)


def _ask_retrieval(reference: Callable[[Case], str], case: Case) -> str:
    text = reference(case)
    if case.contexts is None:
        raise Unscored("the record holds no retrieved texts")
    if not case.contexts:
        raise Unscored("nothing was retrieved")
    return document(case, {"question": case.question, "reference": text, "contexts": list(case.contexts)})


def _read_retrieval(of: str, raw: str, case: Case) -> Scored:
    keys = ("statements_count", "attributed_statements_count")
    (whole, attributed), data = _counts(raw, keys, others=("useful_contexts",))
    useful = data.get("useful_contexts")
    expected = len(case.contexts or ())
    if not isinstance(useful, list) or len(useful) != expected or not all(isinstance(one, bool) for one in useful):
        raise ReplyProblem("no_score", f"useful_contexts: expected a list of {expected} values true or false")
    scores = _shares(f"retrieval_{of}", _share(attributed, whole, keys[1]), _average_precision(useful))
    return Scored(scores, {f"retrieval_{of}_f1": reason_of(data)}, {key: data[key] for key in keys})


def _average_precision(useful: Sequence[bool]) -> float:
    """Return the mean of the precisions at each useful place; 0 where nothing is useful."""
    hits = [place for place, one in enumerate(useful, 1) if one]
    return sum(number / place for number, place in enumerate(hits, 1)) / len(hits) if hits else 0.0


# --- what they share ----------------------------------------------------------------------------------------------


def _counts(raw: str, keys: Sequence[str], others: Sequence[str] = ()) -> tuple[list[int], dict[str, Any]]:
    """Return whole counts by key, the last one at least 0 and the others at least 1, and the object that holds them."""
    data = read_object(raw, key=keys[0])
    allowed = {*keys, *others, "reason"}
    extra = sorted(data.keys() - allowed)
    if extra:
        raise ReplyProblem(
            "conflicting_scores", f"unknown keys {', '.join(extra)}; expected {', '.join(sorted(allowed))}"
        )
    found = []
    for key in keys:
        value, least = data.get(key), 0 if key == keys[-1] else 1
        if value is None:
            raise ReplyProblem("no_score", f"the key {key!r} is missing")
        if isinstance(value, bool) or not isinstance(value, int):
            raise ReplyProblem("not_a_number", f"{key}: found {value!r}, expected a whole number")
        if value < least:
            raise ReplyProblem("out_of_range", f"{key}: found {value}, expected at least {least}")
        found.append(value)
    if not reason_of(data).strip():
        raise ReplyProblem("no_score", "the key 'reason' is missing or empty")
    return found, data


def _share(part: int, whole: int, key: str) -> float:
    if part > whole:
        raise ReplyProblem("out_of_range", f"{key}: found {part}, expected at most {whole}")
    return part / whole


def _shares(prefix: str, recall: float, precision: float) -> dict[str, float]:
    f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return {f"{prefix}_recall": recall, f"{prefix}_precision": precision, f"{prefix}_f1": f1}


_KINDS: dict[str, Callable[[], Sequence[Kind]]] = {
    "rubric": lambda: [_kind("rubric", rubric.ask, rubric.read)],
    "claims": lambda: [_kind("claims", _ask_claims, _read_claims)],
    "relevance": lambda: [_kind("relevance", _ask_relevance, _read_relevance)],
    "retrieval": lambda: list(_retrieval_kinds()),
}


# Prompts are files with a version in their name; a change of a text is a new version.
VERSIONS = {"rubric": 1, "claims": 1, "relevance": 1, "retrieval": 1, "custom": 1}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a judge is told: `name` is kind and version (`rubric/1`), as results show it."""

    name: str
    text: str


@functools.cache
def prompt(kind: str) -> Prompt:
    """Return the present prompt of a kind of judgement."""
    version = VERSIONS[kind]
    path = files(__package__) / "prompts" / f"{kind}.{version}.md"
    return Prompt(f"{kind}/{version}", path.read_text(encoding="utf-8").strip())
