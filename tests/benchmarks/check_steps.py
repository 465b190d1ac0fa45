"""How long the reference steps of a large data set take: `python -m tests.benchmarks.check_steps`.

10,000 questions with three steps each (a search, a SPARQL result of 50 rows x 3 columns, renamed and reversed, a
calculation) are scored and aggregated; the budget is 6 s of processor time and 400 MiB. Prints both, beside the time
of a fixed loop on the same machine, so that figures of different machines can be compared.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.gate.summary import RunInfo, SuiteInfo, summarize
from pytest_graph_eval.metrics.trajectory import judge_calls
from pytest_graph_eval.models.records import Record, Response, ToolCall
from pytest_graph_eval.models.scenario import Scenario

QUESTIONS = 10_000
BUDGET_S, BUDGET_MIB = 6.0, 400


def result(question: int, names: tuple[str, ...], *, reverse: bool) -> str:
    """Return a result of 50 rows as JSON."""
    rows = [
        (
            {"type": "uri", "value": f"urn:grid:{question}:{row}"},
            {"type": "literal", "value": f"Bay {row}"},
            {"type": "literal", "value": str(row * 1.5), "datatype": "http://www.w3.org/2001/XMLSchema#decimal"},
        )
        for row in range(50)
    ]
    columns = range(3)[::-1] if reverse else range(3)
    bindings = [{names[c]: row[c] for c in columns} for row in (rows[::-1] if reverse else rows)]
    return json.dumps({"head": {"vars": [names[c] for c in columns]}, "results": {"bindings": bindings}})


def scenario(number: int) -> Scenario:
    """Return a question with three groups of one step."""
    steps: list[dict[str, Any]] = [
        {"tool": "search", "args": {"text": f"bay {number}"}, "output": f"urn:grid:{number}"},
        {"tool": "sparql_query", "output": result(number, ("iri", "name", "load"), reverse=False)},
        {"tool": "calculate", "args": {"a": number, "b": 2}, "output": str(number + 2)},
    ]
    return Scenario.model_validate({
        "id": f"q{number}", "question": f"What is in bay {number}?", "template_id": f"t{number % 50}",
        "expect": {"steps": steps},
    })  # fmt: skip


def asked(number: int) -> Asked:
    """Return what an agent did for it."""
    calls = [
        ToolCall(name="search", args={"text": f"bay {number}"}, output=f"urn:grid:{number}"),
        ToolCall(name="sparql_query", args={"query": "Q"}, output=result(number, ("x", "y", "z"), reverse=True)),
        ToolCall(name="calculate", args={"a": number, "b": 2}, output=str(number + 2)),
    ]
    response = Response(answer="They are listed in the result of the query.", tool_calls=calls)
    return Asked(response=response, mode="kg", mode_ran="kg", elapsed_s=0.1)


def cases() -> Iterator[tuple[Scenario, Asked]]:
    """Yield one question after another, as they come from a file and a target."""
    for number in range(QUESTIONS):
        yield scenario(number), asked(number)


def seconds(work: Callable[[Scenario, Asked], object]) -> float:
    """Return the processor time of doing something with every question."""
    spent = 0.0
    for question, reply in cases():
        start = time.process_time()
        work(question, reply)
        spent += time.process_time() - start
    return spent


def main() -> int:
    """Score, aggregate, and compare with the budget."""
    start = time.process_time()
    sum(i * i for i in range(3_000_000))
    loop = time.process_time() - start
    context = Context(suite="s")
    records: list[Record] = []
    steps = seconds(lambda question, reply: judge_calls(question.expect, reply.response or Response()))
    spent = seconds(lambda question, reply: records.append(score_scenario(question, reply, context)))
    start = time.process_time()
    summary = summarize(records, {"s": SuiteInfo(name="s")}, run=RunInfo(run_at=""))
    aggregated = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    assert summary.counts.passed == QUESTIONS
    total = spent + aggregated
    print(f"whole records {spent:.2f} s (their steps alone {steps:.2f} s), aggregated {aggregated:.2f} s")
    print(f"in all {total:.2f} s of {BUDGET_S:g} s")
    print(f"peak {peak:.0f} MiB of {BUDGET_MIB} MiB; a fixed loop takes {loop:.2f} s here")
    return int(total > BUDGET_S or peak > BUDGET_MIB)


if __name__ == "__main__":
    raise SystemExit(main())
