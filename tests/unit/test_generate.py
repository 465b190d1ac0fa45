"""Suites out of graphs: what is asked, what is not, and that it never depends on the machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_graph_eval import cli, evaluate, generate, load_suite, save_suite
from pytest_graph_eval.errors import DataError, UsageError
from pytest_graph_eval.generate.drafts import Ask, Fact, digest_of
from pytest_graph_eval.generate.kinds.table import DIGEST, rebuild
from pytest_graph_eval.generate.quality import holds_answer
from pytest_graph_eval.generate.suite import Options, suite_of
from pytest_graph_eval.generate.view import View
from pytest_graph_eval.graph.catalog import Catalog
from pytest_graph_eval.models.scenario import Suite
from tests.unit.graph_samples import FERRIES, chunk, tiny, write

WALMART = Path(__file__).parent.parent.parent / "example_suites/walmart/walmart_extraction.json"
SIX = {"metric_retrieval", "entity_relationship", "segment_performance", "risk_factor", "yoy_comparison", "multi_hop"}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return generate(WALMART, folder=WALMART.parent)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.from_files([WALMART])


def questions(suite: Suite) -> dict[str, str]:
    """Return the gold answers of lone questions by question."""
    return {s.question: s.gold_answer or "" for s in suite.scenarios}


# --- from the Walmart extraction --------------------------------------------------------------------------------------


def test_default_counts_are_those_of_the_first_ancestor_and_more(suite: Suite) -> None:
    assert {s.category for s in suite.scenarios} >= SIX
    levels = [s.difficulty for s in suite.scenarios]
    assert len(levels) >= 20
    assert all(levels.count(level) >= least for level, least in (("easy", 6), ("medium", 8), ("hard", 4)))


def test_all_of_it_is_green_on_the_embedded_graph(suite: Suite) -> None:
    records = evaluate(suite, folder=WALMART.parent)
    assert [(r.id, r.reason) for r in records if r.status != "PASS"] == []
    scores = [r.scores["answer_correctness"] for r in records if r.scores["answer_correctness"] is not None]
    assert len(scores) >= 20
    assert sum(scores) / len(scores) >= 0.95


def test_gold_answers_are_in_the_ancestors_form(catalog: Catalog) -> None:
    found = questions(generate(catalog, per_category=12))
    assert found["What were Walmart's total revenues in FY2023?"] == "$611.3 billion"
    assert found["Who is the Chairman of the Board of Directors of Walmart?"] == "Gregory B. Penner"
    assert found["What were the net sales of Walmart U.S. in FY2022?"] == "$393.2 billion"
    change = found["How did Walmart's total revenues change from FY2022 to FY2023?"]
    assert change == "Increased from $572.8B to $611.3B (+$38.5B, +6.7%)"
    assert found["How did the number of Walmart's associates change from FY2022 to FY2023?"].startswith("Decreased")
    assert found["What are Walmart's cybersecurity risks?"].startswith("A breach of information systems")


def test_a_stated_change_comes_from_unrounded_values(catalog: Catalog) -> None:
    """420.6 - 393.2 is 27.4; the filing says 27.3."""
    scenario = next(
        s for s in generate(catalog, per_category=12).scenarios
        if s.category == "yoy_comparison" and "Walmart U.S." in s.question
    )  # fmt: skip
    assert scenario.gold_answer == "Increased from $393.2B to $420.6B (+$27.3B, +6.9%)"
    assert scenario.expect.numbers is not None
    assert (scenario.expect.numbers[2].value, scenario.expect.numbers[2].abs_tol) == ("+$27.3B", 1e8)


def mutated(catalog: Catalog, fact: Fact) -> Catalog:
    """Return a graph without one fact: the edge, or what the description of the entity says."""
    if fact[0] in ("edge", "change", "role"):
        ends = {fact[1], fact[3] if fact[0] == "edge" else fact[2]}
        kept = tuple(r for r in catalog.relationships if {r.source, r.target} != ends)
        assert len(kept) < len(catalog.relationships), fact
        return replace(catalog, relationships=kept)
    assert fact[0] in ("figure", "says"), fact
    entities = tuple(replace(e, description="") if e.name == fact[1] else e for e in catalog.entities)
    return replace(catalog, entities=entities)


def test_removing_any_relationship_or_figure_that_is_used_makes_a_scenario_stale(catalog: Catalog) -> None:
    view = View(catalog)
    tried = 0
    for scenario in generate(catalog, per_category=4).scenarios:
        draft = rebuild(view, scenario.fact_spec)
        assert draft is not None
        assert digest_of(draft.used) == scenario.fact_spec[DIGEST]
        assert draft.used or scenario.category == "out_of_scope"
        for fact in sorted(draft.used):
            after = rebuild(View(mutated(catalog, fact)), scenario.fact_spec)
            assert after is None or digest_of(after.used) != scenario.fact_spec[DIGEST], (scenario.id, fact)
            tried += 1
    assert tried > 40


def test_one_more_entity_changes_nothing_else(catalog: Catalog) -> None:
    before = {s.id: s for s in generate(catalog, per_category=4).scenarios}
    new = replace(catalog.entities[0], name="ZEBRA PAPER", label="ZEBRA PAPER", description="Zebra Paper prints cards.")
    more = replace(catalog, entities=tuple(sorted((*catalog.entities, new), key=lambda e: e.name)))
    for scenario in before.values():
        draft = rebuild(View(more), scenario.fact_spec)
        assert draft is not None
        assert digest_of(draft.used) == scenario.fact_spec[DIGEST]
    assert {s.id for s in generate(more, per_category=4).scenarios} >= {i for i in before if not i.startswith("def")}


@pytest.mark.slow
def test_no_question_holds_its_answer_or_breaks_off(catalog: Catalog) -> None:
    for seed in range(3):
        for s in generate(catalog, seed=seed, per_category=20).scenarios:
            assert s.question.endswith("?")
            assert s.question.split()[-1].rstrip("?") not in {"the", "a", "and", "of"} or s.category == "x"
            assert not (s.gold_answer and holds_answer(Ask(s.question, s.gold_answer))), s.question


# --- the same bytes ---------------------------------------------------------------------------------------------------


def shuffled(folder: Path, seed: int) -> list[Path]:
    """Write the Walmart extraction as two files, everything in another order."""
    draw = random.Random(seed)
    data = json.loads(WALMART.read_text("utf-8"))
    for kind in ("chunks", "entities", "relationships"):
        draw.shuffle(data[kind])
    paths = [write(folder, "a.json", data), write(folder, "b.json", {**FERRIES, "chunks": FERRIES["chunks"][::-1]})]
    return paths if seed % 2 else paths[::-1]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_whatever_the_order_and_the_hashes(tmp_path: Path) -> None:
    written = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        code = (
            "import sys; from pytest_graph_eval.cli import main; "
            "sys.exit(main(['generate', '-o', 'g.graph.yaml', '--count', '60', *sys.argv[1:]]))"
        )
        names = [path.name for path in shuffled(folder, seed)]
        env = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", code, *names], cwd=folder, env=env, check=True, capture_output=True)
        written.append((folder / "g.graph.yaml").read_bytes())
    assert written[0] == written[1]
    assert len(load_suite(tmp_path / "1/g.graph.yaml").scenarios) == 60


def test_another_seed_asks_something_else_under_other_ids(catalog: Catalog) -> None:
    first, second = (generate(catalog, seed=seed, count=18) for seed in (0, 1))
    assert questions(first) != questions(second)
    both = {s.id: s.question for s in (*first.scenarios, *second.scenarios)}
    assert all(both[s.id] == s.question for s in first.scenarios), "an id stands for one question"


# --- what is asked for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 7, 60])
def test_count_is_the_number_of_scenarios(catalog: Catalog, count: int) -> None:
    assert len(generate(catalog, count=count).scenarios) == count


def test_categories_and_numbers_of_each(catalog: Catalog) -> None:
    suite = generate(catalog, categories=["multi_hop", "risk_factor"], per_category=3)
    assert [s.category for s in suite.scenarios].count("multi_hop") == 3
    assert len(suite.scenarios) == 6
    assert set(suite.meta["coverage"]) == {"multi_hop", "risk_factor"}


def test_languages_take_turns(catalog: Catalog) -> None:
    suite = generate(catalog, languages=["en", "fr"], categories=["metric_retrieval"])
    assert [s.fact_spec["lang"] for s in suite.scenarios] == ["en", "fr", "en"]
    assert suite.scenarios[1].question.startswith("Quel")


def test_a_target_that_answers_is_asked_for_what_only_an_answer_can_say(catalog: Catalog) -> None:
    evidence = generate(catalog, target={"kind": "mcp", "command": ["x"], "preset": "preciso"}).meta["coverage"]
    assert evidence["summary"] == {"generated": 0, "skipped": "the target gives no answers, only evidence"}
    suite = generate(catalog, target={"kind": "python", "call": "a:b"})
    assert suite.meta["coverage"]["summary"]["generated"] >= 2
    count = next(s for s in suite.scenarios if s.category == "summary")
    assert count.expect.counts
    assert "denial" in next(s for s in suite.scenarios if s.category == "out_of_scope").expect.model_fields_set


def test_questions_that_change_the_graph_need_the_word_and_are_skipped(catalog: Catalog) -> None:
    assert "writes" not in {s.category for s in generate(catalog).scenarios}
    found = [s for s in generate(catalog, include_writes=True).scenarios if s.category == "writes"]
    assert [s.question.startswith("Delete ") for s in found] == [True]
    assert all(s.skip for s in found)


def test_a_graph_of_a_day_is_asked_for_that_day(tmp_path: Path) -> None:
    data = tiny("d")
    data["entities"][0]["valid_from"] = "2020-01-01"
    loom = {"entity_name": "Loom", "description": "The Loom is a later machine of wood.", "valid_from": "2024-01-01"}
    data["entities"].append({**data["entities"][1], **loom, "source_id": "c2"})
    data["chunks"].append(chunk(2, "The Loom is a later machine of wood."))
    path = write(tmp_path, "d.json", data)
    suite = generate(path, at="2021-06-01", categories=["definition"], per_category=9)
    assert "What is the Loom?" not in questions(suite)
    scenario = suite.scenarios[0]
    assert (scenario.as_of, scenario.fact_spec["valid_at"]) == ("2021-06-01", "2021-06-01")
    assert rebuild(View(Catalog.from_files([path])), scenario.fact_spec) is not None
    assert "What is the Loom?" in questions(generate(path, categories=["definition"], per_category=9))


def test_coverage_tells_what_did_not_fit_from_what_could_not_be_asked(catalog: Catalog) -> None:
    coverage = generate(catalog, target={"extraction": [str(WALMART)]}, count=2).meta["coverage"]
    assert sum(entry["generated"] for entry in coverage.values()) == 2
    assert coverage["definition"] == {"generated": 0, "skipped": "none was asked for: the count was full"}


def test_coverage_says_what_could_not_be_asked_and_which_types_nothing_touches(tmp_path: Path) -> None:
    suite = generate(write(tmp_path, "t.json", tiny()))
    coverage = suite.meta["coverage"]
    assert coverage["yoy_comparison"] == {"generated": 0, "skipped": "no metric has figures of two years"}
    assert coverage["risk_factor"]["skipped"] == "no entity is a risk"
    assert all(entry["generated"] or entry["skipped"] for entry in coverage.values())
    assert suite.meta["untouched"] == {"entity_types": [], "relation_types": []}


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.json").write_bytes(WALMART.read_bytes())
    return tmp_path


def test_a_suite_is_written_that_loads_and_asks_its_own_graph(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["generate", "w.json", "-o", "evals/w.graph.yaml"]) == 0
    said = capsys.readouterr().err
    assert "graph-eval: metric_retrieval: " in said
    assert "graph-eval: no scenario touches these relation types: " in said
    suite = load_suite(here / "evals/w.graph.yaml")
    assert suite.suite.catalog == ["../w.json"]
    assert suite.target is not None
    assert suite.target.kind == "graph"


def test_test_cases_of_the_skill(here: Path) -> None:
    assert cli.main(["generate", "w.json", "--test-cases"]) == 0
    (path,) = (here / "evals").glob("test_cases_*T*Z.json")
    data = json.loads(path.read_text("utf-8"))
    assert data["source_extractions"] == ["../w.json"]
    assert data["total_cases"] == len(data["test_cases"]) >= 20
    assert all(case["gold_answer"] for case in data["test_cases"])


def test_a_folder_is_no_place_for_a_suite(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "out").mkdir()
    assert cli.main(["generate", "w.json", "-o", "out"]) == 2
    assert "out: this is a folder; name a file in it" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["s.graph.yaml", "c.json"])
def test_a_file_that_is_there_needs_a_word(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = ["generate", "w.json", "-o", name, "--count", "9"]
    assert cli.main(first) == 0
    once = (here / name).read_text("utf-8")
    assert cli.main(first) == 2
    assert f"{name}: is there already; say --merge append to keep its scenarios, or --merge replace" in (
        capsys.readouterr().err
    )
    assert cli.main([*first, "--merge", "append"]) == 0
    assert (here / name).read_text("utf-8").count("gold_answer") == once.count("gold_answer"), "incoming wins"
    assert cli.main([*first, "--merge", "append", "--seed", "5"]) == 0
    assert (here / name).read_text("utf-8").count("gold_answer") > once.count("gold_answer")
    assert cli.main([*first, "--merge", "replace"]) == 0


def test_a_part_that_cannot_be_read_is_told_and_the_others_are_asked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "bad.json").write_text("{", "utf-8")
    assert cli.main(["generate", ".", "-o", "x.graph.yaml"]) == 1
    assert "graph-eval: bad.json: failed: " in capsys.readouterr().err
    suite = load_suite(here / "x.graph.yaml").suite
    assert set(suite.meta["failed_sources"]) == {"bad.json"}
    assert suite.catalog == ["w.json"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["gone.json"], "gone.json: no such file or folder; expected extraction JSON, GraphML, RDF"),
        (["empty"], "empty: no graph in this folder (.json, .graphml, "),
        (["w.json", "--lang", "de"], "language 'de' is not known; expected one of en, fr"),
        (["w.json", "--lang", ","], "no language; expected one of en, fr"),
        (["w.json", "--categories", "riks"], "category 'riks' is not known; expected one of metric_retrieval,"),
        (["w.json", "--count", "0"], "count is 0; expected a whole number above 0"),
        (["w.json", "--per-category", "-1"], "per_category is -1; expected a whole number above 0"),
        (["w.json", "--at", "soon"], "'soon' is no instant"),
        (["w.json", "--target", "nosuch"], "target 'nosuch': expected a declared name"),
        (["w.json", "--test-cases", "-o", "x.yaml"], "x.yaml: test cases are JSON; name a file that ends in .json"),
        (["w.json", "--merge", "append", "-o", "old.graph.yaml"], "old.graph.yaml:1:"),
        (["w.json", "--merge", "append", "-o", "old.json"], "old.json: not JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_exit_2(
    here: Path, args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "empty").mkdir()
    for name in ("old.graph.yaml", "old.json"):
        (here / name).write_text("[", "utf-8")
    assert cli.main(["generate", *args]) == 2
    assert message in capsys.readouterr().err


def test_the_call_reads_files_and_refuses_what_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bad"):
        generate(write(tmp_path, "bad.json", "{"))
    with pytest.raises(UsageError, match="group"):
        suite_of(Catalog(), Options(groups=["nights"]))


def test_it_survives_writing_and_loading(suite: Suite, tmp_path: Path) -> None:
    save_suite(suite, tmp_path / "s.graph.yaml")
    read = load_suite(tmp_path / "s.graph.yaml").suite
    assert [s.fingerprint for s in read.scenarios] == [s.fingerprint for s in suite.scenarios]
    assert [s.fact_spec for s in read.scenarios] == [s.fact_spec for s in suite.scenarios]


def test_an_empty_graph_gives_an_empty_suite_that_says_why() -> None:
    suite = generate(Catalog())
    assert suite.scenarios == []
    made: dict[str, Any] = suite.meta["coverage"]
    assert all(entry["skipped"] for entry in made.values())
