"""What must hold of the metrics, checks and targets that plugins add, and of what a suite says to them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import PydanticUserError, ValidationError

from pytest_graph_eval.errors import Problem, UsageError
from pytest_graph_eval.metrics.custom import expected_type
from pytest_graph_eval.metrics.names import is_metric
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.extensions import Added, Extensions, Field, current
from pytest_graph_eval.models.judge_settings import RESERVED
from pytest_graph_eval.models.settings import OUR_KINDS, CustomTarget
from pytest_graph_eval.models.validation import Finding, Loc, choices, describe, told, valid_names
from pytest_graph_eval.targets.custom import settings_model

_WHAT: dict[Field, str] = {"metrics": "metric", "checks": "check", "targets": "kind of target"}
_NAME = re.compile(r"[A-Za-z]\w*")
_TAKEN = RESERVED | {"mean", "tokens", "cost_usd", "elapsed_s"}
_VARIABLE = "${"


def addition_problems(extensions: Extensions) -> Iterator[Problem]:
    """Yield what is wrong with names and functions of plugins, where they are defined."""
    for kind, what in _WHAT.items():
        for name, added in getattr(extensions, kind).items():
            for message in _problems(kind, name, added):
                yield Problem(added.file, added.line, 1, f"the {what} {name!r} {message}", "bad_plugin", name)
    for kind, first, other in extensions.repeated:
        message = f"the {_WHAT[kind]} {other.name!r} is added at {first.place} as well; rename one"
        yield Problem(other.file, other.line, 1, message, "bad_plugin", other.name)


def _problems(kind: Field, name: str, added: Added) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield "has a name that is no word of letters, digits and `_`; rename it"
    elif _is_ours(kind, name):
        yield "has the name of one of ours; rename it"
    try:
        if kind == "checks":
            expected_type(added)
        elif kind == "targets":
            settings_model(added)
    except (UsageError, PydanticUserError, NameError, TypeError, ValueError) as e:
        yield f"cannot be used: {str(e).partition(chr(10))[0]}"


def _is_ours(kind: Field, name: str) -> bool:
    if kind == "metrics":
        return is_metric(name) or name in _TAKEN
    return name in (OUR_KINDS if kind == "targets" else valid_names([Expect], added=False))


def check_findings(expect: Expect) -> Iterator[Finding]:
    """Yield what is wrong with the values of checks that plugins add; locations are paths in `expect`."""
    for key, value in expect.added.items():
        added = current().checks.get(key)
        if added is None:
            if not current().is_open:
                advice = choices(key, valid_names([Expect]), "valid keys")
                yield Finding((key,), f"unknown key {key!r}{advice}", "unknown_key", key, at_key=True)
            continue
        try:
            expected_type(added).validate_python(value)
        except ValidationError as e:
            for error in e.errors(include_url=False):
                yield Finding((key, *error["loc"]), f"{told(error)} ({added.place})", "wrong_value", key)
        except UsageError:
            pass  # told where the plugin is
        except Exception as e:  # noqa: BLE001, RUF100 - whatever the plugin's validators do
            yield Finding((key,), f"{type(e).__name__}: {e} ({added.place})", "wrong_value", key)


def settings_findings(spec: Any, base: Loc) -> Iterator[Finding]:
    """Yield what is wrong with the settings of a target whose kind a plugin adds; what the environment holds is open.

    Args:
        spec: the settings of any target.
        base: where they stand.
    """
    if not isinstance(spec, CustomTarget) or spec.maker is None:
        return
    written = spec.model_dump(mode="python", by_alias=True, exclude_unset=True)
    open_ = {key for key, value in written.items() if _VARIABLE in str(value)}
    try:
        model = settings_model(spec.maker)
        model.model_validate(written)
    except ValidationError as e:
        for finding in describe(e, written, model):
            if not finding.loc or finding.loc[0] not in open_:
                yield Finding((*base, *finding.loc), finding.message, finding.code, finding.key, finding.at_key)
    except (UsageError, PydanticUserError, NameError, TypeError, ValueError):
        pass  # told where the plugin is
