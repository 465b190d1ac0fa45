"""The text of one scenario that did not pass: everything needed to see the cause without running it again."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_graph_eval.models.conversations import FRESHNESS, failed_turns
from pytest_graph_eval.models.expect import STEP_CHECKS
from pytest_graph_eval.models.records import METRICS, Record
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.reports.layout import COMMAND, escaped

WIDTH = 80
LISTED = 8
ANSWER = 400
STDERR = 20
# The message of a failed check of these kinds lists what was retrieved, up to this many.
TOLD = {"entities": 5, "chunks": 5}
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return text of a target with control characters made visible, so that it cannot steer what it is shown on."""
    return text if text.isprintable() else _HIDDEN.sub(lambda m: escaped(m[0]), text)


def printable(text: str) -> str:
    """Return text of a target with what a terminal or a CI system would obey made visible."""
    return COMMAND.sub(lambda m: escaped(m[0][0]) + m[0][1:], visible(text))


def failure_text(record: Record, scenario: Scenario, where: str, *, rerun: str, stderr: str = "") -> str:
    """Return the text that pytest shows for a scenario that failed or could not be measured.

    Args:
        record: the finished record.
        scenario: the scenario as it was asked.
        where: `file:line` of the scenario.
        rerun: the argument with which pytest runs this scenario alone, from where pytest was started.
        stderr: the last lines that the target's process wrote, if any.
    """
    why, *rest = [" ".join(line.split()) for line in (record.error or record.reason or "").splitlines()] or [""]
    lines = [printable(f"{record.status}: {why}")]
    lines += [line for text in filter(None, rest[:STDERR]) for line in _wrapped(text)]
    lines += [f"  and {len(rest) - STDERR} more lines"] if len(rest) > STDERR else []
    lines += _field("at", f"{where} ({record.id})")
    for title, part, asked in _parts(record, scenario):
        lines += _field(title, part.question)
        if not part.error or not record.target:
            lines += [line for row in _found(part, asked) for line in _field(*row)]
    if record.error and record.target:
        lines += _field("target", record.target)
    lines += [line for row in _circumstances(record) for line in _field(*row)]
    lines += [f"  | {printable(line)}" for line in stderr.splitlines()[-STDERR:]]
    lines += [f"  re-run: {rerun_command(rerun)}"]
    return "\n".join(lines)


def _parts(record: Record, scenario: Scenario) -> Iterator[tuple[str, Record, Scenario]]:
    """Yield what did not pass, with a title for its question: the record, or the turns of a conversation."""
    asked = turns_of(scenario)
    failed = failed_turns(record)
    yield from ((f"turn {n} of {len(asked)}", turn, asked[n - 1]) for n, turn in failed)
    if not failed:
        yield "question", record, scenario


def headline(record: Record) -> str:
    """Return the failure in one line, as pytest's short summary shows it behind the node id."""
    failed = [c for c in record.checks if c.outcome == "fail"]
    text = record.error or record.reason or ""
    if record.status == "FAIL" and failed and failed[0].message:
        first = failed[0]
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        text = f"{first.kind}: {first.message.removeprefix(f'{first.kind}: ')}{more}"
    return printable(f"{record.status}: {' '.join(text.split())}")


def _found(record: Record, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield what failed, and what came back in its place."""
    failed = [c for c in record.checks if c.outcome != "pass"]
    for check in failed:
        message = check.message or f"expected {check.expected!r}, found {check.found!r}"
        yield check.kind, message.removeprefix(f"{check.kind}: ")
    scores = list(_scores(record, scenario))
    yield from scores
    if scores and record.gold_answer:
        yield "gold answer", textwrap.shorten(record.gold_answer, ANSWER, placeholder=" […]")
    if record.answer is not None:
        beginning = record.answer[: 10 * ANSWER]  # answers can be megabytes
        yield "answer", textwrap.shorten(beginning, ANSWER, placeholder=" […]") or "(empty)"
    if record.tool_calls is not None and any(c.kind in STEP_CHECKS for c in failed):
        yield "called", _listed([_call(n, call) for n, call in enumerate(record.tool_calls, 1)])
    told = {c.kind for c in failed if len(record.retrieved.get(c.kind, ())) <= TOLD.get(c.kind, -1)}
    for kind in ("entities", "relationships", "chunks"):
        found = record.retrieved.get(kind)
        if found is not None and kind not in told:
            yield f"retrieved {kind}", _listed(found)


def _call(number: int, call: Mapping[str, Any]) -> str:
    status = call.get("status", "success")
    return f"{number} {call.get('name')}{f' ({status})' * (status != 'success')}"


def _scores(record: Record, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield the scores that are below their own line, or that pulled a low mean down, with the evidence for each."""
    lines = scenario.expect.scores or {}
    mean = record.mean
    decides = scenario.has_gold() or bool(scenario.metrics)
    low_mean = decides and mean is not None and mean < scenario.pass_score and record.status == "FAIL"
    counted = scenario.metrics or [*METRICS, "facts", "steps_score"]
    for name, value in record.scores.items():
        line = lines.get(name)
        if name == "steps_score" and any(c.kind == "steps" for c in record.checks if c.outcome != "pass"):
            continue  # the check has said it
        pulls = low_mean and name in counted and value is not None and value < 1
        if pulls or (line is not None and (value is None or value < line)):
            shown = "unscored" if value is None else f"{value:.3f}"
            limit = "" if line is None else f" (least {line:g})"
            reason = record.explain.get(name, "")
            yield name, f"{shown}{limit}{': ' * bool(reason)}{reason}"


def _circumstances(record: Record) -> Iterator[tuple[str, str]]:
    if record.query_mode:
        ran = f" (ran {record.mode_ran})" if record.mode_ran and record.mode_ran != record.query_mode else ""
        yield "mode", f"{record.query_mode}{ran}"
    if record.attempts > 1:
        yield "attempts", str(record.attempts)
    if record.flags:
        yield "flags", ", ".join(record.flags)
    yield from ((f"facts {key}", "; ".join(texts)) for key in FRESHNESS if (texts := record.facts.get(key)))
    if record.hallucinations:
        yield "hallucinations", "; ".join(record.hallucinations)
    if record.cause and record.cause != "error":
        phrase = record.explain.get("cause", "")
        yield "cause", f"{record.cause}{': ' * bool(phrase)}{phrase}"


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    more = f" … (+{len(names) - LISTED})" if len(names) > LISTED else ""
    return "; ".join(names[:LISTED]) + more


def _field(name: str, text: str) -> list[str]:
    return _wrapped(f"{name}: {text}")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        printable(text), WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def rerun_command(argument: str) -> str:
    """Return the command that runs one scenario again, as a shell takes it; `argument` names the scenario to pytest."""
    return f"pytest --graph-eval {_quoted(printable(argument))}"


def _quoted(argument: str) -> str:
    """Return an argument as a shell takes it."""
    if re.fullmatch(r"[\w@%+=:,./-]+", argument):
        return argument
    return "'" + argument.replace("'", "'\"'\"'") + "'"
