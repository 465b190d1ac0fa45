"""graphrag-eval's reference data: every problem named by template, question and step; written so that it comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_graph_eval.formats import graphrag_eval
from pytest_graph_eval.formats.datasets import read_dataset
from pytest_graph_eval.formats.entries import DataFile
from pytest_graph_eval.models.scenario import Dataset, Scenario

ROWS = '{"head": {"vars": ["eq"]}, "results": {"bindings": [{"eq": {"type": "uri", "value": "urn:t1"}}]}}'
NO_ROWS = '{"head": {"vars": ["eq"]}, "results": {"bindings": []}}'
QUERY = {
    "name": "sparql_query",
    "args": {"query": "SELECT ..."},
    "output": ROWS,
    "output_media_type": "application/sparql-results+json",
    "required_columns": ["eq"],
}
YAML = """\
- template_id: bays
  note: kept by other readers
  questions:
    - id: bay 7/a
      question_text: What is in bay 7?
      reference_answer: A transformer
      author: somebody
      reference_steps:
        - - name: autocomplete_search
            args: {query: bay 7}
            id: x1
            status: success
            execution_timestamp: 2025-01-01
        - - name: sparql_query
            args: {query: SELECT ...}
            output: '%s'
            output_media_type: application/sparql-results+json
            required_columns: [eq]
            ordered: true
            ignore_duplicates: false
    - {id: 8, question_text: And in bay 8?, reference_answer: null}
- template_id: 2
  questions: []
"""


def read(data: Any, prefix: str = "", name: str = "data.json", *, named: bool = True) -> DataFile:
    text = data if isinstance(data, str) else json.dumps(data, indent=1)
    form: Any = "graphrag-eval" if named else None
    return read_dataset(text.encode(), name, Dataset(path=name, prefix=prefix, format=form))


def template(*questions: Any, template_id: Any = "t1") -> list[Any]:
    return [{"template_id": template_id, "questions": list(questions)}]


def question(*groups: Any, id: str = "q1", **more: Any) -> dict[str, Any]:  # noqa: A002 - as in the file
    return {"id": id, "question_text": "Q?", "reference_steps": list(groups), **more}


def steps_of(file: DataFile) -> list[list[dict[str, Any]]]:
    (entry,) = file.entries
    return [[s.model_dump(exclude_unset=True) for s in group] for group in entry.scenario.expect.steps or ()]


def test_a_yaml_file_is_read_in_full() -> None:
    file = read(YAML % ROWS, name="data.yaml", named=False)
    assert (file.refused, list(file.problems)) == ("", [])
    first, second = file.entries
    assert first.scenario.model_dump(exclude={"expect"}, exclude_unset=True) == {
        "id": "bay-7-a",
        "source_id": "bay 7/a",
        "question": "What is in bay 7?",
        "gold_answer": "A transformer",
        "template_id": "bays",
    }
    assert (first.line, first.col) == (4, 7)
    assert second.scenario == Scenario(id="8", question="And in bay 8?", template_id="bays")
    assert not second.scenario.has_something_to_check()


def test_json_gives_the_same_scenarios_as_yaml() -> None:
    assert read(json.dumps(template(question([QUERY])))).entries[0].scenario == (
        read(json.dumps(template(question([QUERY]))), name="data.yml").entries[0].scenario
    )


def test_steps_mean_what_they_mean_in_graphrag_eval() -> None:
    plain = {"name": "calc", "args": {"x": 1}, "output": "2"}
    by_args = {"name": "calc", "args": {"x": 1}, "compare": "args"}
    empty = {**QUERY, "output": NO_ROWS}
    assert steps_of(read(template(question([plain, by_args], [QUERY, empty])))) == [
        [
            {"tool": "calc", "args": {"x": 1}, "output": "2", "args_match": "ignore"},
            {"tool": "calc", "args": {"x": 1}, "compare": "args"},
        ],
        [
            {
                "tool": "sparql_query",
                **{key: value for key, value in QUERY.items() if key != "name"},
                "args_match": "ignore",
                "language": "ignore",
                "literals": "lenient",
                "any_tool": True,
                **({"expect_empty": True, "output": output} if output == NO_ROWS else {}),
            }
            for output in (ROWS, NO_ROWS)
        ],
    ]


def test_empty_groups_are_left_out_and_flagged() -> None:
    file = read(template(question([], [{"name": "a", "output": "1"}], []), question([], id="q2"), question(id="q3")))
    assert [e.flags for e in file.entries] == [("empty_step_group",), ("empty_step_group",), ()]
    assert [len(e.scenario.expect.steps or ()) for e in file.entries] == [1, 0, 0]


@pytest.mark.parametrize(
    ("foreign", "prefix", "own", "source_id"),
    [("q1", "", "q1", None), (7, "", "7", None), ("a b", "", "a-b", "a b"), ("q1", "g-", "g-q1", "q1")],
)
def test_foreign_ids_become_ids_of_ours_and_are_kept(
    foreign: Any, prefix: str, own: str, source_id: str | None
) -> None:
    (entry,) = read(template({"id": foreign, "question_text": "Q"}), prefix).entries
    assert (entry.scenario.id, entry.scenario.source_id) == (own, source_id)


BAD_STEPS = [
    ("text", "wrong_type", "[0][1]: found the text"),
    ({"output": "1"}, "missing_key", "[0][1]: the key 'name' is missing"),
    ({"name": ""}, "empty", "[0][1].name: found"),
    ({"name": "a", "args": []}, "wrong_type", "[0][1].args: found an empty list"),
    ({"name": "a", "ordered": "yes"}, "wrong_type", "[0][1].ordered: found the text"),
    ({"name": "a", "compare": "sparkle"}, "wrong_value", "[0][1].compare: found"),
    ({"name": "a", "output_media_type": "application/json", "output": "{oops"}, "wrong_value", "is not the JSON that"),
    ({**QUERY, "output": "x"}, "wrong_value", "[0][1]: `output` is not the JSON that `output_media_type` promises"),
    ({**QUERY, "output": "[]"}, "wrong_value", "`output` is no result of a SPARQL query; expected an object"),
    ({**QUERY, "output": {}}, "wrong_value", "`output` is no result of a SPARQL query; expected an object"),
    ({**QUERY, "output": None}, "wrong_value", "`output` is no result of a SPARQL query; expected an object"),
    ({**QUERY, "required_columns": ["eq", "x"]}, "wrong_value", "`required_columns` names x; `output` has eq"),
]


@pytest.mark.parametrize(("step", "code", "words"), BAD_STEPS)
def test_a_bad_step_is_named_by_template_question_and_group(step: Any, code: str, words: str) -> None:
    file = read(template(question(id="q0"), question([{"name": "a", "output": "1"}, step])))
    (problem,) = file.problems
    assert (problem.file, problem.code) == ("data.json", code)
    assert "[0] ('t1').questions[1] ('q1'): reference_steps" in problem.message
    assert words in problem.message
    assert problem.line == 10
    assert [e.scenario.id for e in file.entries] == ["q0"]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("text", "[1]: found the text"),
        ({"questions": []}, "[1]: the key 'template_id' is missing"),
        ({"template_id": "t2"}, "[1] ('t2'): the key 'questions' is missing"),
        ({"template_id": "t2", "questions": {}}, "[1] ('t2'): questions: found an empty mapping, expected a list"),
        ({"template_id": "t2", "questions": ["x"]}, "[1] ('t2').questions[0]: found the text"),
        ({"template_id": "t2", "questions": [{"question_text": "Q"}]}, "questions[0]: the key 'id' is missing"),
        ({"template_id": "t2", "questions": [{"id": True, "question_text": "Q"}]}, "questions[0]: id: found"),
        ({"template_id": "t2", "questions": [{"id": "a"}]}, "questions[0] ('a'): the key 'question_text' is missing"),
        ({"template_id": "t2", "questions": [{"id": "a", "question_text": " "}]}, "the question is empty"),
        (template(question(reference_answer=[1]))[0], "questions[0] ('q1'): reference_answer: found a list"),
        (template({**question(), "reference_steps": "x"})[0], "reference_steps: found the text"),
        (template({**question(), "reference_steps": [{}]})[0], "reference_steps[0]: found an empty mapping"),
    ],
)
def test_a_bad_template_or_question_is_named(part: Any, words: str) -> None:
    (problem,) = read([*template({"id": "good", "question_text": "Q"}), part]).problems
    assert words in problem.message


def test_a_question_id_that_stands_twice_is_refused_wherever_it_stands() -> None:
    file = read([*template(question()), *template(question(), template_id="t2")])
    (problem,) = file.problems
    assert problem.code == "duplicate_id"
    assert "[1] ('t2').questions[0] ('q1'): duplicate id 'q1', first in [0] ('t1').questions[0] ('q1')" in str(problem)


def test_all_that_is_wrong_is_named_at_once_with_its_own_line_in_yaml() -> None:
    text = YAML % "{oops"
    text = text.replace("[eq]", "{a: x}").replace("{id: 8, question_text: And in bay 8?", "{id: 8, question_txt: x")
    problems = read(text, name="data.yaml").problems
    assert [(p.line, p.code) for p in problems] == [(18, "wrong_type"), (21, "missing_key")]
    assert "did you mean" not in problems[1].message, "keys of other readers are left alone"


def test_duplicate_keys_and_broken_yaml_are_problems_of_the_file() -> None:
    (problem,) = read("- template_id: a\n  template_id: b\n  questions: []\n", name="data.yaml").problems
    assert (problem.line, problem.code) == (2, "duplicate_key")
    (broken,) = read("- template_id: [", name="data.yaml").problems
    assert broken.code == "syntax"


@pytest.mark.parametrize("data", [{}, {"test_cases": []}, [1], [{"turns": []}], "3"])
def test_another_file_is_refused_with_what_is_expected(data: Any) -> None:
    refused = read(data).refused
    assert refused == (
        "not in a format that can be read (graphrag-eval: a list of templates with `template_id` and `questions`)"
    )


def test_an_empty_data_set_has_no_scenario_and_no_problem() -> None:
    assert read([]) == DataFile([], (), [])
    assert read(template()) == DataFile([], (), [])


def test_what_is_written_comes_back_as_the_same_scenarios() -> None:
    first = [e.scenario for e in read(YAML % ROWS, name="data.yaml").entries]
    text = graphrag_eval.write(first)
    assert [e.scenario for e in read(text).entries] == first
    data = json.loads(text)
    assert [t["template_id"] for t in data] == ["bays"]
    assert list(data[0]["questions"][0]) == ["id", "question_text", "reference_answer", "reference_steps"]
    assert list(data[0]["questions"][0]["reference_steps"][1][0]) == [
        "name", "args", "output", "output_media_type", "required_columns", "ordered", "ignore_duplicates",
    ]  # fmt: skip
    assert graphrag_eval.lost_keys(first) == []


@pytest.mark.parametrize(
    "step",
    [
        {"name": "sparql_query", "output": ROWS},
        {"name": "sparql_query", "args": {"query": "q"}},
        {"name": "autocomplete_search", "args": {"query": "q"}},
        {"name": "iri_discovery", "output": "urn:ex:bay7"},
        {"name": "retrieve_time_series", "args": {"mrid": "x"}},
        {"name": "notify", "args": {"to": "ops"}, "compare": "args"},
        {"name": "run", "output": ROWS, "compare": "sparql"},
        {**QUERY, "output": NO_ROWS},
    ],
)
def test_a_step_comes_back_as_it_was_written(step: dict[str, Any]) -> None:
    (entry,) = read(template(question([step]))).entries
    (written,) = json.loads(graphrag_eval.write([entry.scenario]))
    assert written["questions"][0]["reference_steps"] == [[step]]
    assert read([written]).entries[0].scenario == entry.scenario
    assert graphrag_eval.lost_keys([entry.scenario]) == []


def test_what_the_format_cannot_hold_is_told() -> None:
    steps = [{"tool": "a", "args": {"x": 1}, "args_match": "exact", "k": 3}]
    full = Scenario(id="a", question="Q", tags=["x"], expect={"denial": True, "steps": steps, "steps_mode": "suffix"})
    assert graphrag_eval.lost_keys([full]) == [
        "expect.denial", "expect.steps.args_match", "expect.steps.k", "expect.steps_mode", "tags",
    ]  # fmt: skip
    assert json.loads(graphrag_eval.write([full]))[0]["template_id"] == "default"


def test_a_result_without_its_media_type_is_compared_as_text_as_in_graphrag_eval() -> None:
    untyped = {"name": "sparql_query", "output": ROWS}
    graph = {"name": "sparql_query", "output": "<urn:a> <urn:p> <urn:b> ."}
    ((one, other),) = steps_of(read(template(question([untyped, graph]))))
    assert one["compare"] == "text"
    assert "compare" not in other
