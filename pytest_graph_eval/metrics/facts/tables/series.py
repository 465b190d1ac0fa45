"""Names that end in a figure (S&P 500, week 12), where the figure says no number of anything."""

from __future__ import annotations

from pytest_graph_eval import lazy_re as re
from pytest_graph_eval.metrics.facts.tables.cues import phrases

# These number what they name, unless something is counted: in week 12, but each week 12 people, zone 12 km².
SOFT_LABELS = phrases(
    "number rank week day round season episode unit reactor block zone ward gate terminal platform lane highway",
    "interstate motorway autoroute channel title proposition resolution directive regulation formula lap hole act",
    "scene psalm opus symphony bus tram gleis amendment semaine saison journée woche runde spieltag jornada giornata",
    "rodada",
)
# Page 3 of 12, Seite 3 von 12: neither says how many of anything there are.
OUT_OF = phrases("of von sur de di van")
PAGED = re.compile(
    r"\b(?:pages?|p\.|pp\.|slides?|sheets?|screens?|steps?|parts?|chapters?|volumes?|episodes?|questions?|items?|"
    r"lessons?|"
    r"modules?|figures?|tables?|sections?|seite|folie|blatt|teil|diapositive|paginas?|pagina|diapositiva|"
    r"dia) ?#?\d{1,4} "
    r"(?:of|von|sur|de|di|van) \Z"
)
NO_LABEL_AFTER = phrases(
    "per each every a an this that last next one par chaque pro jede jeder por cada ogni al the they",
    "total exact overall correct average mean minimum maximum whole",
)
# Things that are called by a number, and what follows where one stands before its thing: the number 7 bus.
CALLED_BY_NUMBER = phrases(
    "bus tram train line route flight room gate seat platform track lane bay ward house flat chapter page question",
    "item order ticket case invoice account patient phone player player's seed pick car reactor unit well mine hole",
)
CALLED_AFTER = re.compile(
    r" (?!(?:is|was|has|had|of|in|on|at|for|from|to|by|and|or|but|as|per|than|then|means?|refers?|appears?|stands?|"
    r"came|comes?|that|which|who|here|there|times|out|with|can|could|will|would|should|may|might|must)\b)"
    r"(?:[a-z]+[us]s|[a-z]{2,}(?<!s))\b"
)
# Names that end in a figure, and the figures that belong to them.
SERIES: dict[str, frozenset[str]] = {
    name: frozenset(numbers.split())
    for name, numbers in {
        "s&p": "100 400 500 600 1500", "boeing": "707 717 727 737 747 757 767 777 787", "porsche": "718 911 914 918",
        "airbus": "220 300 310 318 319 320 321 330 340 350 380", "fortune": "100 500 1000", "ftse": "100 250 350",
        "nikkei": "225", "cac": "40", "dax": "30 40", "ibex": "35", "russell": "1000 2000 3000", "stoxx": "50 600",
        "nasdaq": "100", "topix": "100 500", "dow": "30", "asx": "50 100 200 300", "nifty": "50 100 500", "csi": "300",
        "kospi": "200", "euronext": "100", "office": "365", "microsoft": "365", "xbox": "360", "dynamics": "365",
        "apollo": "1 7 8 9 10 11 12 13 14 15 16 17", "voyager": "1 2", "soyuz": "1 11", "falcon": "1 9", "area": "51",
        "covid": "19", "carbon": "12 13 14", "uranium": "233 235 238", "plutonium": "238 239", "omega": "3 6 9",
        "iphone": "3 4 5 6 7 8 11 12 13 14 15 16 17", "playstation": "1 2 3 4 5", "ps": "1 2 3 4 5",
        "java": "7 8 11 17 21 25", "ubuntu": "18.04 20.04 22.04 24.04", "postgresql": "12 13 14 15 16 17 18",
        "postgres": "12 13 14 15 16 17 18", "debian": "9 10 11 12 13", "angular": "2 17 18",
        "android": "9 10 11 12 13 14 15 16",
        "ios": "12 13 14 15 16 17 18", "gpt": "2 3 4 5 3.5 4.1", "llama": "2 3 4", "forever": "21", "motel": "6",
        "phillips": "66", "studio": "54", "web": "2.0 3.0", "industry": "4.0 5.0", "industrie": "4.0", "maroon": "5",
        "blink": "182", "gemini": "1 2 3", "catch": "22",
    }.items()
}  # fmt: skip
# Of what an article and a capital introduce: the Nokia 3310 was, a Cessna 172 crashed.
NAMED = re.compile(
    r"(?<!\w)(?<!\b[Ii]n )(?<!\b[Aa]t )(?<!\b[Oo]f )(?<!\b[Tt]o )(?<!\b[Ff]or )(?<!\b[Ff]rom )(?<!\b[Aa]cross )"
    r"(?:(?:[Tt]he|[Aa]n?|[Ll]e|[Ll]a|[Uu]ne?|[Ee]l|[Ii]l|[Uu]na) (?:[A-Z][\w&.'-]* ){1,3}|"
    r"(?:(?<=\A)|(?<=[.!?] )|(?<=\n))[A-Z][a-z]+ )\Z"
)
NAMED_AFTER = re.compile(
    r" (?:is|was|has|had|can|will|does|did|flew|flies|came|went|index|series|aircraft|jet|est|etait)\b|'s\b|"
    r" [a-z]{2,}ed\b(?! [a-z]+s\b)"
)
