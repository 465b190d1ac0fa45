"""Settings of a suite's `judge:`: which model judges its answers, what it is asked, and what that may cost."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from pytest_graph_eval.models.scalars import Data, Flag, Key, Model, Number, Text, Whole, Word, as_list
from pytest_graph_eval.models.settings import Price

JudgeKind = Literal["rubric", "claims", "relevance", "retrieval"]
CustomInput = Literal["question", "reference_answer", "reference_steps", "actual_answer", "actual_steps"]

RUBRIC = ("faithfulness", "completeness", "relevance", "robustness", "efficiency")
"""Scores from 1 to 5; all others are shares from 0 to 1."""
METRICS_OF: dict[JudgeKind, tuple[str, ...]] = {
    "rubric": RUBRIC,
    "claims": ("answer_recall", "answer_precision", "answer_f1"),
    "relevance": ("answer_relevance",),
    "retrieval": tuple(
        f"retrieval_{of}_{name}" for of in ("answer", "context") for name in ("recall", "precision", "f1")
    ),
}
RESERVED = frozenset({
    *(name for names in METRICS_OF.values() for name in names),
    "template_id", "question_id", "question_text", "reference_answer", "reference_steps", "actual_answer",
    "actual_steps", "status", "error", "steps_score", "input_tokens", "output_tokens", "total_tokens", "elapsed_sec",
    "answer_reference_claims_count", "answer_actual_claims_count", "answer_matching_claims_count",
    "answer_correctness_reason", "answer_correctness_error", "answer_relevance_error",
})  # fmt: skip
"""Keys that results have already; no output of a custom judgement may take one."""


class CustomJudgement(Model):
    """A judgement of the user's own, with the keys of graphrag-eval's custom evaluations; braces are text.

    The judge sees `inputs`, follows `instructions` and returns `outputs` (name to what it means). Of the steps it sees
    those named `steps_name`, and of these `steps_keys`.
    """

    name: Word
    """Names its error; unique."""
    inputs: Annotated[list[CustomInput], BeforeValidator(as_list), Field(min_length=1)]
    """What the judge sees."""
    instructions: Word
    """What it is told."""
    outputs: dict[Key, Word] = Field(min_length=1)
    """Score or text that it returns, to what that means."""
    steps_name: Text | None = None
    """The tool whose steps it sees."""
    steps_keys: Annotated[list[Literal["args", "output"]], BeforeValidator(as_list)] = []
    """What it sees of them."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        steps = [name for name in self.inputs if name.endswith("_steps")]
        if steps and not (self.steps_name and self.steps_keys):
            raise ValueError(f"the input `{steps[0]}` needs `steps_name:` and `steps_keys:` (args, output)")
        taken = sorted(RESERVED & {*self.outputs, f"{self.name}_error"})
        if taken:
            raise ValueError(f"{', '.join(taken)} in `outputs` or `name`: results have that key already; rename it")
        return self


class JudgeSettings(Model):
    """The judge: an endpoint that speaks OpenAI's chat completions, or `call`, a callable that takes messages."""

    url: Word | None = None
    """Base address of an endpoint that speaks OpenAI's chat completions; takes `${VAR}`."""
    call: Word | None = None
    """`module:callable` that takes messages, in place of a `url`."""
    config: Word | None = None
    """A configuration file of graphrag-eval, whose model and metrics fill in what is not set here."""
    model: Word | None = None
    """The model's name there."""
    headers: dict[Key, Text] = {}
    """Sent with each request; takes `${VAR}`."""
    json_: dict[Text, Data] = Field({}, alias="json")
    """Sent beside the messages."""
    kinds: Annotated[list[JudgeKind], BeforeValidator(as_list)] = []
    """What is judged; default: the rubric, unless there is `custom`."""
    custom: Annotated[list[CustomJudgement], BeforeValidator(as_list)] = []
    """Judgements of your own."""
    samples: Whole = Field(1, ge=1, le=20)
    """How often each judgement is made; scores are means, and WARN where they lie on both sides of a line."""
    temperature: Number = Field(0.0, ge=0, le=2)
    """Sent until the endpoint refuses it."""
    seed: Whole = 0
    """Sent until the endpoint refuses it."""
    timeout: Number = Field(60.0, gt=0)
    """Seconds for a judgement."""
    retries: Whole = Field(2, ge=0, le=5)
    """How often one that cannot be read is asked for again, with the reason."""
    concurrency: Whole = Field(4, ge=1, le=64)
    """Most judgements at the same time."""
    prices: dict[Key, Price] = {}
    """Model to price: usage becomes cost."""
    max_cost_usd: Number | None = Field(None, gt=0)
    """Stops judging, not the run; needs a cost that is reported, or `prices`."""
    cache: Flag = True
    """Whether the same judgement is made once only (`judge_cache.sqlite` beside the results)."""

    @model_validator(mode="after")
    def _has_one_model(self) -> Self:
        if (self.url is None) == (self.call is None):
            raise ValueError("a judge needs either `url:` (chat completions) or `call:` (module:callable)")
        if self.url is not None and self.model is None and self.config is None:
            raise ValueError("a judge behind a `url:` needs `model:`, the model's name there")
        if self.call is not None and (self.headers or self.json_):
            raise ValueError("`headers:` and `json:` are sent to a `url:`; a `call:` takes messages only")
        names = [custom.name for custom in self.custom]
        outputs = [output for custom in self.custom for output in custom.outputs]
        twice = sorted({name for found in (names, outputs) for name in found if found.count(name) > 1})
        if twice:
            raise ValueError(f"{', '.join(twice)} in `custom:` stands twice; names and outputs are unique")
        return self

    @property
    def asked(self) -> tuple[JudgeKind, ...]:
        """The kinds of judgement that are made, beside the custom ones; the rubric where nothing is chosen."""
        return tuple(dict.fromkeys(self.kinds)) or (() if self.custom else ("rubric",))

    def metrics(self) -> tuple[str, ...]:
        """Return the names of all scores that the judgements may give."""
        own = [output for custom in self.custom for output in custom.outputs]
        return (*(name for kind in self.asked for name in METRICS_OF[kind]), *own)
