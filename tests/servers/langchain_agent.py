"""A LangChain agent over the MCP tools at `GRAPH_URL`; a script stands for the language model, the rest is real."""

from __future__ import annotations

import os
from typing import Any

from agent_plans import USED, calls_of, conclusion
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient


class Script(BaseChatModel):
    """A chat model that follows the plan of the question."""

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **_: Any) -> Script:
        """Take no notice: the plan knows its tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        number = sum(isinstance(message, AIMessage) for message in messages)
        calls = calls_of(str(messages[0].content), number)
        results = (str(m.text) for m in messages if isinstance(m, ToolMessage))
        message = AIMessage(
            "" if calls else conclusion(results),
            tool_calls=[{"name": name, "args": args, "id": f"{number}.{i}"} for i, (name, args) in enumerate(calls)],
            usage_metadata={
                "input_tokens": USED["input"],
                "output_tokens": USED["output"],
                "total_tokens": USED["input"] + USED["output"],
                "input_token_details": {"cache_read": USED["cached"]},
            },
            response_metadata={"model_name": "scripted-1"},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


async def ask(question: str) -> dict[str, Any]:
    """Let the agent answer and return its state."""
    server = {"transport": "streamable_http", "url": os.environ["GRAPH_URL"]}
    tools = await MultiServerMCPClient({"mcp__graph_": server}, tool_name_prefix=True).get_tools()
    agent = create_agent(Script(), tools)
    return await agent.ainvoke({"messages": [("user", question)]}, {"recursion_limit": 11})
