"""Whatever an agent calls: nothing raises, the order in a group does not count, and superfluous calls never help."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_graph_eval.evaluation.asking import Asked
from pytest_graph_eval.evaluation.evaluate import Context, score_scenario
from pytest_graph_eval.metrics.trajectory import judge_calls, settled
from pytest_graph_eval.metrics.trajectory.alignment import align
from pytest_graph_eval.models.expect import Expect
from pytest_graph_eval.models.records import Record, Response, ToolCall
from pytest_graph_eval.models.scenario import Scenario

TOOLS = st.sampled_from(["a", "b", "c", "mcp__x__a", "iri_discovery", "sparql_query", "retrieval", ""])
STATUS = st.sampled_from(["success", "success", "success", "error", "requested", "Success", ""])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner))
RESULTS = st.sampled_from([
    '{"head": {"vars": ["n"]}, "results": {"bindings": [{"n": {"type": "literal", "value": "x"}}]}}',
    '{"head": {}, "boolean": true}', '{"results": {"bindings": [[]]}}', '[{"id": "d1"}, {"id": null}]', "{", "urn:x",
    {"isError": True, "content": [{"type": "text", "text": "x"}]}, {"content": [3], "structuredContent": None},
])  # fmt: skip
ARGS = st.dictionaries(st.sampled_from(["q", "k", "mrid", "start", "limit", "external_id"]), DATA, max_size=3)
CALLS = st.builds(ToolCall, name=TOOLS, args=ARGS, status=STATUS, output=DATA | RESULTS)

NAMES = st.sampled_from(["a", "b", "c"])
PLAIN_CALLS = st.builds(
    ToolCall, name=NAMES, args=st.sampled_from([{}, {"q": 1}, {"q": 2}]), status=st.sampled_from(["success", "error"])
)
STEPS = st.fixed_dictionaries({"tool": NAMES}, optional={"args": st.sampled_from([{}, {"q": 1}, {"q": 2}])})
GROUPS = st.lists(st.lists(STEPS, min_size=1, max_size=3), min_size=1, max_size=3)
WAYS = st.fixed_dictionaries(
    {},
    optional={
        "steps_mode": st.sampled_from(["mean", "last_group"]),
        "trajectory": st.sampled_from(["exact", "unordered", "in_order", "any_order", "subset"]),
    },
) | st.just({"steps_mode": "suffix"})
REFERENCES = st.sampled_from([
    {"tool": "a", "args": {"q": {"deep": [1, {"x": None}]}}, "args_match": "superset"},
    {"tool": "a", "output": {"rows": [1, 2]}, "compare": "json"}, {"tool": "b", "output": "x", "compare": "text"},
    {"tool": "iri_discovery", "output": "urn:x"}, {"tool": "retrieval", "output": [{"id": "d1"}], "k": 2},
    {"tool": "a", "args": {"mrid": ["m"], "limit": 3}, "compare": "time_series"},
    {"tool": "a", "args": {"external_id": "e", "start": "1h-ago"}, "compare": "data_points"},
    {"tool": "sparql_query", "compare": "sparql", "output":
        '{"head": {"vars": ["n"]}, "results": {"bindings": [{"n": {"type": "literal", "value": "x"}}]}}'},
])  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(REFERENCES, min_size=1, max_size=4), st.lists(CALLS, max_size=5), WAYS)
def test_no_reply_of_an_agent_raises(steps: list[Any], calls: list[ToolCall], way: dict[str, Any]) -> None:
    tools = {"required": "a", "forbidden": "z", "max_errors": 0}
    scenario = Scenario.model_validate(
        {"id": "x", "question": "Q", "expect": {"steps": steps, "tools": tools, **way}, "metrics": ["call_f1"]}
    )
    asked = Asked(response=Response(tool_calls=calls), mode="kg", mode_ran="kg")
    record = Record.from_line(score_scenario(scenario, asked, Context()).to_line())
    assert record.status in ("PASS", "FAIL", "ERROR")
    assert all(value is None or 0 <= value <= 1 for value in record.scores.values())


@given(GROUPS, st.lists(PLAIN_CALLS, max_size=6), WAYS, st.randoms(use_true_random=False))
def test_the_order_inside_a_group_does_not_count(groups: Any, calls: Any, way: Any, random: Any) -> None:
    shuffled = [random.sample(group, len(group)) for group in groups]
    one, other = (align(Expect.model_validate({"steps": steps, **way}), calls).score for steps in (groups, shuffled))
    assert abs(one - other) < 1e-9


@settings(max_examples=120)
@given(
    GROUPS, st.lists(PLAIN_CALLS, max_size=6), PLAIN_CALLS, st.sampled_from(["exact", "unordered", "subset"]), st.data()
)
def test_a_superfluous_call_never_raises_a_score_under_exact(
    groups: Any, calls: list[ToolCall], extra: ToolCall, way: str, data: st.DataObject
) -> None:
    """A call is superfluous where there are as many successful ones as steps, or where it serves none."""
    expect = Expect.model_validate({"steps": groups, "trajectory": way})
    extra = extra.model_copy(update={"status": "success"})
    place = data.draw(st.integers(0, len(calls)))
    more = [*calls[:place], extra, *calls[place:]]
    before, after = align(expect, calls), align(expect, more)
    enough = sum(call.status == "success" for call in calls) >= sum(map(len, groups))
    if enough or place in after.extra:
        assert after.score <= before.score
        assert after.score == 0
    if place in after.extra:
        scores = [judge_calls(expect, settled(Response(tool_calls=c))).scores for c in (calls, more)]
        assert all((after_.value or 0) <= (scores[0][n].value or 0) for n, after_ in scores[1].items())


@given(GROUPS, st.lists(PLAIN_CALLS, max_size=5), WAYS)
def test_the_figures_of_a_walk_agree(groups: Any, calls: list[ToolCall], way: Any) -> None:
    found = align(Expect.model_validate({"steps": groups, **way}), calls)
    used = [one.call for group in found.outcomes for one in group if one.call is not None]
    assert len(used) == len(set(used))
    assert all(calls[n - 1].status == "success" for n in used)
    assert not {n + 1 for n in found.extra} & set(used)
    assert all(one.reason for one in found.unmet)
    assert (found.score == 1) == (not found.unmet and (found.rule.may_exceed or not found.extra))
