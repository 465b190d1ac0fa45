# ruff: noqa: SIM905 - tables of words read better as text
"""Number words: English and French, cardinal, ordinal and fractional, other cardinals, and the words of zero."""

from __future__ import annotations

_UNITS_EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TEENS_EN = "seventeen eighteen nineteen"
_TENS_EN = "twenty thirty forty fifty sixty seventy eighty ninety"
EN: dict[str, int] = {word: i for i, word in enumerate(f"{_UNITS_EN} {_TEENS_EN}".split())}
EN |= {word: 10 * i for i, word in enumerate(_TENS_EN.split(), 2)}
EN |= {"nought": 0, "nil": 0, "fourty": 40}

_UNITS_FR = "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
_TENS_FR = "vingt trente quarante cinquante soixante septante octante nonante"
FR: dict[str, int] = {word: i for i, word in enumerate(_UNITS_FR.split())}
FR |= {word: 10 * i for i, word in enumerate(_TENS_FR.split(), 2)}
FR |= {"une": 1, "huitante": 80, "vingts": 20}

# French numbers that are English words or abbreviations.
COLLIDING = frozenset(("sept", "cent", "cents", "un", "une"))
SCALES_EN: dict[str, int] = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "lakh": 5, "crore": 7}
SCALES_FR: dict[str, int] = {
    **dict.fromkeys(("mille", "millier", "milliers"), 3),
    **dict.fromkeys(("million", "millions"), 6),
    **dict.fromkeys(("milliard", "milliards"), 9),
    **dict.fromkeys(("billion", "billions"), 12),
}

_ORDINALS_EN = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
ORDINALS_EN: dict[str, int] = {word: i for i, word in enumerate(_ORDINALS_EN.split(), 1)}
ORDINALS_EN |= {f"{word}th": EN[word] for word in f"fourteen fifteen sixteen {_TEENS_EN}".split()}
ORDINALS_EN |= {f"{word[:-1]}ieth": EN[word] for word in _TENS_EN.split()}
ORDINALS_EN |= {"hundredth": 100, "thousandth": 1000, "millionth": 10**6}


def _french_ordinal(word: str) -> str:
    """Return the ordinal of a French cardinal: quatre -> quatrieme, cinq -> cinquieme, neuf -> neuvieme."""
    stem = {"cinq": "cinqu", "neuf": "neuv", "un": "un"}.get(word, word.removesuffix("e"))
    return f"{stem}ieme"


ORDINALS_FR: dict[str, int] = {
    _french_ordinal(word): n for word, n in FR.items() if n and word not in ("une", "vingts")
}
ORDINALS_FR |= {"premier": 1, "premiere": 1, "second": 2, "seconde": 2, "centieme": 100, "millieme": 1000}
# Ordinals of the other languages of the month table, single words only.
_OTHER_ORDINALS = {
    1: "erste ersten erster erstes primero primera primer primo prima primeiro primeira",
    2: "zweite zweiten zweiter zweites segundo segunda secondo seconda",
    3: "dritte dritten dritter drittes tercero tercera tercer terzo terza terceiro terceira derde",
    4: "vierte vierten vierter cuarto cuarta quarto quarta vierde",
    5: "funfte funften funfter quinto quinta vijfde",
    6: "sechste sechsten sechster sexto sexta sesto sesta zesde",
    7: "siebte siebten siebter septimo septima settimo settima setimo setima zevende",
    8: "achter octavo octava ottavo ottava oitavo oitava achtste",
    9: "neunte neunten neunter noveno novena negende",
    10: "zehnte zehnten zehnter decimo decima tiende",
}
ORDINALS_OTHER: dict[str, int] = {word: n for n, words in _OTHER_ORDINALS.items() for word in words.split()}

# Cardinals of the other languages, read only where the text is in that language, or in none that shows.
_FROM_TWO: dict[str, str] = {
    "de": "zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve",
    "it": "due tre quattro cinque _ sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "pt": "dois tres quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete "
    "dezoito dezenove",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien",
}
_FROM_TWENTY: dict[str, str] = {
    "de": "zwanzig dreißig vierzig funfzig sechzig siebzig achtzig neunzig hundert",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd",
}
OTHER_CARDINALS: dict[str, dict[str, int]] = {
    language: {word: n for n, word in enumerate(small.split(), 2) if word != "_"}
    | {word: 10 * n for n, word in enumerate(_FROM_TWENTY[language].split(), 2)}
    for language, small in _FROM_TWO.items()
}
OTHER_CARDINALS["de"] |= {"zwo": 2, "dreissig": 30}
OTHER_CARDINALS["pt"] |= {"duas": 2, "catorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19}
OTHER_CARDINALS["es"] |= {
    word: n
    for n, words in enumerate(
        ("veintiuno veintiun veintiuna", "veintidos", "veintitres", "veinticuatro", "veinticinco", "veintiseis",
         "veintisiete", "veintiocho", "veintinueve"), 21
    )
    for word in words.split()
}  # fmt: skip
OTHER_TENS: dict[str, dict[str, int]] = {
    language: {word: n for word, n in table.items() if n in range(20, 100, 10)}
    for language, table in OTHER_CARDINALS.items()
}
# What says one, or six, only as a part of a longer number.
OTHER_ONES: dict[str, dict[str, int]] = {
    "de": {"ein": 1, "eins": 1},
    "nl": {"een": 1},
    "it": {"un": 1, "uno": 1, "sei": 6},
    "es": {"un": 1, "uno": 1, "una": 1},
    "pt": {"um": 1, "uma": 1},
}
_HUNDREDS = {
    "es": "cient doscient trescient cuatrocient quinient seiscient setecient ochocient novecient",
    "pt": "cent duzent trezent quatrocent quinhent seiscent setecent oitocent novecent",
}
HUNDREDS_APART: dict[str, dict[str, int]] = {
    language: {f"{stem}{end}": 100 * n for n, stem in enumerate(stems.split(), 1) for end in ("os", "as") if n > 1}
    | {f"{stems.split()[0]}o": 100, "mil": 1000}
    for language, stems in _HUNDREDS.items()
}
# Of these, the ones that are words or names of other languages.
ALSO_OTHER_WORDS = frozenset(
    "once doze quince tres venti otto diez twee acht elf cento duas treze sette siete mille".split()
)

# A cardinal and one of these is a fraction: two thirds, trois quarts. Alone, the words of value 2 and 4 are too.
PARTS: dict[str, int] = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5,
                         "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8,
                         "ninth": 9, "ninths": 9, "tenth": 10, "tenths": 10, "hundredths": 100, "thousandths": 1000,
                         "demi": 2, "demie": 2, "moitie": 2, "tiers": 3, "quart": 4, "quarts": 4, "cinquieme": 5,
                         "cinquiemes": 5, "dixieme": 10, "dixiemes": 10, "centiemes": 100}  # fmt: skip

# Words for about so many, with an article before them.
VAGUE: dict[str, int] = {"dizaine": 10, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40,
                         "cinquantaine": 50, "soixantaine": 60, "centaine": 100, "millier": 1000}  # fmt: skip

# Articles as often as counts: they count only before the counted noun, or after a word such as `exactly`.
ARTICLES = frozenset(("one", "un", "une", "neuf"))
SINGLES = frozenset(
    "exactly only just precisely exactement seulement uniquement precisement seul seule single lone sole".split()
)

# Before a scale word: anderthalb Millionen, medio millón.
BEFORE_BIG: dict[str, str] = {
    **dict.fromkeys("anderthalb eineinhalb anderhalf".split(), "1.5"),
    **dict.fromkeys("halbe halben halbes medio media mezzo mezza meio meia half".split(), "0.5"),
    "zweieinhalb": "2.5", "dreieinhalb": "3.5", "viereinhalb": "4.5",
}  # fmt: skip
# Two of what follows: both stores, a pair of stores; a couple of stores are as often a few.
TWO: dict[str, str] = {
    **dict.fromkeys("both beide beiden ambos ambas entrambi entrambe".split(), "both"),
    **dict.fromkeys("pair paire".split(), "pair"),
}
# No ... of them: these need the counted noun beside them.
ZEROS = frozenset(
    "no any non nao geen aucun aucune kein keine keinen keiner ningun ninguna nessun nessuna nenhum nenhuma pas".split()
)
# These state zero by themselves.
ZERO_WORDS = frozenset("none zero nil nought keins ninguno nessuno".split())
