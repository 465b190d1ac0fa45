"""`graph-eval check`: one line a fact, exit status 0, 1 or 2."""

from __future__ import annotations

import io

import pytest

from pytest_graph_eval.cli import main

ANSWER = "Walmart's revenue was $611,289 million; the year ended Jan. 31st, 2023. Doug McMillon is CEO."


def test_facts_that_hold_are_explained_and_exit_0(capsys):
    argv = ["check", ANSWER, "--number", "$611.3 billion", "--date", "2023-01-31", "--name", "Doug McMillon"]
    assert main([*argv, "--forbidden", "Brett Biggs", "--any-of", "Kim, Walmart", "--no-denial"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("PASS  numbers: $611.3 billion is stated in the answer as “$611,289 million”; tolerance")
    assert [line.split(":")[0] for line in lines] == [
        "PASS  numbers", "PASS  dates", "PASS  names", "PASS  any_of", "PASS  forbidden", "PASS  denial",
    ]  # fmt: skip


def test_one_fact_that_fails_exits_1_and_names_the_nearest_thing(capsys):
    assert main(["check", ANSWER, "--number", "$600 billion", "--name", "Walmart"]) == 1
    out = capsys.readouterr().out
    assert "FAIL  numbers: $600 billion is not stated" in out
    assert "nearest: “$611,289 million”" in out
    assert "PASS  names: Walmart" in out


@pytest.mark.parametrize("number", ["-3.2%", "-3", "-$3.2", "-.5"])
def test_a_negative_number_is_no_option(capsys, number):
    assert main(["check", f"It changed by {number}.", "--number", number]) == 0
    assert f"PASS  numbers: {number} is stated" in capsys.readouterr().out


def test_what_cannot_be_decided_exits_1(capsys):
    assert main(["check", "", "--denial"]) == 1
    assert capsys.readouterr().out == "ERROR denial: a denial cannot be decided: the answer is empty\n"


def test_counts_texts_patterns_and_the_valid_time(capsys):
    argv = ["check", "On 1 March 2024 there were twelve features.", "--count", "features=12", "--contains", "TWELVE"]
    assert main([*argv, "--excludes", "thirteen", "--matches", r"\d March", "--as-of", "2024-03-01"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_the_answer_can_come_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("It does not exist.\n"))
    assert main(["check", "-", "--denial", "--question", "What is AVG_BASKET?"]) == 0
    assert "PASS  denial" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"),
    [("names.txt", "New York City\n\n"), ("graph.json", None)],
)
def test_a_catalog_makes_the_longest_name_win(tmp_path, capsys, name, content):
    path = tmp_path / name
    path.write_text(content if content is not None else EXTRACTION, encoding="utf-8")
    assert main(["check", "It is in New York City.", "--name", "New York", "--catalog", str(path)]) == 1
    assert "it is part of 'New York City'" in capsys.readouterr().out


EXTRACTION = """{"document_id": "d", "file_path": "d.md", "timestamp": 1, "chunks": [{"chunk_id": "c", "content": "x",
 "chunk_order_index": 0, "file_path": "d.md"}], "entities": [{"entity_name": "New York City", "entity_type": "PLACE",
 "description": "a city", "source_id": "c", "file_path": "d.md"}], "relationships": []}"""


TEXTS = ("--name", "--forbidden", "--contains", "--excludes", "--as-of")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "nothing to check: give at least one of --number"),
        (["--number", "many"], "--number: 'many' holds no figure"),
        (["--number", ""], "--number: '' holds no figure"),
        (["--date", "2023-13-01"], "--date: '2023-13-01' is no date"),
        (["--date", ""], "--date: '' is no date"),
        (["--count", "twelve"], "--count 'twelve': a noun and a whole number are expected"),
        (["--count", "=12"], "--count '=12'"),
        (["--count", "a=-1"], "--count 'a=-1'"),
        (["--count", "a=1", "--count", "a=2"], "--count 'a=2': 1 a are expected already; keep one"),
        *(([option, ""], f'{option}: found the text "", expected a text that is not empty') for option in TEXTS),
        *(([option, " "], f'{option}: found the text " ", expected a text that is not empty') for option in TEXTS),
        (["--matches", ""], "--matches: an empty pattern is found in every text"),
        (["--matches", "("], "--matches: '(' is not a regular expression: missing )"),
        (["--any-of", ""], "--any-of '': an empty name; names with commas between them are expected, as in A,B"),
        (["--any-of", "A,,B"], "--any-of 'A,,B': an empty name"),
        (["--as-of", "soon"], "--as-of: 'soon' is no instant"),
        (["--denial", "--question", " "], "--question: found an empty text, expected what was asked"),
        (["--name", "A", "--forbidden", "A"], "--name: 'A' is both required and forbidden; keep one"),
        (["--name", "A", "--catalog", "missing.txt"], "--catalog missing.txt: cannot be read: No such file"),
        (["--name", "A", "--catalog", ""], "--catalog .: cannot be read: "),
    ],
)
def test_arguments_that_cannot_be_followed_exit_2(capsys, argv, message):
    assert main(["check", ANSWER, *argv]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
