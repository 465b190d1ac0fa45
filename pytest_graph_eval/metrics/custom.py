"""Runs the metrics and checks that plugins add, and keeps what breaks in them an error: never a score, never a pass."""

from __future__ import annotations

import functools
import numbers
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.models.extensions import Added, field_type
from pytest_graph_eval.models.records import Check, Response, Score
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.texts import cut

_SCORE = "a number from 0 to 1 is expected, or `Score(reason=...)` where there is none"
_LONGEST = 500
_HELD = "True is expected, or a text that says what is wrong"


@functools.cache
def expected_type(added: Added) -> TypeAdapter[Any]:
    """Return what the values of a check under `expect:` are: the type of its function's first parameter.

    Raises:
        UsageError: the function has no parameter for it, or its type is none that data can have.
    """
    annotation, _ = next(iter(added.parameters.values()), (None, None))
    if annotation is None:
        raise UsageError(
            f"{added.place}: the check {added.name!r} takes no value; its first parameter is what is expected"
        )
    try:
        return TypeAdapter(field_type(annotation))
    except PydanticUserError as e:
        message = str(e).partition("\n")[0]
        raise UsageError(f"{added.place}: the check {added.name!r}: its first parameter: {message}") from None


def custom_checks(checks: Mapping[str, Added], scenario: Scenario, response: Response) -> Iterator[Check]:
    """Yield the outcome of each check of a scenario that a plugin decides."""
    for kind, expected in scenario.expect.added.items():
        added = checks.get(kind)
        if added is None:
            yield _broken(kind, f"{kind}: no plugin that is here checks it", expected)
            continue
        try:
            found = added.call(expected_type(added).validate_python(expected), scenario, response)
        except ValidationError as e:
            yield _broken(kind, f"{kind}: {e.errors(include_url=False)[0]['msg']}", expected)
        except (Exception, SystemExit) as e:  # whatever the plugin's code does
            yield _broken(kind, f"{kind}: the check {_told(added, e)}", expected)
        else:
            yield _outcome(added, expected, found)


def _outcome(added: Added, expected: Any, found: Any) -> Check:
    kind = added.name
    if isinstance(found, str) and found.strip():
        return Check(kind=kind, outcome="fail", expected=expected, message=f"{kind}: {_shown(found)}", rule="custom")
    if found is True:
        return Check(kind=kind, outcome="pass", expected=expected, message=f"{kind}: {expected!r} holds", rule="custom")
    if found is False:
        message = f"{kind}: {expected!r} does not hold ({added.place})"
        return Check(kind=kind, outcome="fail", expected=expected, message=message, rule="custom")
    return _broken(kind, f"{kind}: the check ({added.place}) returned {_shown(repr(found))}; {_HELD}", expected)


def custom_scores(
    metrics: Mapping[str, Added], scenario: Scenario, response: Response
) -> tuple[dict[str, Score], list[Check]]:
    """Return the scores that plugins give a response, and an errored check for each that gives none."""
    scores: dict[str, Score] = {}
    broken = []
    for name, added in metrics.items():
        try:
            scores[name] = _score(added, added.call(scenario, response))
        except _NoScoreError as e:
            broken.append(_broken(name, str(e)))
        except (Exception, SystemExit) as e:  # whatever the plugin's code does
            broken.append(_broken(name, f"metric {name} {_told(added, e)}"))
    return scores, broken


class _NoScoreError(ValueError):
    """What a metric returned is no score."""


def _score(added: Added, found: Any) -> Score:
    if isinstance(found, Score):
        if found.value is None and not found.reason.strip():
            raise _NoScoreError(f"metric {added.name} ({added.place}) gave neither a value nor a reason; {_SCORE}")
        return found
    if isinstance(found, numbers.Real) and 0 <= float(found) <= 1:  # NaN is not
        return Score(value=float(found))
    raise _NoScoreError(f"metric {added.name} ({added.place}) returned {_shown(repr(found))}; {_SCORE}")


def _told(added: Added, error: BaseException) -> str:
    """Return what an exception was and where, as the end of a sentence."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in last]
    text = _shown(error)
    return f"({added.place}) raised {type(error).__name__}: {text} at {''.join(places)}"


def _shown(said: object) -> str:
    """Return what a plugin said in one line that is not too long for a report."""
    return cut(" ".join(str(said).split()), _LONGEST)


def _broken(kind: str, message: str, expected: Any = None) -> Check:
    return Check(kind=kind, outcome="error", expected=expected, message=message, rule="broken")
