"""A model that judges, and misbehaves on demand: what it replies is told by a word in the answer that it judges."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from pytest_graph_eval.models.judge_settings import RUBRIC
from tests.servers.chat_endpoint import Message


def rubric(score: Any) -> str:
    return json.dumps({name: {"score": score, "reason": f"{name} is so"} for name in RUBRIC})


GOOD = rubric(4)

MOODS: dict[str, Callable[[], str | Message | int]] = {
    "fine": lambda: GOOD,
    "fenced": lambda: f"Here you are:\n```json\n{GOOD}\n```\nCheers {{you}}",
    "thinking": lambda: f'<think>{{"faithfulness": 1}}</think>{GOOD}',
    "fraction": lambda: rubric("4/5"),
    "busy": lambda: 429,
    "broken": lambda: 500,
    "forbidden": lambda: 403,
    "truncated": lambda: GOOD[: len(GOOD) // 2],
    "refusal": lambda: "I'm sorry, but I can't help with that.",
    "list": lambda: f"[{GOOD}]",
    "number": lambda: "5",
    "null": lambda: "null",
    "nan": lambda: rubric(float("nan")),
    "infinite": lambda: rubric(4).replace("4", "1e999"),
    "high": lambda: rubric(17),
    "text": lambda: rubric("excellent"),
    "partial": lambda: json.dumps({RUBRIC[0]: 5}),
    "empty": lambda: "",
    "silent": lambda: {"role": "assistant", "content": None, "refusal": "no"},
}
BAD = ("busy", "broken", "forbidden", "truncated", "refusal", "list", "number", "null", "nan", "infinite",
       "high", "text", "partial", "empty", "silent")  # fmt: skip


class Judge:
    """Counts its requests by mood; with `heals`, the second try of anything is good."""

    def __init__(self, *, heals: bool = False, scores: tuple[Any, ...] = ()) -> None:
        self.heals = heals
        self.scores = scores
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()

    def __call__(self, messages: list[Message]) -> str | Message | int:
        mood = json.loads(messages[-1]["content"])["answer"].split()[0]
        with self.lock:
            self.asked[mood] += 1
            count = self.asked[mood]
        if self.heals and count > 1:
            return GOOD
        if self.scores:
            return rubric(self.scores[(count - 1) % len(self.scores)])
        return MOODS[mood]()
