"""`re` for modules with many patterns: each is compiled when it is first used, and most runs use few."""

from __future__ import annotations

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    Match,
    Pattern,
    RegexFlag,
    error,
    escape,
    findall,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any

__all__ = [
    "ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "Match", "Pattern", "compile", "error", "escape", "findall",
    "fullmatch", "match", "search", "split", "sub",
]  # fmt: skip


class _Later:
    """A pattern until it is used; each of its methods is looked up once."""

    def __init__(self, pattern: str, flags: int | RegexFlag) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        self.__dict__[name] = found
        return found


def compile(pattern: str, flags: int | RegexFlag = 0) -> Pattern[str]:  # noqa: A001 - as in `re`
    """Return what does all that `re.compile(pattern, flags)` does; mistakes show with its first use."""
    return _Later(pattern, flags)  # type: ignore[return-value]  # stands for one
