"""Month names and their usual abbreviations, and the small words of written dates. Keys are folded."""

from __future__ import annotations

from pytest_graph_eval.metrics.facts.page import fold

# English, French, German, Spanish, Italian, Portuguese, Dutch, Russian (genitive and nominative); then short forms.
_NAMES: dict[int, str] = {
    1: "january janvier januar jänner jaenner enero gennaio janeiro januari января январь jan janv gen ene",
    2: "february février februar feber febrero febbraio fevereiro februari февраля февраль feb febr févr fév fev",
    3: "march mars märz maerz marzo março maart марта март mar mär mrz mrt",
    4: "april avril abril aprile апреля апрель apr avr abr",
    5: "may mai mayo maggio maio mei мая май mag",
    6: "june juin juni junio giugno junho июня июнь jun giu",
    7: "july juillet juli julio luglio julho июля июль jul juil juill lug",
    8: "august août agosto augustus августа август aug ago aoû",
    9: "september septembre septiembre setiembre settembre setembro сентября сентябрь sep sept set",
    10: "october octobre oktober octubre ottobre outubro октября октябрь oct okt ott out",
    11: "november novembre noviembre novembro ноября ноябрь nov",
    12: "december décembre dezember diciembre dicembre dezembro декабря декабрь dec déc dez dic",
}
# Of other languages the names of a year's months in order, as they stand behind a day.
_ORDERED = (
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "januar februari marts april maj juni juli augusti september oktober november desember",
    "január február március április május június július augusztus szeptember október november december",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    (
        "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου "
        "δεκεμβρίου"
    ),
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
)
MONTHS: dict[str, int] = {
    fold(name): number for names in _ORDERED for number, name in enumerate(names.split(), start=1)
}
MONTHS |= {fold(name): number for number, names in _NAMES.items() for name in names.split()}

# English months that are verbs or names when they have no capital: they need a day beside them then.
VERBS = frozenset(("may", "march", "mar"))
# Months of other languages that are words of English: in an English text, or one whose language is not known, they
# need a day beside them or their dot.
ONLY_WITH_DAY = frozenset(("set", "out", "ago", "gen", "mag", "dic", "ene", "lug", "mei", "mart"))
# In English it is a planet and a company.
NOT_IN_ENGLISH = frozenset(("mars",))

# Of these, the ones that follow a figure in English: 12 out of 15, 3 ago, 5 set; they need a year as well there.
ONLY_WITH_YEAR = frozenset(("set", "out", "ago", "mag", "gen"))

# Years counted from the first of an era: the year before it.
ERAS: dict[str, int] = {
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "大正": 1911,
    "明治": 1867,
    "民國": 1911,
    "民国": 1911,
}

DAY_SUFFIX = r"(?:st|nd|rd|th|er|re|o|a|º|ª|°)?"
# Between day, month and year.
LINK = r"(?:(?:day )?of |de |d'|di |del |do |des |van )"
# Between the parts of an elliptical date: from 3 to 5 March, January-March, 3, 4 and 5 March.
CONNECTOR = (
    r"(?: ?[-/,] ?| ?,? ?(?:and|to|through|thru|until|till|or|et|au|a|jusqu'au|ou|und|bis|oder|zum|y|al|e|ao|o|tot|"
    r"en|по) (?:the |le |el |il |zum )?)"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ONES = _ORDINALS.split()[:9]
_FRENCH = (
    "premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt"
)
DAY_WORDS: dict[str, int] = {
    **{word: n for n, word in enumerate(_ORDINALS.split(), start=1)},
    **{f"twenty-{word}": n for n, word in enumerate(_ONES, start=21)},
    "thirtieth": 30,
    "thirty-first": 31,
    **{word: n for n, word in enumerate(_FRENCH.split(), start=1)},
    **{f"vingt-{word}": n for n, word in enumerate(_FRENCH.split()[1:9], start=22)},
    **dict.fromkeys(("vingt et un", "vingt-et-un"), 21),
    "trente": 30,
    **dict.fromkeys(("trente et un", "trente-et-un"), 31),
    **dict.fromkeys(("primero", "primo", "primeiro", "ersten", "erster"), 1),
}
