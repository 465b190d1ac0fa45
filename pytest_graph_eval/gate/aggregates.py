"""Scores, tokens, cost, time and tool calls per template, over all (micro) and as the mean of template means (macro).

The shape is graphrag-eval's, in the order of the file. What nobody measured is absent, and a template without a
measurement stays out of the macro mean: unknown is not zero.
"""

from __future__ import annotations

import math
import statistics
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from pytest_graph_eval.gate.figures import is_number, mean, percentile
from pytest_graph_eval.gate.outcomes import Key, Kind
from pytest_graph_eval.models.records import Record

USAGE = ("input_tokens", "output_tokens", "total_tokens", "cost_usd")
CALL_METRICS = tuple(
    f"retrieval_{against}_{what}" for against in ("answer", "context") for what in ("recall", "precision", "f1")
)
"""Scores of single calls, which stand in the calls themselves."""
_COUNTERS = ("total", "once_per_sample", "empty_results", "errors")
"""Of the tool calls of a record, each by tool."""


class _Samples:
    """The values of the records of one template."""

    def __init__(self, key: Key) -> None:
        """Start with nothing; `key` is the place of the first record."""
        self.first = key
        self.errors = 0
        self.successes = 0
        self.values: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self.steps: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def count(self, record: Record) -> None:
        """Count the calls of a record, and take their own scores."""
        for counter in _COUNTERS if record.steps else ():
            if counted := record.steps.get(counter):
                self.steps[counter].update(counted)
        for call in record.tool_calls or ():
            for metric in CALL_METRICS:
                if is_number(value := call.get(metric)):
                    self.values[metric].append(value)  # type: ignore[arg-type]  # is_number has told

    def report(self) -> dict[str, Any]:
        counts = {"number_of_error_samples": self.errors, "number_of_success_samples": self.successes}
        metrics = {metric: _describe(metric, self.values[metric]) for metric in sorted(self.values)}
        return {**counts, **metrics, **_with_steps(self.steps)}


class Aggregates:
    """Takes records and makes the aggregates of the summary."""

    def __init__(self) -> None:
        self._templates: dict[str, _Samples] = {}
        self._usage: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._usage_reports = 0

    def add(self, record: Record, kind: Kind, key: Key) -> None:
        """Take a record; an expected failure is no sample, but its tokens were spent."""
        if kind == "skipped":
            return
        self._add_usage(record)
        if kind == "xfailed":
            return
        template = record.template_id or record.suite
        samples = self._templates.get(template)
        if samples is None:
            samples = self._templates[template] = _Samples(key)
        samples.first = min(samples.first, key)
        if kind == "errors":
            samples.errors += 1
        else:
            samples.successes += 1
        for metric, value in _values(record, scored=kind != "inconclusive"):
            if value is not None and is_number(value):
                samples.values[metric].append(value)
        samples.count(record)

    def _add_usage(self, record: Record) -> None:
        if not record.usage:
            return
        reported = [key for key in USAGE if is_number(record.usage.get(key))]
        self._usage_reports += bool(reported)
        for key in reported:
            self._usage[key].append(record.usage[key])

    def _in_order(self) -> list[tuple[str, _Samples]]:
        return sorted(self._templates.items(), key=lambda item: item[1].first)

    def per_template(self) -> dict[str, Any]:
        """Return counts and statistics per template."""
        return {name: samples.report() for name, samples in self._in_order()}

    def micro(self) -> dict[str, Any]:
        """Return counts and statistics over all samples, whatever their template."""
        templates = self._templates.values()
        counts = {
            "number_of_error_samples": sum(t.errors for t in templates),
            "number_of_success_samples": sum(t.successes for t in templates),
        }
        metrics = {metric: _describe(metric, self._everywhere(metric)) for metric in self._metrics()}
        return {**counts, **metrics, **_with_steps(self.steps())}

    def macro(self) -> dict[str, Any]:
        """Return the mean of the template means of every metric, each template weighing the same."""
        return {
            metric: {
                "mean": mean([m for t in self._templates.values() if (m := mean(t.values.get(metric, ()))) is not None])
            }
            for metric in self._metrics()
        }

    def _metrics(self) -> list[str]:
        return sorted({metric for template in self._templates.values() for metric in template.values})

    def _everywhere(self, metric: str) -> array[float]:
        """Return the values of all templates."""
        found = [template.values[metric] for template in self._templates.values() if metric in template.values]
        return found[0] if len(found) == 1 else array("d", chain.from_iterable(found))

    def steps(self) -> dict[str, dict[str, int]]:
        """Return calls by tool: in all, scenarios with one, failed, and successful without a result."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for template in self._templates.values():
            for counter, tools in template.steps.items():
                counts[counter].update(tools)
        return {name: dict(sorted(tools.items())) for name, tools in sorted(counts.items()) if tools}

    def usage(self) -> dict[str, Any]:
        """Return the sums of tokens and cost, None where no target reported any, and `n`, how many records did."""
        sums = {key: _sum(key, values) if (values := self._usage.get(key)) else None for key in USAGE}
        return sums | {"n": self._usage_reports}

    def latency(self) -> dict[str, float | int | None]:
        """Return p50 and p95 of the seconds that a question took, and `n`, how many were timed."""
        seconds = sorted(self._everywhere("elapsed_s"))
        return {"p50": percentile(seconds, 0.5), "p95": percentile(seconds, 0.95), "n": len(seconds)}


def _values(record: Record, *, scored: bool) -> Iterator[tuple[str, float | None]]:
    """Yield what counts of a record: usage and time always, scores not where there was nothing to judge."""
    if scored:
        yield from record.scores.items()
    if record.usage:
        yield from ((key, record.usage.get(key)) for key in USAGE)
    yield "elapsed_s", record.elapsed_s


def _with_steps(counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """Return the counters that counted anything, under their key; nothing where none did."""
    steps = {name: dict(sorted(tools.items())) for name, tools in counts.items() if tools}
    return {"steps": steps} if steps else {}


def _describe(metric: str, values: array[float]) -> dict[str, float | int | None]:
    return {
        "sum": _sum(metric, values),
        "mean": mean(values),
        "median": statistics.median(values),
        "min": _whole(metric, min(values)),
        "max": _whole(metric, max(values)),
    }


def _sum(metric: str, values: array[float]) -> float | int:
    return _whole(metric, math.fsum(values))


def _whole(metric: str, value: float) -> float | int:
    """Return tokens as the whole numbers that they are."""
    return int(value) if metric.endswith("_tokens") and value.is_integer() else value
