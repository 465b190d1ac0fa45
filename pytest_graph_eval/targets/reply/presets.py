"""What is known beforehand of a kind of server: its tools, argument and mode names, and where its replies keep things.

Tables only. A suite names one with `preset:`; its own settings win key by key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_graph_eval.models.settings import (
    CatalogSpec,
    HttpTarget,
    McpTarget,
    PreflightSpec,
    ResponseMap,
    ToolCallSpec,
)

NATIVE = ResponseMap.model_construct(
    answer="answer?",
    entities="entities?",
    relationships="relationships?",
    chunks="chunks|text_chunks?",
    references="references?",
    tool_calls="tool_calls?",
    usage="usage?",
    model="model?",
    intent="intent?",
    as_of="as_of?",
    mode="mode?",
    names="names?",
    status="status?",
    error="error?",
)
"""The keys of our own `Response`; also those of the ancestor's pseudo code (`text_chunks`)."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The settings of one kind of server."""

    response: ResponseMap
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What a tool is called with, or the JSON that is sent."""
    preflight: PreflightSpec = field(default_factory=PreflightSpec.model_construct)
    modes: Mapping[str, str] = field(default_factory=dict)
    catalog: CatalogSpec | None = None


_ARGUMENTS = {"query": "{question}", "mode": "{mode}"}
_LIGHTRAG_ANSWERS = "lightrag /query"
_LABELS = PreflightSpec.model_construct(url="/graph/label/list", entities="[*]")
"""LightRAG lists the names of its entities."""

PRESETS: dict[str, Preset] = {
    # The three tools and the reply keys that the graph-eval skill describes; any server that speaks them.
    "generic-mcp": Preset(
        tool="query_graph_tool",
        arguments=_ARGUMENTS,
        response=NATIVE,
        preflight=PreflightSpec.model_construct(
            tool="get_server_status",
            entities="graph.entities|entities",
            relationships="graph.relationships|relationships",
            warnings="warnings",
        ),
    ),
    # preciso-graphrag 0.3: one text block of JSON; the evidence lies in `raw_data`, which is null where there is none.
    # `content` is the evidence once more as one text, not an answer: no model is wired in.
    "preciso": Preset(
        tool="query_graph_tool",
        arguments=_ARGUMENTS,
        response=ResponseMap.model_construct(
            entities="raw_data.data.entities",
            relationships="raw_data.data.relationships",
            chunks="raw_data.data.chunks",
            references="raw_data.data.references",
            mode="raw_data.metadata.query_mode",
            status="status, raw_data.status",
            id_rule="after ::",
            separator="<SEP>",
        ),
        preflight=PreflightSpec.model_construct(
            tool="get_server_status",
            entities="graph.entities",
            relationships="graph.relationships",
            warnings="warnings",
        ),
        modes={"kg": "mix"},
        # It lists 100 nodes and edges at most, and forgets the direction of an edge.
        catalog=CatalogSpec.model_construct(
            tool="manage_graph",
            arguments={"action": "inspect"},
            response=ResponseMap.model_construct(
                entities="nodes", relationships="relationships", entity_fields={"name": "id"}
            ),
            directed=False,
            evidence=ToolCallSpec.model_construct(tool="read_evidence", arguments={"chunk_id": "{chunk_id}"}),
        ),
    ),
    # LightRAG 1.5, `/query/data`: what was retrieved, and no answer. It says "failure" where nothing was found.
    "lightrag": Preset(
        arguments=_ARGUMENTS,
        response=ResponseMap.model_construct(
            entities="data.entities",
            relationships="data.relationships",
            chunks="data.chunks",
            references="data.references",
            mode="metadata.query_mode|metadata.mode",
            status="status",
            separator="<SEP>",
        ),
        preflight=_LABELS,
        modes={"kg": "mix"},
    ),
    # LightRAG 1.5, `/query`: an answer, and the texts that it was made from by file. Where its model or its embeddings
    # fail, it still answers with HTTP 200; where it found nothing, it apologises in other words.
    _LIGHTRAG_ANSWERS: Preset(
        arguments={**_ARGUMENTS, "include_references": True, "include_chunk_content": True},
        response=ResponseMap.model_construct(
            answer="response",
            answered="llm_generated",
            error_answers=["No relevant context found for the query."],
            chunks="references",
            references="references",
            chunk_fields={"id": "file_path|reference_id"},
        ),
        preflight=_LABELS,
        modes={"kg": "mix"},
    ),
    # Microsoft graphrag 3: what `graphrag.api` returns, (answer, context), or a service that names the two. Only the
    # local search reports entities; rows that did not fit into the prompt are marked, and are no evidence.
    "graphrag": Preset(
        arguments={"query": "{question}", "method": "{mode}"},
        response=ResponseMap.model_construct(
            answer="[0]|response|answer|result",
            entities="[1].entities|context_data.entities|context.entities?",
            relationships="[1].relationships|context_data.relationships|context.relationships?",
            chunks="[1].sources|context_data.sources|context.sources,[1].reports|context_data.reports|context.reports",
            chunk_fields={"content": "text|content|full_content|summary"},
            keep="in_context",
        ),
        modes={"kg": "local", "hybrid": "drift"},
    ),
    # Any endpoint that speaks OpenAI's chat completions; agents behind one may return all their messages.
    "openai-chat": Preset(
        arguments={"messages": "{messages}"},
        response=ResponseMap.model_construct(
            messages="messages|choices[0].message",
            usage="usage",
            model="model",
            usage_fields={"cost_usd": "cost_usd|cost"},
        ),
    ),
}


def preset_of(spec: Any) -> Preset | None:
    """Return the preset that a target's settings name; an mcp target without a mapping of its own is generic.

    What LightRAG replies depends on the address.
    """
    name = getattr(spec, "preset", None)
    if name == "lightrag" and isinstance(spec, HttpTarget) and not _path(spec.url).endswith("/data"):
        name = _LIGHTRAG_ANSWERS
    if name is None and isinstance(spec, McpTarget) and spec.response is None:
        name = "generic-mcp"
    return PRESETS[name] if name else None


def _path(url: str) -> str:
    return url.partition("?")[0].rstrip("/")


def response_map(spec: Any) -> ResponseMap | None:
    """Return where the parts of a target's replies stand, or None where neither it nor a preset says so."""
    preset = preset_of(spec)
    own = spec.response
    if preset is None or own is None:
        return own or (preset.response if preset else None)
    return preset.response.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})


def status_spec(spec: Any) -> PreflightSpec:
    """Return how the status of a target is read: its own settings over those of its preset.

    A target with a mapping of its own and no preset is still asked for its status in the generic way.
    """
    preset = preset_of(spec) or (PRESETS["generic-mcp"] if isinstance(spec, McpTarget) else None)
    own = spec.preflight or PreflightSpec.model_construct()
    base = preset.preflight if preset else PreflightSpec.model_construct()
    return base.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})


def catalog_spec(spec: McpTarget) -> CatalogSpec | None:
    """Return how a target lists what its graph holds, as its settings or else its preset say."""
    preset = preset_of(spec)
    return spec.catalog or (preset.catalog if preset else None)


def mode_names(spec: Any) -> dict[str, str]:
    """Return what this target calls the modes: those of its preset, overlaid by its own."""
    preset = preset_of(spec)
    return {**(preset.modes if preset else {}), **spec.modes}
