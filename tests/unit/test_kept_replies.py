"""Raw replies are files: redacted, bounded, and under the names of their questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.errors import TargetError
from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.models.records import Response, ToolCall
from pytest_graph_eval.models.scenario import Scenario
from pytest_graph_eval.redaction import Redactor
from pytest_graph_eval.run.kept_replies import LONGEST, KeptReplies

LONE = Scenario.model_validate({"id": "a", "question": "q?"})


def kept(folder: Path, asked: Asked, scenario: Scenario = LONE, repeat: int = 1) -> dict[str, Any]:
    replies = KeptReplies(folder, lambda: Redactor(["s3cret-token"]))
    assert replies.keep("evals/s.graph.yaml", scenario, asked, repeat)
    found = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.json")}
    return {name: json.loads(text) for name, text in found.items()}


def test_a_reply_is_kept_as_it_came_without_secrets(tmp_path: Path) -> None:
    asked = Asked(Response(answer="a"), reply={"answer": "a", "by": "s3cret-token", "n": float("nan")})
    assert kept(tmp_path, asked) == {
        "evals/s.graph.yaml/a.json": {
            "question": "q?",
            "reply": {"answer": "a", "by": "***", "n": None},
            "response": {"answer": "a", "status": "success", "attempts": 1},
        }
    }


def test_each_turn_and_each_repeat_has_its_own_file(tmp_path: Path) -> None:
    scenario = Scenario.model_validate(
        {"id": "t", "turns": [{"question": "1?"}, {"question": "2?"}, {"question": "3?"}]}
    )
    asked = Asked(turns=[Asked(Response(), reply="one"), Asked(error=TargetError("lost"))])
    kept(tmp_path, asked, scenario)
    found = kept(tmp_path, asked, scenario, repeat=2)
    assert sorted(found) == [f"evals/s.graph.yaml/t@turn{n}{again}.json" for n in (1, 2) for again in ("", "@2")]
    assert found["evals/s.graph.yaml/t@turn2.json"] == {"question": "2?", "error": "lost"}


def test_a_repeat_is_no_scenario_with_a_number_in_its_id(tmp_path: Path) -> None:
    other = Scenario.model_validate({"id": "a.2", "question": "other?"})
    kept(tmp_path, Asked(reply="again"), repeat=2)
    assert len(kept(tmp_path, Asked(reply="other"), other)) == 2


def test_data_that_is_no_json_is_text_and_costs_no_scenario(tmp_path: Path) -> None:
    own: list[Any] = []
    own.append(own)
    for value, text in ((b"\xff", "\\xff"), (own, "[...]"), (object(), "<object")):
        response = Response(answer="12", tool_calls=[ToolCall(name="t", args={"a": value})])
        (found,) = kept(tmp_path, Asked(response)).values()
        assert text in str(found["response"])


def test_what_is_long_or_no_data_is_text(tmp_path: Path) -> None:
    own: list[Any] = []
    own.append(own)
    assert kept(tmp_path, Asked(reply=own))["evals/s.graph.yaml/a.json"]["reply"] == "[[...]]"
    (found,) = kept(tmp_path, Asked(reply=["x" * LONGEST])).values()
    assert len(found["reply"]) == LONGEST + 3


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "evals").write_text("in the way")
    assert not KeptReplies(tmp_path, Redactor).keep("evals/s.graph.yaml", LONE, Asked(), 1)


@pytest.mark.parametrize("suite", ["../s.graph.yaml", "/etc/s.graph.yaml", "../../s.graph.yaml"])
def test_no_file_is_written_outside_the_folder(tmp_path: Path, suite: str) -> None:
    assert KeptReplies(tmp_path / "kept", Redactor).keep(suite, LONE, Asked(), 1)
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
