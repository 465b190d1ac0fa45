"""An invented feature store with a history: what it holds, since when, and what of it was once otherwise."""

from __future__ import annotations

import copy
from typing import Any

from tests.unit.graph_samples import chunk, edge, entity


def _feature(name: str, means: str, source: str, since: str, **attributes: str) -> dict[str, Any]:
    return {**entity(name, "FEATURE", f"{name} is {means}.", source), "valid_from": since, "attributes": attributes}


_FEATURES = [
    _feature("AVG_BASKET", "the mean value of a customer's shopping basket", "c1", "2024-01-10",
             last_refreshed="2024-06-30", owner="Pricing Team"),
    _feature("N_ORDERS", "the number of orders that a customer placed", "c2", "2024-01-10",
             last_refreshed="2024-06-28", owner="Orders Team"),
    _feature("CHURN_SCORE", "the likelihood that a customer leaves the shop", "c3", "2024-05-02",
             last_refreshed="2024-06-15", owner="Retention Team"),
    _feature("DELIVERY_DELAY", "the mean delay of deliveries to a customer", "c4", "2025-02-01",
             last_refreshed="2025-03-01", owner="Logistics Team"),
]  # fmt: skip
_TABLES = [
    {**entity("orders table", "TABLE", "The orders table keeps one row for each order of the shop.", "c2"),
     "valid_from": "2024-01-10", "attributes": {"period_start": "2023-01-01", "period_end": "2023-12-31"}},
    {**entity("deliveries table", "TABLE", "The deliveries table keeps one row for each parcel sent.", "c4"),
     "valid_from": "2025-02-01", "attributes": {"snapshot_date": "2025-01-31"}},
]  # fmt: skip
_MODEL = {**entity("price model", "MODEL", "The price model proposes a price for each item of the shop.", "c6"),
          "valid_from": "2024-01-10"}  # fmt: skip
# The mean basket was fed by another refresh before May 2024.
_EARLIER = {**entity("AVG_BASKET", "FEATURE", "AVG_BASKET is the mean basket before discounts.", "c5"),
            "valid_from": "2024-01-10", "valid_to": "2024-05-01",
            "attributes": {"last_refreshed": "2024-03-31", "owner": "Pricing Team"}}  # fmt: skip


def _edges() -> list[dict[str, Any]]:
    return [
        edge("AVG_BASKET", "orders table", "READS_FROM", "It reads from it.", "c2") | {"valid_from": "2024-01-10"},
        edge("N_ORDERS", "orders table", "READS_FROM", "It reads from it.", "c2") | {"valid_from": "2024-01-10"},
        edge("CHURN_SCORE", "N_ORDERS", "DERIVED_FROM", "It is derived.", "c3") | {"valid_from": "2024-05-02"},
        edge("price model", "AVG_BASKET", "USES", "The price model uses AVG_BASKET.", "c7")
        | {"valid_from": "2024-01-10"},
        edge("price model", "CHURN_SCORE", "USES", "The price model uses CHURN_SCORE, too.", "c8")
        | {"valid_from": "2024-05-02"},
        edge("DELIVERY_DELAY", "deliveries table", "READS_FROM", "It reads.", "c4") | {"valid_from": "2025-02-01"},
    ]


def feature_store() -> dict[str, Any]:
    """Return the extraction of the whole history; a copy that a test may change."""
    features = [*copy.deepcopy(_FEATURES)]
    features[0]["valid_from"] = "2024-05-02"
    tables = copy.deepcopy(_TABLES)
    said = [*features, *tables, copy.deepcopy(_MODEL), copy.deepcopy(_EARLIER)]
    edges = _edges()
    texts: dict[str, list[str]] = {}
    for item in (*said, *edges):
        texts.setdefault(item["source_id"], []).append(item["description"])
    return {
        "document_id": "store",
        "file_path": "store.md",
        "chunks": [chunk(int(source[1:]), " ".join(told)) for source, told in sorted(texts.items())],
        "entities": said,
        "relationships": edges,
    }
