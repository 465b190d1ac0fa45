"""A kind of scenario: which questions a graph can be asked, and how one of them is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_graph_eval.generate.drafts import Draft, Spec, Unanswerable
from pytest_graph_eval.generate.quality import check
from pytest_graph_eval.generate.view import View


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of scenario.

    Attributes:
        name: what a suite's `fact_spec` calls it.
        category: of its scenarios.
        difficulty: of its scenarios: `easy`, `medium` or `hard`.
        needs: what a graph without a single recipe lacks.
        specs: yields the recipes in an order that depends on the graph alone. It reads names and edges, not texts: a
            large graph has many, of which few are built.
        make: makes the scenario of a recipe, or raises `Unanswerable`.
        arguments: what a recipe must say.
        groups: what options leave out as a whole: `temporal`, `multi_turn`, `pronouns`, `fact_first`, `writes`.
        answers: whether it is for targets that give answers (True), for those that give evidence only (False), or for
            both (None).
        fills: whether there may be more of it where another kind has too few.
        share: how many scenarios of it a suite has by default, in relation to the other kinds.
    """

    name: str
    category: str
    difficulty: str
    needs: str
    specs: Callable[[View], Iterable[Spec]]
    make: Callable[[View, Spec], Draft]
    arguments: tuple[str, ...] = ()
    groups: frozenset[str] = frozenset()
    answers: bool | None = None
    share: int = 2
    fills: bool = True

    def build(self, view: View, spec: Spec, reasons: Counter[str] | None = None) -> Draft | None:
        """Make the scenario of a recipe; None where the graph does not answer it, or not uniquely.

        Args:
            view: the graph.
            spec: one of `specs`, of this graph or of an earlier state of it.
            reasons: counts why there is none.
        """
        try:
            return self._made(view, spec)
        except Unanswerable as e:
            if reasons is not None:
                reasons[str(e)] += 1
            return None

    def _made(self, view: View, spec: Spec) -> Draft:
        missing = [name for name in self.arguments if not isinstance(spec.get(name), str)]
        if missing:
            raise Unanswerable(f"the recipe says no `{missing[0]}`")
        draft = self.make(view, spec)
        check(draft)
        return draft
