"""What is written loads back as it was: suites as YAML, scenarios as another project's test cases."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pytest_graph_eval.formats import preciso
from pytest_graph_eval.loader import load_suite, merge_suites, prepare_suite, save_suite
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.scalars import Scalar, plain
from pytest_graph_eval.models.scenario import Scenario, Suite
from pytest_graph_eval.models.settings import Gate, GraphTarget
from pytest_graph_eval.yaml_source import parse, resolve

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
tricky = st.sampled_from([
    "NO", "null", "~", "true", "0123", "0o17", "1e3", "12:30", "2024-01-01", ".inf", ".nan", "<<", "=", "a: b", "a #b",
    "- a", "? a", "{a}", "[a]", "&a", "*a", "!a", "%a", "@a", "`a`", "'", '"', "\\", "a\nb", "a\n", "\na", " a", "a ",
    "\t", "a\r\nb", "a\n b", "a \nb", "\x00", "\x85", "\u2028", "\ufeff", "\ufffe", "🎉", "$611,289 million", "-",
    "--- a", "...", "x" * 300, "a b " * 60,
])  # fmt: skip
words = (texts | tricky).filter(str.strip)
ids = st.from_regex(r"[a-zA-Z0-9_][\w.\-]{0,10}", fullmatch=True)
data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts | tricky | st.just(""),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
expects = st.builds(
    lambda **given: Expect(**{k: v for k, v in given.items() if v is not None}),
    contains=st.none() | st.lists(words, min_size=1, max_size=3),
    denial=st.none() | st.booleans(),
    entities=st.none() | st.lists(words, min_size=1, max_size=3),
    relationships=st.none() | st.lists(st.tuples(words, words, words).map(list), min_size=1, max_size=2),
)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    given: dict[str, Any] = {"id": draw(ids), "question": draw(words), "gold_answer": draw(words)}
    optional = {
        "source_entities": st.lists(words, max_size=3),
        "category": words,
        "tags": st.lists(words, max_size=2),
        "arguments": st.dictionaries(words, data, max_size=3),
        "timeout": st.floats(1e-300, 1e300),
        "expect": expects,
        "skip": st.just("why"),
        "xfail": st.just({"reason": "x", "until": "2030-01-01"}),
        "marks": st.lists(st.just("slow") | st.just({"timeout": 3}), max_size=2),
    }
    for key in draw(st.sets(st.sampled_from(sorted(optional)))):
        given[key] = draw(optional[key])
    return Scenario(**given)


suites = st.builds(
    Suite,
    suite=words,
    description=texts | tricky,
    target=st.just(GraphTarget(extraction=["a.json"])) | st.just("prod"),
    gate=st.just(Gate()) | st.just(Gate(overall=None, max_errors=2, difficulty={"easy": {"pass": 0.9, "warn": 0.5}})),
    scenarios=st.lists(scenarios(), min_size=1, max_size=4, unique_by=lambda s: s.id),
    meta=st.dictionaries(words, data, max_size=2),
)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(suites)
def test_a_saved_suite_loads_as_an_equal_suite(suite: Suite) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.graph.yaml")
        save_suite(suite, path, schema="graph-eval.schema.json")
        loaded = load_suite(path)
    assert loaded.suite == suite
    assert [s.model_fields_set for s in loaded.suite.scenarios] == [s.model_fields_set for s in suite.scenarios]
    assert [item.scenario for item in loaded.scenarios] == [item.scenario for item in prepare_suite(suite).scenarios]


@settings(deadline=None)
@given(st.lists(scenarios(), max_size=4, unique_by=lambda s: s.id))
def test_exported_test_cases_come_back_as_the_same_scenarios(written: list[Scenario]) -> None:
    kept = ["id", "question", "gold_answer", "source_entities", "category", "source_id"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cases.json")
        path.write_text(preciso.write(written, generated_at="2026-01-01T00:00:00Z"), encoding="utf-8")
        text = "datasets: [{path: cases.json}]\n" + (
            "" if written else "scenarios: [{id: x, question: y, gold_answer: z}]"
        )
        loaded = load_suite(Path(folder, "x.graph.yaml"), text=text)
    read = [item.scenario for item in loaded.scenarios if item.source]
    assert [s.model_dump(include=set(kept)) for s in read] == [s.model_dump(include=set(kept)) for s in written]


@settings(deadline=None)
@given(suites, suites)
def test_appending_keeps_every_id_once_and_the_incoming_scenario(base: Suite, incoming: Suite) -> None:
    merged = merge_suites(base, incoming)
    newer = {s.id: s for s in incoming.scenarios}
    order = [s.id for s in base.scenarios] + [
        s.id for s in incoming.scenarios if s.id not in {b.id for b in base.scenarios}
    ]
    assert [s.id for s in merged.scenarios] == order
    assert all(s == newer.get(s.id, s) for s in merged.scenarios)
    assert merge_suites(merged, incoming).scenarios == merged.scenarios
    assert merge_suites(base, incoming, mode="replace") == incoming


@given(st.integers() | st.floats() | st.booleans())
def test_numbers_and_flags_are_read_as_the_values_that_yaml_writes(value: float) -> None:
    written = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    written = {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(written, written)
    read = resolve(written)
    assert type(read) is type(value)
    assert read == value or (math.isnan(read) and math.isnan(value))


@given(st.from_regex(r"[A-Za-z0-9.+][A-Za-z0-9.+\-]{0,12}", fullmatch=True))
@example("NO")
@example("0x1F")
@example("1_000")
def test_an_unquoted_scalar_keeps_its_own_text(word: str) -> None:
    (value,) = parse(f"- {word}\n", "f").data
    assert value == word
    assert isinstance(value, Scalar) or plain(value) == word
