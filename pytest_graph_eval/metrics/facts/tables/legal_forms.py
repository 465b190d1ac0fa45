"""Legal forms of companies, which names have with or without."""

from __future__ import annotations

# Words that may be left out at the end of a name, in any number.
LEGAL_FORMS = frozenset(
    ("inc", "incorporated", "corp", "corporation", "co", "company", "ltd", "limited", "llc", "llp", "lp", "plc", "gmbh",
     "ag", "kg", "kgaa", "se", "sa", "sas", "sarl", "spa", "srl", "bv", "nv", "ab", "asa", "as", "oy", "oyj", "aps",
     "pty", "kk", "sl", "ltda")
)  # fmt: skip

# The same in letters that stand apart.
LEGAL_LETTERS = (("s", "p", "a"), ("l", "l", "c"), ("l", "l", "p"), ("s", "a", "s"), ("s", "r", "l"), ("s", "a"),
                  ("n", "v"), ("b", "v"), ("a", "/", "s"))  # fmt: skip
