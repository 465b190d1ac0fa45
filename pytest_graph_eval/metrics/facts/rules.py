# ruff: noqa: SIM905 - tables of words read better as text
"""The figures of the rules: tolerances, limits, and how each language writes numbers and dates.

The words of the rules are in `tables/`: `scales`, `currencies`, `months`, `number_words`, `units`, `cues`.
"""

from __future__ import annotations

import difflib
from decimal import Decimal
from functools import lru_cache

from pytest_graph_eval.metrics.facts.page import Page

# --- tolerances ---------------------------------------------------------------------------------------------------

# Without a declared tolerance two figures agree when they differ by at most half a unit of the last printed digit of
# the less precise one, and by no more than one percent of the expected one. Counts, ordinals and plain whole numbers
# are exact. (A flat 1 % would take $605.9 billion for $611.3 billion.)
HALF_UNIT = Decimal("0.5")
MOST_RELATIVE = Decimal("0.01")

# --- limits -------------------------------------------------------------------------------------------------------

# Nobody states a figure of more digits; longer runs are identifiers.
MOST_DIGITS = 36
# The same for `1e400`.
MOST_EXPONENT = 60
# Four digits in this range, bare, may be a year.
YEARS = range(1800, 2101)
# Two-digit years up to this one are of this century.
LARGEST_SHORT_YEAR = 68
# A year beside a month name, or in a label such as FY2023.
WRITTEN_YEARS = range(1000, 2201)
# A year that stands alone.
YEARS_ALONE = range(1500, 2100)

SCALE_NAMES: dict[str, int] = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

# --- languages ----------------------------------------------------------------------------------------------------

# One comma and three digits is a group, one point and three digits a decimal, unless the language says otherwise.
POINT_GROUPS = frozenset("de es it pt nl da nb no id tr el hr sl ro vi".split())
COMMA_DECIMAL = POINT_GROUPS | frozenset("fr ru uk pl cs sk bg sv fi hu et lv lt".split())
# Guessed, not declared: both readings of `2,125` are kept.
COMMA_OR_GROUP = frozenset("fr de es it pt nl da".split())
# `billion` is a million millions.
LONG_SCALE = frozenset("fr de".split())
# A numeric date puts the day first.
DAY_FIRST = frozenset("fr de es it pt".split())

_POINT_DECIMAL = frozenset("en zh ja ko th he hi bn ar fa ur ms ta te".split())
_LANGUAGES = _POINT_DECIMAL | COMMA_DECIMAL
# Countries that write otherwise than their language does elsewhere.
_COUNTRIES: dict[str, str] = {"de-ch": "en", "de-li": "en", "it-ch": "en", "es-mx": "en", "es-us": "en", "es-pr": "en",
                              "es-do": "en", "es-gt": "en", "es-hn": "en", "es-ni": "en", "es-pa": "en",
                              "es-pe": "en", "es-sv": "en", "en-za": "fr", "fr-ch": "fr"}  # fmt: skip


@lru_cache(maxsize=64)
def locale(name: str) -> str:
    """Return the language whose separators a declared locale (`de`, `de_DE`, `es-MX`) has, or `auto`.

    Raises:
        ValueError: a locale that is not known.
    """
    if name == "auto":
        return name
    key = name.strip().lower().replace("_", "-").split(".")[0]
    base = key.split("-")[0]
    if key == "auto":
        return key
    if key in _COUNTRIES:
        return _COUNTRIES[key]
    if base in _LANGUAGES:
        return base
    near = difflib.get_close_matches(base, sorted(_LANGUAGES | {"auto"}), n=1)
    advice = f"did you mean {near[0]!r}?" if near else "use a language code such as en, fr or de"
    raise ValueError(f"locale {name!r} is not known; expected auto or one of {', '.join(sorted(_LANGUAGES))}; {advice}")


# Frequent words that belong to few of these languages; a word counts by how few share it.
_FUNCTION_WORDS: dict[str, str] = {
    "en": "the of and to is was were are that with for from by has have had which this there their it not been will "
    "about than its at on",
    "fr": "le la les des du est et une un dans pour sur avec qui que aux ne pas ce cette il elle sont etait ont ses au "
    "par plus ou eleve etaient compte depuis sous entre chiffre aout dernier derniere nous vous tout toute tous aussi "
    "ete leur leurs apres avant lors elles magasins ventes taux soit en y a",
    "de": "der die das und ist war nicht mit ein eine einen dem den des auf fur von zu im es gibt sind wurde werden "
    "bei auch nach uber liegt betragt betrug zum zur als wurden am vom umsatz prozent",
    "es": "el la los las y es fue con para por del una un que en se su sus al son fueron tiene hay como mas lo desde "
    "esta hasta millones",
    "it": "il lo la gli le e di che con per una un del della dei delle nel nella sono stato non ha alla al si era "
    "come piu miliardi",
    "pt": "o a os as e do da dos das com para por uma um que em no na foi nao sao seu sua ao mais foram tem pelo pela "
    "milhoes lojas existem ha",
    "nl": "het een zijn niet voor wordt worden werd werden heeft hebben bij aan naar uit deze dit maar nog er miljoen "
    "miljard bedraagt bedroeg omzet inwoners winkels medewerkers telt ook mensen vrouwen bedrijf",
    "da": "og er ikke det af til ifolge blev",
}
# Letters that few of them write, and how much each says.
_LETTERS: tuple[tuple[str, str, float], ...] = (
    ("ñ¿¡", "es", 1.5), ("ãõ", "pt", 1.5), ("ßü", "de", 1.0), ("äö", "de", 0.7), ("œùûêîë", "fr", 1.0),
    ("è", "fr", 0.6), ("è", "it", 0.4), ("ìò", "it", 1.0), ("éô", "fr", 0.5), ("éó", "es", 0.3), ("éôâ", "pt", 0.3),
    ("ç", "fr", 0.5), ("ç", "pt", 0.5),
)  # fmt: skip
_LEAST_EVIDENCE = 0.9
_LEAST_LEAD = 1.4
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _name, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _name)
_TELLING = frozenset(_LANGUAGES_OF)


def language(page: Page) -> str | None:
    """Guess the language of a text, one of the tables above, by its small words and letters; None if they do not tell.

    The winner must lead clearly: no guess is better than a wrong one. The page remembers the answer.
    """
    known = page.memory.get("language", "")
    if known != "":
        return known if isinstance(known, str) else None
    scores: dict[str, float] = {}
    for word in page.words & _TELLING:
        shared = _LANGUAGES_OF[word]
        for name in shared:
            scores[name] = scores.get(name, 0.0) + 1 / len(shared)
    if not page.plain.isascii():
        for letters, name, weight in _LETTERS:
            if any(letter in page.plain for letter in letters):
                scores[name] = scores.get(name, 0.0) + weight
    best = _clear_winner(scores)
    page.memory["language"] = best
    return best


def _clear_winner(scores: dict[str, float]) -> str | None:
    ranked = sorted(scores, key=lambda name: scores[name], reverse=True)
    if not ranked or scores[ranked[0]] < _LEAST_EVIDENCE:
        return None
    second = scores[ranked[1]] if len(ranked) > 1 else 0.0
    return ranked[0] if scores[ranked[0]] >= _LEAST_LEAD * second else None
