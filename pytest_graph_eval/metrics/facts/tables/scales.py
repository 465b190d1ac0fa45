"""Scale words and suffixes: what multiplies the figure before them, in the languages of the answers.

Keys are folded as `page.Page.lower` is: lower case, Latin letters without accents, one form of Arabic yeh and kaf.
"""

from __future__ import annotations

from pytest_graph_eval.metrics.facts.page import fold

# Power of ten -> the words for it.
_WORDS: dict[int, str] = {
    2: "hundred hundreds",
    3: "thousand thousands mille milliers millier tausend tsd mil mila duizend tusen tusind tys тыс тысяч тысячи "
    "тысяча ألف آلاف ألفا هزار हज़ार हजार ribu nghìn ngàn พัน",
    4: "หมื่น",
    5: "lakh lakhs lac lacs लाख แสน",
    6: "million millions mio mln mill millionen millón millones milione milioni milhão milhões miljoen miljoenen "
    "miljon miljoner millioner milion milionów miliony milyon млн миллион миллиона миллионов مليون ملايين مليونا "
    "میلیون juta triệu ล้าน",
    7: "crore crores करोड़",
    9: "milliard milliards milliarde milliarden mrd mld mia mds mlrd milliarder miliardo miliardi miljard miljarden "
    "miljarder miliard miliardów miliardy milyar млрд миллиард миллиарда миллиардов مليار مليارات بليون بلايين "
    "میلیارد bilhão bilhões अरब miliar tỷ",
    11: "खरब",
    12: "billionen billón billones bilione bilioni bilião biliões biljoen biljoenen trilhão trilhões трлн триллион "
    "триллиона триллионов تريليون تريليونات triliun bilyon",
    15: "billiard billiards billiarde billiarden",
}

SCALES: dict[str, int] = {fold(word): power for power, words in _WORDS.items() for word in words.split()}
# The same letters, another value: English counts in steps of a thousand, French and German in steps of a million.
SCALES |= {"billion": 9, "billions": 9, "trillion": 12, "trillions": 12, "quadrillion": 15, "quadrillions": 15}
LONG_SCALE: dict[str, int] = {"billion": 12, "billions": 12, "trillion": 18, "trillions": 18, "quadrillion": 24}

# Written after a figure, glued or apart.
SHORT_SUFFIXES: dict[str, int] = {"mn": 6, "mm": 6, "mio": 6, "mln": 6, "bn": 9, "bln": 9, "md": 9, "mds": 9,
                                  "mrd": 9, "tn": 12, "trn": 12, "cr": 7, "bil": 9}  # fmt: skip
# Single letters: glued, or apart beside a currency or as a capital.
LETTERS: dict[str, int] = {"k": 3, "m": 6, "b": 9, "t": 12, "g": 9, "mi": 6, "bi": 9, "tri": 12}

# Words that multiply, but by no power of ten.
MULTIPLES: dict[str, int] = {"dozen": 12, "dozens": 12, "douzaine": 12, "douzaines": 12, "dutzend": 12,
                             "docena": 12, "docenas": 12, "dozzina": 12, "dozzine": 12, "duzia": 12,
                             "duzias": 12}  # fmt: skip

CJK_UNITS: dict[str, int] = {"十": 1, "拾": 1, "百": 2, "佰": 2, "千": 3, "仟": 3, "십": 1, "백": 2, "천": 3,
                             "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12,
                             "京": 16}  # fmt: skip
CJK_DIGITS: dict[str, int] = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5,
                              "六": 6, "七": 7, "八": 8, "九": 9, "壱": 1, "壹": 1, "弐": 2, "贰": 2, "貳": 2,
                              "参": 3, "叁": 3, "肆": 4, "伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}  # fmt: skip
HANGUL_DIGITS: dict[str, int] = {char: n for n, char in enumerate("일이삼사오육칠팔구", 1)}
