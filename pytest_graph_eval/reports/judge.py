"""The judge in every report: its scores as rows, and how many judgements were made and not made, in words."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_graph_eval.gate.summary import Summary
from pytest_graph_eval.gate.tally import Tally
from pytest_graph_eval.reports.rows import ScoreRow, Tone, score_row
from pytest_graph_eval.texts import many


def judge_rows(summary: Summary) -> list[ScoreRow]:
    """Return the judge's mean scores, each on its own scale, beside the gate's lines for them."""
    return [score_row(summary, "judge", name, stat) for name, stat in summary.tally.judge.items()]


def judge_fields(tally: Tally) -> Iterator[tuple[str, str, Tone]]:
    """Yield label, text and tone of what came of the judgements, and of what they took; nothing without a judge."""
    counts = tally.judgements
    if not counts:
        return
    shown = [
        f"{counts[key]} {key.replace('_', ' ')}" for key in ("made", "failed", "unscored", "not_made") if key in counts
    ]
    reasons = [f"{n} {why}" if len(tally.not_judged) > 1 else why for why, n in tally.not_judged.items()]
    text = ", ".join(shown) + (f" ({'; '.join(reasons)})" if reasons else "")
    yield "Judgements", text, "bad" if "failed" in counts else "good" if set(counts) <= {"made", "unscored"} else ""
    if tally.judge_caps:
        yield "Capped", f"{many(tally.judge_caps, 'score')} by what code found", ""
    used = tally.judge_usage
    if used.get("requests") or used.get("cached"):
        parts = [many(int(used.get("requests") or 0), "request"), f"{int(used.get('cached') or 0)} from the cache"]
        parts += [f"{int(tokens):,} tokens" for tokens in [used.get("total_tokens")] if tokens is not None]
        parts += [f"{cost:.4f} USD" for cost in [used.get("cost_usd")] if cost is not None]
        yield "Judge Usage", ", ".join(parts), ""
