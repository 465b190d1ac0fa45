"""How long the facts engine takes: `python -m tests.benchmarks.check_facts`.

Prints processor seconds for the budgets of the engine, beside the time of a fixed loop on the same machine, so that
figures of different machines can be compared.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from pytest_graph_eval.metrics.facts import NameIndex, Text, run_checks
from pytest_graph_eval.models.expect import Expect

SENTENCES = (
    "Total revenues of **Walmart Inc.** were ${a}.{c} billion in FY{y}, up {c}.{c}% from the year before.",
    "The growth came from stores that stayed open, from groceries, and from a website that more people used than ever.",
    "Doug McMillon, who is the chief executive, said that the company keeps prices low for everybody who shops there.",
    "The segment's operating income fell by ${a} million, mostly because of higher wages and of markdowns [{c}].",
    "According to the report, the business depends on suppliers in many countries, and on ports that may be closed.",
    "- Membership income: ${c}.{c} billion\n",
    "It operates about {a} clubs and did not open any new ones; none of them was closed in the same period.",
    "John David Rainey joined on June {c}, {y}, after several years with another company in the payments industry.",
)
EXPECTED: tuple[dict[str, Any], ...] = (
    {"numbers": ["$611.3 billion"]},
    {"names": ["Doug McMillon"]},
    {"dates": ["2022-06-06"]},
    {"counts": {"clubs": 600}},
    {"denial": False},
    {"forbidden": ["Brett Biggs"]},
    {"contains": ["chief executive"]},
    {"numbers": ["6.7%"]},
    {"names": ["Kathryn McLay"]},
    {"order": ["Walmart", "Doug McMillon"]},
)


def answer(draw: random.Random, size: int) -> str:
    """Return prose about a company, with figures, dates and names, of about `size` characters."""
    parts: list[str] = []
    length = 0
    while length < size:
        part = draw.choice(SENTENCES).format(
            a=draw.randint(100, 999), c=draw.randint(1, 28), y=draw.randint(2000, 2024)
        )
        parts.append(part)
        length += len(part) + 1
    return " ".join(parts)


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ten_thousand_checks() -> Callable[[], object]:
    """Return the work of ten checks on each of 1,000 answers of 2 KB."""
    draw = random.Random(1)
    expected = [Expect.model_validate(e) for e in EXPECTED]
    answers = [answer(draw, 2000) for _ in range(1000)]

    def work() -> None:
        for raw in answers:
            text = Text(raw)
            for expect in expected:
                run_checks(expect, answer=text, evidence=None, question="How did Walmart do?")

    return work


def thousand_facts() -> Callable[[], object]:
    """Return the work of 1,000 checks on one answer of 1 MB."""
    draw = random.Random(2)
    facts = {
        "numbers": [f"${draw.randint(100, 999)}.{draw.randint(1, 28)} billion" for _ in range(400)],
        "dates": [f"{draw.randint(2000, 2024)}-06-{draw.randint(1, 28):02}" for _ in range(200)],
        "names": [f"Name{i} Foods" for i in range(200)],
        "forbidden": [f"Bad{i} Corp" for i in range(100)],
        "contains": [f"text {i}" for i in range(100)],
    }
    raw, expect = answer(draw, 1_000_000), Expect.model_validate(facts)
    return lambda: run_checks(expect, answer=Text(raw), evidence=None)


def ten_thousand_names() -> Callable[[], object]:
    """Return the work of looking for 10,000 known names in an answer of 1 MB."""
    raw = answer(random.Random(3), 1_000_000)
    return lambda: NameIndex([(f"Known{i} Name", "") for i in range(10_000)]).find(Text(raw))


ROWS = (
    ("10,000 checks on answers of 2 KB", ten_thousand_checks),
    ("1,000 facts in an answer of 1 MB", thousand_facts),
    ("10,000 known names in an answer of 1 MB", ten_thousand_names),
)


def main() -> None:
    """Print the table."""
    loop = seconds(lambda: sum(i for i in range(5_000_000)))
    print(f"{'fixed loop of 5,000,000 additions':40} {loop:6.2f} s")
    for name, prepare in ROWS:
        taken = seconds(prepare())
        print(f"{name:40} {taken:6.2f} s  {taken / loop:6.1f} x")


if __name__ == "__main__":
    main()
