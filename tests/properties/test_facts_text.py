"""What must hold for every text: reading twice changes nothing, nothing raises, time grows with the length."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.metrics.facts.denials import find as find_denials
from pytest_graph_eval.metrics.facts.denied_names import is_denied
from pytest_graph_eval.metrics.facts.names import NameIndex, find
from pytest_graph_eval.metrics.facts.text import Text

PIECES = [*"ab15 \n\t*_`~<&>[]()#$\\{},;:.!?|-\"'’“”–−éßİ½²\u0301\u00ad\u200b\ud800ﬁ漢",
          "&amp;", "&lt;", "<b>", "</b>", "<td>", "\\text{", "```", "[x](", "\r\n", "1. ", "$$", "[1]",
          " not found ", "New York", " is not ", "AVG_X", " ne existe pas ", "> ", "| "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)
INDEX = NameIndex([("New York", "PLACE"), ("AVG_X", ""), ("b", "")])


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_reading_twice_changes_nothing(raw):
    plain = Text(raw).plain
    assert Text(plain).plain == plain


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_nothing_raises_and_every_span_lies_in_its_text(raw):
    text = Text(raw)
    size = len(text.plain)
    for start, end in (*text.clauses, *text.phrases, *((a.start, a.end) for a in text.asides)):
        assert 0 <= start < end <= size
    for i in range(size):
        start, end = text.raw_span(i, i + 1)
        assert 0 <= start < end <= len(raw)
    for i in range(len(text.folded)):
        assert 0 <= text.from_folded(i) < size
    assert len(text.without("quotation", "citation", "header", "block quote", "code")) == size
    for mention in (*INDEX.find(text), *find(text, "New York", "auto")):
        assert 0 <= mention.start < mention.end <= size
        is_denied(text, mention)
    find_denials(text)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["AVG_BASKET", "Doug McMillon", "Société Brémond", "Bell & Marsh", "C++", "O'Brien", "東芝"]),
    st.sampled_from(["{}", "**{}**", "`{}`", "_{}_", '"{}"', "“{}”", "<b>{}</b>", "[{}](http://x.y)", "({})", "{}:"]),
    st.sampled_from(["The answer is {}.", "{}", "x; {}, y", "- {}\n- z", "| a | {} |", "Est-ce {} ?", "It was {}’s."]),
    st.sampled_from([str, str.upper, str.lower, lambda s: s.replace(" ", "\u00a0"), lambda s: s.replace(" ", "\n"),
                     lambda s: s.replace("é", "e\u0301"), lambda s: s.replace("&", "&amp;")]),
)  # fmt: skip
def test_a_name_is_found_in_every_markup_place_and_form(name, markup, sentence, form):
    raw = sentence.format(markup.format(form(name)))
    (mention, *_) = find(Text(raw), name)
    assert mention.name == name


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abcdé12", min_size=1, max_size=3), st.text(alphabet="abcdé12", min_size=1, max_size=3))
def test_a_name_is_never_found_inside_a_longer_word(before, after):
    assert find(Text(f"x {before}Walmart{after} y"), "Walmart") == []


def seconds(raw: str, index: NameIndex) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        text = Text(raw)
        for mention in index.find(text):
            is_denied(text, mention)
        find_denials(text)
        best = min(best, time.process_time() - start)
    return best


def test_time_grows_with_the_length_of_the_answer_and_not_with_its_square():
    draw = random.Random(1)
    names = [f"{draw.choice(['Net', 'Total', 'New'])} Name{i} Foods" for i in range(10_000)]
    index = NameIndex([(n, "") for n in names])
    index.find(Text("warm up"))
    lines = [
        f"The *net* sales of {draw.choice(names)} rose by ${draw.randint(1, 999)} billion in FY2023 [1]; not found.\n"
        for _ in range(2000)
    ]
    half, whole = "".join(lines[:1000]), "".join(lines)
    assert seconds(whole, index) < 3.5 * seconds(half, index) + 0.2


HOSTILE = [
    "**a ", "`a ", "<!-- ", "<b a=", "&amp;", "[", "[a](", "$x ", "\\text{", "((", '"a ', "'a ", "~~a", "a. ", "\n",
    "| ", "> \n", "_a ", "No ", "is not ", "rows are not found ", "not found ", "ne pas ", "* a\n", "\\", "e\u0301",
    "- New York\n", "New York not ", "New ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_time(piece):
    index = NameIndex([("New York", "")])
    short, long = piece * (4_000 // len(piece)), piece * (16_000 // len(piece))
    assert seconds(long, index) < 8 * seconds(short, index) + 0.1
