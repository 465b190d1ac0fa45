"""Whatever an agent or a data set holds: reading it never raises but with a message, and what is read comes back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.formats import graphrag_eval
from pytest_graph_eval.formats.datasets import read_dataset
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Dataset, Scenario
from pytest_graph_eval.reports.graphrag_eval import Results
from pytest_graph_eval.targets.recording.lines import Line
from pytest_graph_eval.targets.recording.response_records import read_record, read_response_records

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(
    SCALARS,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=8,
)
STEP_KEYS = ["id", "name", "args", "status", "output", "error", "execution_timestamp"]
NAMES = st.sampled_from(["sparql_query", "retrieval", "retrieve_data_points", "iri_discovery", "calc"])
STEPS = st.lists(st.dictionaries(st.sampled_from(STEP_KEYS), ANYTHING | NAMES, max_size=7) | ANYTHING, max_size=3)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "question_id": ANYTHING,
        "actual_answer": ANYTHING,
        "actual_steps": STEPS | ANYTHING,
        "error": ANYTHING,
        "input_tokens": ANYTHING,
        "elapsed_sec": ANYTHING,
    },
)
TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), min_size=1, max_size=12)
REFERENCES = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "args": st.dictionaries(TEXTS, SCALARS, max_size=2),
        "output": TEXTS,
        "ordered": st.booleans(),
        "ignore_duplicates": st.booleans(),
        "compare": st.sampled_from(["args", "text", "json", "sparql", "ids"]),
    },
)
SCENARIO = Scenario(
    id="q",
    question="Q",
    gold_answer="42",
    expect={"steps": [[{"tool": "calc", "output": "1"}], [{"tool": "retrieval", "output": '[{"id": "d"}]'}]]},
)


@given(record=RECORDS | ANYTHING)
def test_no_record_of_an_agent_makes_its_reading_or_its_scoring_raise(record: Any) -> None:
    line = read_record(record, "q", "line 1")
    assert isinstance(line, Line)
    if isinstance(line.content, Response):
        scored = score_scenario(SCENARIO, Asked(line.content), Context())
        results = Results()
        results.add(scored, graphrag_eval.question(SCENARIO), record)
        results.add(scored, graphrag_eval.question(SCENARIO))
        assert len(results.results()) == 2
        assert set(results.aggregates(zeros=True)) == {"per_template", "micro", "macro"}
        scored.to_line()


@given(data=st.lists(RECORDS, max_size=3) | ANYTHING | st.dictionaries(st.text(max_size=4), RECORDS, max_size=3))
def test_any_json_is_response_records_or_something_else(data: Any) -> None:
    found = read_response_records(json.dumps(data))
    assert found is None or all(isinstance(line, Line) for line in found)


@given(
    data=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "template_id": ANYTHING,
                "questions": ANYTHING
                | st.lists(
                    st.dictionaries(st.sampled_from(["id", "question_text", "reference_steps"]), ANYTHING, max_size=3)
                ),
            },
        ),
        max_size=2,
    )
)
def test_any_data_set_is_read_or_its_problems_are_named(data: Any) -> None:
    text = json.dumps(data).replace("NaN", "0").replace("Infinity", "0")
    for name in ("data.json", "data.yaml"):
        file = read_dataset(text.encode(), name, Dataset(path=name, format="graphrag-eval"))
        assert file.refused or all(problem.message for problem in file.problems)


@given(
    questions=st.lists(
        st.tuples(TEXTS, st.lists(st.lists(REFERENCES, min_size=1, max_size=2), max_size=2)), max_size=3, unique_by=str
    )
)
def test_what_is_written_is_read_as_the_same_scenarios(questions: Any) -> None:
    data = [
        {
            "template_id": "t",
            "questions": [
                {"id": str(n), "question_text": f"{text}?", "reference_steps": steps}
                for n, (text, steps) in enumerate(questions)
            ],
        }
    ]
    once = read_dataset(
        json.dumps(data).replace("NaN", "0").replace("Infinity", "0").encode(), "d.json", Dataset(path="d")
    )
    scenarios = [entry.scenario for entry in once.entries]
    again = read_dataset(graphrag_eval.write(scenarios).encode(), "d.json", Dataset(path="d", format="graphrag-eval"))
    assert [entry.scenario for entry in again.entries] == scenarios
    assert not again.problems
