"""Reads graphrag-eval's configuration of its model-based metrics as the settings of a judge."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from pytest_graph_eval.models.judge_settings import CustomJudgement
from pytest_graph_eval.models.scalars import plain
from pytest_graph_eval.models.validation import Finding, Loc, describe

_KEYS = ("llm", "answer_correctness", "answer_relevance", "custom_evaluations")
_PLACEHOLDERS = {"question", "reference_answer", "actual_answer"}


def read_config(config: Any) -> tuple[dict[str, Any], list[Finding], list[Finding]]:
    """Return keys of `judge:`, what is wrong with the file, and what of it has no effect.

    Correctness is judged where there is a model, relevance where there is an embedding model, as graphrag-eval does;
    ours needs no embeddings.
    """
    data = plain(config)
    if not isinstance(data, dict):
        return (
            {},
            [Finding((), "graphrag-eval's configuration is a mapping; expected `llm:` and its metrics", "wrong_type")],
            [],
        )
    reader = _Reader(data)
    settings = reader.settings()
    return settings, reader.wrong, reader.idle


class _Reader:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.wrong: list[Finding] = []
        self.idle: list[Finding] = []

    def settings(self) -> dict[str, Any]:
        for key in self.data.keys() - set(_KEYS):
            self.idle.append(
                Finding((key,), f"unknown key {key!r}; expected {', '.join(_KEYS)}", "unknown_key", key, True)
            )
        llm = self._mapping(self.data, "llm")
        model, embedding = self._model(llm, "generation"), self._model(llm, "embedding")
        kinds = [
            *(["claims", "retrieval"] if self._enabled("answer_correctness", model) else ["retrieval"] if model else [])
        ]
        kinds += ["relevance"] if self._enabled("answer_relevance", embedding) else []
        custom = list(self._custom(bool(model)))
        settings: dict[str, Any] = {"kinds": kinds, "custom": custom}
        if model:
            extra = {k: v for k, v in model.items() if k not in ("provider", "model", "temperature")}
            settings |= {"model": model["model"], "temperature": model.get("temperature", 0.0)}
            settings |= {"json": extra} if extra else {}
        return settings

    def _mapping(self, data: Mapping[str, Any], key: str, base: Loc = ()) -> dict[str, Any]:
        value = data.get(key)
        if value is not None and not isinstance(value, dict):
            self.wrong.append(Finding((*base, key), f"found {value!r}, expected a mapping", "wrong_type"))
        return value if isinstance(value, dict) else {}

    def _model(self, llm: Mapping[str, Any], key: str) -> dict[str, Any]:
        model = self._mapping(llm, key, ("llm",))
        for name in ("provider", "model") if key in llm else ():
            if not isinstance(model.get(name), str) or not model[name]:
                self.wrong.append(Finding(("llm", key), f"the key {name!r} is missing", "missing_key", name))
        limits = (("temperature", 0, 2, int | float), ("max_tokens", 1, float("inf"), int))
        for name, low, high, kind in limits:
            value = model.get(name, low)
            if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
                what = f"found {value!r}, expected a number from {low}" + (f" to {high}" if high < 3 else "")
                self.wrong.append(Finding(("llm", key, name), what, "wrong_value"))
        return model if isinstance(model.get("model"), str) else {}

    def _enabled(self, key: str, model: Mapping[str, Any]) -> bool:
        part = self._mapping(self.data, key)
        enabled = part.get("enabled", bool(model))
        if not isinstance(enabled, bool):
            self.wrong.append(Finding((key, "enabled"), f"found {enabled!r}, expected true or false", "wrong_type"))
        elif enabled and not model:
            needs = "llm.generation" if key == "answer_correctness" else "llm.embedding"
            self.wrong.append(Finding((key,), f"`{key}` needs `{needs}`", "contradiction"))
        if isinstance(prompt := part.get("prompt"), str):
            self._own_prompt(prompt)
        return enabled is True

    def _own_prompt(self, prompt: str) -> None:
        loc = ("answer_correctness", "prompt")
        try:
            found = {name for _, name, _, _ in string.Formatter().parse(prompt) if name is not None}
        except ValueError as e:
            found = {str(e)}
        if found != _PLACEHOLDERS:
            shown = ", ".join(f"{{{name}}}" for name in sorted(_PLACEHOLDERS))
            self.wrong.append(Finding(loc, f"expected exactly the placeholders {shown}", "wrong_value"))
        words = "the judge's prompts are versioned files of this package; ask in your own words with `custom:`"
        self.idle.append(Finding(loc, words, "unknown_key"))

    def _custom(self, has_model: bool) -> Iterator[CustomJudgement]:
        entries = self.data.get("custom_evaluations")
        if entries is None:
            return
        loc: Loc = ("custom_evaluations",)
        if not isinstance(entries, list) or not entries:
            self.wrong.append(Finding(loc, "expected a list with one evaluation or more", "wrong_type"))
            return
        if not has_model:
            self.wrong.append(Finding(loc, "`custom_evaluations` needs `llm.generation`", "contradiction"))
        for index, entry in enumerate(entries):
            try:
                yield CustomJudgement.model_validate(entry)
            except ValidationError as e:
                found = describe(e, entry, CustomJudgement)
                self.wrong += (Finding((*loc, index, *f.loc), f.message, f.code, f.key, f.at_key) for f in found)
