"""Patterns of suites are searched as `re.search` does, and end in bounded time."""

from __future__ import annotations

import re

import pytest

from pytest_graph_eval.metrics.facts import patterns
from pytest_graph_eval.metrics.facts.patterns import SearchTimeout, search


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"\$\d+(?:\.\d+)?", "x $611.3"), (r"(?:\d+,)*\d+", "a 1,234"), (r"(\w+\s?)*$", "ab cd"), ("é+", "caféé"),
     ("x", "abc"), (r"(a+)+\ud800", "aa\ud800")],
)  # fmt: skip
def test_finds_what_re_finds(pattern, text):
    match = re.search(pattern, text)
    assert search(pattern, text) == (match.span() if match else None)


@pytest.mark.parametrize(
    ("pattern", "text"), [("(a+)+$", "a" * 50 + "!"), ("(?:a|a)*b.*.*$", "a" * 60), ("(x+x+)+y", "x" * 60)]
)
def test_a_pattern_that_blows_up_is_stopped(monkeypatch, pattern, text):
    monkeypatch.setattr(patterns, "SECONDS", 0.3)
    with pytest.raises(SearchTimeout, match=r"not decided within 0\.3 s"):
        search(pattern, text)


def test_several_open_repetitions_on_a_long_text_are_searched_apart(monkeypatch):
    with monkeypatch.context() as short:
        short.setattr(patterns, "SECONDS", 0.3)
        with pytest.raises(SearchTimeout):
            search(".*.*.*=", ("x" * 300 + " ") * 300)
    assert search(".*b.*", "a" * 30_000 + "b") == (0, 30_001)


def test_a_pattern_that_is_none_raises():
    with pytest.raises(re.error):
        search("(", "x")
