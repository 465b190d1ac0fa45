"""How a text is read before anything is looked for in it: markup, signs, clauses, asides, positions."""

from __future__ import annotations

import pytest

from pytest_graph_eval.metrics.facts.folding import fold
from pytest_graph_eval.metrics.facts.markup import Trail, strip
from pytest_graph_eval.metrics.facts.text import Text, normalise


def parts(text: Text, spans) -> list[str]:
    return [text.plain[start:end] for start, end in spans]


class TestPlain:
    @pytest.mark.parametrize(
        ("raw", "plain"),
        [
            ("Revenue: $**611.3** billion (*unaudited*).", "Revenue: $611.3 billion (unaudited)."),
            ("the ***big*** _one_ and __two__", "the big one and two"),
            ("**`AVG_BASKET`** is", "AVG_BASKET is"),
            ("net\\_revenue, snake_case_name", "net_revenue, snake_case_name"),
            ("2*3*4, price*qty*2, 2 * 3", "2*3*4, price*qty*2, 2 * 3"),
            ("**12**features", "12features"),
            ("an *open one", "an *open one"),
            ("* a\n* b", "* a\n* b"),
            ("~~$5~~ $6 and ~7", "$6 and ~7"),
            ("## Title\ntext # not", "Title\ntext # not"),
            ("```sql\nSELECT 1\n```", "SELECT 1"),
            ("see [the report](http://x.y/a_b) ![alt](u) <b>x</b><br>y", "see the report alt x\ny"),
            ("[[Walmart]] and [[a|Ohio]] [1][2] [text][ref]", "Walmart and Ohio [1][2] text"),
            ("Bell &amp; Marsh &amp;amp; &#233; &nope; AT&T", "Bell & Marsh & é &nope; AT&T"),
            ("5&nbsp;%", "5 %"),
            ("CO<sub>2</sub> up<sup>1</sup> <del>old</del>new", "CO2 up new"),
            ("a <b and c> d <SEP> e", "a <b and c> d <SEP> e"),
            ("<table><tr><td>a</td><td>5</td></tr></table>", "| a | 5 |"),
            ("$$\\text{Total} = \\$611.3\\text{ billion}$$", "Total = $611.3 billion"),
            ("$611.3$ billion, $x = 5$, \\(5\\), \\[6\\] and 611{,}289", "611.3 billion, x = 5, 5, [6] and 611,289"),
            ("costs $5 and $6; US$5 to $7 today", "costs $5 and $6; US$5 to $7 today"),
            ("\\frac{1}{2} \\times 6.7\\%", "1/2 × 6.7%"),
            ("re\u00advenue \u200bzero\ufeff Walmart™", "revenue zero Walmart"),
            ("‘a’ “b” «c» „d“ ′", '\'a\' "b" "c" "d" \''),
            ("−3 ‐4 ‑5 ﹣6 －7 – —", "-3 -4 -5 -6 -7 – —"),
            ("a\u00a0b\u202fc\u2009d\u3000e", "a b c d e"),
            ("a  b\tc \n\n\n d", "a  b  c\n\nd"),
            ("a\r\nb\u2028c", "a\nb\nc"),
            ("６，１１３億ドル ﬁn Ⅷ ℃", "6,113億ドル fin VIII °C"),
            ("1½ and 10² and ①", "1½ and 10² and ①"),
            ("Cafe\u0301", "Café"),
            ("", ""),
        ],
    )
    def test_markup_and_signs_are_undone_and_values_are_not_changed(self, raw, plain):
        assert normalise(raw).plain == plain
        assert normalise(plain).plain == plain

    def test_nested_escapes_end_in_text_without_markup(self):
        deep = "&" + "amp;" * 50 + "lt;b" + "\\" * 200 + "*"
        once = strip(deep)
        assert strip(once) == once

    def test_the_same_string_is_read_once(self):
        assert normalise("some answer") is normalise("some answer")


class TestPositions:
    @pytest.mark.parametrize(
        ("raw", "word", "source"),
        [
            ("**net** re\u00advenue", "revenue", "re\u00advenue"),
            ("a &amp; b", "&", "&amp;"),
            ("see [the report](http://x) now", "now", "now"),
            ("２０２３年", "2023", "２０２３"),
            ("\n\n  x  **611.3** y", "611.3", "611.3"),
            ("Cafe\u0301 Lund", "Café", "Cafe\u0301"),
            ("\\$5", "$5", "\\$5"),
        ],
    )
    def test_a_span_leads_back_to_the_raw_text(self, raw, word, source):
        text = normalise(raw)
        at = text.plain.index(word)
        start, end = text.raw_span(at, at + len(word))
        assert raw[start:end] == source

    def test_an_empty_span_stays_empty(self):
        start, end = normalise("**a** b").raw_span(2, 2)
        assert start == end

    def test_raw_positions_lead_to_plain_ones(self):
        trail = Trail()
        plain = strip("x `not found` y", trail)
        assert plain[trail.forth(3) : trail.forth(12)] == "not found"

    def test_words_that_fold_to_more_characters_keep_their_place(self):
        text = normalise("Die Straße in Köln")
        assert text.folded == "die strasse in koln"
        assert [text.plain[a:b] for a, b in zip(text.words.starts, text.words.ends, strict=True)] == [
            "Die", "Straße", "in", "Köln"
        ]  # fmt: skip

    def test_a_message_shows_what_stands_around_a_place(self):
        text = normalise("one two three four five six seven eight nine ten eleven twelve thirteen")
        at = text.plain.index("seven")
        assert text.around(at, at + 5, 20) == "… six seven eight …"
        assert normalise("short").around(0, 5) == "short"


class TestFolding:
    @pytest.mark.parametrize(
        ("text", "folded"),
        [("STRASSE", "strasse"), ("Straße", "strasse"), ("Société", "societe"), ("Łódź", "lodz"), ("Ё", "е"),
         ("İ", "i"), ("ガ", "ガ"), ("हिन्दी", "हिन्दी"), ("Coca–Cola", "coca-cola"), ("Ὀδυσσεύς", "οδυσσευσ")],
    )  # fmt: skip
    def test_latin_and_greek_letters_lose_their_marks_and_other_scripts_keep_theirs(self, text, folded):
        assert fold(text) == folded


class TestClauses:
    @pytest.mark.parametrize(
        ("text", "clauses"),
        [
            ("A is a mean; rows not found. Next!", ["A is a mean", "rows not found", "Next"]),
            ("It is 3.5. The U.S. store vs. it.", ["It is 3.5", "The U.S. store vs. it"]),
            ("Gregory B. Penner of Walmart Inc. The chair.", ["Gregory B. Penner of Walmart Inc", "The chair"]),
            ("On Jan. 31st, 2023 it ended.", ["On Jan. 31st, 2023 it ended"]),
            ("See No. 5. The answer is no. Yes.", ["See No. 5", "The answer is no", "Yes"]),
            ("1. AVG_BASKET\n2. N_ORDERS", ["1. AVG_BASKET", "2. N_ORDERS"]),
            ("They call it net\nrevenue every week", ["They call it net\nrevenue every week"]),
            ("Revenue: 5\nIncome: 4", ["Revenue: 5", "Income: 4"]),
            ("- a\n- b\n\nc", ["- a", "- b", "c"]),
            ("売上高は6です。次", ["売上高は6です", "次"]),
            ("What? Yes… No.", ["What", "Yes", "No"]),
            ("| a | 5 |\n| b | 6 |", ["| a | 5 |", "| b | 6 |"]),
            ("", []),
        ],
    )
    def test_a_clause_ends_at_sentences_semicolons_items_and_rows(self, text, clauses):
        read = normalise(text)
        assert parts(read, read.clauses) == clauses

    def test_phrases_end_at_commas_colons_and_contrasts_too(self):
        read = normalise("5 features: 3 for CUST_ID, 2 for STORE_ID but none (yet), 1,234 rows")
        assert parts(read, read.phrases) == [
            "5 features", "3 for CUST_ID", "2 for STORE_ID", "none", "yet", "1,234 rows"
        ]  # fmt: skip

    def test_a_position_knows_its_clause_and_phrase(self):
        read = normalise("one, two. three")
        assert read.clause_at(6) == (0, 8)
        assert read.phrase_at(6) == (5, 8)
        assert normalise("").clause_at(0) == (0, 0)


class TestAsides:
    @pytest.mark.parametrize(
        ("raw", "asides"),
        [
            ("*Catalog as it was on 2024-03-01 (valid time).* 12 features.",
             [("header", "Catalog as it was on 2024-03-01 (valid time)")]),
            ("*Catalogue tel qu’il était le 2024-03-01.* Rien.",
             [("header", "Catalogue tel qu'il était le 2024-03-01")]),
            ("*Catalog as it was on 2024-03-01 (valid time).\nThe count is 12.\n* see also",
             [("header", "*Catalog as it was on 2024-03-01 (valid time)")]),
            ("Graph as of 1 March 2024 (valid time): 12", [("header", "Graph as of 1 March 2024 (valid time): 12")]),
            ("It runs as it was on the old platform.", []),
            ("Data as of 2024-03-01 show 12.", []),
            ("It rose [Data: Entities (12)] twice [1] and [2, 3].",
             [("citation", "[Data: Entities (12)]"), ("citation", "[1]"), ("citation", "[2, 3]")]),
            ("counts: [12]", []),
            ("It rose 【4†source】 (Source: chunk_1).",
             [("citation", "【4†source】"), ("citation", "(Source: chunk_1)")]),
            ("It rose.\n\nReferences\n- [1] f2023.pdf", [("citation", "References\n- [1] f2023.pdf")]),
            ("\"We can't help you today,\" the clerk said.", [("quotation", "\"We can't help you today,\"")]),
            ("If it says 'not found', refresh.", [("quotation", "'not found'")]),
            ('The top entity is "HALVORSEN FOODS INC." here', []),
            ('It is called "net revenue" or "No Frills"', []),
            ('A 5" pipe and a 6" pipe are not the same', []),
            ("> They say 5.\n\nIt is 6.", [("block quote", "> They say 5.")]),
            ("If `not found` shows, `AVG_BASKET` is fine", [("code", "not found")]),
        ],
    )  # fmt: skip
    def test_what_the_answer_does_not_say_itself_is_set_aside(self, raw, asides):
        text = normalise(raw)
        assert [(a.kind, text.plain[a.start : a.end].strip("\n")) for a in text.asides] == asides

    @pytest.mark.parametrize("raw", ["> Revenue was $5.", '"I do not know that."', "`it is not known`"])
    def test_where_nothing_else_is_left_the_quotation_is_the_answer(self, raw):
        assert normalise(raw).asides == ()

    def test_asides_can_be_blanked_out_and_positions_stay(self):
        text = normalise('He said "it is not known" [1]; fine')
        own = text.without("quotation", "citation")
        assert len(own) == len(text.plain)
        assert own.split() == ["He", "said", ";", "fine"]
        assert text.without("header") == text.plain

    def test_a_span_knows_its_aside(self):
        text = normalise('He said "it is not known" today')
        assert text.aside_at(12, 14) == "quotation"
        assert text.aside_at(0, 2) is None
