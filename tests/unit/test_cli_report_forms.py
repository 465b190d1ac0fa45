"""`graph-eval report RESULTS -o r.html`: reports out of old results, with the summaries beside them where there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_graph_eval import cli
from pytest_graph_eval.models.settings import Gate
from tests.unit.cli_runs import results, run
from tests.unit.gate_records import SUITE, info, make
from tests.unit.report_samples import full


def report(*args: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.main(["report", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_page_has_the_verdict_of_the_summary_and_the_course_of_older_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older = [make("full", "FAIL", 0.2)]
    run(tmp_path, older, number=1)
    (tmp_path / "summary_20260530T134502Z.json").write_text("no summary", encoding="utf-8")
    first = json.loads((tmp_path / "summary_20260530T134501Z.json").read_text(encoding="utf-8"))
    (tmp_path / "summary_20260530T134501Z.json").write_text(
        json.dumps({**first, "run_at": "2026-05-01T00:00:00Z"}), encoding="utf-8"
    )
    path, _ = run(tmp_path, [full()], {SUITE: info(scenarios=1, name="walmart-10k")}, number=3)
    page = tmp_path / "pages/r.html"
    assert report(path, "-o", page, capsys=capsys) == (0, "", "")
    text = page.read_text(encoding="utf-8")
    assert "Why FAIL" in text
    assert "2026-05-01T00:00:00Z: overall 0.20, verdict FAIL" in text
    assert "no_summary" not in text


def test_without_a_summary_the_page_says_by_which_gate_it_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path, [make("a", mean=1.0)])
    code, out, _ = report(path, "--format", "json", capsys=capsys)
    reasons = {r["code"]: r for r in json.loads(out)["summary"]["verdict_reasons"]}
    assert code == 0
    assert reasons["no_summary"]["level"] == "WARN"
    assert "judged by the default gate" in reasons["no_summary"]["text"]


def test_shards_become_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suites = {SUITE: info(Gate.model_validate({"overall": 0.9}), scenarios=2)}
    blocks = {"baseline": {"n_paired": 1}}
    run(tmp_path, [make("a", mean=1.0)], suites, number=1, partial="-k a", collected=2, deselected=1, blocks=blocks)
    run(tmp_path, [make("b", mean=0.6)], suites, number=2, partial="-k b", collected=2, deselected=1)
    _, out, _ = report(tmp_path, "--format", "json", capsys=capsys)
    summary = json.loads(out)["summary"]
    assert (summary["total_questions"], summary["run"]["status"]) == (2, "COMPLETE")
    codes = {r["code"]: r["level"] for r in summary["verdict_reasons"]}
    assert codes["below_threshold"] == "FAIL"
    assert codes["not_compared"] == "WARN"
    assert report(tmp_path, "-o", tmp_path / "r.md", capsys=capsys)[0] == 0
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.startswith("## ❌ Graph evaluation: FAIL")
    assert "2 of 2 scenarios passed (100%), overall score 0.80." in text


def test_the_keys_of_the_ancestor_alone_make_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"id": "TC1", "scores": {"mean": 0.9}, "status": "PASS", "question": "Who?", "hallucinations": []}
    path = tmp_path / "evaluation_results_old.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    code, out, _ = report(path, "--format", "html", capsys=capsys)
    assert code == 0
    assert "TC1" in out


def test_a_record_that_was_damaged_is_told_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"id": "a", "scores": {"mean": 0.9}, "status": "PASS", "steps": {"groups": [1]}}
    path = tmp_path / "evaluation_results_x.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    code, _, err = report(path, "--format", "html", capsys=capsys)
    assert code == 2
    assert "a record holds what no record of this plugin holds (AttributeError:" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "no form: name one with --format, or a file with -o whose suffix says it, such as report.html"),
        (("-o", "r.pdf"), "-o r.pdf: the suffix `.pdf` names no form of a report; expected one of `.html`,"),
        (("-o", "r.html", "--zeros"), "--zeros: a report shows what nobody measured as unknown"),
        (("-o", "r.html", "--history", "no"), "--history no: no such folder; expected folders with summary_*.json"),
    ],
)
def test_what_cannot_be_done_is_said(
    args: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = results(tmp_path, [make("a")])
    code, _, err = report(path, *args, capsys=capsys)
    assert code == 2
    assert message in err
