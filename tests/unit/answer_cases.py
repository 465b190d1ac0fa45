"""Answers with what they state (`TRUE`) and what they do not (`FALSE`), and answers with two names and figures."""

# ruff: noqa: E501 - one case a line reads best

from __future__ import annotations

from typing import Any

_CSV = "company,revenue_musd,employees\nAcme,512,1204\nBolt,88,310"
_YEARS = "company,2022,2023\nAcme,512,530\nBolt,88,91"
_QUOTED = 'company,revenue,hq\n"Acme, Inc.","1,234","Austin, TX"\nBolt,88,Berlin'
_UNITS = (
    "| Metric | Value | Unit |\n|---|---|---|\n| Revenue | 611.3 | USD bn |\n| Margin | 4.1 | % |\n| Power | 12 | MW |"
)

# fmt: off
TRUE: list[tuple[str, dict[str, Any]]] = [
    ("year,count\n2022,12\n2023,15", {"numbers": ["12"]}),
    ("year,stores\n2022,12\n2023,15", {"counts": {"stores": 12}, "numbers": [{"value": "15", "near": "2023"}]}),
    (_CSV, {"numbers": [{"value": "1204", "near": "Acme"}, {"value": "512", "near": "Acme"}], "contains": "Acme,512"}),
    (_CSV.replace(",", ";"), {"numbers": [{"value": "310", "near": "Bolt"}]}),
    (_CSV.replace(",", "\t"), {"numbers": [{"value": "310", "near": "Bolt"}]}),
    (_YEARS, {"numbers": [{"value": "530", "near": "Acme", "of": "2023"}]}),
    (_QUOTED, {"numbers": [{"value": "1234", "near": "Acme"}], "names": ["Acme, Inc.", "Berlin"]}),
    ("name,date,amount ($ millions)\nAcme,2024-03-05,512", {"numbers": ["$512 million"], "dates": ["2024-03-05"]}),
    ("Preise,netto in Euro:\n1,50 €\n2,50 €", {"numbers": ["€1.50"]}),
    (_UNITS, {"numbers": ["$611.3 billion", "4.1%", "12 MW"]}),
    ("It was expected to open in 1998 but it opened in 1999.", {"dates": ["1999"]}),
    ("As of 2024-03-01, it did not exist.", {"as_of": "2024-03-01"}),
    ("There were no features as of 2024-03-01.", {"as_of": "2024-03-01"}),
    ("The CEO isn't only Ann Smith but also John Doe.", {"names": ["Ann Smith"]}),
    ("The CEO isn't Ann Smith but John Doe.", {"names": ["John Doe"], "forbidden": ["Ann Smith"]}),
    ("Ann Smith is not the CEO, but she is on the board.", {"names": ["Ann Smith"]}),
    ("I could not find CLAIM_AGE anywhere.", {"names": ["CLAIM_AGE"]}),
    ("You asked whether Ann Smith is the CEO. John Doe is.", {"forbidden": ["Ann Smith"]}),
    ("De CEO is niet Ann Smith maar John Doe.", {"forbidden": ["Ann Smith"], "names": ["John Doe"]}),
    ("Ann Smith ist nicht die Geschäftsführerin.", {"forbidden": ["Ann Smith"]}),
    ("Ann Smith no es la presidenta.", {"forbidden": ["Ann Smith"]}),
    ("Ann Smith non è la presidente.", {"forbidden": ["Ann Smith"]}),
    ("Ann Smith não é a presidente.", {"forbidden": ["Ann Smith"]}),
    ("Ann SmithはCEOではありません。", {"forbidden": ["Ann Smith"]}),
    ("Ann Smith不是首席执行官。", {"forbidden": ["Ann Smith"]}),
    ("Ann Smith doesn't work there.", {"forbidden": ["Ann Smith"]}),
    ("Acme Foods had revenue of $5 million and Acme Steel $6 million.", {"choice": ["Acme Foods", "Acme Steel"]}),
    ("um zweiundzwanzig Prozent gestiegen", {"numbers": ["22%"]}),
    ("ventas de treinta y dos millones de euros", {"numbers": ["€32 million"]}),
    ("A pair of stores were closed.", {"counts": {"stores": 2}}),
    ("Both stores closed.", {"counts": {"stores": 2}}),
    ("Not a single store was closed.", {"counts": {"stores": 0}}),
    ("a single store was closed.", {"counts": {"store": 1}}),
    ("metric,value,unit\nMargin,4.1,%", {"numbers": ["4.1%"]}),
]
# Counts in words: the text with a place for the number word, the noun, and each word with its number.
_IN_WORDS: list[tuple[str, str, dict[str, int]]] = [
    ("Es gibt {} Filialen in der Stadt.", "Filialen", {"zwölf": 12, "einundzwanzig": 21, "zweiunddreißig": 32, "hundertzwanzig": 120, "zweihundertfünfzig": 250, "tausend": 1000, "zweitausenddreihundert": 2300, "einhundertein": 101}),
    ("Hay {} tiendas en la ciudad.", "tiendas", {"doce": 12, "veintiuna": 21, "treinta y dos": 32, "cuarenta y una": 41, "ciento veinte": 120, "doscientas cincuenta": 250, "mil": 1000, "dos mil trescientas": 2300}),
    ("Há {} lojas na cidade.", "lojas", {"doze": 12, "vinte e uma": 21, "trinta e duas": 32, "cento e vinte": 120, "duzentas e cinquenta": 250, "mil": 1000, "duas mil e trezentas": 2300}),
    ("Ci sono {} negozi nella città.", "negozi", {"dodici": 12, "ventuno": 21, "ventotto": 28, "trentadue": 32, "centoventi": 120, "duecentocinquanta": 250, "mille": 1000, "duemilatrecento": 2300}),
    ("Er zijn {} winkels in de stad.", "winkels", {"twaalf": 12, "eenentwintig": 21, "tweeëndertig": 32, "honderdtwintig": 120, "tweehonderdvijftig": 250, "duizend": 1000}),
]
TRUE += [(text.format(word), {"counts": {noun: n}}) for text, noun, words in _IN_WORDS for word, n in words.items()]
FALSE: list[tuple[str, dict[str, Any]]] = [
    ("line,count\n3,12\n4,15", {"numbers": ["3.12"]}),
    ("year,stores\n2022,12\n2023,15", {"numbers": [{"value": "12", "near": "2023"}]}),
    (_CSV, {"numbers": [{"value": "310", "near": "Acme"}]}),
    (_CSV, {"numbers": [{"value": "512", "near": "employees"}]}),
    (_CSV.replace(",", "\t"), {"numbers": [{"value": "310", "near": "Acme"}]}),
    (_YEARS, {"numbers": [{"value": "512", "near": "2023"}]}),
    (_QUOTED, {"numbers": ["234"]}),
    (_UNITS, {"numbers": ["$611.3 million"]}),
    (_UNITS, {"numbers": ["12 kW"]}),
    ("It was expected to open in 1998 but it opened in 1999.", {"dates": ["1998"]}),
    ("Not as of 2024-03-01.", {"as_of": "2024-03-01"}),
    ("The data is as of 2024-03-02, not as of 2024-03-01.", {"as_of": "2024-03-01"}),
    ("The CEO isn't Ann Smith but John Doe.", {"names": ["Ann Smith"]}),
    ("John Doe, not Ann Smith, is the CEO.", {"names": ["Ann Smith"]}),
    ("The CEO is John Doe rather than Ann Smith.", {"names": ["Ann Smith"]}),
    ("I thought it was Ann Smith, but it is John Doe.", {"names": ["Ann Smith"]}),
    ("Der CEO ist nicht Ann Smith, sondern John Doe.", {"names": ["Ann Smith"]}),
    ("Le PDG n'est pas Ann Smith mais John Doe.", {"names": ["Ann Smith"]}),
    ("El CEO no es Ann Smith, sino John Doe.", {"names": ["Ann Smith"]}),
    ("It is not true that Ann Smith is not the CEO.", {"forbidden": ["Ann Smith"]}),
    ("Acme Foods, unlike Acme Steel, had $5 million.", {"choice": ["Acme Foods", "Acme Steel"]}),
    ("Hay treinta y dos tiendas en la ciudad.", {"counts": {"tiendas": 2}}),
    ("Hay dos mil trescientas tiendas en la ciudad.", {"counts": {"tiendas": 300}}),
    ("Es gibt hundertzwanzig Filialen in der Stadt.", {"counts": {"Filialen": 20}}),
    ("Once upon a time, Otto had 3 stores.", {"counts": {"stores": 11}}),
    ("Both stores and offices closed.", {"counts": {"stores": 2}}),
    ("A pair runs 5 stores.", {"counts": {"stores": 2}}),
    ("Not a single store was closed.", {"counts": {"stores": 1}}),
    ("Competitors of Acme:\n- Bolt: $20 million", {"numbers": [{"value": "$20 million", "near": "Acme"}]}),
    ("Acme:\n- Revenue: $24 million\n- Cost: $20 million", {"numbers": [{"value": "$20 million", "near": "Acme", "of": "Revenue"}]}),
]

# the answer; each name with its own figure
PAIRS = [
    ("Acme at 24% is ahead of Bolt at 20%.", "Acme=24%", "Bolt=20%"),
    ("Acme (24%) is ahead of Bolt (20%).", "Acme=24%", "Bolt=20%"),
    ("Acme earned $24 million versus Bolt with $20 million.", "Acme=$24 million", "Bolt=$20 million"),
    ("Acme, with revenue of $24 million, is larger than Bolt, with $20 million.", "Acme=$24 million", "Bolt=$20 million"),
    ("The margin of Acme was 24%, that of Bolt 20%.", "Acme=24%", "Bolt=20%"),
    ("Acme grew 24% (Bolt: 20%).", "Acme=24%", "Bolt=20%"),
    ("Bolt, at 20%, trails Acme, at 24%.", "Acme=24%", "Bolt=20%"),
    ("2022: $20 million → 2023: $24 million", "2023=$24 million", "2022=$20 million"),
    ("## Acme\nRevenue: $24 million\n\n## Bolt\nRevenue: $20 million", "Acme=$24 million", "Bolt=$20 million"),
    ("### Acme\n\nRevenue was $24 million.\n\n### Bolt\n\nRevenue was $20 million.", "Acme=$24 million", "Bolt=$20 million"),
    ("Acme:\n- Revenue: $24 million\nBolt:\n- Revenue: $20 million", "Acme=$24 million", "Bolt=$20 million"),
    ("1. **Acme**\n   - Revenue: $24 million\n2. **Bolt**\n   - Revenue: $20 million", "Acme=$24 million", "Bolt=$20 million"),
    ("- Acme\n  * Revenue: $24 million\n- Bolt\n  * Revenue: $20 million", "Acme=$24 million", "Bolt=$20 million"),
    ("<h2>Acme</h2><ul><li>Sales: $24 million</li></ul><h2>Bolt</h2><ul><li>Sales: $20 million</li></ul>", "Acme=$24 million", "Bolt=$20 million"),
]
# fmt: on
