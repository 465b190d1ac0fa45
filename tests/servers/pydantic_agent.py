"""A pydantic-ai agent over the MCP tools at `GRAPH_URL`; a script stands for the language model, the rest is real."""

from __future__ import annotations

import os

from agent_plans import USED, calls_of, conclusion
from pydantic_ai import Agent, AgentRunResult
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Return the next reply of the script."""
    question = next(str(part.content) for part in messages[0].parts if part.part_kind == "user-prompt")
    calls = calls_of(question, sum(isinstance(message, ModelResponse) for message in messages))
    results = (part.content for message in messages for part in message.parts if part.part_kind == "tool-return")
    parts = [ToolCallPart(name, arguments) for name, arguments in calls] or [TextPart(conclusion(results))]
    used = RequestUsage(input_tokens=USED["input"], cache_read_tokens=USED["cached"], output_tokens=USED["output"])
    return ModelResponse(parts=parts, usage=used)


TOOLS = MCPToolset(os.environ["GRAPH_URL"]).prefixed("mcp__graph_")
AGENT = Agent(FunctionModel(play, model_name="scripted-1"), toolsets=[TOOLS], retries=2)


async def ask(question: str) -> AgentRunResult[str]:
    """Let the agent answer."""
    async with AGENT:
        return await AGENT.run(question, usage_limits=UsageLimits(request_limit=5))
