"""Reads and writes the reference data sets of graphrag-eval: templates of questions with groups of reference steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError, model_validator

from pytest_graph_eval.formats import entries as common
from pytest_graph_eval.formats.entries import DataFile, Entry, Lenient, Position, called, own_id
from pytest_graph_eval.metrics.trajectory.calls import has_no_rows
from pytest_graph_eval.metrics.trajectory.comparators import chosen
from pytest_graph_eval.metrics.trajectory.outputs import decoded
from pytest_graph_eval.models.scalars import Data, Flag, StrList, Text, plain
from pytest_graph_eval.models.scenario import Scenario, slug
from pytest_graph_eval.models.steps import Comparator, Step
from pytest_graph_eval.models.validation import Loc

SHAPE = "a list of templates with `template_id` and `questions`"
PLACES = ((None,), (None, "questions", None))
EMPTY_GROUP = "empty_step_group"
"""Flag of a scenario: a group of its reference steps expects nothing and was left out."""

SPARQL_JSON = "application/sparql-results+json"
_KEPT = ("question", "gold_answer", "template_id", "expect")
_IMPLIED = {"args_match": "ignore", "any_tool": True, "language": "ignore", "literals": "lenient"}
"""What graphrag-eval compares by: arguments only where a tool is known for it, values without language or datatype.

A server may call its tool for queries as it likes.
"""


class _ReferenceStep(Lenient):
    """An expected tool call in the format's own keys; `compare` is ours."""

    name: Text = Field(min_length=1)
    args: dict[Text, Data] | None = None
    output: Data | None = None
    output_media_type: Text | None = None
    required_columns: StrList | None = None
    ordered: Flag = False
    ignore_duplicates: Flag = True
    compare: Comparator | None = None

    @model_validator(mode="after")
    def _comparable(self) -> _ReferenceStep:
        """Refuse a result that nothing can be compared with."""
        if self.output_media_type == SPARQL_JSON:
            _check_sparql(_decoded(self.output), self.required_columns or ())
        elif self.output_media_type == "application/json":
            _decoded(self.output)
        return self


class _Question(Lenient):
    id: Text = Field(min_length=1)
    question_text: Text = Field(min_length=1)
    reference_answer: Text | None = None
    reference_steps: list[list[_ReferenceStep]] | None = None


class _Template(Lenient):
    template_id: Text = Field(min_length=1)
    questions: list[Any]


def _decoded(output: Any) -> Any:
    if not isinstance(output, str):
        return output
    try:
        return json.loads(output)
    except (ValueError, RecursionError) as e:
        raise ValueError(f"`output` is not the JSON that `output_media_type` promises: {e}") from None


def _check_sparql(result: Any, required: Iterable[str]) -> None:
    if not isinstance(result, Mapping) or not ("boolean" in result or isinstance(result.get("results"), Mapping)):
        raise ValueError("`output` is no result of a SPARQL query; expected an object with `results` or `boolean`")
    head = result.get("head")
    columns = head.get("vars") if isinstance(head, Mapping) else None
    if not isinstance(columns, list) or not columns:
        return
    if unknown := [name for name in required if name not in columns]:
        raise ValueError(f"`required_columns` names {', '.join(unknown)}; `output` has {', '.join(map(str, columns))}")


def matches(data: Any) -> bool:
    """Tell whether `data` is a file of this format."""
    return isinstance(data, list) and (
        not data or any(isinstance(t, Mapping) and ("questions" in t or "template_id" in t) for t in data)
    )


def read(data: Sequence[Any], position: Position, name: str, *, prefix: str = "") -> DataFile:
    """Return the scenarios of a file and everything that is wrong with it, by template, question and step."""
    reader = _Reader(position, name, prefix)
    entries = [entry for index, template in enumerate(data) for entry in reader.template(template, index)]
    return DataFile(entries, (), reader.problems)


class _Reader(common.Reader):
    """Reads one file."""

    def template(self, raw: Any, index: int) -> Iterator[Entry]:
        where = called(f"[{index}]", raw, "template_id")
        template = self.checked(_Template, raw, (index,), where)
        # The questions of a template without a usable id are looked at as well.
        questions = raw.get("questions") if isinstance(raw, Mapping) else None
        for number, question in enumerate(questions if isinstance(questions, list) else ()):
            place = (index, "questions", number)
            about = called(f"{where}.questions[{number}]", question)
            entry = self._question(question, place, about, template.template_id if template else "")
            if entry is not None:
                yield entry

    def _question(self, raw: Any, place: Loc, where: str, template_id: str) -> Entry | None:
        question = self.checked(_Question, raw, place, where)
        if question is None:
            return None
        scenario = self.checked(Scenario, _scenario(question, template_id, self.prefix), place, where)
        if scenario is None:
            return None
        if not self.is_first(scenario.id, where, place, "; a response could not tell which it is for"):
            return None
        emptied = any(not group for group in question.reference_steps or ())
        return Entry(scenario, *self.position(place), flags=(EMPTY_GROUP,) if emptied else ())


def _scenario(question: _Question, template_id: str, prefix: str) -> dict[str, Any]:
    """Return a question in our keys."""
    scenario_id = slug(prefix + question.id)
    groups = [[_step(step) for step in group] for group in question.reference_steps or () if group]
    answer = question.reference_answer
    return {
        "id": scenario_id,
        **({"source_id": question.id} if scenario_id != question.id else {}),
        "question": question.question_text,
        **({"gold_answer": answer} if answer and answer.strip() else {}),
        **({"template_id": template_id} if template_id else {}),
        **({"expect": {"steps": groups}} if groups else {}),
    }


def _step(step: _ReferenceStep) -> dict[str, Any]:
    """Return a reference step in our keys, with what the format implies."""
    written = step.model_dump(exclude_unset=True)
    is_query = step.output_media_type == SPARQL_JSON or step.compare == "sparql" or step.name == "sparql_query"
    implied: dict[str, Any] = dict(_IMPLIED) if is_query else {"args_match": "ignore"}
    if step.compare == "args" or step.args is None:
        del implied["args_match"]  # they are what is compared, or there are none
    if has_no_rows(step.output):
        implied["expect_empty"] = True
    if _is_text(step):
        implied["compare"] = "text"
    data = {"tool": written.pop("name"), **written, **implied}
    if step.output is None:  # in this format a step without an output is not one that any call would serve
        data["compare"] = chosen(Step.model_validate(data))
    return data


def _is_text(step: _ReferenceStep) -> bool:
    """Tell whether a result of a query counts as text: its media type is what makes the format look into it."""
    has_type = step.compare or step.output_media_type or step.output is None
    return not has_type and step.name == "sparql_query" and not isinstance(decoded(step.output), str)


def questions(data: Sequence[Any]) -> dict[str, Any]:
    """Return the questions of a file that could be read, as they are written, by their ids."""
    return {str(q["id"]): plain(q) for template in data for q in template["questions"]}


def write(scenarios: Sequence[Scenario], **_: Any) -> str:
    """Return scenarios as a file of this format, by template; reading it back gives the same ones.

    What the format cannot hold is left out (see `lost_keys`).
    """
    templates: dict[str, list[dict[str, Any]]] = {}
    for scenario in scenarios:
        templates.setdefault(scenario.template_id or "default", []).append(question(scenario))
    data = [{"template_id": name, "questions": questions} for name, questions in templates.items()]
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def question(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as a question of this format."""
    steps = [[_reference_step(step) for step in group] for group in scenario.expect.steps or ()]
    return {
        "id": own_id(scenario),
        "question_text": scenario.question,
        **({"reference_answer": scenario.gold_answer} if scenario.gold_answer else {}),
        **({"reference_steps": steps} if steps else {}),
    }


def _reference_step(step: Step) -> dict[str, Any]:
    written = step.model_dump(exclude_unset=True, exclude_none=True)
    data = {"name": step.tool, **{key: written[key] for key in _ReferenceStep.model_fields if key in written}}
    bare = {key: value for key, value in data.items() if key != "compare"}
    return bare if _reads_as(bare, step) else data


def _reads_as(data: Mapping[str, Any], step: Step) -> bool:
    """Tell whether a reference step is read as this step; a reader of the format chooses most comparators itself."""
    try:
        return Step.model_validate(_step(_ReferenceStep.model_validate(data))) == step
    except ValidationError:
        return False


def lost_keys(scenarios: Iterable[Scenario]) -> list[str]:
    """Return the keys with which these scenarios say something that the format cannot hold."""
    scenarios = list(scenarios)
    lost = {key for s in scenarios for key in _lost_checks(s)}
    return sorted({*common.lost_keys(scenarios, _KEPT), *lost})


def _lost_checks(scenario: Scenario) -> Iterator[str]:
    yield from (f"expect.{key}" for key in scenario.expect.written - {"steps"})
    held = {"tool", *_ReferenceStep.model_fields}
    for step in (step for group in scenario.expect.steps or () for step in group):
        implied = {**_IMPLIED, "expect_empty": has_no_rows(step.output)}
        lost = (key for key in step.model_fields_set - held if getattr(step, key) != implied.get(key))
        yield from (f"expect.steps.{key}" for key in lost)
