# ruff: noqa: SIM905 - tables of words read better as text
"""Raw answer text to plain text: Unicode forms, typographic signs, markup and white space, with a way back.

`strip` is the whole transformation. It is idempotent and linear in time: each pass is a fixed number of linear
substitutions, passes repeat until nothing changes, and after `_PASSES` of them (nested escapes that nobody
writes) the remaining markup characters are dropped.

Plain text keeps what later parts read: line ends (the ends of blocks), bullets, `>` and `|` at their places,
citation marks, and `"` around quotations. Two or more spaces become exactly two, so that columns stay apart.
"""

from __future__ import annotations

import html
import unicodedata
from bisect import bisect_right
from collections.abc import Callable

from pytest_graph_eval import lazy_re as re

_PASSES = 8

Replacement = str | Callable[[re.Match[str]], str]
Edit = tuple[int, int, str]


class Trail:
    """The edits that led from raw to plain text, so that a span can be followed either way."""

    def __init__(self) -> None:
        """Start with no edits: plain is raw."""
        self._steps: list[tuple[list[int], list[int], list[int], list[int]]] = []

    def add(self, edits: list[Edit]) -> None:
        """Remember one step's edits, sorted and apart from each other, as positions of its input."""
        outs, out_ends, ins, in_ends = [], [], [], []
        shift = 0
        for start, end, new in edits:
            outs.append(start + shift)
            out_ends.append(start + shift + len(new))
            ins.append(start)
            in_ends.append(end)
            shift += len(new) - (end - start)
        self._steps.append((outs, out_ends, ins, in_ends))

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the raw text that became `[start, end)` of the plain text."""
        if end <= start:
            at = self.back(start, start + 1)[0]
            return at, at
        last = end - 1
        for outs, out_ends, ins, in_ends in reversed(self._steps):
            start, first_end = _through(start, outs, out_ends, ins, in_ends)
            last_start, end = _through(last, outs, out_ends, ins, in_ends)
            end = max(end, first_end, last_start + 1)
            last = end - 1
        return start, end

    def forth(self, position: int) -> int:
        """Return where a position of the raw text ended up; text that is gone maps to where it was."""
        for outs, out_ends, ins, in_ends in self._steps:
            i = bisect_right(ins, position) - 1
            if i >= 0:
                position = outs[i] if position < in_ends[i] else out_ends[i] + position - in_ends[i]
        return position


def _through(at: int, outs: list[int], out_ends: list[int], ins: list[int], in_ends: list[int]) -> tuple[int, int]:
    """Follow one character back through one step: what it was made of."""
    i = bisect_right(outs, at) - 1
    if i < 0:
        return at, at + 1
    if at < out_ends[i]:
        return ins[i], in_ends[i]
    moved = in_ends[i] + at - out_ends[i]
    return moved, moved + 1


def strip(raw: str, trail: Trail | None = None) -> str:
    """Return `raw` as plain text; `trail` collects the edits where it is given."""
    text = raw
    for _ in range(_PASSES):
        text = _spaces(_characters(text, trail), trail)
        if not _MARKUP.search(text):
            return text
        before = text
        text = _markup(text, trail)
        if text == before:
            return text
    text = _sub(_MARKUP, "", text, trail)
    while (again := _spaces(_characters(text, trail), trail)) != text:
        text = again
    return text


def _sub(pattern: re.Pattern[str], new: Replacement, text: str, trail: Trail | None) -> str:
    """Substitute as `re.sub` does, and remember the edits."""
    if trail is None:
        return pattern.sub(new, text)
    edits = []
    simple = new if isinstance(new, str) and "\\" not in new else None
    for m in pattern.finditer(text):
        made = simple if simple is not None else new(m) if callable(new) else m.expand(new)
        if made != m[0]:
            edits.append((m.start(), m.end(), made))
    return _edit(text, edits, trail)


def _edit(text: str, edits: list[Edit], trail: Trail | None) -> str:
    """Apply sorted edits, and remember them."""
    if not edits:
        return text
    if trail is not None:
        trail.add(edits)
    parts: list[str] = []
    at = 0
    for start, end, new in edits:
        parts += (text[at:start], new)
        at = end
    parts.append(text[at:])
    return "".join(parts)


# --- characters ---------------------------------------------------------------------------------------------------

_SIGNS = {
    "'": "‘’‚‛′ʹʻʼʽˈ´ˊꞌ‹›",
    '"': "“”„‟″‶«»「」『』〝〞〟",
    "-": "‐‑−﹣﹘",
    "": "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\ufeff™®℠",
    "\n": "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029",
    " ": "\xa0\u1680\u202f\u205f\u3000",
}
_INVISIBLE = ((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F),
              (0xFFF9, 0xFFFB), (0xE0000, 0xE01EF))  # fmt: skip
# Superscripts (footnotes, powers), fractions and circled figures keep their own sign: folded, they would run into
# the number before them (`10²` is not 102, `1½` is not 11/2).
_FOLDED_FORMS = frozenset(
    ("<wide>", "<narrow>", "<compat>", "<font>", "<initial>", "<medial>", "<final>", "<isolated>", "<square>",
     "<sub>", "<vertical>", "<small>")
)  # fmt: skip


class _Fold(dict[str, str]):
    """What each character becomes; filled on demand from Unicode's compatibility forms."""

    def __missing__(self, char: str) -> str:
        code = ord(char)
        form = unicodedata.decomposition(char).split(" ")
        if any(low <= code <= high for low, high in _INVISIBLE):
            folded = ""
        elif char != "…" and form[0] in _FOLDED_FORMS and form[1] != "0020":
            folded = "".join(self[c] for c in unicodedata.normalize("NFKC", char))
        elif 0x2000 <= code <= 0x200A:
            folded = " "
        else:
            folded = " " if unicodedata.category(char) == "Cc" else char
        self[char] = folded
        return folded


_FOLD = _Fold({char: new for new, chars in _SIGNS.items() for char in chars})
# Everything but printable ASCII, tab, line feed and the letters that never change.
_ODD = re.compile(r"[^\t\n\x20-\x7eÀ-ÖØ-öø-ıĴ-ľŁ-ňŊ-ž一-鿿ぁ-ゖァ-ヺ가-힣А-яΑ-ΡΣ-ω]")
_LINE_END = re.compile(r"\r\n")
_COMPOSABLE = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


def _is_odd(text: str) -> bool:
    """Tell whether a text has any odd character; of ASCII that is told without a pattern."""
    if text.isascii():
        return not text.replace("\n", " ").replace("\t", " ").isprintable()
    return _ODD.search(text) is not None


def _characters(text: str, trail: Trail | None) -> str:
    """Compose (NFC), fold compatibility forms and typographic signs, drop what is invisible."""
    if "\r\n" in text:
        text = _sub(_LINE_END, "\n", text, trail)
    while True:
        if not unicodedata.is_normalized("NFC", text):
            text = _sub(_COMPOSABLE, lambda m: unicodedata.normalize("NFC", m[0]), text, trail)
        if not _is_odd(text):
            return text
        before = text
        text = _sub(_ODD, lambda m: _FOLD[m[0]], text, trail)
        if text == before:
            return text


_GAP = re.compile(r"\t[ \t]*| [ \t]+")
_BREAK = re.compile(r"[ ]*\n[ \n]*")


def _spaces(text: str, trail: Trail | None) -> str:
    """Make runs of spaces one or two, blank lines one, and drop space at both ends of a line."""
    if "  " in text or "\t" in text:
        text = _sub(_GAP, "  ", text, trail)
    if " \n" in text or "\n " in text or "\n\n" in text:
        text = _sub(_BREAK, lambda m: "\n\n" if m[0].count("\n") > 1 else "\n", text, trail)
    start, end = len(text) - len(text.lstrip(" \n")), len(text.rstrip(" \n"))
    edits = [(0, start, "")] if start else []
    if start < end < len(text):
        edits.append((end, len(text), ""))
    return _edit(text, edits, trail)


# --- markup -------------------------------------------------------------------------------------------------------

_MARKUP = re.compile(r"[\\*_`~<&\[$#]|\{,\}")

_CODE_FENCE = re.compile(r"^(?:```|~~~)[^\n`]*$", re.MULTILINE)
_HEADING = re.compile(r"^(?:#{1,6} +)+", re.MULTILINE)
_STRUCK = re.compile(r"~~(?=\S)[^~\n]+(?<=\S)~~")
_COMMENT = re.compile(r"<!--[^<>]*-->")
_GONE_TAG = re.compile(r"<(del|s|strike|sup|script|style)(?:\s[^<>]*)?>[^<>]*</\1>", re.IGNORECASE)
# What is raised is a footnote mark, unless it is an ordinal ending, a power of ten or the square of a metre.
_RAISED = re.compile(
    r"<sup>\s*(?:(?<=\d<sup>)(st|nd|rd|th|er|re|ère|e|ème|o|a)|(?<=10<sup>)(-?\d{1,2})|"
    r"(?<=m<sup>)([23]))\s*</sup>",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"</?(a|abbr|b|bdi|big|blockquote|br|caption|cite|code|dd|div|dl|dt|em|figcaption|font|h[1-6]|hr|i|ins|kbd|li|"
    r"mark|ol|p|pre|q|samp|section|small|span|strong|sub|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|wbr)"
    r"(?:\s[^<>=]*=[^<>]*|\s*)/?>",
    re.IGNORECASE,
)
_TAG_TEXT = {"td": " | ", "th": " | ", "tr": "\n| ", "li": "\n- ", "q": '"', "blockquote": "\n> "}
_INLINE = frozenset(
    "a abbr b bdi big cite code em font i ins kbd mark q samp small span strong sub tt u var wbr".split()
)
_ENTITY = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\( ?(?:[^()\s]|\([^()\s]*\))*(?: +\"[^\"\n]*\")? ?\)")
_REF_LINK = re.compile(r"\[([^\[\]\n]{0,500})\]\[[^\[\]\n]{0,100}\]")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{0,500}\|)?([^\[\]|\n]{0,500})\]\]")
_FIGURES = re.compile(r"[\d\s,;–-]*")

_TEX_GROUP = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf|normal)?|math(?:rm|bf|it|sf|tt|bb|cal)|mbox|emph|boxed|operatorname|underline|"
    r"overline|bm|boldsymbol) ?\{([^{}]*)\}"
)
_TEX_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_TEX_WORDS = {"times": "×", "cdot": "·", "approx": "≈", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
              "to": "→", "rightarrow": "→", "ldots": "…", "dots": "…", "euro": "€", "pounds": "£", "quad": "  ",
              "qquad": "  ", "left": "", "right": "", "displaystyle": ""}  # fmt: skip
_TEX_WORD = re.compile(rf"\\({'|'.join(_TEX_WORDS)})(?![A-Za-z])")
_TEX_THIN_SPACE = re.compile(r"\\[,;:](?=[\w\\])")
_TEX_MATH = re.compile(r"\\[()]|\\\[(?![\d ,;–-]*\\\])|(?<!\d)\\\]")
_TEX_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d)")
_TEX_POWER = re.compile(r"(?<=\d)\^\{([-+−]?\d{1,4})\}")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|\\$", re.MULTILINE)

_DISPLAY_MATH = re.compile(r"\$\$")
_INLINE_MATH = re.compile(r"\$(?<![\w$\\]\$)(?=\S)([^$\\\n]*+(?:\\[^\n][^$\\\n]*+)*+)(?<=\S)\$(?![\w$])")
_IS_MATH = re.compile(r"[\\{}^=]|\A[-+]?[\d.,\s]+%?\Z")

_RUN = re.compile(r"([*_])\1*")
_BLOCK_START = re.compile(r"\n(?:[\n*+•>|#-]|\d+[.)])")
_TICKS = re.compile(r"`+")


def _tag_text(match: re.Match[str]) -> str:
    """Return what a tag stands for: a line break for a block, a bar for a cell, nothing for emphasis."""
    tag, closing = match[1].lower(), match[0][1] == "/"
    if tag in ("td", "th"):
        return _TAG_TEXT[tag] if closing else ""
    if closing and tag != "q":
        return "" if tag in _INLINE else "\n"
    return _TAG_TEXT.get(tag, "" if tag in _INLINE else "\n")


def _math(match: re.Match[str]) -> str:
    """Drop the dollars around a formula; between two amounts they are currency signs and stay."""
    return match[1] if _IS_MATH.search(match[1]) else match[0]


def _reference(match: re.Match[str]) -> str:
    """Return the text of a reference link; two citation marks side by side stay."""
    return match[0] if _FIGURES.fullmatch(match[1]) else match[1]


def _raised(m: re.Match[str]) -> str:
    return m[1] or (f"^{m[2]}" if m[2] else "²³"[int(m[3]) - 2])


# Which rules run when their sign occurs, in order.
_RULES: tuple[tuple[str, tuple[tuple[re.Pattern[str], Replacement], ...]], ...] = (
    ("<", ((_COMMENT, ""), (_RAISED, _raised), (_GONE_TAG, ""), (_TAG, _tag_text))),
    ("&", ((_ENTITY, lambda m: html.unescape(f"&{m[1]};")),)),
    ("$", ((_DISPLAY_MATH, ""), (_INLINE_MATH, _math))),
    ("{,}", ((_TEX_COMMA, ","),)),
    ("^{", ((_TEX_POWER, r"^\1"),)),
    ("[[", ((_WIKI_LINK, r"\1"),)),
    ("](", ((_LINK, r"\1"),)),
    ("][", ((_REF_LINK, _reference),)),
    ("```", ((_CODE_FENCE, ""),)),
    ("~~", ((_CODE_FENCE, ""), (_STRUCK, ""))),
    ("#", ((_HEADING, ""),)),
)
_BACKSLASH_RULES: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    (_TEX_GROUP, r"\1"),
    (_TEX_FRACTION, r"\1/\2"),
    (_TEX_WORD, lambda m: _TEX_WORDS[m[1]]),
    (_TEX_THIN_SPACE, " "),
    (_TEX_MATH, ""),
    (_ESCAPE, lambda m: m[1] or ""),
)


def _markup(text: str, trail: Trail | None) -> str:
    """Undo one layer of Markdown, HTML and LaTeX."""
    for sign, rules in _RULES:
        if sign in text and (sign != "$" or text.count("$") > 1):
            for pattern, new in rules:
                text = _sub(pattern, new, text, trail)
    if "`" in text:
        text = _edit(text, _code(text), trail)
    if "*" in text or "_" in text:
        text = _edit(text, _emphasis(text), trail)
    if "\\" in text:
        for pattern, new in _BACKSLASH_RULES:
            text = _sub(pattern, new, text, trail)
    return text


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of inline code, backticks included: pairs of runs of the same length within a block."""
    spans = []
    opened: dict[int, int] = {}
    last = 0
    for m in _TICKS.finditer(text):
        if text.find("\n\n", last, m.start()) >= 0:
            opened.clear()
        last = m.end()
        start = opened.pop(last - m.start(), None)
        if start is None:
            opened[last - m.start()] = m.start()
        else:
            spans.append((start, last))
            opened.clear()
    return spans


def _code(text: str) -> list[Edit]:
    """Return the edits that drop the backticks around inline code."""
    edits: list[Edit] = []
    for start, end in code_spans(text):
        ticks = _TICKS.match(text, start)
        length = ticks.end() - start if ticks else 0
        edits += ((start, start + length, ""), (end - length, end, ""))
    return edits


def _emphasis(text: str) -> list[Edit]:
    """Return the edits that drop paired `*` and `_` runs; a product sign or an identifier's underscore stays."""
    edits: list[Edit] = []
    opened: dict[str, list[list[int]]] = {"*": [], "_": []}
    last = 0
    for m in _RUN.finditer(text):
        start, end = m.span()
        if _BLOCK_START.search(text, last, start + 1):
            opened["*"].clear()
            opened["_"].clear()
        last = end
        opens, closes = _flanks(text, start, end)
        stack = opened[m[0][0]]
        while closes and stack and start < end:
            top = stack[-1]
            size = min(top[1] - top[0], end - start)
            edits += ((top[1] - size, top[1], ""), (start, start + size, ""))
            top[1] -= size
            start += size
            if top[0] == top[1]:
                stack.pop()
        if opens and start < end:
            stack.append([start, end])
    return sorted(edits)


def _flanks(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Tell whether a run may open and may close emphasis."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    opens, closes = not after.isspace(), not before.isspace()
    if before.isalnum() and after.isalnum():
        figures = before.isdigit() and after.isdigit()
        if text[start] == "_" or figures or end - start == 1:
            return False, False
    if text[start] == "_":
        opens = opens and not before.isalnum()
        closes = closes and not after.isalnum()
    return opens, closes
