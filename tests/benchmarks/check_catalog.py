"""How long a large graph takes: `python -m tests.benchmarks.check_catalog`.

100,000 entities and 500,000 relationships of an extraction JSON are loaded; the budget is 25 s of processor time and
1 GiB. Then 200 scenarios are generated from them; the budget of both is 60 s and 1.5 GiB. Prints all four, beside the
time of a fixed loop on the same machine, so that figures of different machines can be compared.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_graph_eval.generate.library import generate
from pytest_graph_eval.graph.catalog import Catalog

ENTITIES, RELATIONSHIPS, CHUNKS = 100_000, 500_000, 20_000
LOAD_S, LOAD_MIB, ALL_S, ALL_MIB = 25.0, 1024, 60.0, 1536
TYPES = ("COMPANY", "PERSON", "LOCATION", "PRODUCT_LINE", "RISK_FACTOR", "REGULATION")
RELATIONS = ("EMPLOYS", "OPERATES_IN", "EXPOSED_TO", "SUPPLIES_TO", "GOVERNED_BY", "MENTIONS", "ACQUIRED", "PART_OF")


def entities() -> Iterator[dict[str, Any]]:
    """Yield entities: every tenth is the figure of a company in one of two years, the rest have names and texts."""
    for number in range(ENTITIES):
        source = f"c{number % CHUNKS}"
        if number % 10 < 2:
            year, amount = 2022 + number % 10, number % 997 + number % 10
            name = f"REVENUE OF FIRM {number // 10} FY{year}"
            text, kind = (
                f"Revenue of Firm {number // 10} was ${amount}.{number % 7} million in FY{year}.",
                "FINANCIAL_METRIC",
            )
        else:
            name, kind = f"FIRM {number // 10} UNIT {number % 10}", TYPES[number % len(TYPES)]
            part, trade = number * 7919 % 100_003, number % 613
            text = f"Unit {number % 10} of firm {number // 10} makes part {part} for trade {trade}."
        yield {"entity_name": name, "entity_type": kind, "description": text, "source_id": source}


def extraction() -> dict[str, Any]:
    """Return a graph in which most pairs have one edge, and a chunk states what its entities do."""
    rows = list(entities())
    texts: dict[str, list[str]] = {}
    for row in rows:
        texts.setdefault(row["source_id"], []).append(row["description"])
    draw = random.Random(7)
    edges = []
    for number in range(RELATIONSHIPS):
        a, b = (draw.randrange(ENTITIES) for _ in range(2))
        if number < ENTITIES // 5:  # the figures of a firm belong to its second unit
            a, b = number // 2 * 10 + 2, number // 2 * 10 + number % 2
        relation = "REPORTED_METRIC" if number < ENTITIES // 5 else RELATIONS[number % len(RELATIONS)]
        first, second = rows[a], rows[b if b != a else (a + 1) % ENTITIES]
        edges.append({
            "src_id": first["entity_name"], "tgt_id": second["entity_name"], "keywords": relation,
            "description": f"{first['entity_name']} and {second['entity_name']}: {relation.lower()}.",
            "source_id": first["source_id"],
        })  # fmt: skip
    chunks = [{"chunk_id": id_, "content": " ".join(told)} for id_, told in texts.items()]
    return {"document_id": "large", "chunks": chunks, "entities": rows, "relationships": edges}


def mebibytes() -> float:
    """Return the most memory that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measure(path: Path) -> int:
    """Load, generate, and print; return 1 where a budget is exceeded."""
    before = time.process_time()
    sum(number * number for number in range(10_000_000))
    loop = time.process_time() - before
    before = time.process_time()
    catalog = Catalog.from_files([path])
    load_s, load_mib = time.process_time() - before, mebibytes()
    suite = generate(catalog, count=200)
    all_s, all_mib = time.process_time() - before, mebibytes()
    print(f"loaded {catalog.counts()}: {load_s:.1f} s (budget {LOAD_S:g}), {load_mib:.0f} MiB (budget {LOAD_MIB})")
    print(
        f"with {len(suite.scenarios)} scenarios: {all_s:.1f} s (budget {ALL_S:g}), {all_mib:.0f} MiB (budget {ALL_MIB})"
    )
    print(f"a loop of 10 million squares: {loop:.1f} s")
    return int(load_s > LOAD_S or load_mib > LOAD_MIB or all_s > ALL_S or all_mib > ALL_MIB)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(measure(Path(sys.argv[1])))
    import subprocess

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.json"
        file.write_text(json.dumps(extraction()), "utf-8")
        # In a process of its own: what making the graph took is not counted.
        sys.exit(
            subprocess.run([sys.executable, "-m", "tests.benchmarks.check_catalog", str(file)], check=False).returncode
        )
