"""Makes one run of its parts: CI shards, or runs of some of the suites, each with the summary that it wrote.

Merged parts that leave no scenario out are a complete run, and give the summary that one run would have given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_graph_eval.errors import DataError
from pytest_graph_eval.gate.summary import AppliedGate, RunInfo, SuiteInfo, Summary
from pytest_graph_eval.gate.verdict import Reason
from pytest_graph_eval.texts import listed

_TOLD = ("quarantine",)
"""Reasons that only a run itself can give, by the first word of their code: no record holds what they are about."""
_NAMES = 5


@dataclass(frozen=True, slots=True)
class Part:
    """One results file by its name, and the summary of its run; None where the run did not come to its end."""

    name: str
    summary: Summary | None

    @property
    def covered(self) -> bool:
        """Whether everything that this part set out to do is in its records."""
        run = self.summary.run if self.summary else None
        return run is not None and run.status == "COMPLETE" and not run.not_run


def suites_of(parts: Sequence[Part], declared: Mapping[str, SuiteInfo] | None = None) -> dict[str, SuiteInfo]:
    """Return what is known of each suite by its key.

    Args:
        parts: of one run.
        declared: suites as their files are now; they win over what the summaries say, but know no graph.

    Raises:
        DataError: two parts were judged by different gates, so no single gate can judge them together.
    """
    found = dict(declared or {})
    first = dict.fromkeys(found, "")
    quarrels = []
    for part in parts:
        for key, info in (part.summary.suites() if part.summary else {}).items():
            known = found.setdefault(key, info)
            first.setdefault(key, part.name)
            if first[key] and AppliedGate.of(known.gate) != AppliedGate.of(info.gate):
                quarrels.append(f"{key} (in {first[key]} and {part.name})")
            found[key] = replace(known, graph=known.graph or info.graph, scenarios=known.scenarios or info.scenarios)
    if quarrels:
        raise DataError(
            f"the gate of {listed(quarrels, _NAMES)} is not the same in all parts; expected parts of one run: "
            "name the suite file with --suite to judge all of them by what it says now"
        )
    return found


def run_of(parts: Sequence[Part], suites: Mapping[str, SuiteInfo], ran: Mapping[str, int]) -> RunInfo:
    """Return the circumstances of the whole.

    A single part is what its summary says. Several are complete when they leave no scenario out together.

    Args:
        parts: of one run.
        suites: what `suites_of` returned.
        ran: how many scenarios of each suite have a record in any of the parts.

    Raises:
        DataError: the parts were judged by different gates over the run.
    """
    told = [part.summary for part in parts if part.summary]
    whole = _whole(parts, told)
    if len(parts) == 1 and told:
        state = told[0].run
        return replace(
            whole,
            partial=state.partial,
            interrupted=state.status == "INTERRUPTED",
            collected=state.collected,
            deselected=state.deselected,
        )
    missing = _missing(parts, suites, ran)
    if missing == 0:
        return replace(whole, collected=sum(ran.values()))
    partial = listed(list(dict.fromkeys(s.run.partial for s in told if s.run.partial)), _NAMES)
    interrupted = len(told) < len(parts) or any(s.run.status == "INTERRUPTED" for s in told)
    return replace(
        whole,
        partial=partial,
        interrupted=interrupted,
        collected=None if missing is None else sum(ran.values()) + missing,
        deselected=missing if missing and partial and not interrupted else 0,
    )


def reasons_of(parts: Sequence[Part]) -> list[Reason]:
    """Return what the parts say that no record holds, and whether they asked the same graph."""
    told = [reason for part in parts if part.summary for reason in part.summary.verdict_reasons]
    kept = [reason for reason in told if reason.code.partition(":")[0] in _TOLD]
    return [*dict.fromkeys(kept), *_graphs(parts)]


def _whole(parts: Sequence[Part], told: Sequence[Summary]) -> RunInfo:
    """Return what is true of the parts together, however much of the run they are."""
    gates = {part.name: part.summary.gate.run for part in parts if part.summary}
    if any(gate != next(iter(gates.values())) for gate in gates.values()):
        raise DataError(
            f"{listed(list(gates), _NAMES)} were judged by different gates over the run (`graph_eval_gate`); "
            "expected parts of one run: judge them apart"
        )
    seconds = [float(s) for summary in told if (s := summary.meta.get("duration_s")) is not None]
    return RunInfo(
        run_at=min((summary.run_at for summary in told), default=""),
        duration_s=sum(seconds) if len(seconds) == len(parts) else None,
        collection_errors=list(dict.fromkeys(e for summary in told for e in summary.run.collection_errors)),
        gate=next(iter(gates.values()), None),
        meta={k: v for k, v in told[0].meta.items() if k != "duration_s"} if told else {},
    )


def _missing(parts: Sequence[Part], suites: Mapping[str, SuiteInfo], ran: Mapping[str, int]) -> int | None:
    """Return how many scenarios were collected and have no record in any part, None where nobody knows."""
    sizes: dict[str, int] = {}
    if not ran.keys() <= suites.keys():
        return None
    for key, info in suites.items():
        if info.scenarios is None and not all(part.covered for part in parts if _has(part, key)):
            return None
        sizes[key] = ran.get(key, 0) if info.scenarios is None else info.scenarios
    missing = sum(max(0, size - ran.get(key, 0)) for key, size in sizes.items())
    return missing + max((_hidden(part.summary, sizes) for part in parts if part.summary), default=0)


def _has(part: Part, key: str) -> bool:
    return part.summary is None or key in part.summary.by_suite


def _hidden(summary: Summary, sizes: Mapping[str, int]) -> int:
    """Return how many scenarios a part collected that are in suites of which no part has a record.

    A part collected its own suites, or all suites of the run and deselected some of them whole. A figure that fits
    neither speaks of suites that are not known here.
    """
    collected = summary.run.collected
    own = sum(sizes[key] for key in summary.by_suite)
    if collected is None or collected <= own or collected == sum(sizes.values()):
        return 0
    return collected - own


def _graphs(parts: Sequence[Part]) -> list[Reason]:
    """Say which suites met graphs of different sizes: their parts did not test the same thing."""
    found: dict[str, dict[tuple[int | None, int | None], str]] = {}
    for part in parts:
        for key, stats in (part.summary.graph_stats if part.summary else {}).items():
            found.setdefault(key, {}).setdefault((stats.entities, stats.relationships), part.name)
    return [
        Reason(
            code=f"different_graphs:{key}",
            level="WARN",
            text="the parts asked graphs of different sizes: "
            + ", ".join(f"{sizes[0]} entities and {sizes[1]} relationships in {name}" for sizes, name in seen.items()),
            suite=key,
        )
        for key, seen in found.items()
        if len(seen) > 1
    ]
