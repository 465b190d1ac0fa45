"""A pattern that is compiled later does what one does that is compiled at once, and nothing before that."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

from pytest_graph_eval import lazy_re, metrics


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    later, at_once = lazy_re.compile(r"(?P<x>a+)b", lazy_re.IGNORECASE), re.compile(r"(?P<x>a+)b", re.IGNORECASE)
    text = "xAAb aab"
    assert [m.span("x") for m in later.finditer(text)] == [m.span("x") for m in at_once.finditer(text)]
    assert later.sub(r"\g<x>", text) == at_once.sub(r"\g<x>", text)
    assert (later.pattern, later.flags, later.groups) == (at_once.pattern, at_once.flags, at_once.groups)
    assert later.fullmatch("ab", 1) is None
    assert later.search("no") is None


def test_a_pattern_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(lazy_re.re, "compile", lambda *args: compiled.append(args[0]) or re._compile(*args))  # type: ignore[attr-defined]
    later = lazy_re.compile("a")
    assert compiled == []
    assert later.search("a")
    assert later.search("a")
    assert compiled == ["a"]


def test_a_mistake_shows_with_the_first_use() -> None:
    later = lazy_re.compile("(")
    with pytest.raises(re.error):
        later.search("a")


def test_all_patterns_of_the_metrics_are_well_formed() -> None:
    names = [module.name for module in pkgutil.walk_packages(metrics.__path__, f"{metrics.__name__}.")]
    modules = [importlib.import_module(name) for name in names]
    later = [value for module in modules for value in vars(module).values() if isinstance(value, lazy_re._Later)]
    assert len(later) > 100
    assert all(pattern.flags & re.UNICODE or pattern.flags & re.ASCII for pattern in later)
