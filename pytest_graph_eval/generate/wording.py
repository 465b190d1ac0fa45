"""How questions are put, in English and French: the templates of the ancestors, and grammar as far as they need it."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LANGUAGES", "TEMPLATES", "ask", "is_plural", "possessive"]

LANGUAGES = ("en", "fr")

TEMPLATES: Mapping[str, Mapping[str, str]] = {
    "metric": {
        "en": "What {was} {owner's} {metric} {in_period}?",
        "fr": "Quelle était la valeur de « {metric} » pour {owner} {in_period} ?",
    },
    "metric_alone": {
        "en": "What {was} the {metric} {in_period}?",
        "fr": "Quelle était la valeur de « {metric} » {in_period} ?",
    },
    "metric_count": {
        "en": "How many {metric} did {owner} have {in_period}?",
        "fr": "Combien de « {metric} » {owner} comptait-il {in_period} ?",
    },
}


def ask(template: str, lang: str, **parts: str) -> str:
    """Return a question; `{owner's}` is the possessive of `owner`."""
    if "owner" in parts:
        parts["owner's"] = possessive(parts["owner"])
    return " ".join(TEMPLATES[template][lang].format_map(parts).split())


def possessive(name: str) -> str:
    """Return `Walmart's`, `James'`."""
    return f"{name}'" if name.endswith(("s'", "S'")) else f"{name}'s"


def is_plural(words: str) -> bool:
    """Tell whether an English noun phrase is plural by its last word."""
    last = words.rsplit(maxsplit=1)[-1].casefold() if words.split() else ""
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "'s"))
