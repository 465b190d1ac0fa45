"""Reads rules of the gate from options and a file, and puts them over the gate that a run was judged by."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.gate.summary import AppliedGate, Summary
from pytest_graph_eval.loader import load_gate
from pytest_graph_eval.loader.rules import gate_findings
from pytest_graph_eval.models.settings import Gate, Line
from pytest_graph_eval.models.validation import dotted

_EXPECTED = "expected a share such as 0.8, with a warn line as 0.8:0.6, or `off`"


def _line(text: str) -> Line | None:
    """Read `0.8`, `0.8:0.6` or `off`."""
    if text == "off":
        return None
    first, colon, second = text.partition(":")
    try:
        return Line.model_validate({"pass": float(first), "warn": float(second) if colon else None})
    except ValidationError as e:
        message = str(e.errors(include_url=False)[0]["msg"]).removeprefix("Value error, ")
        raise argparse.ArgumentTypeError(f"{text!r}: {message}; {_EXPECTED}") from None
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no line; {_EXPECTED}") from None


def _named_line(text: str) -> tuple[str, Line | None]:
    """Read `NAME=LINE`."""
    name, equals, line = text.rpartition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r}: expected a name and a line, such as faithfulness=0.8")
    return name.strip(), _line(line)


def _share(text: str) -> float | None:
    """Read a share, or `off`."""
    try:
        value = None if text == "off" else float(text)
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a share between 0 and 1 or `off`")
    return value


def _count(text: str) -> int | None:
    """Read a whole number, or `off`."""
    if text != "off" and not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 0 or `off`")
    return None if text == "off" else int(text)


# option, key of the gate, how it is read, whether it may be repeated, metavar, help
_OPTIONS: tuple[tuple[str, str, Callable[[str], Any], bool, str, str], ...] = (
    ("--overall", "overall", _line, False, "LINE", "the least overall mean: 0.8, or 0.8:0.6 with a warn line, or off"),
    ("--pass-rate", "pass_rate", _line, False, "LINE", "the least share of scenarios that pass"),
    ("--metric", "metrics", _named_line, True, "NAME=LINE", "the least mean of a metric"),
    ("--difficulty", "difficulty", _named_line, True, "NAME=LINE", "the least mean of a difficulty"),
    ("--category", "category", _named_line, True, "NAME=LINE", "the least mean of a category"),
    ("--tag", "tags", _named_line, True, "NAME=LINE", "the least mean of a tag"),
    ("--judge", "judge", _named_line, True, "NAME=LINE", "the least mean of a judge's score"),
    ("--max-errors", "max_errors", _count, False, "N", "how many scenarios may end in an error"),
    ("--max-inconclusive", "max_inconclusive", _share, False, "SHARE", "the largest share of inconclusive scenarios"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that change the gate."""
    group = parser.add_argument_group("rules in place of the suites' own (`off` switches a rule off)")
    for option, key, read, repeated, metavar, text in _OPTIONS:
        # An absent option leaves no attribute: None is a rule that is switched off.
        action = "append" if repeated else "store"
        group.add_argument(
            option, dest=f"rule_{key}", type=read, action=action, metavar=metavar, help=text, default=argparse.SUPPRESS
        )
    group.add_argument("--gate", metavar="FILE", type=Path, help="YAML file with keys of `gate:`; options win over it")


def read_rules(args: argparse.Namespace) -> Gate:
    """Return the rules that the options and the file give; only those are set.

    Raises:
        SuiteError: the file cannot be used.
    """
    data: dict[str, Any] = load_gate(args.gate).model_dump(by_alias=True, exclude_unset=True) if args.gate else {}
    for _, key, _, repeated, _, _ in _OPTIONS:
        if hasattr(args, f"rule_{key}"):
            value = getattr(args, f"rule_{key}")
            data[key] = {**data.get(key, {}), **dict(value)} if repeated else value
    return Gate.model_validate(data)


def check_rules(rules: Gate, summary: Summary) -> None:
    """Refuse what makes no sense; metrics that we do not know are those of a plugin where the run has them.

    Raises:
        UsageError: rules make no sense; all of them are named.
    """
    own = {name: line for name, line in rules.metrics.items() if name not in summary.tally.metrics}
    findings = gate_findings(rules.model_copy(update={"metrics": own}))
    if problems := [f"gate.{dotted(finding.loc)}: {finding.message}" for finding in findings]:
        raise UsageError("\n".join(problems))


def put_over(gate: Gate, rules: Gate, *, only_written: bool = False) -> AppliedGate:
    """Return `gate` with `rules` in place of its own; named lines are replaced one by one.

    Args:
        gate: as the run was judged by.
        rules: those that are set count.
        only_written: replace what the gate has, and add nothing: a gate over the whole run judges by what it says.
    """
    applied = AppliedGate.of(gate)
    update: dict[str, Any] = {}
    for key in rules.model_fields_set:
        new, old = getattr(rules, key), getattr(applied, key)
        if only_written and key not in applied.written:
            continue
        if isinstance(new, dict):
            new = {**old, **{name: line for name, line in new.items() if name in old or not only_written}}
        update[key] = new
    return applied.model_copy(update={**update, "written": sorted({*applied.written, *update})})
