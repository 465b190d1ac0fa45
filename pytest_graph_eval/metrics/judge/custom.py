"""Custom judgements, in the form of graphrag-eval: instructions and headed data, and values separated by tabs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.judge.cases import Case, Scored, Unscored
from pytest_graph_eval.metrics.judge.parsing import ReplyProblem, read_text
from pytest_graph_eval.models.judge_settings import CustomJudgement

_HEADING = re.compile(r"^(?=\\*#)", re.MULTILINE)


def instructions(custom: CustomJudgement) -> str:
    """Return what the judge is told to do and to return; braces are text."""
    outputs = "".join(f"\n- {name}: {meaning}" for name, meaning in custom.outputs.items())
    return f"{custom.instructions.strip()}\n\nOutput the following values separated by tabs:{outputs}"


def ask(custom: CustomJudgement, case: Case) -> str:
    """Return the data, each input below its heading.

    A line of data that looks like a heading begins with a backslash, so that no answer can begin a part of its own.

    Raises:
        Unscored: an input is missing.
    """
    return "\n\n".join(
        f"# {name.replace('_', ' ').capitalize()}\n{_input(custom, name, case)}" for name in custom.inputs
    )


def _input(custom: CustomJudgement, name: str, case: Case) -> str:
    value = getattr(case, name)
    if value is None:
        side = "Actual output" if name.startswith("actual") else "Reference"
        key = "question_text" if name == "question" else name
        raise Unscored(f"{side} missing key {key!r}", code="missing")
    show = _SHOWN.get(name)
    return _HEADING.sub(r"\\", show(value, custom) if show else str(value))


def _steps(steps: Sequence[Mapping[str, Any]], custom: CustomJudgement) -> str:
    """Return the chosen keys of the steps of the chosen name, texts of JSON as what they hold."""
    chosen = [
        {key: _decoded(step.get(key)) for key in custom.steps_keys}
        for step in steps
        if step.get("name") == custom.steps_name
    ]
    return json.dumps(chosen, indent=2, ensure_ascii=False, default=str)


_SHOWN: Mapping[str, Callable[[Any, CustomJudgement], str]] = {
    "actual_steps": _steps,
    "reference_steps": lambda groups, custom: "\n\n".join(_steps(group, custom) for group in groups),
}


def _decoded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def read(custom: CustomJudgement, raw: str, _: Case) -> Scored:
    """Return the values of a reply, each as JSON where it is that, else as text; no non-finite number is one.

    Raises:
        ReplyProblem: there are not as many values as outputs.
    """
    text = read_text(raw).strip("\r\n")
    values = text.split("\t")
    if len(values) != len(custom.outputs):
        raise ReplyProblem("no_score", f"Expected {len(custom.outputs)} tab-separated values, got: {text}")
    return Scored(dict(zip(custom.outputs, map(_value, values), strict=True)))


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: text)
    except (ValueError, RecursionError):
        return text
