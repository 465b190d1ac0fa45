"""What the doctor prints: its steps as they are taken, a reply beside what was made of it, and what to do.

Everything passes a redactor before it is cut to the width of the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_graph_eval.boundary import Boundary
from pytest_graph_eval.commands.console import paper, say
from pytest_graph_eval.commands.target_block import target_block
from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.settings import ResponseMap, TargetSpec
from pytest_graph_eval.targets.base import Target, TargetStatus
from pytest_graph_eval.targets.picking import Pick, signature
from pytest_graph_eval.targets.reply.gaps import unfound, unmapped
from pytest_graph_eval.targets.reply.paths import described
from pytest_graph_eval.targets.reply.plain import plain_data

_LABEL = 12
_TOOLS = 20
_REPLY_LINES = 50
_TEXT = 120
_PATH = 32
_ITEMS = 1
_NAMES = 3
_ROWS = 12
_STDERR_LINES = 10
_WORTH = (
    "answer", "entities", "relationships", "chunks", "references", "tool_calls", "usage", "intent", "as_of", "mode",
)  # fmt: skip
_ALWAYS = _WORTH[:4]


class Findings:
    """Prints what is found, and counts what is wrong."""

    def __init__(self) -> None:
        self._paper = paper()
        self._secrets: frozenset[str] = frozenset()
        self._target: Target | None = None
        self._boundary = Boundary(self._known_secrets, start=Path.cwd(), root=Path.cwd())
        self._problems: list[tuple[str, str]] = []
        self.settings: Mapping[str, Any] | None = None
        """The target that is suggested."""
        self.question = ""
        """What was asked."""
        self.read: Response | None = None
        """What the suggested target reads in the reply."""

    def _known_secrets(self) -> frozenset[str]:
        self._secrets |= self._target.secrets if self._target else frozenset()
        return self._secrets

    def watch(self, target: Target) -> None:
        """Hide from now on what this target wants hidden."""
        self._known_secrets()
        self._target = target

    def begin(self, spec: TargetSpec, place: str) -> None:
        """Say whom the doctor looks at."""
        names = ("url", "command", "call", "factory", "fixture", "path", "extraction", "graphml", "rdf")
        value = next((value for name in names if (value := getattr(spec, name, None))), "")
        shown = " ".join(value) if isinstance(value, list) else value
        self._step(" ", "target", f"{shown} (from {place})" if place else shown)

    def step(self, label: str, text: str) -> None:
        """Say that a step went well, and what was found."""
        self._step("✓", label, text)

    def _step(self, mark: str, label: str, text: str) -> None:
        shown = self._boundary.redactor.text(text)
        lead = self._paper.text(mark) if mark.strip() else " "
        say(self._paper.wrap(shown, first=f"{lead} {label:<{_LABEL - 2}}", most=8))

    def opened(self, target: Target, seconds: float) -> None:
        """Say that a target is open."""
        self.step("opened", f"in {seconds:.1f} s ({target.kind}: {target.name})")

    def status(self, status: TargetStatus) -> None:
        """Say what a target says of itself."""
        if status.server:
            self.step("server", status.server)
        if status.tools is not None:
            self.tools(status.tools)
        counts = {"entities": status.entities, "relationships": status.relationships}
        if told := [f"{count} {name}" for name, count in counts.items() if count is not None]:
            self.step("graph", ", ".join(told))

    def tools(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        """List tools in short form."""
        self.step("tools", str(len(tools)))
        for name, schema in list(tools.items())[:_TOOLS]:
            text = self._boundary.redactor.text(signature(name, schema))
            say(self._paper.wrap(text, first=" " * _LABEL, rest=" " * (_LABEL + 2), most=3))
        if len(tools) > _TOOLS:
            say([f"{'':{_LABEL}}and {len(tools) - _TOOLS} more"])

    def picked(self, pick: Pick) -> None:
        """Say which tool was picked, and by what."""
        others = f"; others that take one: {', '.join(pick.others)}" if pick.others else ""
        self.step("picked", f"{pick.tool}, because its argument {pick.argument!r} looks like a question{others}")

    def asked(self, question: str, asked: Asked) -> None:
        """Say what was asked, and that a reply came."""
        self.question = question
        took = f" in {asked.elapsed_s:.2f} s" if asked.elapsed_s is not None else ""
        self._step("✗" if asked.error else "✓", "asked", f"“{question}” (mode {asked.mode_ran or asked.mode}){took}")

    def _title(self, title: str) -> None:
        say(["", title, self._paper.text("─" * self._paper.width)])

    def reply(self, reply: Any) -> None:
        """Show the reply, long lists and texts cut."""
        self._title("REPLY")
        redactor = self._boundary.redactor
        short = _shortened(redactor.value(plain_data(reply)))
        text = json.dumps(short, indent=2, ensure_ascii=False, default=lambda value: redactor.text(str(value)))
        shown = text.splitlines()
        for line in shown[:_REPLY_LINES]:
            indent = " " * (len(line) - len(line.lstrip()))
            say([indent + self._paper.fit(line, self._paper.width - len(indent))])
        if len(shown) > _REPLY_LINES:
            say([self._paper.text(f"… {len(shown) - _REPLY_LINES} more lines")])

    def response(self, response: Response | None, rules: ResponseMap | None, title: str = "RESPONSE") -> None:
        """Show what a mapping makes of the reply, and where it looks."""
        if response is None:
            return
        self.read = response
        self._title(title)
        rows = []
        for part in _WORTH:
            path = (getattr(rules, part, None) or "") if rules else ""
            value = getattr(response, part)
            if value is not None or (path and not path.endswith("?")) or part in _ALWAYS:
                shown = self._paper.fit(path.removesuffix("?"), _PATH)
                rows.append((part, shown, self._boundary.redactor.text(_told(value))))
        self._table(rows)

    def unmapped(self, reply: Any, rules: ResponseMap) -> None:
        """Name what came back and is not mapped."""
        rows = [(path, described(self._boundary.redactor.value(value))) for path, value in unmapped(reply, rules)]
        self._listed("CAME BACK, NOT MAPPED", rows)

    def unfound(self, reply: Any, rules: ResponseMap) -> None:
        """Name what a mapping looks for in vain."""
        self._listed("MAPPED, NOT THERE", [(part, f"looked for at {path}") for part, path in unfound(reply, rules)])

    def _listed(self, title: str, rows: Sequence[tuple[str, str]]) -> None:
        if rows:
            self._title(title)
            self._table(rows[:_ROWS])
            if len(rows) > _ROWS:
                say([f"and {len(rows) - _ROWS} more"])

    def _table(self, rows: Iterable[Sequence[str]]) -> None:
        rows = list(rows)
        say(self._paper.table(rows, align="l" * len(rows[0])))

    def suggest(self, settings: Mapping[str, Any]) -> None:
        """Print a target to be pasted into a suite."""
        self.settings = settings
        self._title("TARGET FOR A SUITE")
        say(self._boundary.redactor.hide(target_block(settings)).splitlines())

    def problem(self, message: str, advice: str, stderr: str = "") -> None:
        """Keep what is wrong, and what to do about it, for the end."""
        redactor = self._boundary.redactor
        text = redactor.text(message)
        if stderr.strip():
            text += "".join(f"\n| {line}" for line in redactor.text(stderr).splitlines()[-_STDERR_LINES:])
        self._problems.append((text, advice))

    def conclude(self) -> int:
        """Print what is wrong and what to do.

        Returns:
            0 where nothing is wrong, else 1.
        """
        if not self._problems:
            say(["", self._paper.text("✓ the target answers, and what came back is mapped")])
            return 0
        say([""])
        cross, arrow = self._paper.text("✗"), self._paper.text("→")
        for message, advice in self._problems:
            for number, line in enumerate(message.splitlines()):
                say(self._paper.wrap(line, first=f"{cross} " if not number else "  ", rest="  ", most=12))
            say(self._paper.wrap(advice, first=f"{arrow} ", rest=" " * (len(arrow) + 1)))
        return 1


def _shortened(value: Any) -> Any:
    """Return JSON-like data with the first items of lists, and the beginnings of texts."""
    if isinstance(value, str):
        return value if len(value) <= _TEXT else f"{value[:_TEXT]}… ({len(value)} characters)"
    if isinstance(value, Mapping):
        return {key: _shortened(member) for key, member in value.items()}
    if isinstance(value, list):
        more = [f"… {len(value) - _ITEMS} more"] if len(value) > _ITEMS else []
        return [*(_shortened(item) for item in value[:_ITEMS]), *more]
    return value


def _told(value: Any) -> str:
    """Return a part of a response in a few words."""
    if value is None:
        return "not reported"
    if isinstance(value, list):
        names = ", ".join(_name(item) for item in value[:_NAMES])
        return f"{len(value)}: {names}{', …' if len(value) > _NAMES else ''}" if value else "0"
    if isinstance(value, str):
        return f"“{value}”" if value else "empty"
    return ", ".join(f"{name} {count}" for name, count in value if count not in (None, []))


def _name(item: Any) -> str:
    """Return how an item is called."""
    if isinstance(item, Mapping):
        return " ".join(map(str, item.values()))
    if hasattr(item, "source"):
        return f"{item.source} -{item.type}-> {item.target}"
    if hasattr(item, "content"):
        return str(item.id or item.content)
    if hasattr(item, "args"):
        return f"{item.name}({', '.join(item.args)})"
    return f"{item.name} ({item.type})" if getattr(item, "type", "") else str(getattr(item, "name", item))
