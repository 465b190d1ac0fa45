"""Small invented graphs for the tests of the embedded graph, unlike the Walmart one in domain, style and languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_graph_eval.graph.catalog import Catalog


def chunk(n: int, text: str) -> dict[str, Any]:
    return {"chunk_id": f"c{n}", "content": text, "chunk_order_index": n}


def entity(name: str, type_: str, description: str, source: str) -> dict[str, Any]:
    return {"entity_name": name, "entity_type": type_, "description": description, "source_id": source}


def edge(a: str, b: str, keywords: str, description: str, source: str) -> dict[str, Any]:
    return {"src_id": a, "tgt_id": b, "keywords": keywords, "description": description, "source_id": source}


def write(folder: Path, name: str, data: Any) -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False), "utf-8")
    return path


def tiny(document: str = "d", **more: Any) -> dict[str, Any]:
    """Two entities, one relationship, one chunk; keyword arguments replace the top-level keys."""
    return {
        "document_id": document,
        "file_path": f"{document}.md",
        "chunks": [chunk(1, "Ada Byron wrote the notes on the Analytical Engine.")],
        "entities": [
            entity("Ada Byron", "PERSON", "Ada Byron was a mathematician.", "c1"),
            entity("Analytical Engine", "MACHINE", "The Analytical Engine is a computer of brass.", "c1"),
        ],
        "relationships": [edge("Ada Byron", "Analytical Engine", "DESCRIBED,year=1843", "She described it.", "c1")],
        **more,
    }


def harbour(folder: Path) -> Catalog:
    """Ferries: English, French and Japanese; relation words in lower case, as LightRAG writes them."""
    return Catalog.from_files([write(folder, "ferries.json", FERRIES)])


FERRIES: dict[str, Any] = {
    "document_id": "ferries",
    "file_path": "ferries.md",
    "chunks": [
        chunk(
            1,
            "Nordsund Lines is a ferry operator founded in 1987 by Astrid Holm in Bergen. It runs eleven vessels.",
        ),
        chunk(
            2,
            "The Bergen-Stavanger route is served by MS Aurora, which carries 1,200 passengers, and MS Polaris (850).",
        ),
        chunk(3, "Captain Jonas Weber commands MS Aurora; Captain Mei Tanaka commands MS Polaris."),
        chunk(
            4, "In 2023 Nordsund Lines carried 2.4 million passengers, after 2.1 million in 2022, a rise of 14 percent."
        ),
        chunk(5, "The shipyard Fjordverft built MS Aurora in 2015. Fjordverft belongs to the Solberg Group."),
        chunk(6, "Ingrid Solberg chairs the Solberg Group, which has its seat in Oslo."),
        chunk(7, "MS Polaris was out of service for six weeks in 2023 after an engine failure off Haugesund."),
        chunk(
            8,
            "Le port de Dunkerque est desservi par la ligne Manche, exploitée par Nordsund France, filiale de "
            "Nordsund Lines. Son directeur est Luc Martin.",
        ),
        chunk(
            9,
            "東京フェリーは日本の会社で、本社は東京にあります。社長は田中美咲です。",
        ),
    ],
    "entities": [
        entity(
            "Nordsund Lines",
            "organization",
            "Nordsund Lines is a ferry operator from Bergen with eleven vessels.",
            "c1<SEP>c4",
        ),
        entity("Astrid Holm", "person", "Astrid Holm founded Nordsund Lines in 1987.", "c1"),
        entity("Bergen", "location", "Bergen is a city in Norway where Nordsund Lines began.", "c1"),
        entity("MS Aurora", "vessel", "MS Aurora is a ferry for 1,200 passengers, built in 2015.", "c2<SEP>c5"),
        entity(
            "MS Polaris",
            "vessel",
            "MS Polaris is a ferry for 850 passengers; it had an engine failure in 2023.",
            "c2<SEP>c7",
        ),
        entity("Bergen-Stavanger route", "route", "The route between Bergen and Stavanger.", "c2"),
        entity("Jonas Weber", "person", "Jonas Weber is the captain of MS Aurora.", "c3"),
        entity("Mei Tanaka", "person", "Mei Tanaka is the captain of MS Polaris.", "c3"),
        entity("Passengers 2023", "figure", "Passengers carried in 2023: 2.4 million.", "c4"),
        entity("Passengers 2022", "figure", "Passengers carried in 2022: 2.1 million.", "c4"),
        entity("Fjordverft", "organization", "Fjordverft is the shipyard that built MS Aurora.", "c5"),
        entity(
            "Solberg Group",
            "organization",
            "The Solberg Group is the owner of Fjordverft, with its seat in Oslo.",
            "c5<SEP>c6",
        ),
        entity("Ingrid Solberg", "person", "Ingrid Solberg chairs the Solberg Group.", "c6"),
        entity("Oslo", "location", "Oslo is the seat of the Solberg Group.", "c6"),
        entity(
            "Engine failure of 2023", "event", "An engine failure off Haugesund stopped MS Polaris for six weeks.", "c7"
        ),
        entity(
            "Nordsund France",
            "organization",
            "Nordsund France est la filiale française de Nordsund Lines et exploite la ligne Manche.",
            "c8",
        ),
        entity("Luc Martin", "person", "Luc Martin est le directeur de Nordsund France.", "c8"),
        entity("ligne Manche", "route", "La ligne Manche dessert le port de Dunkerque.", "c8"),
        entity("東京フェリー", "organization", "東京フェリーは日本のフェリー会社です。", "c9"),
        entity("田中美咲", "person", "田中美咲は東京フェリーの社長です。", "c9"),
    ],
    "relationships": [
        edge("Astrid Holm", "Nordsund Lines", "founder, origin", "Astrid Holm founded Nordsund Lines in 1987.", "c1"),
        edge("Nordsund Lines", "Bergen", "headquarters", "Nordsund Lines has its headquarters in Bergen.", "c1"),
        edge(
            "MS Aurora",
            "Bergen-Stavanger route",
            "service",
            "MS Aurora serves the route between Bergen and Stavanger.",
            "c2",
        ),
        edge(
            "MS Polaris",
            "Bergen-Stavanger route",
            "service",
            "MS Polaris serves the route between Bergen and Stavanger.",
            "c2",
        ),
        edge("Nordsund Lines", "MS Aurora", "fleet", "MS Aurora belongs to the fleet of Nordsund Lines.", "c2"),
        edge("Nordsund Lines", "MS Polaris", "fleet", "MS Polaris belongs to the fleet of Nordsund Lines.", "c2"),
        edge("Jonas Weber", "MS Aurora", "command", "Jonas Weber commands MS Aurora.", "c3"),
        edge("Mei Tanaka", "MS Polaris", "command", "Mei Tanaka commands MS Polaris.", "c3"),
        edge(
            "Nordsund Lines",
            "Passengers 2023",
            "traffic",
            "Nordsund Lines carried 2.4 million passengers in 2023.",
            "c4",
        ),
        edge(
            "Nordsund Lines",
            "Passengers 2022",
            "traffic",
            "Nordsund Lines carried 2.1 million passengers in 2022.",
            "c4",
        ),
        edge(
            "Passengers 2023",
            "Passengers 2022",
            "comparison",
            "Passenger numbers rose by 14 percent from 2022 to 2023.",
            "c4",
        ),
        edge("Fjordverft", "MS Aurora", "construction", "Fjordverft built MS Aurora in 2015.", "c5"),
        edge("Fjordverft", "Solberg Group", "ownership", "Fjordverft belongs to the Solberg Group.", "c5"),
        edge("Ingrid Solberg", "Solberg Group", "leadership", "Ingrid Solberg chairs the Solberg Group.", "c6"),
        edge("Solberg Group", "Oslo", "seat", "The Solberg Group has its seat in Oslo.", "c6"),
        edge("MS Polaris", "Engine failure of 2023", "incident", "MS Polaris had an engine failure in 2023.", "c7"),
        edge(
            "Nordsund France", "Nordsund Lines", "filiale", "Nordsund France est une filiale de Nordsund Lines.", "c8"
        ),
        edge("Luc Martin", "Nordsund France", "direction", "Luc Martin dirige Nordsund France.", "c8"),
        edge("Nordsund France", "ligne Manche", "exploitation", "Nordsund France exploite la ligne Manche.", "c8"),
        edge("田中美咲", "東京フェリー", "社長", "田中美咲は東京フェリーの社長です。", "c9"),
        edge(
            "Nordsund Lines",
            "東京フェリー",
            "shareholding",
            "Nordsund Lines holds a fifth of the shares of 東京フェリー.",
            "c9",
        ),
    ],
}
