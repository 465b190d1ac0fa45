"""Writes the files in this repository that are made of the package: `python -m tests.generated`."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_graph_eval.commands.init import workflow
from pytest_graph_eval.loader import suite_schema

ROOT = Path(__file__).parent.parent


def generated() -> dict[str, str]:
    """Return the path and the text of each file."""
    return {
        ".github/workflows/graph-eval.yml": workflow(package=".", folder=".", suites="example_suites"),
        "example_suites/graph-eval.schema.json": json.dumps(suite_schema(), indent=1, ensure_ascii=False) + "\n",
    }


if __name__ == "__main__":
    for name, text in generated().items():
        (ROOT / name).write_text(text, encoding="utf-8")
