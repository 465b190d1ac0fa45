"""Answers that would break out of every output go through a whole run, alone and with workers, and steer nothing."""

from __future__ import annotations

import json
import unicodedata
from xml.etree import ElementTree

import pytest

from tests.properties.test_markup import Seen

from .runs import Run, run_pytest

HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(1)> </details></table> <!-- ]]>",
    "table": "| a | b |\n| --- | --- |\n`` ` @user #12 [x](http://a.example) $x$\n\n# Heading\n- item",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\x9b2J\x08\r",
    "bidi": "\u202eevil\u202c \u2066rtl\u2069 \u200f\u061c \U000e0041",
    "nul": "before\x00after \x7f \ufdd0",
    "surrogate": "lone \ud800 and \udfff",
    "command": "x\n::error file=a::b\n##[warning]x\n" + "word " * 9 + "::stop-commands::x",
    "megabytes": "| <b> `x` @user " + "x" * 5_000_000,
}
TARGET = f"REPLIES = {HOSTILE!r}\ndef ask(question):\n    return {{'answer': REPLIES[question.split()[-1]]}}\n"
EXPECT = 'expect: {numbers: ["$611.3 billion"], names: ["Doug McMillon"]}'


@pytest.fixture(scope="module", params=[(), ("-n", "2")], ids=["alone", "workers"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "toy.py").write_text(TARGET)
    scenarios = "\n".join(f'  - {{id: {name}, question: "What is {name}", {EXPECT}}}' for name in HOSTILE)
    (folder / "s.graph.yaml").write_text(f"suite: hostile\ntarget: {{call: 'toy:ask'}}\nscenarios:\n{scenarios}\n")
    (folder / "step.md").write_text("before\n")
    files = ("--junitxml=j.xml", "--graph-eval-report=r.md")
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(folder / "step.md")}
    return run_pytest(folder, *files, *request.param, **github, GITHUB_WORKSPACE=str(folder), CI="")


def steers(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char != "\n"


def test_the_terminal_shows_them_and_obeys_none(run: Run) -> None:
    assert run.code == 1
    assert f"{len(HOSTILE)} failed" in run.out
    assert not set(filter(steers, run.out))
    assert not [line for line in run.out.splitlines() if line.strip().startswith("::") or "##[" in line]
    assert "\\x1b[31mred" in run.out
    assert len(run.out) < 100_000


def test_annotations_point_to_the_suite(run: Run) -> None:
    """Those of the plugin that GitHub's users have: one a scenario, at its line."""
    places = {f"::error file=s.graph.yaml,line={line}" for line in range(4, 4 + len(HOSTILE))}
    lines = run.err.splitlines()
    assert len(lines) == len(HOSTILE)
    assert {line.partition("::[graph-eval]")[0] for line in lines} == places


def test_the_results_hold_them_as_they_came(run: Run) -> None:
    found = {r["id"]: r["answer"] for r in run.records}
    escaped = {name: text.encode("utf-8", "backslashreplace").decode() for name, text in HOSTILE.items()}
    assert {name: found[name].encode("utf-8", "backslashreplace").decode() for name in HOSTILE} == escaped
    assert run.summary["counts"]["failed"] == len(HOSTILE)
    assert len(json.dumps(run.summary)) < 100_000


def test_the_markdown_has_no_tag_and_no_row_of_theirs(run: Run) -> None:
    text = (run.folder / "r.md").read_text(encoding="utf-8")
    page = Seen(text)
    assert set(page.tags) <= {
        "h2", "h3", "p", "strong", "code", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details",
        "summary", "b",
    }  # fmt: skip
    assert page.tags.count("summary") == text.count("<details>") == text.count("\n</details>") > len(HOSTILE)
    assert not set(filter(steers, text))
    assert not {"@", "#", "$", "<"} & set(page.plain)
    assert len(text.encode()) < 60_000


def test_the_step_summary_follows_what_was_there(run: Run) -> None:
    step, report = ((run.folder / name).read_text(encoding="utf-8") for name in ("step.md", "r.md"))
    assert step == f"before\n\n\n{report}"


def test_the_junit_file_is_valid_and_small(run: Run) -> None:
    path = run.folder / "j.xml"
    cases = {case.get("name"): case for case in ElementTree.parse(path).iter("testcase")}
    assert cases.keys() == HOSTILE.keys()
    for case in cases.values():
        properties = {p.get("name"): p.get("value") for p in case.iter("property")}
        assert (properties["graph_eval_status"], properties["graph_eval_facts"]) == ("FAIL", "0.0")
        (failure,) = case.iter("failure")
        assert "re-run: pytest --graph-eval s.graph.yaml::" in (failure.text or "")
    assert path.stat().st_size < 100_000


def test_the_junit_file_has_the_verdict(run: Run) -> None:
    (suite,) = ElementTree.parse(run.folder / "j.xml").iter("testsuite")
    properties = {p.get("name"): p.get("value") for p in suite.findall("properties/property")}
    assert properties["graph_eval_verdict"] == "FAIL"
    assert properties["graph_eval_questions"] == str(len(HOSTILE))
