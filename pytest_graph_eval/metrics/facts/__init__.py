"""The facts engine: does a text state a fact? Deterministic, explainable, pure."""

from pytest_graph_eval.metrics.facts.checks import check_answer, facts_found, facts_score, run_checks
from pytest_graph_eval.metrics.facts.keyfacts import KeyFact, key_facts, stated
from pytest_graph_eval.metrics.facts.names import NO_NAMES, NameIndex
from pytest_graph_eval.metrics.facts.text import Text, normalise

__all__ = [
    "NO_NAMES",
    "KeyFact",
    "NameIndex",
    "Text",
    "check_answer",
    "facts_found",
    "facts_score",
    "key_facts",
    "normalise",
    "run_checks",
    "stated",
]
