"""`graph-eval doctor`: asks one question of a target, shows what comes back, and suggests how to map it.

For people whose server nobody here has ever seen: every step is said as it is taken, and each failure ends with what
to do about it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_graph_eval.commands.findings import Findings
from pytest_graph_eval.commands.target_block import completed, picked, settings_of, spec_of
from pytest_graph_eval.errors import ReplyError, TargetError, TargetTimeout, ToolError, TransportError, UsageError
from pytest_graph_eval.evaluation.asking import Asked, OpenTarget
from pytest_graph_eval.evaluation.preflight import preflight
from pytest_graph_eval.loader import DeclaredTarget, load_suite, load_targets, target_from_text
from pytest_graph_eval.models.scenario import Scenario, turns_of
from pytest_graph_eval.targets.base import Surroundings, Target, TargetStatus, open_target
from pytest_graph_eval.targets.http.probe import probe
from pytest_graph_eval.targets.picking import Pick, pick_tool
from pytest_graph_eval.targets.reply.mapping import map_reply
from pytest_graph_eval.targets.reply.presets import PRESETS, response_map
from pytest_graph_eval.targets.reply.suggest import suggest
from pytest_graph_eval.texts import listed

_QUESTION = "What is this knowledge graph about?"
_ON_COMMAND_LINE = "--graph-eval-target"
"""What `target_from_text` calls the place of a target that is a text."""

_ADVICE: dict[type[TargetError], str] = {
    TargetTimeout: "give it more time: `timeout:` for a reply, `start_timeout:` for the start",
    ToolError: "correct `arguments:` after the tools above, or ask another tool with `tool:`",
    TransportError: "see that the server runs, and that its command or address is right",
    ReplyError: "see whether the server is in order and gets what it expects",
    TargetError: "correct the settings, and call the doctor again",
}
"""What to do about an error whose message may not say it; the first that fits."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "target", metavar="TARGET_OR_SUITE",
        help="a suite file, a declared name, a URL, a command in quotes, module:callable, or a file as for "
        "--graph-eval-target",
    )  # fmt: skip
    parser.add_argument("--question", metavar="TEXT", help="what to ask (default: the suite's first question)")
    parser.add_argument("--targets", metavar="FILE", type=Path, help="YAML file of the targets that may be named")


def run(args: argparse.Namespace) -> int:
    """Look at the target and print what is found.

    Returns:
        0 where all is well, 1 where something is wrong, or came back and is not mapped.
    """
    return examine(args).conclude()


def examine(args: argparse.Namespace) -> Findings:
    """Look at the target, and say what is found as it is.

    Raises:
        UsageError: the argument is no suite and no target.
        SuiteError: the suite or the file of targets cannot be used.
    """
    case = _case(args)
    findings = Findings()
    with tempfile.TemporaryDirectory(prefix="graph-eval-", ignore_cleanup_errors=True) as tmp, _quiet_logs():
        asyncio.run(_Examination(case, findings, Path(tmp)).run())
    return findings


@dataclass(frozen=True, slots=True)
class _Case:
    """Whom to look at, and what to ask."""

    declared: DeclaredTarget
    scenario: Scenario
    is_text: bool
    """Whether the target is a text, so that nothing but its address is known."""
    is_question_ours: bool


def _case(args: argparse.Namespace) -> _Case:
    targets = load_targets(args.targets) if args.targets else {}
    path = Path(args.target)
    first = None
    if not args.target.strip() or path.is_dir():
        suites = listed(sorted(str(found) for found in path.glob("*.graph.y*ml")), 5)
        raise UsageError(f"{args.target!r} is no target and no suite; name one{f': {suites}' if suites else ''}")
    if path.suffix in (".yaml", ".yml"):
        suite = load_suite(path, targets=targets)
        scenarios = [loaded.scenario for loaded in suite.scenarios]
        first = next((s for s in scenarios if not s.expect.no_evidence), scenarios[0])
        declared = suite.declared
    else:
        declared = targets.get(args.target) or target_from_text(args.target, Path.cwd(), targets)
    assert declared is not None, "a suite without a target does not load"
    if declared.spec.kind == "replay" and first is None:
        raise UsageError(f"{args.target}: a recording answers by scenario; give the suite that plays it")
    question = args.question or (first.question if first else None)
    return _Case(declared, _scenario(first, question), declared.where == _ON_COMMAND_LINE, question is None)


def _scenario(first: Scenario | None, question: str | None) -> Scenario:
    """Return the scenario to ask: the suite's (of a conversation the first turn), with another question if given."""
    if first is not None:
        return turns_of(first)[0].model_copy(update={"question": question})
    return Scenario(id="doctor", question=question or _QUESTION)


@contextlib.contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep what clients log from the terminal, where nobody else wants it: what matters comes as an error."""
    root, silent = logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)
    try:
        yield
    finally:
        root.removeHandler(silent)


class _Examination:
    """One look at a target, step by step."""

    def __init__(self, case: _Case, findings: Findings, tmp: Path) -> None:
        self._case, self._findings, self._tmp = case, findings, tmp
        self._settings = settings_of(case.declared.spec)
        self._scenario = case.scenario
        self._pick: Pick | None = None

    async def run(self) -> None:
        """Connect, look, ask, compare; what is found is in the findings."""
        try:
            await self._examine()
        except TargetError as e:
            self._fail(e)

    async def _examine(self) -> None:
        spec = self._case.declared.spec
        place = self._case.declared.where
        self._findings.begin(spec, "the command line" if self._case.is_text else place)
        if self._case.is_text and getattr(spec, "url", None) and not await self._recognise(str(self._settings["url"])):
            return
        needs_tool = self._settings["kind"] == "mcp" and not self._settings.keys() & {"tool", "preset"}
        unnamed = {"tool": "?"} if needs_tool and "response" in self._settings else {}
        async with self._opened({**self._settings, **unnamed}) as target:
            status = await self._status(target)
            if needs_tool and not self._choose(status.tools or {}):
                return
            is_known = not needs_tool or self._pick is None
            if is_known:
                await self._ask(target)
        if not is_known:
            async with self._opened(self._settings) as target:
                await self._ask(target)

    async def _recognise(self, url: str) -> bool:
        """Find out what listens at a bare address; tell whether it can be asked."""
        service = await probe(url, self._scenario.question)
        self._settings = {"url": url, **service.settings}
        self._findings.step("reached", service.said)
        if not service.operations:
            return True
        self._findings.tools(service.operations)
        return self._choose(service.operations)

    def _choose(self, tools: dict[str, dict[str, Any]]) -> bool:
        """Pick what to ask of what there is, where that is not the usual; tell whether it can be asked."""
        names = "`tool:` and `arguments:`" if self._settings["kind"] == "mcp" else "`url:` and `json:`"
        pick = pick_tool(tools)
        if pick is None:
            self._findings.problem(
                f"none of these {len(tools)} looks as if it takes a question",
                f"write into a suite which one does, and where its `{{question}}` goes, with {names}; for one that "
                "takes SPARQL or Cypher, each scenario brings its own `arguments:`",
            )
            return False
        if self._is_known(pick):
            return True
        self._pick, self._settings = pick, picked(self._settings, pick)
        self._findings.picked(pick)
        if pick.missing:
            self._findings.suggest(self._settings)
            self._findings.problem(
                f"{pick.tool} also requires {', '.join(pick.missing)}",
                f"use the target above, and write what belongs there with {names}",
            )
        return not pick.missing

    def _is_known(self, pick: Pick) -> bool:
        """Tell whether a server without settings is one that needs none, as its tool and our modes are the usual."""
        usual = self._settings["kind"] == "mcp" and not self._settings.get("response")
        return usual and pick.tool == PRESETS["generic-mcp"].tool and not pick.modes

    @contextlib.asynccontextmanager
    async def _opened(self, settings: dict[str, Any]) -> AsyncIterator[Target]:
        target = open_target(spec_of(settings), self._surroundings())
        self._findings.watch(target)
        start = time.perf_counter()
        try:
            await target.open()
            self._findings.opened(target, time.perf_counter() - start)
            yield target
        finally:
            await target.close()

    def _surroundings(self) -> Surroundings:
        declared = self._case.declared
        return Surroundings(declared.folder, self._tmp, where="" if self._case.is_text else declared.where)

    async def _status(self, target: Target) -> TargetStatus:
        status = await target.status()
        self._findings.status(status)
        return status

    async def _ask(self, target: Target) -> None:
        """Check that the target is fit, ask it, and say what came back."""
        # The doctor looks; it repairs nothing.
        spec = spec_of(self._settings).model_copy(update={"recover": None})
        scenario = self._scenario = self._about_something(target)
        opened = OpenTarget(spec, target, await preflight(target, spec, [scenario]))
        self._findings.step("preflight", "it is fit to be asked")
        asked = await opened.ask(scenario)
        self._findings.asked(scenario.question, asked)
        self._compare(target, asked)

    def _about_something(self, target: Target) -> Scenario:
        """Return the scenario, with a question that a graph whose names are known can answer."""
        catalog = target.catalog() if self._case.is_question_ours else None
        name = next((entity.name for entity in catalog.entities), "") if catalog else ""
        return self._scenario.model_copy(update={"question": f"What is {name}?"}) if name else self._scenario

    def _compare(self, target: Target, asked: Asked) -> None:
        """Show reply and response, and suggest a mapping where the one in use leaves something out."""
        reply, response = target.last_reply, asked.response
        spec = spec_of(self._settings)
        rules = response_map(spec)
        if reply is not None:
            self._findings.reply(reply)
        self._findings.response(response, rules)
        if rules is not None and reply is not None and not self._case.is_text:
            self._findings.unfound(reply, rules)
        suggestion = suggest(reply, spec.kind, self._scenario.question)
        sizes = {part: (size, response and getattr(response, part)) for part, size in suggestion.sizes.items()}
        lacking = [part for part, (size, found) in sizes.items() if size > 0 and not found]
        better = bool(lacking) or any(size == 0 and found is None for size, found in sizes.values())
        self._judge(asked, lacking, better=better)
        shown = suggestion.rules if better else rules
        if better:
            read = map_reply(reply, suggestion.rules, self._scenario.question)
            self._findings.response(read, shown, "RESPONSE, AS THE TARGET BELOW READS IT")
        if shown is not None and reply is not None and (better or response is not None):
            self._findings.unmapped(reply, shown)
        if better or self._case.is_text:
            block = completed(self._settings, suggestion, self._pick) if better else self._settings
            self._findings.suggest(block)

    def _judge(self, asked: Asked, lacking: Sequence[str], *, better: bool) -> None:
        """Keep what is wrong with a reply; `lacking` are the parts that came back and are not mapped."""
        response = asked.response
        matters = [part for part in lacking if part != "usage"]
        if response is None and asked.error is not None:
            if not better:
                self._fail(asked.error)
                return
            known = "the reply has a form of its own" if self._case.is_text else str(asked.error)
            self._findings.problem(known, "use the target above: it maps what came back")
        elif matters:
            self._findings.problem(f"came back and is not mapped: {', '.join(matters)}", "use the target above")
        is_silent = response is None or not (response.answer or response.has_evidence() or response.tool_calls)
        if is_silent and not matters:
            self._findings.problem(
                "neither an answer nor evidence came back",
                "ask about something that it holds, with --question; else say under `response:` where the parts stand",
            )

    def _fail(self, error: TargetError) -> None:
        advised = next(text for kind, text in _ADVICE.items() if isinstance(error, kind))
        self._findings.problem(str(error), advised, error.stderr)
