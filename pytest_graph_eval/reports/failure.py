"""The text of one scenario that did not pass: everything needed to see the cause without running it again."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from pytest_graph_eval.records import Record
from pytest_graph_eval.scenario import Scenario

__all__ = ["failure_text", "printable"]

WIDTH = 100
LISTED = 8
ANSWER = 400

CAUSES = {
    "not_in_extraction": "the graph's source data does not hold it: extract or ingest it",
    "not_retrieved": "it is in the graph, but was not retrieved",
    "retrieved_not_stated": "it was retrieved, but the answer does not state it",
    "denied_with_evidence": "the answer denies what was retrieved",
    "wrong_value": "another value is stated in its place",
    "contradicted": "something is stated that must not be",
    "no_evidence": "nothing was retrieved",
    "error": "the target gave no usable reply",
}


def printable(text: str) -> str:
    """Return text of a target with control characters made visible, so that it cannot steer a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", lambda m: f"\\x{ord(m[0]):02x}", text)


def failure_text(record: Record, scenario: Scenario, where: str, *, stderr: str = "") -> str:
    """Return the text that pytest shows for a scenario that failed or could not be measured.

    Args:
        record: the finished record.
        scenario: the scenario as it was asked.
        where: `file:line` of the scenario.
        stderr: the last lines that the target's process wrote, if any.
    """
    # The first line is all that pytest's short summary shows, behind the node id.
    lines = [printable(f"{record.status}: {' '.join((record.error or record.reason or '').split())}")]
    lines += _field("at", f"{where} ({record.id})")
    lines += _field("question", record.question)
    if record.error:
        lines += _field("target", record.target)
    for check in record.checks:
        if check.outcome != "pass":
            message = check.message or f"expected {check.expected!r}, found {check.found!r}"
            lines += _field(check.kind, message.removeprefix(f"{check.kind}: "))
    lines += [line for row in _scores(record, scenario) for line in _field(*row)]
    if record.answer is not None:
        lines += _field("answer", textwrap.shorten(record.answer, ANSWER, placeholder=" […]"))
    lines += [line for row in _circumstances(record) for line in _field(*row)]
    lines += [f"  | {printable(line)}" for line in stderr.splitlines()]
    lines += [f"  re-run: pytest --graph-eval {_quoted(record.nodeid)}"]
    return "\n".join(lines)


def _scores(record: Record, scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield the scores that are below their line, with the evidence for each."""
    wanted = scenario.expect.scores or {}
    mean = record.mean
    decides = scenario.has_gold() or bool(scenario.metrics)
    low_mean = decides and mean is not None and mean < scenario.pass_score and record.status == "FAIL"
    for name, value in record.scores.items():
        line = wanted.get(name)
        counts = low_mean and name != "mean"
        below = value is not None and ((line is not None and value < line) or (counts and value < 1))
        if below or (line is not None and value is None):
            shown = "unscored" if value is None else f"{value:.3f}"
            limit = "" if line is None else f" (least {line:g})"
            yield name, f"{shown}{limit} {record.explain.get(name, '')}".rstrip()
    if low_mean:
        yield "mean", f"{mean:.4f} is below pass_score {scenario.pass_score:g}"


def _circumstances(record: Record) -> Iterator[tuple[str, str]]:
    for kind in ("entities", "relationships", "chunks"):
        found = record.retrieved.get(kind)
        if found is not None:
            yield f"retrieved {kind}", _listed(found)
    if record.query_mode:
        ran = f" (ran {record.mode_ran})" if record.mode_ran and record.mode_ran != record.query_mode else ""
        yield "mode", f"{record.query_mode}{ran}"
    if record.attempts > 1:
        yield "attempts", str(record.attempts)
    if record.flags:
        yield "flags", ", ".join(record.flags)
    if record.cause:
        yield "cause", f"{record.cause}: {CAUSES.get(record.cause, '')}".rstrip(": ")


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    more = f" … (+{len(names) - LISTED})" if len(names) > LISTED else ""
    return "; ".join(names[:LISTED]) + more


def _field(name: str, text: str) -> list[str]:
    text = printable(text)
    return textwrap.wrap(
        f"{name}: {text}", WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _quoted(nodeid: str) -> str:
    return nodeid if re.fullmatch(r"[\w@%+=:,./-]+", nodeid) else "'" + nodeid.replace("'", "'\"'\"'") + "'"
