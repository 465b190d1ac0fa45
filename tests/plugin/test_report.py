"""`--graph-eval-report`: which files are written, when, and what is said where they cannot be."""

from __future__ import annotations

import json
import sys

import pytest

from .conftest import Bench, check


def test_reports_are_written_at_the_end_also_after_a_stop(bench: Bench) -> None:
    bench.suite("\n".join(check(word, word) for word in ("good", "wrong", "empty")))
    result = bench.run("-x", "--graph-eval-report", "out/r.html", "--graph-eval-report=r.json")
    result.stdout.fnmatch_lines(["report: *r.html", "report: *r.json"])
    page = (bench.path / "out/r.html").read_text(encoding="utf-8")
    assert "FAIL" in page
    assert "wrong question" in page
    data = json.loads((bench.path / "r.json").read_text(encoding="utf-8"))
    assert data["summary"]["threshold_result"] == "FAIL"
    assert [r["status"] for r in data["records"]] == ["PASS", "FAIL"]


def test_reports_are_written_after_an_interruption(bench: Bench) -> None:
    bench.suite("\n".join(check(word, word) for word in ("good", "interrupt", "wrong")))
    bench.run("--graph-eval-report=r.html", "--graph-eval-concurrency=1", alone=True)
    assert "INTERRUPTED" in (bench.path / "r.html").read_text(encoding="utf-8")


def test_the_ini_key_names_files_in_its_own_folder(bench: Bench) -> None:
    bench.suite(check("good"))
    bench.pytester.makeini("[pytest]\ngraph_eval_report =\n  a.html\n  b.json\n")
    bench.run()
    assert (bench.path / "a.html").exists()
    assert (bench.path / "b.json").exists()


def test_every_file_that_cannot_be_written_is_named_before_the_first_question(bench: Bench) -> None:
    bench.suite(check("good"))
    (bench.path / "folder.html").mkdir()
    names = ("r.pdf", "r", "toy.py/r.html", "folder.html")
    result = bench.run(*(f"--graph-eval-report={name}" for name in names))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    for text in (
        "*r.pdf: the suffix `.pdf` names no form of a report; expected one of `.html`, *`.json`*",
        "*/r: no suffix names no form of a report*",
        "*toy.py/r.html: *toy.py is not a folder; name a folder that can be written to*",
        "*folder.html: this is a folder; name a file*",
    ):
        result.stderr.fnmatch_lines([text])
    assert not (bench.path / "evals").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder that seems to take files on Linux only")
def test_a_folder_that_takes_no_files_is_told_before_the_first_question(bench: Bench) -> None:
    bench.suite(check("good"))
    result = bench.run("--graph-eval-report=/proc/r.html")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--graph-eval-report /proc/r.html: /proc *; name another folder"])
    assert not (bench.path / "evals").exists()


def test_a_report_that_is_lost_in_the_end_costs_neither_results_nor_other_reports_but_is_no_success(
    bench: Bench,
) -> None:
    bench.suite(check("good"))
    bench.pytester.makeconftest(
        "def pytest_graph_eval_summary(config, summary):\n    (config.rootpath / 'r.json').mkdir()\n"
    )
    result = bench.run("--graph-eval-report=r.json", "--graph-eval-report=s.html")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "verdict PASS; exit 1 because the report was not written",
            "report *r.json was not written: Is a directory; name another file",
            "report: *s.html",
        ]
    )
    assert bench.summary()["threshold_result"] == "PASS"


def test_a_plan_that_is_lost_is_no_success(bench: Bench) -> None:
    bench.suite(check("good"))
    bench.pytester.makeconftest(
        "def pytest_collection_finish(session):\n    (session.config.rootpath / 'p.html').mkdir()\n"
    )
    result = bench.run("--collect-only", "--graph-eval-report=p.html")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["plan p.html was not written: Is a directory; name another file"])


def test_a_step_summary_that_cannot_be_written_costs_nothing_else(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bench.path / "no/step.md"))
    bench.suite(check("good"))
    result = bench.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["step summary ($GITHUB_STEP_SUMMARY) was not written: No such file or directory"])


def test_collect_only_writes_a_plan_and_asks_nothing(bench: Bench) -> None:
    bench.suite(
        "\n".join((check("crash", "first"), check("good", "second", ", skip: later, repeats: 3, tags: [smoke]")))
    )
    args = ("--collect-only", "--graph-eval-report=p.html", "--graph-eval-report=p.json")
    result = bench.run(*args)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["plan: *p.html", "plan *p.json was not written: *name an .html file"])
    page = (bench.path / "p.html").read_text(encoding="utf-8")
    for text in ("2 scenarios of 1 suite", "1 question would be asked", "crash question", '["Repeats", "3"]', ">skip<"):
        assert text in page
    assert not (bench.path / "evals").exists()


def test_collecting_leaves_a_report_alone_that_only_the_ini_file_names(bench: Bench) -> None:
    bench.suite(check("good"))
    bench.pytester.makeini("[pytest]\ngraph_eval_report = r.html\n")
    bench.run("--collect-only")
    assert not (bench.path / "r.html").exists()


def test_the_texts_that_a_target_retrieved_are_kept_for_the_report(bench: Bench) -> None:
    bench.suite(check("good"))
    bench.run("--graph-eval-report=r.html")
    (record,) = bench.records()
    assert record["contexts"] == ["Total revenues were $611.3 billion."]
    assert "Total revenues were " in (bench.path / "r.html").read_text(encoding="utf-8")
