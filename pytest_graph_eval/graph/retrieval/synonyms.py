"""Ways to say one thing in a question or a text: a small table of general English, with a little French.

Texts are compared by folded words (`words.py`); phrases are folded words joined by spaces.
"""

from __future__ import annotations

SAME = (
    ("ceo", "chief executive officer", "chief executive", "pdg"),
    ("cfo", "chief financial officer"),
    ("coo", "chief operating officer"),
    ("cto", "chief technology officer"),
    ("cio", "chief information officer"),
    ("chair", "chairman", "chairwoman", "chairperson"),
    ("headquarters", "headquartered", "head office", "based in", "hq"),
    ("founder", "founded", "cofounder", "established"),
    ("auditor", "audits"),
    ("acquire", "buy", "purchase", "takeover", "acquisition"),
    ("sell", "divest", "divestiture"),
    ("increase", "grow", "growth", "rise", "gain"),
    ("decrease", "decline", "fall", "drop", "shrink", "reduction"),
    ("reduce", "lower", "cut", "reduction"),
    ("belong", "part of", "member of"),
    ("own", "owner", "subsidiary of", "parent"),
    ("compete", "competitor", "rival", "competition"),
    ("supply", "supplier", "provider"),
    ("employ", "employee", "workforce", "staff"),
    ("written by", "author", "write"),
    ("located", "location", "situated"),
    ("us", "usa", "united states"),
    ("uk", "united kingdom"),
    ("eu", "european union"),
    ("yoy", "year over year", "year on year"),
)
"""Each line is one meaning."""

ASKED = (
    (
        ("lead", "run", "head", "in charge of", "boss", "leader", "dirige"),
        ("lead", "head", "leader", "director", "president", "manager", "chief", "ceo"),
    ),
    (("manage",), ("manage", "manager", "head", "director", "president", "lead")),
    (("work for", "work at"), ("employ", "work", "employee", "staff")),
    (("change", "develop", "differ", "difference"), ("change", "increase", "decrease", "compare", "grow", "decline")),
    (("compare", "versus", "vs", "against"), ("compare", "versus", "increase", "decrease")),
)
"""What is asked with the first words is told by the second; not the other way round."""

SOFT = (
    "compare", "versus", "vs", "against", "change", "differ", "difference", "develop", "number", "amount", "highest",
    "lowest", "largest", "smallest",
)  # fmt: skip
"""Words that say how to answer rather than about what."""

KINDS = (
    (
        "who whom qui person executive officer leader founder author manager director employee scientist artist",
        "person people human individual executive employee officer author artist researcher character",
    ),
    (
        "firm company corporation organisation organization business vendor entreprise societe",
        "company organisation organization corporation firm business legal entity",
    ),
    ("where country city place location region pays ville lieu", "location place city country region geo geographic"),
    ("date year day month annee", "date period time year event"),
)
"""Words that ask for a kind of thing, and the words of the type labels that mean that kind."""
