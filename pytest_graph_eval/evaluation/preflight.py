"""Before the first question: is the target reachable, does it have the tool, does it hold a graph, and can it recover?

A target that is not fit fails once, with one message, instead of every scenario with its own. Faults that concern only
some scenarios block these and let the others run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import operator
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pytest_graph_eval.errors import PreflightError, TargetError
from pytest_graph_eval.evaluation.modes import select_mode
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.models.settings import Requirement
from pytest_graph_eval.targets.arguments import argument_problems
from pytest_graph_eval.targets.base import Query, Target, TargetStatus
from pytest_graph_eval.targets.mcp.backups import find_backups
from pytest_graph_eval.targets.reply.paths import ABSENT, PathError, described, find, is_optional
from pytest_graph_eval.targets.reply.presets import mode_names, preset_of, status_spec
from pytest_graph_eval.targets.templates import render
from pytest_graph_eval.texts import nearest

T = TypeVar("T")

_FLAGS = [f"{place}{flag}" for place in ("", "graph.") for flag in ("has_dimension_mismatch", "has_dim_mismatch")]
_DIMENSION = re.compile(r"\bdim(?:ension)?s?\b", re.IGNORECASE)
_NEEDS_RELATIONSHIPS = ("global", "hybrid")
_CLOSING = 10.0
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """What the preflight found out about a target that is fit to be asked."""

    status: TargetStatus
    warnings: tuple[str, ...] = ()
    """Words: `recovered`, `no_relationships`, and what the target itself warns of."""
    blocked: Mapping[str, str] = field(default_factory=dict)
    """Scenario id to the reason why that scenario cannot be asked."""


@dataclass(frozen=True, slots=True)
class _Finding:
    """What is wrong with the target as a whole."""

    message: str
    recoverable: bool = False
    stderr: str = ""


async def preflight(
    target: Target, spec: Any, scenarios: Sequence[Scenario], *, lock_folder: Path | None = None
) -> PreflightResult:
    """Open the target where it is not open yet, and check that it is fit for the scenarios.

    Raises:
        PreflightError: the target is not fit; the message says what was found, expected, and what to do.
    """
    status, warnings = await inspect(target, spec, lock_folder=lock_folder)
    return judge_status(target, spec, status, scenarios, warnings=warnings)


async def inspect(
    target: Target, spec: Any, *, lock_folder: Path | None = None
) -> tuple[TargetStatus, tuple[str, ...]]:
    """Open the target where it is not open yet, check that it is fit to be asked, and return its status and warnings.

    An empty graph and a dimension mismatch are recovered once where the settings say how; workers that share a graph
    take turns by a lock on `lock_folder` (default: the graph's folder, else the working directory).

    Raises:
        PreflightError: the target is not fit; the message says what was found, expected, and what to do.
    """
    status, finding = await _inspect(target, spec)
    warnings: tuple[str, ...] = ()
    if finding is not None and finding.recoverable and spec.recover is not None:
        async with _lock(lock_folder or _shared_folder(target), _limit(spec)) as waited:
            if waited:  # for another worker, which may have recovered the same graph
                status, finding = await _inspect(target, spec)
            if finding is not None and finding.recoverable:
                await _recover(target, spec, finding)
                status, finding = await _inspect(target, spec)
        warnings = ("recovered",)
    if finding is not None:
        again = " (still so after the recovery)" if warnings else ""
        raise PreflightError(_placed(target, finding.message + again), stderr=finding.stderr)
    return status, warnings


def judge_status(
    target: Target,
    spec: Any,
    status: TargetStatus,
    scenarios: Sequence[Scenario],
    *,
    warnings: Sequence[str] = (),
    where: str = "",
) -> PreflightResult:
    """Return which scenarios a target with this status can be asked, without asking it.

    Args:
        target: where they are to be asked.
        spec: its settings.
        status: what it says of itself.
        scenarios: those of one suite.
        warnings: what was found when it was opened.
        where: the place of these settings, where another suite opened the target.

    Raises:
        PreflightError: no scenario's arguments fit the tool.
    """
    blocked = _unfit_arguments(target, spec, status, scenarios, where or target.where)
    if status.relationships == 0:
        warnings = [*warnings, "no_relationships"]
        blocked = _without_relationships(scenarios) | blocked
    notes = target.notes({name: s.repeats for s in scenarios for name in (s.id, s.source_id) if name})
    return PreflightResult(status, (*status.warnings, *warnings, *notes), blocked)


def _shared_folder(target: Target) -> Path:
    return target.graph_dir if target.graph_dir is not None and target.graph_dir.is_dir() else Path.cwd()


def _limit(spec: Any) -> float:
    """Return the seconds that opening the target may take: its start, its setup calls, an orderly end."""
    return float(spec.start_timeout) * (2 + len(getattr(spec, "setup", ()))) + _CLOSING


async def _bounded(work: Awaitable[T], seconds: float, what: str) -> T:
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        raise PreflightError(f"{what} took longer than {seconds:g} s") from None


def _placed(target: Target, message: str, where: str | None = None) -> str:
    where = target.where if where is None else where
    if where and message.startswith(where):
        return message
    place = f"{where}: " if where else ""
    return place + (message if message.startswith(target.name) else f"target {target.name}: {message}")


async def _inspect(target: Target, spec: Any) -> tuple[TargetStatus, _Finding | None]:
    """Return the status of the target, and the first thing that makes it unfit."""
    try:
        await _bounded(target.open(), _limit(spec), "opening the target")
    except TargetError as e:
        return TargetStatus(), _refusal(e)
    if target.graph_dir is not None and (backups := find_backups(target.graph_dir)):
        return TargetStatus(), _mismatch(f"backup files in {target.graph_dir}: {', '.join(p.name for p in backups)}")
    try:
        status = await _bounded(target.status(), 2 * float(spec.start_timeout), "reading the status")
    except TargetError as e:
        return TargetStatus(), _Finding(f"its status cannot be read: {e}", stderr=e.stderr)
    checks: tuple[Callable[[Any, TargetStatus], _Finding | None], ...] = (
        _tools,
        _flags,
        _emptiness,
        _counts,
        _requirements,
    )
    return status, next((finding for check in checks if (finding := check(spec, status))), None)


def _refusal(error: TargetError) -> _Finding:
    """Return the finding for a target that did not open; a word about dimensions in its last lines is a mismatch."""
    if isinstance(error, PreflightError):
        return _Finding(str(error), stderr=error.stderr)
    lines = [line for line in [*error.stderr.splitlines(), str(error)] if _DIMENSION.search(line)]
    if not lines:
        return _Finding(str(error), stderr=error.stderr)
    mismatch = _mismatch(f"the server refuses to start: {lines[-1].strip()}")
    return _Finding(mismatch.message, recoverable=True, stderr=error.stderr)


def _mismatch(evidence: str) -> _Finding:
    return _Finding(
        f"embedding dimension mismatch ({evidence}); ask with the embedding model that the index was built with, or "
        "ingest again into an empty folder (where the server put the old index aside as `vdb_*.dim-mismatch-*.bak`: "
        "`recover:` with `clear_backups: true` and `graph_dir:`)",
        recoverable=True,
    )


def _tools(spec: Any, status: TargetStatus) -> _Finding | None:
    if status.tools is None:
        return None
    explicit = spec.preflight.tool if spec.preflight else None
    preset = preset_of(spec)
    wanted = {"tool": spec.tool or (preset.tool if preset else None), "preflight.tool": explicit}
    for setting, name in wanted.items():
        if name is not None and name not in status.tools:
            tools = ", ".join(sorted(status.tools)) or "none"
            return _Finding(
                f"the server has no tool {name!r}{nearest(name, status.tools)} (tools: {tools}); set `{setting}:`"
            )
    return None


def _flags(_: Any, status: TargetStatus) -> _Finding | None:
    for flag in _FLAGS:
        with contextlib.suppress(PathError):
            if find(status.raw, flag) is True:
                return _mismatch(f"the status says {flag}: true")
    return None


def _emptiness(spec: Any, status: TargetStatus) -> _Finding | None:
    if status.entities != 0:
        return None
    has_tools = spec.kind == "mcp"
    advice = " A `recover:` call can do it." if has_tools and not spec.recover else ""
    return _Finding(f"the graph holds 0 entities. No entities ingested. Run ingestion first.{advice}", recoverable=True)


def _counts(spec: Any, status: TargetStatus) -> _Finding | None:
    """Find a count that the suite itself says where to read, and that is not there: nobody would miss the check."""
    for name in ("entities", "relationships"):
        path = getattr(spec.preflight, name, None)
        if path and not is_optional(path) and getattr(status, name) is None:
            why = "no status was read; say where it is by `tool:` or `url:`"
            if status.raw is not None:
                why = (
                    f"the status is {described(status.raw)}; correct the path, or end it with `?` where it may lack it"
                )
            return _Finding(f"preflight.{name}: nothing stands at {path!r}: {why}")
    return None


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "in": lambda found, allowed: found in allowed,
}


def _requirements(spec: Any, status: TargetStatus) -> _Finding | None:
    require: list[Requirement] = status_spec(spec).require
    unmet = [text for requirement in require if (text := _unmet(requirement, status.raw))]
    return _Finding("; ".join(unmet)) if unmet else None


def _unmet(requirement: Requirement, raw: Any) -> str:
    """Return how a requirement is not met, or an empty text."""
    path, op, value = requirement.path, requirement.op, requirement.value
    try:
        found = find(raw, path)
        if op == "exists":
            expected = value is not False
            met = (found is not ABSENT) == expected
            expectation = "something is expected there" if expected else "nothing is expected there"
        else:
            met = found is not ABSENT and _OPERATORS[op](found, value)
            expectation = f"{op} {json.dumps(value, ensure_ascii=False)} is required"
    except (PathError, TypeError) as e:
        return f"status {path}: it cannot be compared ({e}); {op} {json.dumps(value, ensure_ascii=False)} is required"
    return "" if met else f"status {path} is {described(found)}; {expectation}"


def _unfit_arguments(
    target: Target, spec: Any, status: TargetStatus, scenarios: Sequence[Scenario], where: str
) -> dict[str, str]:
    """Return the scenarios whose arguments do not fit the tool's input schema.

    Raises:
        PreflightError: none fits, all for the same reason: then it lies in the target's settings.
    """
    preset = preset_of(spec)
    tool = getattr(spec, "tool", None) or (preset.tool if preset else "")
    schema = (status.tools or {}).get(tool)
    if not schema:
        return {}
    base = spec.arguments if spec.arguments is not None else dict(preset.arguments if preset else {})
    names = mode_names(spec)
    known: dict[tuple[str, str], str] = {}
    faults = {}
    for scenario in (turn for s in scenarios for turn in turns_of(s)):
        mode = select_mode(scenario)
        own = json.dumps(scenario.arguments, sort_keys=True, default=str) if scenario.arguments else ""
        if (key := (names.get(mode, mode), own)) not in known:
            query = Query(scenario.question, id=scenario.id, mode=key[0], as_of=scenario.as_of)
            values = {**query.placeholders(), "query_hints": scenario.query_hints, "tmp": "", "worker": ""}
            known[key] = "; ".join(argument_problems(schema, render({**base, **scenario.arguments}, values)))
        if known[key]:
            faults[scenario.id] = f"the arguments do not fit the tool {tool}: {known[key]}"
    if faults and len(faults) == len(scenarios) and len(set(faults.values())) == 1:
        raise PreflightError(_placed(target, next(iter(faults.values())), where))
    return {id_: _placed(target, fault, where) for id_, fault in faults.items()}


def _without_relationships(scenarios: Sequence[Scenario]) -> dict[str, str]:
    blocked = {}
    for scenario in (turn for s in scenarios for turn in turns_of(s)):
        if (mode := select_mode(scenario)) in _NEEDS_RELATIONSHIPS:
            blocked[scenario.id] = (
                f"the graph holds 0 relationships and mode {mode} searches by them; ingest some, or ask in mode kg"
            )
    return blocked


async def _recover(target: Target, spec: Any, finding: _Finding) -> None:
    try:
        await _bounded(target.recover(), _limit(spec) + float(spec.start_timeout), "the recovery")
    except TargetError as e:
        message = f"{finding.message}; the recovery failed: {e}"
        raise PreflightError(_placed(target, message), stderr=e.stderr or finding.stderr) from None


@asynccontextmanager
async def _lock(folder: Path, seconds: float) -> AsyncIterator[bool]:
    """Hold a lock on a folder that other workers hold, too; give whether there was one to wait for.

    Where the system or the file system has no such locks, there is none.

    Raises:
        PreflightError: it was not free in time.
    """
    try:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield False
        return
    waited = False
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        while not _try_lock(fcntl, handle):
            waited = True
            if asyncio.get_running_loop().time() > deadline:
                raise PreflightError(f"another worker holds the recovery lock on {folder} for more than {seconds:g} s")
            await asyncio.sleep(_POLL)
        yield waited
    finally:
        os.close(handle)


def _try_lock(fcntl: Any, handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
