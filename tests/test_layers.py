"""Imports go strictly downwards; the two tables below are the architecture."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pytest_graph_eval"

# The first part of a module's name to its layer.
LAYERS = {
    **dict.fromkeys(("errors", "files", "garbage", "interrupts", "lazy_re", "once", "texts"), 0),
    **dict.fromkeys(("models", "redaction"), 1),
    **dict.fromkeys(("yaml_source", "loader", "formats", "metrics", "targets", "graph"), 2),
    "evaluation": 3,
    "gate": 4,
    **dict.fromkeys(("reports", "results", "library", "judged", "generate", "catalogs"), 5),
    **dict.fromkeys(("plugin", "hookspecs", "run", "boundary", "step_summary", "cli", "commands"), 6),
}

# Arrows inside a layer, from -> to.
INSIDE = {
    ("redaction", "models"),
    *(("loader", reader) for reader in ("yaml_source", "formats", "graph", "metrics", "targets")),
    *(("formats", lower) for lower in ("graph", "metrics", "yaml_source")),
    ("targets", "graph"),
    ("library", "judged"),
    ("library", "catalogs"),
    ("library", "generate"),
    ("catalogs", "generate"),
    ("plugin", "hookspecs"),
    ("plugin", "run"),
    ("run", "plugin"),
    ("run", "boundary"),
    ("run", "step_summary"),
    ("cli", "commands"),
    ("commands", "boundary"),
    ("commands", "step_summary"),
}


def modules() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if p.name != "__init__.py" or p.parent != PACKAGE)


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> set[str]:
    """Return the dotted names that a module imports when it runs, wherever in it the import stands."""
    names = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_downwards(path: Path) -> None:
    here = part(path)
    for name in imports(path):
        package, _, rest = name.partition(".")
        there = rest.partition(".")[0]
        if package != "pytest_graph_eval" or there == here or there not in LAYERS:
            continue
        allowed = LAYERS[there] < LAYERS[here] or (here, there) in INSIDE
        assert allowed, f"{here} (layer {LAYERS[here]}) imports {there} (layer {LAYERS[there]})"


def test_only_the_top_layer_imports_pytest() -> None:
    users = {part(p) for p in modules() if {n.partition(".")[0] for n in imports(p)} & {"pytest", "_pytest"}}
    assert users == {"plugin", "hookspecs", "run"}


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    dotted = {".".join(("pytest_graph_eval", *p.relative_to(PACKAGE).with_suffix("").parts)): p for p in modules()}
    del dotted["pytest_graph_eval.plugin"]  # it is there in every run, and imports the others when one asks for them
    TopologicalSorter({name: imports(path) & dotted.keys() for name, path in dotted.items()}).prepare()


def test_only_two_modules_import_the_mcp_sdk() -> None:
    users = {
        p.relative_to(PACKAGE).as_posix() for p in modules() if any(n.partition(".")[0] == "mcp" for n in imports(p))
    }
    assert users == {"targets/mcp/sdk.py", "graph/server.py"}


def test_every_module_says_its_responsibility_first() -> None:
    for path in modules():
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_the_table_for_contributors_names_every_module_in_its_layer() -> None:
    text = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| ([^|]+) \|", text, flags=re.MULTILINE)
    told = {name: int(layer) for layer, names in rows for name in re.findall(r"`(\w+)/?`", names)}
    assert told == LAYERS
    assert {part(path) for path in modules()} == set(LAYERS)


def test_inside_arrows_are_all_needed() -> None:
    found = {
        (part(p), name.split(".")[1])
        for p in modules()
        for name in imports(p)
        if name.startswith("pytest_graph_eval.") and name.split(".")[1] in LAYERS
    }
    assert found >= INSIDE
