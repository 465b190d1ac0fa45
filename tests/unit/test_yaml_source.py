"""YAML to data with positions: the rules of YAML 1.2, bounds, and a message at its place for everything wrong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_graph_eval.errors import Problem
from pytest_graph_eval.models.scalars import Scalar, plain
from pytest_graph_eval.yaml_source import MAX_BYTES, decode, parse, read_bytes, reader, resolve, usual


@pytest.fixture(params=["C", "Python"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run every test with libyaml and with the parser that is used where libyaml is missing."""
    loader = yaml.SafeLoader if request.param == "Python" else yaml.CSafeLoader
    for module in (reader, usual):
        monkeypatch.setattr(module, "Loader", loader)
    return str(request.param)


def one(text: str) -> tuple[int, int, str, str]:
    """Return position, code and message of the only problem of a text."""
    (problem,) = parse(text, "f.yaml").problems
    assert problem.file == "f.yaml"
    return problem.line, problem.col, problem.code, problem.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None), ("12", 12), ("-3", -3),
        ("0123", 123), ("0o17", 15), ("0x1F", 31), ("1e3", 1000.0), ("1.5", 1.5), (".5", 0.5), ("+1.", 1.0),
        (".inf", math.inf), ("-.INF", -math.inf), ("1e999", math.inf),
        ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("12:30:45", "12:30:45"), ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"), ("0b1", "0b1"), ("$3", "$3"), ("1.2.3", "1.2.3"), ("9" * 5000, "9" * 5000),
    ],
)  # fmt: skip
def test_plain_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_not_a_number_is_read() -> None:
    assert math.isnan(resolve(".nan"))


@pytest.mark.parametrize("text", ["NO", "22:22", "2024-01-01", "0123", "1e3", "Null", "true", "12"])
def test_an_unquoted_scalar_keeps_its_own_text(text: str) -> None:
    (value,) = parse(f"- {text}\n", "f").data
    assert value == text
    assert plain(value) == resolve(text)


def test_a_quoted_scalar_is_text_whatever_it_looks_like() -> None:
    data = parse("- '12'\n- \"true\"\n- !!str 12\n- ! 12\n- |\n  12\n", "f").data
    assert data == ["12", "true", "12", "12", "12\n"]
    assert not any(isinstance(v, Scalar) for v in data)


def test_a_null_value_of_a_key_is_none_and_a_null_item_keeps_its_text() -> None:
    data = parse("a: null\nb:\nc: ~\nd: [Null]\n", "f").data
    assert data == {"a": None, "b": None, "c": None, "d": ["Null"]}
    assert plain(data["d"]) == [None]


def test_standard_tags_are_followed() -> None:
    data = parse("- !!int '3'\n- !!float 1\n- !!bool 'true'\n- !!null ''\n- !!map {a: !!seq [b]}\n", "f").data
    assert [plain(v) for v in data] == [3, 1.0, True, None, {"a": ["b"]}]


def test_a_byte_order_mark_is_ignored() -> None:
    assert parse("\ufeffa: 1\n", "f").data == {"a": "1"}
    assert decode(b"\xef\xbb\xbfa: 1", "f") == "a: 1"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n...\n"])
def test_a_file_without_content_has_no_data_and_no_problem(text: str) -> None:
    document = parse(text, "f")
    assert document.data is None
    assert document.problems == []


def test_merge_keys_add_what_is_missing_and_own_keys_win() -> None:
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], z: 5}\nd:\n  <<: *b\n  w:\n"
    data = parse(text, "f").data
    assert data["c"] == {"x": "1", "y": "2", "z": "5"}
    assert data["d"] == {"y": "3", "z": "4", "w": None}


def test_a_merged_key_stands_where_it_was_written() -> None:
    document = parse("a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n", "f")
    assert document.position(("b", "x")) == (2, 6)
    assert document.key_position(("b", "x")) == (2, 3)


def test_an_alias_is_the_value_again_also_as_a_key() -> None:
    assert parse("a: &x name\n*x : 1\nb: [*x]\n", "f").data == {"a": "name", "name": "1", "b": ["name"]}


def test_positions_are_those_of_the_text() -> None:
    document = parse("a:\n  - b: é1\n    c: [x, {d: 2}]\n", "f")
    assert document.position() == (1, 1)
    assert document.position(("a", 0, "b")) == (2, 8)
    assert document.key_position(("a", 0, "c")) == (3, 5)
    assert document.position(("a", 0, "c", 1, "d")) == (3, 16)
    assert document.position(("a", 0, "nope", "deeper")) == (2, 5)
    assert document.position(("a", 7)) == (2, 3)
    assert document.key_position(("a", 0)) == (2, 5)
    assert document.path(("a", 0, "tag", "c", 1)) == ("a", 0, "c", 1)


@pytest.mark.parametrize(
    ("text", "line", "col", "code", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate_key", "'a', first on line 1"),
        ("a: {b: 1, 'b': 2}", 1, 11, "duplicate_key", "'b', first on line 1"),
        ("a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n", 4, 3, "duplicate_key", "'<<'"),
        ("a:\n\t- b", 2, 1, "tab_indent", "a tab"),
        ("a: b\n\tc: d", 2, 1, "tab_indent", "a tab"),
        ("a: \x00", 1, 4, "bad_character", "U+0000"),
        ("a:\n  b\x07", 2, 4, "bad_character", "U+0007"),
        ("a: \ud800", 1, 4, "bad_character", "U+D800"),
        ("a: !!python/object/apply:os.system ['x']", 1, 4, "bad_tag", "`!!python/object/apply:os.system` is"),
        ("a: !important thing", 1, 4, "bad_tag", "quote the text"),
        ("a: !!int three", 1, 4, "bad_tag", "'three' is not a whole number"),
        ("a: !!set {b: }", 1, 4, "bad_tag", "`!!set`"),
        ("a: &x [*x]", 1, 8, "recursive_alias", "`*x` refers to something that it is part of"),
        ("a: *nope", 1, 4, "syntax", "`*nope` refers to no anchor; quote"),
        ("? [a]\n: 1", 1, 3, "bad_key", "a key must be a text, found a list"),
        ("a: b\n---\nc: d", 2, 1, "syntax", "a second document"),
        ("<<: 3", 1, 1, "bad_merge", "`<<` needs a mapping"),
        ("a: store #5", 1, 4, "cut_by_comment", "'store' is cut off before `#5`"),
        ("a: #5\nb: 1", 1, 3, "cut_by_comment", "nothing stands before `#5`"),
        ("- [x #y\n  ]", 1, 4, "cut_by_comment", "write a space after the #"),
        ("a: [$611,289 million]", 1, 10, "split_number", "'289 million'"),
        ("a: [1,234]", 1, 7, "split_number", "quote the number"),
        ("a: {v: $1,234}", 1, 11, "split_number", "'234'"),
        ("a: &name value", 1, 4, "lone_anchor", "`&name` is an anchor that nothing refers to"),
        ("a: &Co\nb: 1", 1, 4, "lone_anchor", "`&Co`"),
        ("a: {company}", 1, 5, "unquoted_braces", "'company' stands in braces without a `:`"),
        ("a: {v: net sales, total}", 1, 19, "unquoted_braces", "'total'"),
        ("a: {22:22}", 1, 5, "unquoted_braces", "'22:22'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_at_its_place(text: str, line: int, col: int, code: str, words: str) -> None:
    found = one(text)
    assert found[:3] == (line, col, code)
    assert words in found[3]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: note: x", 1, "a `: ` inside an unquoted text"),
        ("a: & b", 1, "cannot begin with `&` or `*`"),
        ("a: @x", 1, "cannot begin with `@`"),
        ("a: `x`", 1, "cannot begin with ```"),
        ("a: %x", 1, "cannot begin with `%`"),
        ('a: "x" y', 1, 'something follows the closing `"`'),
        ("a: [x] y", 1, "something follows the closing `]`"),
        ("a: 'x\nb: c\n", 1, "the quote that opens here is not closed"),
        ("- [a\n- b\n", 1, "this bracket is not closed"),
        ("a:\n  - b\n c: d", 3, "does not fit the indentation"),
        ('- id: a\n question: "Q?"\n', 2, "does not fit the indentation"),
        ("- id: a\n names: [x]\n", 2, "does not fit the indentation"),
        ("a: b\nc\n", 2, "a key without `:`"),
        ("a: | x", 1, "`|` and `>` begin a text on the lines below"),
        ('a: "\\x"', 1, "an unknown escape in double quotes"),
        ("a: ]", 1, "a bracket is not opened"),
        ("a: b\n{", 2, ""),
        ("a: - b", 1, "where no list can begin"),
        ("[a]]", 1, "a bracket too many"),
    ],
)
def test_what_is_not_yaml_is_said_in_plain_words(text: str, line: int, words: str) -> None:
    found = one(text)
    assert (found[0], found[2]) == (line, "syntax")
    assert "not YAML: " in found[3]
    assert words in found[3]
    assert parse(text, "f").broken


def test_an_unquoted_question_mark_in_braces_is_text_or_says_to_quote_it(parser: str) -> None:
    document = parse("- {question: Who is it?, id: a}", "f")
    if parser == "C":
        assert document.data == [{"question": "Who is it?", "id": "a"}]
    else:
        assert "quote the question" in document.problems[0].message


def test_a_text_that_is_cut_and_then_goes_on_names_the_cut() -> None:
    first, second = parse("a: b #c\n  d", "f").problems
    assert first.code == "cut_by_comment"
    assert "cut off by ` #`" in second.message


@pytest.mark.parametrize(
    "text",
    [
        "a: store # 5", "a: b #----", "a: b ##", "a: 'b' #5", "a: b#5", "#x\na: b", "a: [1, 234]", "a: [2022,2023]",
        "a: [1,2,3]", "a: ['1',234]", "a: {b: }", "a: {b: ~}", "a: {'b':'c'}", "a: &x b\nc: *x", "a: &x {b: c}",
        "a: R&D", "a: b &c", "a: x*y",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_mistake_is_none(text: str) -> None:
    assert parse(text, "f").problems == []


def test_all_problems_before_a_syntax_error_are_kept() -> None:
    problems = parse("a: 1\na: 2\nb: store #5\nc: {x}\nd: 'open\n", "f").problems
    assert [p.code for p in problems] == ["duplicate_key", "cut_by_comment", "unquoted_braces", "syntax"]


def test_lines_may_end_in_any_way() -> None:
    assert one("a: 1\r\nb: 2\r\na: 3\r\n")[:3] == (3, 1, "duplicate_key")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 65 + "]" * 65, "too_deep"),
        ("a: &a [[[x]]]\nb: " + "[" * 62 + "*a" + "]" * 62, "too_deep"),
        ("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
         + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)), "too_large"),
    ],
)  # fmt: skip
def test_nesting_and_aliases_are_bounded(text: str, code: str) -> None:
    assert one(text)[2] == code


def test_nesting_up_to_the_bound_is_read() -> None:
    assert parse("[" * 64 + "]" * 64, "f").problems == []


def test_reading_stops_after_a_thousand_problems() -> None:
    problems = parse("a: 1\n" * 2_000, "f").problems
    assert len(problems) == 1001
    assert problems[-1].code == "too_many"


def test_text_that_is_not_utf8_is_refused_at_its_place() -> None:
    problem: Any = decode(b"a: 1\nb: \xff\n", "f")
    assert isinstance(problem, Problem)
    assert str(problem) == "f:2:4: not UTF-8 text (byte 0xff); save the file as UTF-8"


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    assert read_bytes(tmp_path / "nope") == "cannot be read: No such file or directory"
    assert read_bytes(tmp_path) == "cannot be read: Is a directory"
    assert "cannot be read" in str(read_bytes(Path("a\0b")))
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "larger than 16 MiB" in str(read_bytes(big))
