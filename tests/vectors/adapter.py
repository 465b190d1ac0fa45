"""The one door to the vectors: `run(kind, inputs)` calls the package and renames keys. No rule, no case, no number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import PreflightError, SuiteError
from pytest_graph_eval.formats import tdfs4ds
from pytest_graph_eval.formats.tdfs4ds_facts import Fact, as_expect, read_facts
from pytest_graph_eval.loader.assembly import Assembly, read_suite
from pytest_graph_eval.loader.loaded import LoadedSuite
from pytest_graph_eval.loader.rules import scenario_findings
from pytest_graph_eval.metrics.facts import check_answer, normalise
from pytest_graph_eval.metrics.facts.as_of import is_current, used
from pytest_graph_eval.metrics.facts.names import find
from pytest_graph_eval.metrics.facts.numbers import parse_gold
from pytest_graph_eval.metrics.facts.question_dates import question_date
from pytest_graph_eval.metrics.facts.statements import number_verdict
from pytest_graph_eval.metrics.retrieval import compare_sets
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Check
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.targets.templates import expand_environment
from pytest_graph_eval.yaml_source.document import Node
from tests.vectors.compare_adapter import MEASURES, run_sparql
from tests.vectors.gate_adapter import run_gate
from tests.vectors.judge_adapter import run_answer_correctness, run_config, run_custom, run_judge_json
from tests.vectors.run_adapter import run_aggregates, run_data_set
from tests.vectors.steps_adapter import run_reference_steps, run_steps


def run(kind: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Run one case; the result has the form of the case's right value.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in _KINDS:
        raise ValueError(f"no kind of vectors: {kind}")
    return _KINDS[kind](inputs)


# --- answers.json -------------------------------------------------------------------------------------------------


def _number(inputs: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {k: v for k, v in inputs.items() if k not in ("answer", "gold", "locale", "gold_currency")}
    gold = parse_gold(
        inputs["gold"],
        inputs.get("unit_class"),
        currency=inputs.get("gold_currency"),
        default_scale=inputs.get("default_scale"),
    )
    verdict = number_verdict(normalise(inputs["answer"]), gold, locale=inputs.get("locale") or "auto", **wanted)
    return {
        "verdict": verdict.verdict,
        "gold_value": float(gold.value),
        "answer_value": None if verdict.answer_value is None else float(verdict.answer_value),
        "reason": verdict.reason,
    }


def _date(inputs: Mapping[str, Any]) -> dict[str, Any]:
    item = {"value": inputs["gold"], "day_first": inputs.get("day_first")}
    (check,) = check_answer(inputs["answer"], {"dates": [item]})
    return {"verdict": check.outcome, "reason": "no_candidate" if check.rule == "wrong_date" else check.rule}


def _name(inputs: Mapping[str, Any]) -> dict[str, Any]:
    allowed = inputs.get("except") or []
    expect = {
        "names": inputs.get("must_include") or None,
        "forbidden": [_forbidden(f, allowed) for f in inputs.get("forbidden") or []] or None,
    }
    try:
        checks = check_answer(inputs["answer"], expect)
    except ValidationError:
        return {"verdict": "error", "reason": "empty_name", "missing": [], "violations": []}
    broken = [c.rule for c in checks if c.outcome == "error"]
    missing = [c.expected for c in checks if c.kind == "names" and c.outcome == "fail"]
    violations = [c.expected for c in checks if c.kind == "forbidden" and c.outcome == "fail"]
    verdict = "error" if broken else "fail" if missing or violations else "pass"
    return {"verdict": verdict, "missing": missing, "violations": violations, "reason": broken[0] if broken else ""}


def _forbidden(name: Any, allowed: list[str]) -> dict[str, Any]:
    item = dict(name) if isinstance(name, Mapping) else {"name": name}
    return {**item, "except": [*item.get("except", ()), *allowed]}


def _denial(inputs: Mapping[str, Any]) -> dict[str, Any]:
    question = inputs.get("question") or ""
    (check,) = check_answer(inputs["answer"], {"denial": inputs["expect"] == "denial"}, question=question)
    return {"verdict": check.outcome, "is_denial": bool(check.found), "reason": check.rule}


def _set(inputs: Mapping[str, Any]) -> dict[str, Any]:
    options = {k: inputs[k] for k in ("normalise", "k", "split_on") if k in inputs}
    result = compare_sets(inputs["gold"], inputs["retrieved"], **options)
    if result is None:
        return {"verdict": "error", "reason": "empty_gold"}
    return {"verdict": "ok", **result._asdict()}


# --- suites in the vectors' own schema ----------------------------------------------------------------------------

# a check of the vectors that is one item of ours, by its key in `expect`
_ITEMS = {"number": "numbers", "percent": "numbers", "date": "dates"}
# a key of a check of the vectors that is a list of ours: its key in `expect`, and the value's key in one item
_LISTS = {
    ("name", "must_include"): ("names", "name"),
    ("name", "forbidden"): ("forbidden", "name"),
    ("text", "contains"): ("contains", "text"),
    ("text", "matches"): ("matches", ""),
}

Scalars = tuple[tuple[Any, ...], Any]
"""Where a scalar of the text ends up in the loaded suite, and the scalar."""


def _yaml(inputs: Mapping[str, Any]) -> dict[str, Any]:
    paths: dict[str, Scalars] = {}
    try:
        suite = _suite(inputs, paths)
    except SuiteError as e:
        # what a misspelled key leaves missing is no word of the vectors
        first = next((p for p in e.problems if p.code != "missing_key"), e.problems[0])
        key = first.key.rpartition(".")[2]
        return {"verdict": "error", "reason": first.code, "line": first.line, "key": key, "id": first.key}
    except PreflightError as e:
        name = re.search(r"environment variable (\w+)", str(e))[1]  # type: ignore[index]
        line = inputs["text"].count("\n", 0, re.search(rf"(?m)^[^#\n]*\$\{{{name}\}}", inputs["text"]).end()) + 1  # type: ignore[union-attr]
        return {"verdict": "error", "reason": "unset_variable", "name": name, "line": line}
    path = max(paths, key=lambda p: _is_about(p, paths[p][1]))  # the first of those that are alike
    value = _at(suite, paths[path][0])
    return {"verdict": "ok", "path": path, "value": value, "number": _as_number(value)}


def _suite(inputs: Mapping[str, Any], paths: dict[str, Scalars]) -> LoadedSuite:
    document = yaml_source.parse(inputs["text"], "suite.yaml")
    if document.broken:
        raise SuiteError(document.problems)
    if inputs.get("env") is not None:
        document.data = expand_environment(document.data, inputs["env"], document.name).values
    document.path(())  # has the positions of all parts read
    if isinstance(document.data, dict):
        document.data = {
            **document.data,
            "scenarios": _translated(document.data.get("scenarios"), paths, document.root),
        }
    read = read_suite(document)
    if read is None:
        raise SuiteError(document.problems)
    return Assembly(read[0], document, document.name, Path()).run(read[1], None, None)


def _is_about(path: str, text: Any) -> int:
    """Return how likely a case is about a scalar: one that an older reader changes, one of a check, any other."""
    is_plain = path.endswith(".gold") and str(text).isdigit()
    return 2 if _is_changed_by_yaml_1_1(text) else int(".checks[" in path and not is_plain)


def _is_changed_by_yaml_1_1(text: Any) -> bool:
    """Tell whether a scalar is the one that a case is about: an older reader would not keep its text."""
    try:
        value = yaml.safe_load(str(text))
    except (yaml.YAMLError, ValueError):
        return False
    meant = getattr(text, "value", value)
    return not isinstance(value, str | int | float) or str(value) != str(text) or value != meant


def _as_number(text: Any) -> float | None:
    try:
        return float(parse_gold(text).value)
    except ValueError:
        return None


def _translated(scenarios: Any, paths: dict[str, Scalars], root: Any) -> Any:
    """Rename `checks` to our `expect`, and note where each scalar of the text ends up; positions move with them."""
    if not isinstance(scenarios, list):
        return scenarios
    renamed = []
    for i, scenario in enumerate(scenarios):
        if not isinstance(scenario, dict):
            renamed.append(scenario)
            continue
        paths |= {f"scenarios[{i}].{k}": ((i, k), v) for k, v in scenario.items() if isinstance(v, str)}
        own = {k: v for k, v in scenario.items() if k != "checks"}
        if isinstance(scenario.get("checks"), list) and scenario["checks"]:
            node = root.child("scenarios").child(i)
            marks = Node({}, node.mark)
            own["expect"] = _expect(scenario["checks"], i, paths, node.child("checks"), marks)
            node.below["expect"], node.keys["expect"] = marks, node.keys["checks"]
        renamed.append(own)
    return renamed


def _expect(checks: list[Any], i: int, paths: dict[str, Scalars], node: Any, marks: Node) -> dict[str, Any]:
    """Rewrite checks as an `expect:` with its positions; what is not ours stays, for the loader to refuse."""
    expect: dict[str, Any] = {}
    kinds = {*_ITEMS, *(kind for kind, _ in _LISTS)}
    for c, check in enumerate(checks):
        for kind, body in check.items() if isinstance(check, dict) else ():
            at, inner = f"scenarios[{i}].checks[{c}].{kind}", node.child(c).child(kind)
            if kind == "denial":
                expect["denial"] = body["expect"] == "denial" if isinstance(body, dict) else body
                _marked(marks, "denial", inner)
            elif kind not in kinds or not isinstance(body, dict):
                expect[f"checks.{kind}"] = body
                _marked(marks, f"checks.{kind}", node.child(c).keys[kind])
            elif kind in _ITEMS:
                items = expect.setdefault(_ITEMS[kind], [])
                body = {key: value for key, value in body.items() if key != "unit_class"}  # noqa: PLW2901 - told by the gold
                item = {"value" if key == "gold" else key: value for key, value in body.items()}
                base = (i, "expect", _ITEMS[kind], len(items))
                paths |= {f"{at}.{key}": ((*base, "value" if key == "gold" else key), v) for key, v in body.items()}
                items.append(item)
                moved = Node({}, inner.mark)
                for key in body:
                    renamed = "value" if key == "gold" else key
                    moved.keys[renamed], moved.below[renamed] = inner.keys[key], inner.below.get(key)
                _marked(marks, _ITEMS[kind], inner.mark).append(moved)
            else:
                _lists(expect, body, (i, kind), at, paths, inner, marks)
    return expect


def _lists(
    expect: dict[str, Any], body: Any, place: tuple[int, str], at: str, paths: dict[str, Scalars], node: Any, marks: Any
) -> None:
    """Rewrite a check that is several lists of ours."""
    i, kind = place
    for key, value in body.items():
        if (kind, key) == ("text", "equals"):
            expect["equals"] = value
            paths[f"{at}.{key}"] = ((i, "expect", "equals", "text"), value)
            marks.keys["equals"], marks.below["equals"] = node.keys[key], node.child(key)
            continue
        ours, inside = _LISTS.get((kind, key), (f"{kind}.{key}", ""))
        below = _marked(marks, ours, node.keys[key])
        for v, one in enumerate(value if isinstance(value, list) else [value]):
            items = expect.setdefault(ours, [])
            where = (i, "expect", ours, len(items), *([inside] if inside else []))
            paths[f"{at}.{key}[{v}]" if isinstance(value, list) else f"{at}.{key}"] = (where, one)
            items.append(one)
            below.append(node.child(key).child(v) if isinstance(value, list) else node.child(key))


def _marked(marks: Any, key: str, mark: Any) -> list[Any]:
    """Return the positions in a list of ours, which stands at `mark`."""
    marks.keys.setdefault(key, mark)
    return marks.below.setdefault(key, Node([], mark)).below


def _at(suite: LoadedSuite, where: tuple[Any, ...]) -> Any:
    value: Any = suite.scenarios[where[0]].scenario
    for part in where[1:]:
        value = value[part] if isinstance(part, int) else getattr(value, part)
    return value


# --- facts.json ---------------------------------------------------------------------------------------------------


def _facts(inputs: Mapping[str, Any]) -> dict[str, Any]:
    if inputs["fn"] == "question_date":
        asked = question_date(inputs["question"])
        return {"as_of": str(asked.as_of) if asked.as_of else None, "cleared": asked.cleared}
    if inputs["fn"] == "fingerprint":
        return {"same": len({tdfs4ds.fingerprint({"scenarios": inputs[side]}) for side in "ab"}) == 1}
    if inputs["fn"] == "merge":
        return _merge(inputs)
    if inputs["fn"] != "checks":
        raise ValueError(f"no facts vectors of {inputs['fn']}")
    context = inputs.get("time_context")
    answer, actual = inputs["answer"], inputs.get("actual_as_of")
    try:
        wanted = list(read_facts(inputs["facts"], context or {}))
        expect = Expect.model_validate(as_expect(wanted))
    except ValidationError:
        return {"invalid_fact": True}
    scenario = Scenario(id="a", question="q", expect=expect)
    if any(scenario_findings(scenario, must_check=False)):
        return {"invalid_fact": True}
    labels: dict[str, list[str]] = {}
    for fact in wanted:
        if _is_said(fact, answer):
            labels.setdefault(fact.key, []).append(fact.label)
    result: dict[str, Any] = {"hits": [], "misses": [], "violations": [], "as_of_match": None, "as_of_stated": None}
    for check in check_answer(answer, expect):
        _file(result, check, labels[check.kind].pop(0))
    if context is not None:
        expected = context.get("as_of_expected")
        result["as_of_match"] = used(expected or "current", actual)
        (stated,) = check_answer(answer, {"as_of": expected or "current"})
        result["as_of_stated"] = stated.found["stated"] if expected or context.get("cleared") else None
    return result


def _file(result: dict[str, Any], check: Check, label: str) -> None:
    """Put a check's label into the list that its outcome and its kind belong to."""
    if check.kind == "forbidden" or check.expected is False or (check.kind == "as_of" and is_current(check.expected)):
        if check.outcome == "fail":
            result["violations"].append(label)
        return
    if check.kind == "any_of" and check.outcome == "pass" and label.startswith("any of"):
        label += f" (found {check.found})"
    result["hits" if check.outcome == "pass" else "misses"].append(label)


def _merge(inputs: Mapping[str, Any]) -> dict[str, Any]:
    merged = tdfs4ds.merge(inputs["base"], inputs["incoming"], inputs["mode"])
    meta = merged.get("meta") or {}
    if meta.get("scenario_hash") == tdfs4ds.fingerprint(merged):
        merged["meta"] = {**meta, "scenario_hash": "<recomputed>"}
    return merged


def _is_said(fact: Fact, answer: str) -> bool:
    """Tell whether a fact is looked for in this answer."""
    item = fact.item if isinstance(fact.item, Mapping) else {}
    return not item.get("if_named") or bool(find(normalise(answer), item["of"]))


# --- graphrag_eval.json -------------------------------------------------------------------------------------------

_CALLS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    **MEASURES,
    "steps": run_reference_steps,
    "run": run_data_set,
    "aggregate": run_aggregates,
    "answer_correctness": run_answer_correctness,
    "custom": run_custom,
    "config": run_config,
}


def _graphrag_eval(inputs: Mapping[str, Any]) -> dict[str, Any]:
    if inputs["call"] not in _CALLS:
        raise ValueError(f"no graphrag_eval vectors of {inputs['call']}")
    return _CALLS[inputs["call"]](inputs)


_KINDS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "number": _number,
    "percent": _number,
    "date": _date,
    "name": _name,
    "denial": _denial,
    "set": _set,
    "yaml": _yaml,
    "facts": _facts,
    "sparql": run_sparql,
    "gate": run_gate,
    "steps": run_steps,
    "judge_json": run_judge_json,
    "graphrag_eval": _graphrag_eval,
}
