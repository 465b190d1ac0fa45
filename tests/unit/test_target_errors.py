"""What to do about each error of a target stands in the reference, or in the message itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_graph_eval import errors

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_graph_eval"
SOURCES = [*(PACKAGE / "targets").rglob("*.py"), *(PACKAGE / "evaluation").glob("*.py")]
RAISED = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.TargetError)
}
SAYS_WHAT_TO_DO = re.compile(
    r"; (give|write|name|remove|stop|correct|ask|let|call|record|it takes|is it|see|make|say)\b|give the files"
    r"|Correct the address|is `url:` right|write that address|is the address that of"
)


def _text(node: ast.expr) -> str:
    """Return a message with `…` for what is filled in; an empty text where it is made elsewhere."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
    if isinstance(node, ast.Call):  # located(where, text), text.rstrip()
        return _text(node.args[-1]) if node.args else _text(getattr(node.func, "value", node.func))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _messages() -> Iterator[tuple[str, str]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                text = _text(node.args[0]) if node.func.id in {*RAISED, "PathError", "ToolError", "UsageError"} else ""
                if text.strip(" …:") not in ("", "the server"):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", text


MESSAGES = dict(_messages())


def _patterns() -> list[str]:
    text = (ROOT / ".github/REFERENCE.md").read_text(encoding="utf-8")
    body = text.partition("### Errors of targets\n")[2].partition("\n### ")[0]
    cells = [line.split(" | ")[0] for line in body.splitlines() if line.startswith("| `")]
    return [pattern for cell in cells for pattern in re.findall("`([^`]+)`", cell)]


def _covers(pattern: str, message: str) -> bool:
    return re.match(".*".join(map(re.escape, pattern.split("…"))) + r"(\W|\Z)", message + " ", re.DOTALL) is not None


def test_the_errors_are_found() -> None:
    assert len(MESSAGES) > 80
    assert len(_patterns()) > 40


@pytest.mark.parametrize("place", MESSAGES)
def test_an_error_of_a_target_says_what_to_do_or_is_in_the_reference(place: str) -> None:
    message = MESSAGES[place]
    assert SAYS_WHAT_TO_DO.search(message) or any(_covers(pattern, message) for pattern in _patterns()), message


MADE_ELSEWHERE = ("the server ended …", "the server was ended …", "… (…): …", "…: given up after …")


@pytest.mark.parametrize("pattern", _patterns())
def test_a_row_of_the_reference_is_about_an_error_that_is_raised(pattern: str) -> None:
    assert pattern in MADE_ELSEWHERE or any(_covers(pattern, message) for message in MESSAGES.values())
