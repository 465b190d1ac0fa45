"""`--graph-eval-facts`: what a run says and does where the catalog no longer says what scenarios expect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval.generate.sources import read_sources
from pytest_graph_eval.generate.suite import suite_of
from pytest_graph_eval.loader.writer import dump_suite
from pytest_graph_eval.models.scenario import Suite
from tests.unit.graph_samples import chunk, edge, entity, write

from .conftest import Bench

FACTS = "--graph-eval-facts"


def figure(metric: str, value: str, source: str) -> dict[str, Any]:
    return entity(f"{metric.upper()} FY2023", "FINANCIAL_METRIC", f"{metric} were {value} in FY2023.", source)


def graph(sales: str = "$5.1 million", costs: str | None = "$3.2 million", **more: str) -> dict[str, Any]:
    """A company and its figures; every further keyword is one more figure."""
    values = {"Sales": sales, **({"Costs": costs} if costs else {}), **more}
    found = list(enumerate(values.items(), 1))
    return {
        "document_id": "d",
        "file_path": "d.md",
        "chunks": [chunk(n, f"Fjordverft: {metric} were {value} in FY2023.") for n, (metric, value) in found],
        "entities": [
            entity("Fjordverft", "COMPANY", "Fjordverft is a shipyard.", "c1"),
            *(figure(metric, value, f"c{n}") for n, (metric, value) in found),
        ],
        "relationships": [
            edge("Fjordverft", f"{metric.upper()} FY2023", "REPORTED_METRIC", "It reported it.", f"c{n}")
            for n, (metric, _) in found
        ],
    }


def made_from(path: Path) -> Suite:
    return suite_of(read_sources([path]).catalog)


@pytest.fixture
def made(bench: Bench) -> Bench:
    """Return a folder with a suite that was generated from `then.json`, asks it, and has the catalog `now.json`."""
    path = write(bench.path, "then.json", graph())
    suite = made_from(path)
    assert {s.question for s in suite.scenarios} >= {
        "What were Fjordverft's sales in FY2023?", "What were Fjordverft's costs in FY2023?",
    }  # fmt: skip
    keep = [s for s in suite.scenarios if s.category == "metric_retrieval"]
    data = {"target": {"extraction": ["then.json"]}, "catalog": ["now.json"], "scenarios": keep}
    (bench.path / "s.graph.yaml").write_text(dump_suite(Suite.model_validate(data)), encoding="utf-8")
    return bench


def now(bench: Bench, **values: Any) -> None:
    write(bench.path, "now.json", graph(**values))


def facts(bench: Bench) -> dict[str, dict[str, list[str]]]:
    """Return what the records say of the freshness of sales and costs."""
    keys = ("stale", "refreshed", "unchecked")
    return {
        r["question"].split()[3].lower(): {key: r["facts"][key] for key in keys if key in r["facts"]}
        for r in bench.records()
    }


def codes(bench: Bench) -> dict[str, tuple[str, str]]:
    return {r["code"]: (r["level"], r["text"]) for r in bench.summary()["verdict_reasons"]}


CHANGED = ["gold_answer: $5.1 million -> $5.4 million", "numbers: $5.1 million -> $5.4 million"]


def test_check_is_the_default_and_warns_of_what_changed_and_of_nothing_else(made: Bench) -> None:
    now(made, sales="$5.4 million", Taxes="$1.0 million")
    result = made.run()
    assert result.ret == 0
    assert facts(made) == {"sales": {"stale": CHANGED}, "costs": {"stale": []}}
    assert {r["status"] for r in made.records()} == {"PASS"}
    level, text = codes(made)["stale_facts"]
    assert level == made.summary()["threshold_result"] == "WARN"
    assert text.startswith("1 scenario expecting what the catalog no longer says: metric_retrieval-sales-fy2023-")
    assert CHANGED[0] in text
    assert text.endswith("; generate the suite again, or run with --graph-eval-facts refresh")
    issue = next(i for i in made.summary()["issues"] if i["kind"] == "stale")
    assert issue["text"] == "; ".join(CHANGED)
    result.stdout.fnmatch_lines(["Stale Facts: *1 scenario expecting what the catalog no longer says*"])
    assert made.run("--graph-eval-strict").ret == 1


def test_refresh_judges_by_what_the_catalog_says_and_off_by_what_is_written(made: Bench) -> None:
    now(made, sales="$5.4 million")
    result = made.run(FACTS, "refresh")
    assert facts(made) == {"sales": {"stale": [], "refreshed": CHANGED}, "costs": {"stale": []}}
    assert {r["question"].split()[3]: r["status"] for r in made.records()} == {"sales": "FAIL", "costs": "PASS"}
    assert "stale_facts" not in codes(made)
    assert codes(made)["facts_refreshed"][0] == "NOTE"
    result.stdout.fnmatch_lines(
        ["*numbers: $5.4 million is not stated*", "*facts refreshed: gold_answer: $5.1 million*"]
    )
    made.run(FACTS, "off")
    assert facts(made) == {"sales": {}, "costs": {}}
    assert codes(made) == {}


@pytest.mark.parametrize("mode", ["check", "refresh"])
def test_what_the_catalog_no_longer_answers_keeps_its_facts(made: Bench, mode: str) -> None:
    now(made, costs=None)
    made.run(FACTS, mode)
    (stale,) = facts(made)["costs"]["stale"]
    assert stale.startswith("$3.2 million; numbers: $3.2 million -> nothing: the graph no longer answers it")
    assert {r["status"] for r in made.records()} == {"PASS"}
    assert codes(made)["stale_facts"][0] == "WARN"


def test_workers_and_a_baseline_see_the_same_scenarios(made: Bench) -> None:
    now(made)
    made.run("--graph-eval-save-baseline=b.json")
    now(made, sales="$5.4 million")
    write(made.path, "then.json", graph(sales="$5.4 million"))
    made.run(FACTS, "refresh", "--graph-eval-baseline=b.json")
    alone = [(r["id"], r["fingerprint"], r["facts"], r["status"]) for r in made.records()]
    sales = next(r["id"] for r in made.records() if "sales" in r["id"])
    assert made.summary()["baseline"]["changed"] == [sales]
    made.run(FACTS, "refresh", "--graph-eval-baseline=b.json", "-n", "2")
    assert [(r["id"], r["fingerprint"], r["facts"], r["status"]) for r in made.records()] == alone
    assert made.summary()["baseline"]["changed"] == [sales]
    assert {r["status"] for r in made.records()} == {"PASS"}


def test_what_is_taken_over_from_an_earlier_run_is_compared_with_the_catalog_of_now(made: Bench) -> None:
    now(made)
    made.run()
    (finished,) = (made.path / "evals/results").glob("*.jsonl")
    now(made, sales="$5.4 million")
    made.run(f"--graph-eval-resume={finished}")
    assert {flag for r in made.records() for flag in r["flags"]} == {"resumed"}
    assert facts(made) == {"sales": {"stale": CHANGED}, "costs": {"stale": []}}
    assert all(r["facts"]["hits"] for r in made.records())


def test_a_catalog_that_cannot_be_read_fails_the_gate_and_loses_nothing(made: Bench) -> None:
    result = made.run()
    assert result.ret == 1
    assert [(r["status"], r["facts"].get("stale")) for r in made.records()] == [("PASS", None)] * 2
    level, text = codes(made)["catalog_unreadable"]
    assert level == "FAIL"
    assert "s.graph.yaml:4: the catalog cannot be read: now.json: no such file" in text
    assert "mend it, or remove it from the suite" in made.records()[0]["explain"]["catalog"]
    (made.path / "now.json").write_text('{"entities": 5}', encoding="utf-8")
    made.run()
    assert "now.json" in codes(made)["catalog_unreadable"][1]
    suite = made.path / "s.graph.yaml"
    suite.write_text(suite.read_text("utf-8").replace("- now.json", '- "\\0"'), encoding="utf-8")
    made.run()
    assert "the catalog cannot be read: embedded null byte" in codes(made)["catalog_unreadable"][1]


def test_recipes_of_tdfs4ds_are_kept_and_said_to_be_unchecked(bench: Bench) -> None:
    turn = {"turn": 1, "user": "good question", "fact_spec": {"kind": "freshness", "feature": "X"},
            "expected_facts": {"must_exist": True}}  # fmt: skip
    write(bench.path, "set.json", json.dumps({"scenarios": [{"id": "T1", "turns": [turn]}]}))
    write(bench.path, "now.json", graph())
    bench.suite("[]", head="catalog: now.json\ndatasets: [{path: set.json, format: tdfs4ds}]")
    assert bench.run(FACTS, "refresh").ret == 0
    assert bench.records()[0]["facts"]["unchecked"] == ["its fact_spec has no digest: another project made it"]
    assert codes(bench)["facts_unchecked"][0] == "NOTE"
    assert bench.summary()["threshold_result"] == "PASS"


def test_ini_and_environment_say_the_mode_and_no_other_word_does(made: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    now(made, sales="$5.4 million")
    made.pytester.makeini("[pytest]\ngraph_eval_facts = refresh\n")
    made.run()
    assert "refreshed" in facts(made)["sales"]
    monkeypatch.setenv("GRAPH_EVAL_FACTS", "off")
    made.run()
    assert facts(made)["sales"] == {}
    monkeypatch.setenv("GRAPH_EVAL_FACTS", "fresh")
    result = made.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*GRAPH_EVAL_FACTS fresh: expected `check`, `refresh`, `off`*"])
