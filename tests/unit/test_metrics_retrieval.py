"""The ancestor's precision, set comparisons and the standard measures, each on data small enough to do by hand."""

from __future__ import annotations

import math

import pytest

from pytest_graph_eval.metrics.names import AT_K, BY_NAME
from pytest_graph_eval.metrics.retrieval import RELEVANT_TYPES, compare_sets, measure, precision, same_id
from pytest_graph_eval.models.records import Response
from pytest_graph_eval.models.scenario import Scenario


def scenario(**keys: object) -> Scenario:
    return Scenario.model_validate({"id": "a", "question": "q?", **keys})


def response(entities: list[str] | None = None, chunks: list[str] | None = None, type_: str = "THING") -> Response:
    return Response.model_validate(
        {
            "entities": None if entities is None else [{"name": n, "type": type_} for n in entities],
            "chunks": None if chunks is None else [{"id": c, "content": c} for c in chunks],
        }
    )


class TestPrecision:
    def test_counts_source_entities_and_entities_of_the_category_s_types(self):
        reply = Response.model_validate(
            {
                "entities": [
                    {"name": "NET SALES", "type": "FINANCIAL_METRIC"},
                    {"name": "Ohio", "type": "PLACE"},
                    {"name": "Doug", "type": "PERSON"},
                    {"name": "FY2023", "type": "date_period"},
                ]
            }
        )
        asked = scenario(source_entities=["Ohio"], category="metric_retrieval")
        score, flags = precision(asked, reply, RELEVANT_TYPES)
        assert score.value == 0.75
        assert "3 of 4" in score.reason
        assert flags == []

    def test_counts_names_that_differ_in_case_or_quotes_once(self):
        score, _ = precision(scenario(source_entities=["A"]), response(['"A"', "a", "B"]))
        assert score.value == 0.5

    def test_is_divided_above_15_kept_entities_and_flagged_by_the_raw_count(self):
        names = [f"n{i}" for i in range(16)]
        score, flags = precision(scenario(source_entities=names), response(names))
        assert score.value == pytest.approx(1 / 1.5)
        assert flags == ["precision_issue"]
        assert "more than 15" in score.reason
        score, flags = precision(scenario(source_entities=names), response(names[:8]), found=16)
        assert (score.value, flags) == (1.0, ["precision_issue"])
        score, flags = precision(scenario(source_entities=names), response(names[:15]))
        assert (score.value, flags) == (1.0, [])

    def test_no_entity_beside_chunks_is_zero(self):
        assert precision(scenario(source_entities=["A"]), response([], ["c"]))[0].value == 0.0

    @pytest.mark.parametrize(
        ("asked", "reply", "reason"),
        [
            (scenario(source_entities=["A"]), response(None, ["c"]), "maps no entities"),
            (scenario(source_entities=["A"], expect={"no_evidence": True}), response(["A"]), "nothing should be"),
            (scenario(gold_answer="5"), response(["A"]), "neither source_entities nor relevant types"),
        ],
    )
    def test_is_unscored_where_it_is_not_defined(self, asked, reply, reason):
        score, _ = precision(asked, reply)
        assert score.value is None
        assert reason in score.reason


class TestSets:
    def test_repeats_count_once_and_are_reported(self):
        result = compare_sets(["A", "B"], ["a", '"A"', "C", None])
        assert result is not None
        assert result.precision == 0.5
        assert result.recall == 0.5
        assert result.f1 == 0.5
        assert (result.duplicates, result.dropped) == (1, 1)

    def test_nothing_retrieved_is_the_worst_result(self):
        assert compare_sets(["A"], []) == (0.0, 0.0, 0.0, 0.0, 0, 0)

    @pytest.mark.parametrize("gold", [[], ["", '""']])
    def test_an_empty_gold_set_defines_nothing(self, gold):
        assert compare_sets(gold, ["A"]) is None

    def test_ids_are_compared_exactly_and_joined_ids_apart(self):
        result = compare_sets(
            ["chunk-1", "k2"], ["Chunk-1", "chunk-10", "k2<SEP>chunk-1"], normalise="id", split_on="<SEP>"
        )
        assert result is not None
        assert (result.precision, result.recall) == (0.5, 1.0)

    def test_a_cutoff_looks_at_the_first_distinct_items_and_divides_by_k(self):
        result = compare_sets(["a", "b"], ["a", "a", "x", "b"], k=2)
        assert result is not None
        assert (result.precision, result.recall) == (0.5, 0.5)
        result = compare_sets(["a", "b"], ["a"], k=4)
        assert result is not None
        assert result.precision == 0.25

    def test_average_precision_depends_on_the_order(self):
        first, last = compare_sets(["a"], ["a", "x"]), compare_sets(["a"], ["x", "a"])
        assert first is not None
        assert last is not None
        assert (first.average_precision, last.average_precision) == (1.0, 0.5)


class TestIds:
    @pytest.mark.parametrize(
        ("gold", "found", "same"),
        [
            ("c1", "c1", True),
            ("c1", "doc::c1", True),
            ("doc::c1", "c1", True),
            ("doc::c1", "other::c1", False),
            ("c1", "c10", False),
            ("c1", "C1", False),
            ("c1", "doc::x::c1", True),
        ],
    )
    def test_a_bare_id_matches_one_with_a_document_in_front(self, gold, found, same):
        assert same_id(gold, found) is same


class TestMeasures:
    asked = scenario(source_chunks=["b", "d", "z"], source_entities=["E"])
    reply = response(["X", "E"], ["a", "b", "c", "d"])

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("entity_recall", 1.0),
            ("entity_precision", 0.5),
            ("chunk_recall@2", 1 / 3),
            ("chunk_recall@10", 2 / 3),
            ("chunk_precision@2", 0.5),
            ("chunk_precision@8", 0.25),
            ("precision@2", 0.5),
            ("hit_rate@1", 0.0),
            ("hit_rate@2", 1.0),
            ("RR", 0.5),
            ("AP", (1 / 2 + 2 / 4) / 3),
            ("nDCG@2", (1 / math.log2(3)) / (1 + 1 / math.log2(3))),
        ],
    )
    def test_is_the_standard_definition(self, name, value):
        assert measure(name, self.asked, self.reply).value == pytest.approx(value)

    def test_every_listed_name_has_a_formula(self):
        for name in (*BY_NAME, *(f"{n}@3" for n in AT_K)):
            measure(name, self.asked, self.reply)

    def test_a_name_that_is_not_listed_is_a_key_error(self):
        with pytest.raises(KeyError):
            measure("recall", self.asked, self.reply)

    def test_rankings_run_over_entities_where_no_chunks_are_given(self):
        assert measure("RR", scenario(source_entities=["E"]), self.reply).value == 0.5

    def test_a_chunk_with_two_documents_in_front_finds_its_gold_once(self):
        reply = response(None, ["d1::a", "d2::a"])
        asked = scenario(source_chunks=["a"])
        assert measure("chunk_recall@5", asked, reply).value == 1.0
        assert measure("nDCG@5", asked, reply).value == 1.0
        assert measure("AP", asked, reply).value == 1.0

    def test_says_what_is_missing(self):
        reason = "2 of 3 source chunks retrieved, at ranks 2, 4 of 4; missing: z"
        assert measure("chunk_recall@4", self.asked, self.reply).reason == reason

    def test_says_at_which_ranks_the_rest_stands_so_that_each_measure_can_be_made_again(self):
        reasons = {measure(n, self.asked, self.reply).reason for n in ("RR", "AP", "nDCG@2", "chunk_precision@2")}
        assert len(reasons) == 1
        empty = response(None, [])
        assert measure("RR", self.asked, empty).reason == "0 of 3 source chunks retrieved; missing: b, d, z"

    @pytest.mark.parametrize(
        ("name", "asked", "reply", "reason"),
        [
            ("entity_recall", scenario(source_chunks=["a"]), response(["E"]), "no source_entities"),
            ("entity_recall", scenario(source_entities=["E"]), response(None, []), "maps no entities"),
            ("chunk_recall@5", scenario(source_entities=["E"]), response([], ["a"]), "no source_chunks"),
            ("chunk_recall@5", scenario(source_chunks=["a"]), response([]), "maps no chunks"),
            ("relationship_recall", scenario(source_chunks=["a"]), response([]), "no expect.relationships"),
            (
                "relationship_recall",
                scenario(expect={"relationships": [["A", "R", "B"]]}),
                response([]),
                "maps no relationships",
            ),
        ],
    )
    def test_is_unscored_where_it_is_not_defined(self, name, asked, reply, reason):
        score = measure(name, asked, reply)
        assert score.value is None
        assert reason in score.reason

    def test_relationship_recall_is_direction_blind_and_reads_keywords(self):
        asked = scenario(expect={"relationships": [["A", "EMPLOYS", "B"], ["A", "OWNS", "C"]]})
        reply = Response.model_validate(
            {"relationships": [{"source": "b", "target": "a", "type": "works for, employs"}]}
        )
        score = measure("relationship_recall", asked, reply)
        assert score.value == 0.5
        assert "A -OWNS-> C" in score.reason
