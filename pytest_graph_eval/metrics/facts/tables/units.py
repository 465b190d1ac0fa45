"""Units of measure: what dimension a symbol or word measures, and how many of the base unit it is."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple


class Measure(NamedTuple):
    """A unit of measure: its dimension and its size in the base unit of that dimension."""

    dimension: str
    size: Decimal


_PREFIXES: dict[str, int] = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "m": -3, "µ": -6, "μ": -6, "n": -9}
_WORD_PREFIXES: dict[str, int] = {"": 0, "kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "milli": -3}
# Base symbol -> the prefixes it is used with, its singular word, its dimension.
_BASES: dict[str, tuple[str, str, str]] = {
    "W": ("kMGTm", "watt", "power"),
    "Wh": ("kMGT", "watt-hour", "energy"),
    "V": ("kMm", "volt", "voltage"),
    "VA": ("kM", "volt-ampere", "apparent power"),
    "A": ("kmµ", "ampere", "current"),
    "Hz": ("kMG", "hertz", "frequency"),
    "Pa": ("kM", "pascal", "pressure"),
    "J": ("kMG", "joule", "work"),
    "B": ("kMGTP", "byte", "data"),
    "bit": ("kMG", "bit", "bits"),
    "g": ("kmµ", "gram", "mass"),
    "m": ("kmµn", "meter", "length"),
    "l": ("m", "liter", "volume"),
    "s": ("mµn", "second", "time"),
}
_ODD: dict[str, tuple[str, str]] = {
    "KB": ("data", "1e3"), "KiB": ("data", "1024"), "MiB": ("data", "1048576"), "GiB": ("data", "1073741824"),
    "TiB": ("data", "1099511627776"), "cm": ("length", "0.01"), "mi": ("length", "1609.344"),
    "ft": ("length", "0.3048"), "yd": ("length", "0.9144"), "ac": ("area", "4046.8564224"),
    "kt": ("mass", "1e9"), "Mt": ("mass", "1e12"),
    "lb": ("mass", "453.59237"), "lbs": ("mass", "453.59237"),
    "oz": ("mass", "28.349523125"), "L": ("volume", "1"), "hl": ("volume", "100"), "m3": ("volume", "1000"),
    "m³": ("volume", "1000"), "m2": ("area", "1"), "m²": ("area", "1"), "km2": ("area", "1e6"), "km²": ("area", "1e6"),
    "ha": ("area", "1e4"), "min": ("time", "60"), "h": ("time", "3600"), "hrs": ("time", "3600"),
    "°C": ("celsius", "1"), "°F": ("fahrenheit", "1"), "°": ("degrees", "1"), "px": ("pixels", "1"),
    "t": ("mass", "1e6"), "mcg": ("mass", "1e-6"), "mL": ("volume", "0.001"), "dL": ("volume", "0.1"),
    "dl": ("volume", "0.1"), "cl": ("volume", "0.01"), "cL": ("volume", "0.01"), "µl": ("volume", "1e-6"),
    "µL": ("volume", "1e-6"), "mmol": ("amount", "0.001"), "mol": ("amount", "1"), "IU": ("activity", "1"),
    "mmHg": ("blood pressure", "1"), "kcal": ("food energy", "1"), "ppm": ("share", "1"), "ppb": ("share", "0.001"),
    "psi": ("pressure", "6894.757"), "bar": ("pressure", "1e5"), "mbar": ("pressure", "100"),
    "hPa": ("pressure", "100"),
    "N": ("force", "1"), "kN": ("force", "1000"), "Nm": ("torque", "1"), "dBm": ("signal", "1"), "dBi": ("gain", "1"),
    "Gy": ("dose absorbed", "1"), "mGy": ("dose absorbed", "0.001"), "Sv": ("dose equivalent", "1"),
    "mSv": ("dose equivalent", "0.001"), "Bq": ("decay", "1"), "kBq": ("decay", "1e3"), "MBq": ("decay", "1e6"),
    "mEq": ("equivalents", "0.001"), "kbps": ("rate", "1e3"), "Mbps": ("rate", "1e6"), "Gbps": ("rate", "1e9"),
    "mg/dL": ("density", "1"), "mg/dl": ("density", "1"), "mg/kg": ("dose", "1"),
    "km/h": ("speed", "1"), "mph": ("speed", "1.609344"), "m/s": ("speed", "3.6"),
    "kph": ("speed", "1"), "kmh": ("speed", "1"), "rpm": ("rotation", "1"), "fps": ("frames", "1"),
    "kWp": ("peak power", "1e3"), "MWp": ("peak power", "1e6"), "GWp": ("peak power", "1e9"),
    "kvar": ("reactive power", "1e3"), "Mvar": ("reactive power", "1e6"), "MVAr": ("reactive power", "1e6"),
    "MVar": ("reactive power", "1e6"), "bbl": ("oil", "1"), "boe": ("oil equivalent", "1"), "dB": ("level", "1"),
}  # fmt: skip

SYMBOLS: dict[str, Measure] = {
    f"{prefix}{base}": Measure(dimension, Decimal(10) ** _PREFIXES[prefix])
    for base, (prefixes, _, dimension) in _BASES.items()
    for prefix in ("", *prefixes)
}
SYMBOLS |= {symbol: Measure(dimension, Decimal(size)) for symbol, (dimension, size) in _ODD.items()}
SYMBOLS |= {symbol.replace("µ", "μ"): measure for symbol, measure in SYMBOLS.items()}  # two signs, one letter

_OTHER_WORDS: dict[str, str] = {"metre": "m", "metres": "m", "kilometre": "km", "kilometres": "km", "mile": "mi",
                                "miles": "mi", "foot": "ft", "feet": "ft", "litre": "l", "litres": "l", "kilo": "kg",
                                "kilos": "kg", "hectare": "ha", "hectares": "ha", "tonne": "t", "tonnes": "t",
                                "octet": "B", "octets": "B", "celsius": "°C", "acre": "ac", "acres": "ac",
                                "yard": "yd", "yards": "yd", "ounce": "oz", "ounces": "oz", "hektar": "ha",
                                "hectareas": "ha", "ettari": "ha", "kilometer": "km", "kilometern": "km",
                                "kilometros": "km", "chilometri": "km", "quilometros": "km", "metros": "m",
                                "metri": "m", "tonnen": "t", "toneladas": "t", "tonnellate": "t", "litros": "l",
                                "litri": "l", "millas": "mi"}  # fmt: skip
_TONNE = Measure("mass", Decimal(10) ** 6)
# `seconds` and `bits` are counted as often as measured, and carry no symbol's precision: left to the nouns.
WORDS: dict[str, Measure] = {
    f"{prefix}{word}{plural}": Measure(dimension, Decimal(10) ** power)
    for word, dimension in ((w, d) for _, w, d in _BASES.values() if w not in ("second", "bit"))
    for prefix, power in _WORD_PREFIXES.items()
    for plural in ("", "s")
}
WORDS |= {word: _TONNE if symbol == "t" else SYMBOLS[symbol] for word, symbol in _OTHER_WORDS.items()}

# The speeds that lengths an hour are.
HOURLY: dict[Measure, Measure] = {
    SYMBOLS["km"]: SYMBOLS["km/h"],
    SYMBOLS["mi"]: SYMBOLS["mph"],
    SYMBOLS["m"]: Measure("speed", Decimal("0.001")),
}

# Periods are counted as often as measured: their words measure only beside an expected period.
_PERIODS = (
    "second 1,minute 60,min 60,hour 3600,hr 3600,day 86400,week 604800,fortnight 1209600,seconde 1,heure 3600,"
    "jour 86400,semaine 604800,sekunde 1,stunde 3600,tag 86400,woche 604800,segundo 1,minuto 60,hora 3600,dia 86400,"
    "semana 604800,ora 3600,giorno 86400"
)
# Months differ in their days, so no number of days is one.
_MONTHS = "month 1,quarter 3,year 12,decade 120,mois 1,trimestre 3,an 12,annee 12,monat 1,jahr 12,mes 1,ano 12,anno 12"
PERIODS: dict[str, Measure] = {
    word: Measure(dimension, Decimal(size))
    for dimension, listed in (("time", _PERIODS), ("months", _MONTHS))
    for word, size in map(str.split, listed.split(","))
}

# A unit, the smaller one that is written behind it (2 hours and 30 minutes), and how many of those make one of it.
_SMALLER = (
    "hour minute 60,minute second 60,day hour 24,week day 7,year month 12,month day 30,month week 4,foot inch 12,"
    "lb oz 16,h min 60,min s 60,minute seconde 60,jour heure 24,semaine jour 7,an mois 12,"
    "mois jour 30,stunde minute 60,minute sekunde 60,tag stunde 24,jahr monat 12,hora minuto 60,dia hora 24,"
    "ano mes 12,ora minuto 60,giorno ora 24,anno mese 12"
)
SMALLER: dict[tuple[str, str], int] = {
    (unit, part): int(count) for unit, part, count in map(str.split, _SMALLER.split(","))
}
_PLURALS = {"feet": "foot", "inches": "inch", "meses": "mes", "stunden": "stunde", "jahre": "jahr", "jahren": "jahr",
            "monate": "monat", "monaten": "monat", "minuten": "minute", "sekunden": "sekunde", "tage": "tag",
            "tagen": "tag", "ore": "ora", "minuti": "minuto", "giorni": "giorno", "anni": "anno",
            "mesi": "mese", "wochen": "woche", "decades": "decade"}  # fmt: skip
_UNITS = frozenset(word for pair in SMALLER for word in pair)


def singular(unit: str) -> str:
    """Return the unit of `SMALLER` that a word names, in any number; empty if it names none."""
    known = unit if unit in _UNITS else _PLURALS.get(unit, unit.removesuffix("s"))
    return known if known in _UNITS else ""


def period(unit: str) -> Measure | None:
    """Return what a word for a period measures, in any number; None for all other words."""
    return PERIODS.get(unit) or PERIODS.get(_PLURALS.get(unit, unit.removesuffix("s")))
