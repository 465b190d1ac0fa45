"""A scripted agent over an invented power grid: it reads a question, calls tools, and says what they returned.

The tools work on `grid.ttl` with a real SPARQL engine, rdflib (extra `rdf`). The suite plays its cassette, so that none
of this is imported unless it is recorded anew.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any

PREFIXES = """\
PREFIX grid: <https://grid.example/ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""
HOUR = datetime.timedelta(hours=1)
_AGO = re.compile(r"(\d+)([dh])-ago")


class Tools:
    """What the agent may call; results are JSON texts, as a server would send them."""

    def __init__(self, folder: Path) -> None:
        import rdflib

        self._graph = rdflib.Graph().parse(folder / "grid.ttl")

    def sparql_query(self, query: str) -> str:
        return self._graph.query(PREFIXES + query).serialize(format="json").decode()

    def _ask(self, query: str, **values: str) -> str:
        return self.sparql_query(Template(query).substitute(values))

    def autocomplete_search(self, query: str) -> str:
        """Find what is labelled with these words; a whole label comes before one that begins so."""
        return self._ask(
            "SELECT ?iri ?label WHERE { ?iri rdfs:label ?label . FILTER(STRSTARTS(LCASE(STR(?label)), $words)) } "
            "ORDER BY STRLEN(?label) ?label",
            words=json.dumps(query.casefold()),
        )

    def retrieve_time_series(self, mrid: str) -> str:
        """List what is measured at a piece of equipment."""
        return self._ask(
            "SELECT ?series ?quantity ?unit WHERE { ?series grid:measures <$mrid> ; grid:quantity ?quantity ; "
            "grid:unit ?unit } ORDER BY ?series",
            mrid=mrid,
        )

    def retrieve_data_points(
        self, external_id: str, start: str, end: str, granularity: str, aggregates: list[str]
    ) -> str:
        """Return hourly values: every series repeats a daily curve around its mean."""
        if granularity != "1h" or aggregates != ["average"]:
            raise ValueError("this historian has hourly averages only")
        (row,) = _rows(self._ask("SELECT ?mean WHERE { <$id> grid:mean ?mean }", id=external_id))
        now = datetime.datetime.now(datetime.UTC)
        at, until = _moment(start, now).replace(minute=0, second=0, microsecond=0), _moment(end, now) - HOUR
        points = []
        while at < until:
            swing = 0.2 * math.sin(at.hour * math.tau / 24)
            points.append({"time": at.isoformat(), "average": round(float(row["mean"]) * (1 + swing), 3)})
            at += HOUR
        return json.dumps(points)


def _moment(text: str, now: datetime.datetime) -> datetime.datetime:
    if match := _AGO.fullmatch(text):
        return now - datetime.timedelta(**{"days" if match[2] == "d" else "hours": int(match[1])})
    return now if text == "now" else datetime.datetime.fromisoformat(text)


def _rows(result: str) -> list[dict[str, str]]:
    bindings = json.loads(result)["results"]["bindings"]
    return [{name: cell["value"] for name, cell in row.items()} for row in bindings]


class Agent:
    """Follows one plan for each kind of question, and keeps its calls."""

    def __init__(self, tools: Any) -> None:
        self.tools = tools
        self.calls: list[dict[str, Any]] = []
        self.plans: list[tuple[str, Callable[..., str]]] = [
            (r"transformers are in (\w+)", self.transformers),
            (r"line (\w+) connect", self.ends),
            (r"how many transformers.* (\w+) region", self.count),
            (r"more than (\w+) MVA", self.stronger),
            (r"average (load|oil temperature) of transformer (\w+) over the last (\d+) days", self.average),
            (r"region of (\w+)", self.region),
            (r"connected to (\w+)\?", self.is_connected),
        ]

    def __call__(self, question: str) -> dict[str, Any]:
        """Answer a question, and tell what was called."""
        self.calls = []
        for pattern, plan in self.plans:
            if match := re.search(pattern, question, re.IGNORECASE):
                try:
                    answer = plan(*match.groups())
                except LookupError as e:
                    answer = f"I don't know: {e}."
                return {"answer": answer, "tool_calls": self.calls}
        return {"answer": "I don't know: the grid model has nothing about that.", "tool_calls": []}

    def call(self, tool: str, **args: Any) -> str:
        """Call a tool and keep what came of it.

        Raises:
            LookupError: it failed.
        """
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        call = {"id": f"call-{len(self.calls) + 1}", "name": tool, "args": args, "execution_timestamp": at}
        self.calls.append(call)
        try:
            output = getattr(self.tools, tool)(**args)
        except Exception as e:
            call |= {"status": "error", "output": f"{type(e).__name__}: {e}"}
            raise LookupError(f"{tool} failed") from e
        call |= {"status": "success", "output": output}
        return output

    def query(self, query: str, **values: str) -> list[dict[str, str]]:
        return _rows(self.call("sparql_query", query=Template(query).substitute(values)))

    def find(self, name: str) -> str:
        """Return the IRI of what has a name."""
        found = _rows(self.call("autocomplete_search", query=name))
        if not found:
            raise LookupError(f"nothing is called {name}")
        return found[0]["iri"]

    def transformers(self, substation: str) -> str:
        rows = self.query(
            "SELECT ?name ?rating WHERE { ?t a grid:Transformer ; grid:in <$iri> ; rdfs:label ?name ; "
            "grid:rating ?rating } ORDER BY ?name",
            iri=self.find(substation),
        )
        listed = " and ".join(f"{row['name']} ({float(row['rating']):g} MVA)" for row in rows)
        return f"{substation} has {listed}." if rows else f"{substation} has no transformer."

    def ends(self, line: str) -> str:
        (row,) = self.query(
            "SELECT ?from ?to WHERE { <$iri> grid:from/rdfs:label ?from ; grid:to/rdfs:label ?to }",
            iri=self.find(line),
        )
        return f"Line {line} runs from {row['from']} to {row['to']}."

    def count(self, region: str) -> str:
        (row,) = self.query(
            "SELECT (COUNT(?t) AS ?transformers) WHERE { ?t a grid:Transformer ; grid:in/grid:region <$iri> }",
            iri=self.find(region),
        )
        return f"There are {row['transformers']} transformers in the {region} region."

    def stronger(self, rating: str) -> str:
        rows = self.query(
            "SELECT ?t ?since WHERE { ?t a grid:Transformer ; grid:rating ?r ; grid:commissioned ?since "
            "FILTER(?r > $rating) }",
            rating=rating,
        )
        if not rows:
            return f"No transformer has more than {rating} MVA."
        return " ".join(f"{row['t'].rpartition('/')[2].upper()}, since {row['since']}." for row in rows)

    def average(self, quantity: str, transformer: str, days: str) -> str:
        wanted = "active power" if quantity == "load" else quantity
        series = _rows(self.call("retrieve_time_series", mrid=self.find(transformer)))
        one = next((row for row in series if row["quantity"] == wanted), None)
        if one is None:
            raise LookupError(f"nobody measures the {quantity} of {transformer}")
        mean = self.mean(one["series"], f"{days}d-ago")
        return f"The average {quantity} of {transformer} over the last {days} days was {mean:.1f} {one['unit']}."

    def mean(self, series: str, start: str) -> float:
        window = {"start": start, "end": "now", "granularity": "1h", "aggregates": ["average"]}
        points = json.loads(self.call("retrieve_data_points", external_id=series, **window))
        return sum(point["average"] for point in points) / len(points)

    def region(self, substation: str) -> str:
        rows = self.query(
            "SELECT ?region ?name WHERE { <$iri> grid:region ?region . ?region rdfs:label ?name }",
            iri=self.find(substation),
        )
        return f"{substation} lies in the region {' / '.join(sorted(row['name'] for row in rows))}."

    def is_connected(self, substation: str) -> str:
        query = f"ASK {{ ?line grid:from|grid:to <{self.find(substation)}> }}"
        answer = json.loads(self.call("sparql_query", query=query))
        return f"{'Yes, a' if answer['boolean'] else 'No'} line is connected to {substation}."


def agent() -> Agent:
    """Return the agent that the suite asks."""
    return Agent(Tools(Path(__file__).parent))
