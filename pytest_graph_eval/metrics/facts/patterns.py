"""Regular expressions of suites, searched in bounded time.

Most patterns are searched at once. One that could run for ever (a repeated group, or several open repetitions on a
long text) is searched by a process of its own that is ended after a while.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings

SECONDS = 2.0
_LONG = 20_000
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,)")
_OPEN = re.compile(r"(?<!\\)(?:[*+]|\{\d+,\})")
_WORKER = (
    "import json,re,sys,warnings;warnings.simplefilter('ignore');p,t=json.load(sys.stdin);"
    "m=re.search(p,t);json.dump(m and m.span(),sys.stdout)"
)


class SearchTimeout(Exception):  # noqa: N818 - as in `concurrent.futures`
    """A pattern was not decided within `SECONDS`."""


def search(pattern: str, text: str) -> tuple[int, int] | None:
    """Return the span of the first match of a pattern, or None.

    Raises:
        re.error: it is no regular expression.
        SearchTimeout: it takes too long on this text.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = re.compile(pattern)
    if _is_risky(pattern, text) and sys.executable:
        return _apart(pattern, text)
    match = compiled.search(text)
    return match.span() if match else None


def _is_risky(pattern: str, text: str) -> bool:
    return bool(_REPEATED_GROUP.search(pattern)) or (len(text) > _LONG and len(_OPEN.findall(pattern)) > 1)


def _apart(pattern: str, text: str) -> tuple[int, int] | None:
    """Search in a process of our own interpreter, without site packages, and end it after `SECONDS`."""
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and program; pattern and text go in as data
            [sys.executable, "-I", "-S", "-c", _WORKER],
            input=json.dumps([pattern, text]).encode("ascii"),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise SearchTimeout(f"not decided within {SECONDS:g} s") from None
    span = json.loads(done.stdout)
    return (span[0], span[1]) if span else None
