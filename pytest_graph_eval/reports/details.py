"""What the HTML report shows of one scenario: a list of titled parts, as plain data that the page draws when opened.

A part is (title, blocks, level); the level `turn` opens a turn of a conversation, whose parts follow. A block is
["text", segments], ["table", head, rows], ["names", segments] or ["code", text]; a cell of a table is a text or a list
of segments (`marks`), of which those of the tone `code` are what our own words put between backticks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_graph_eval.gate.figures import figure, is_number
from pytest_graph_eval.metrics.facts.names import entity_key
from pytest_graph_eval.models.conversations import FRESHNESS, turn_record
from pytest_graph_eval.models.records import Check, Record, json_text
from pytest_graph_eval.reports.failure import rerun_command, visible
from pytest_graph_eval.reports.marks import Evidence, Segment, marked, marked_answer
from pytest_graph_eval.reports.rows import duration, label
from pytest_graph_eval.texts import code_apart

Block = list[Any]
Part = tuple[str, list[Block], str]

_ANSWER = 20_000  # characters of an answer
_CONTEXT = 4_000  # characters of a retrieved text
_CONTEXTS = 20
_TEXT = 2_000  # characters of any other text
_LISTED = 100  # rows of a table, and names in a list
_NO_GOLD = "no gold data"
"""Why the four metrics are unscored where nothing asks for them; it would stand in every scenario without gold data."""
_TONES = {"pass": "good", "fail": "bad", "error": "bad", "PASS": "good", "FAIL": "bad", "ERROR": "bad",
          "INCONCLUSIVE": "warn", "success": "good", "made": "good", "failed": "bad"}  # fmt: skip


def details(record: Record, evidence: Evidence) -> list[Part]:
    """Return all that a record tells of its scenario, what decided first; parts that would be empty are left out."""
    parts = [("Result", _result(record), ""), *_told(record, evidence)]
    about = {"Repeats": _repeats, "Circumstances": _circumstances, "Run it again": _again}
    parts += [(title, make(record), "") for title, make in about.items()]
    return [(harmless(title), harmless(blocks), level) for title, blocks, level in parts if blocks]


def _told(record: Record, evidence: Evidence) -> Iterator[Part]:
    """Yield what was asked and what came of it, of a conversation turn by turn."""
    if not record.turns:
        yield "Question", _asked(record), ""
        yield from ((*part, "") for part in _measured(record, evidence))
    for row in record.turns:
        turn = turn_record(record, row)
        yield f"Turn {row['turn']} of {len(record.turns)}", [*_result(turn), *_asked(turn)], "turn"
        yield from ((*part, "inner") for part in _measured(turn, evidence))


def _measured(record: Record, evidence: Evidence) -> Iterator[tuple[str, list[Block]]]:
    yield "Answer", _answer(record)
    yield "Checks", _checks(record.checks)
    yield "Scores", _scores(record)
    yield "Not in the evidence", _names([(text, "warn") for text in record.hallucinations])
    yield from _retrieved(record, evidence)
    yield "Catalog", _freshness(record)
    yield "Trajectory", [*_calls(record), *_steps(record)]
    yield "Judge", _judge(record.judge)


def harmless(value: Any) -> Any:
    """Return data with every text bounded in length and control characters made visible."""
    if isinstance(value, str):
        return visible(value[: _ANSWER + 100])
    if isinstance(value, list | tuple):
        return [harmless(item) for item in value]
    return value


def _cut(text: str, most: int = _TEXT) -> str:
    return text if len(text) <= most else f"{text[:most]} … {len(text) - most:,} more characters"


def _segments(text: str) -> list[Segment]:
    return [(part, "code", "") if is_code else (part,) for part, is_code in code_apart(_cut(text))]


def _said(text: str) -> list[Segment] | str:
    """Return the cell of a text of ours."""
    return _segments(text) if "`" in text else _cut(text)


def _plain(value: Any) -> str:
    """Return any value as a text of bounded length."""
    return _cut(value if isinstance(value, str) else json_text(value))


def _number(value: Any) -> str:
    """Return a score; one that is no finite number as what it is."""
    if value is None or is_number(value):
        return figure(value)
    return str(value) if isinstance(value, float) else _plain(value)


def _shown(value: Any) -> str:
    """Return an expected or found value: texts and lists of them as they are, else JSON."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _cut(", ".join(value))
    return _plain(value)


def table(rows: Sequence[Sequence[Any]], head: Sequence[str] = ()) -> list[Block]:
    """Return the block of a table, cut with a count; nothing where there is no row."""
    if not rows:
        return []
    more = [[f"… and {len(rows) - _LISTED:,} more"]] if len(rows) > _LISTED else []
    return [["table", list(head), [list(row) for row in rows[:_LISTED]] + more]]


def _names(names: Sequence[Segment]) -> list[Block]:
    more = [(f"… and {len(names) - _LISTED:,} more",)] if len(names) > _LISTED else []
    return [["names", [*names[:_LISTED], *more]]] if names else []


def _result(record: Record) -> list[Block]:
    """Return the status, why it is so, and the cause."""
    segments: list[Segment] = [(record.status, _TONES.get(record.status, ""), "")]
    why = record.error or record.reason
    if record.outcome in ("xfailed", "xpassed"):
        segments.append((f" ({record.outcome})",))
    if why:
        segments += [(": ",), *_segments(why)]
    cause = record.cause if record.cause != "error" else None
    if cause:
        phrase = record.explain.get("cause", "")
        segments.append((f"\nCause: {cause.replace('_', ' ')}{f' - {_cut(phrase)}' if phrase else ''}",))
    return [["text", segments]]


def _asked(record: Record) -> list[Block]:
    rows = [["Question", _cut(record.question)]]
    if record.gold_answer is not None:
        rows.append(["Gold answer", _cut(record.gold_answer)])
    return table(rows)


def _answer(record: Record) -> list[Block]:
    if record.answer is None:
        return []
    return [["text", marked_answer(record, _ANSWER) or [("(empty)", "warn", "the answer has no text")]]]


def _checks(checks: Sequence[Check]) -> list[Block]:
    rows = [
        [
            [(check.outcome, _TONES[check.outcome], "")],
            check.kind,
            _shown(check.expected),
            _shown(check.found),
            _said(check.message.removeprefix(f"{check.kind}: ")),
        ]
        for check in sorted(checks, key=lambda check: check.outcome == "pass")
    ]
    return table(rows, ("Outcome", "Check", "Expected", "Found", "Why"))


def _scores(record: Record) -> list[Block]:
    rows = [
        [label(name), _number(value), _said(record.explain.get(name, ""))]
        for name, value in record.scores.items()
        if value is not None or record.explain.get(name, _NO_GOLD) != _NO_GOLD
    ]
    return table(rows, ("Score", "Value", "Why")) if any(v is not None for v in record.scores.values()) else []


def _retrieved(record: Record, evidence: Evidence) -> Iterator[tuple[str, list[Block]]]:
    """Yield entities told apart where the record can, relationships, and the texts with what they state marked."""
    known = None if record.relevant is None else {entity_key(name) for name in record.relevant}
    for kind, names in record.retrieved.items():
        if kind == "chunks":
            yield "Evidence", _texts(record, names, evidence)
            continue
        tones = [
            ()
            if known is None or kind != "entities"
            else (("good", "relevant") if entity_key(n) in known else ("", "noise"))
            for n in names
        ]
        title = "Names that the target used" if kind == "names" else kind.title()
        empty: list[Block] = [["text", [("none retrieved",)]]]
        yield title, _names([(_cut(n), *tone) for n, tone in zip(names, tones, strict=True)]) or empty
    if "chunks" not in record.retrieved and record.contexts:
        yield "Evidence", _texts(record, [], evidence)


def _texts(record: Record, ids: Sequence[str], evidence: Evidence) -> list[Block]:
    texts = [text[:_CONTEXT] for text in (record.contexts or ())[:_CONTEXTS]]
    if not texts:
        kept = "" if not ids or record.contexts is not None else (
            "Only the ids are in the results; a run with --graph-eval-report keeps the texts."
        )  # fmt: skip
        return [*_names([(one,) for one in ids]), *([["text", [(kept,)]]] if kept else [])] or [
            ["text", [("none retrieved",)]]
        ]
    # Blank texts are not kept, so that ids belong to texts only where there are as many.
    named = ids if len(ids) == len(record.contexts or ()) else []
    rows = []
    for number, (text, spans) in enumerate(zip(texts, evidence.spans(texts, record), strict=True)):
        segments = marked(text, spans or (), _CONTEXT)
        if spans is None:
            segments.append((" (facts are not marked here: the report has read its share of texts)",))
        rows.append([named[number] if number < len(named) else str(number + 1), segments])
    more = len(record.contexts or ()) - len(texts)
    rows += [["", f"… and {more} more texts"]] if more > 0 else []
    return [*([] if named else _names([(one,) for one in ids])), *table(rows)]


def _freshness(record: Record) -> list[Block]:
    """Return what the catalog says otherwise than the scenario, where that was compared."""
    return table([[key, _cut(text)] for key in FRESHNESS for text in record.facts.get(key) or ()])


def _calls(record: Record) -> list[Block]:
    """Return the calls in order, each with the reference step that it served."""
    if record.tool_calls is None:
        return []
    if not record.tool_calls:
        return [["text", [("nothing was called",)]]]
    served = {
        step["call"]: (group, step)
        for group, one in enumerate(record.steps.get("groups") or (), 1)
        for step in one.get("steps", ())
        if step.get("call")
    }
    rows = []
    for number, call in enumerate(record.tool_calls, 1):
        status = str(call.get("status", "success"))
        rows.append([
            str(number), str(call.get("name", "")), [(status, _TONES.get(status, "bad"), "")],
            _serves(served.get(number), known=bool(record.steps.get("groups"))),
            _plain(call.get("args") or {}), _plain(call.get("output", "")),
        ])  # fmt: skip
    return table(rows, ("#", "Tool", "Status", "Serves", "Arguments", "Output"))


def _serves(found: tuple[int, Mapping[str, Any]] | None, *, known: bool) -> list[Segment] | str:
    if found is None:
        return "no step" if known else ""
    group, step = found
    score = step.get("score") or 0
    return [(f"group {group}: {step.get('tool', '')} {_number(score)}", "good" if score >= 1 else "warn", "")]


def _steps(record: Record) -> list[Block]:
    """Return the reference steps that no call served in full."""
    rows = [
        [str(number), str(step.get("tool", "")), _number(step.get("score")), _said(_plain(step.get("reason") or ""))]
        for number, group in enumerate(record.steps.get("groups") or (), 1)
        for step in group.get("steps", ())
        if (step.get("score") or 0) < 1
    ]
    return table(rows, ("Group", "Step not served", "Score", "Why"))


def _judge(judge: Mapping[str, Any]) -> list[Block]:
    rows = []
    for entry in judge.get("judgements") or ():
        about = f"turn {entry['turn']}: {entry['kind']}" if "turn" in entry else entry["kind"]
        outcome = [(entry["outcome"].replace("_", " "), _TONES.get(entry["outcome"], ""), "")]
        scores = entry.get("scores") or {}
        for name, value in scores.items():
            rows.append(
                [about, outcome, label(name), _number(value), _plain((entry.get("reasons") or {}).get(name, ""))]
            )
        if not scores:
            rows.append([about, outcome, "", "", _plain(entry.get("reason", ""))])
        for cap in entry.get("caps") or ():
            change = f"{_number(cap.get('before'))} to {_number(cap.get('after'))}"
            rows.append([about, "", f"{label(cap.get('metric', ''))} capped", change, _plain(cap.get("why", ""))])
    return table(rows, ("Judgement", "Outcome", "Score", "Value", "Why"))


def _repeats(record: Record) -> list[Block]:
    rows = [
        [
            str(one.get("repeat", "")),
            [(str(one.get("status", "")), _TONES.get(str(one.get("status")), ""), "")],
            _number((one.get("scores") or {}).get("mean")),
            ", ".join(one.get("failed") or ()) or _said(_plain(one.get("error") or "")),
            duration(one.get("elapsed_s")),
        ]
        for one in record.repeats
    ]
    if not rows:
        return []
    low, high = record.pass_interval or (0.0, 1.0)
    text = f"pass rate {_number(record.pass_rate)} (95% interval {_number(low)} to {_number(high)})"
    return [["text", [(text,)]], *table(rows, ("Repeat", "Status", "Mean", "What failed", "Time"))]


def _circumstances(record: Record) -> list[Block]:
    ran = f" (ran {record.mode_ran})" if record.mode_ran and record.mode_ran != record.query_mode else ""
    usage = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in record.usage.items() if is_number(value))
    told = [[n, _said(text)] for n, text in record.explain.items() if text and n not in record.scores and n != "cause"]
    rows = [
        ["Suite", record.suite],
        ["Target", record.target],
        ["Mode", f"{record.query_mode}{ran}" if record.query_mode else ""],
        ["Category", ", ".join(filter(None, (record.category, record.difficulty)))],
        ["Tags", ", ".join(record.tags)],
        ["Must pass", "yes" if record.must_pass else ""],
        ["Intent", record.intent or ""],
        ["Valid time", record.as_of or ""],
        ["Time", duration(record.elapsed_s) if record.elapsed_s is not None else ""],
        ["Attempts", str(record.attempts) if record.attempts > 1 else ""],
        ["Usage", usage],
        ["Flags", ", ".join(record.flags)],
        ["Documents", ", ".join(record.documents[:_LISTED])],
    ]
    return table([*([name, _cut(text)] for name, text in rows if text), *told])


def _again(record: Record) -> list[Block]:
    return [["code", rerun_command(record.nodeid)]] if record.nodeid else []
