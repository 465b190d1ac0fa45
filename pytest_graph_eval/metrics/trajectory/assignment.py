"""The best pairing of reference steps with tool calls, in polynomial time, when calls come one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


class Pairing:
    """Pairs rows with columns, each at most once, at the greatest total weight; columns are added one by one.

    Of several best pairings the one is kept that was there first. Weights are whole numbers, so that a total is exact;
    0 is no pair.
    """

    def __init__(self, weights: Sequence[Sequence[int]]) -> None:
        """Begin without columns; `weights` has a row for each step and in it a weight for each call."""
        self._weights = weights
        self.columns: list[int | None] = [None] * len(weights)
        """The column of each row."""
        self.total = 0
        """The weight of all pairs."""

    def add(self, column: int) -> None:
        """Let a column take part.

        The pairs of the best pairing that change are one chain: the new column takes a row, whose column takes
        another one, and so on, up to a row that was free, or a column that is left over.
        """
        gains, before = self._chains(column)
        if not gains:
            return
        row: int | None = max(gains, key=lambda row: gains[row] - self._weight(row))
        gain = gains[row] - self._weight(row)  # type: ignore[index,arg-type]  # there is one
        if gain <= 0:
            return
        self.total += gain
        chain = []
        while row is not None:
            chain.append(row)
            row = before[row]
        moving: int | None = column
        for row in reversed(chain):
            self.columns[row], moving = moving, self.columns[row]

    def _weight(self, row: int) -> int:
        """Return the weight of the row's pair."""
        column = self.columns[row]
        return 0 if column is None else self._weights[row][column]

    def _chains(self, column: int) -> tuple[dict[int, int], dict[int, int | None]]:
        """Return what is gained by the best chain that gives each row another column, and the row before it."""
        gains = {row: weights[column] for row, weights in enumerate(self._weights) if weights[column]}
        before: dict[int, int | None] = dict.fromkeys(gains)
        waiting = deque(gains)
        while waiting:
            row = waiting.popleft()
            freed = self.columns[row]
            if freed is None:
                continue
            rest = gains[row] - self._weights[row][freed]
            for other, weights in enumerate(self._weights):
                weight = weights[freed]
                if weight and other != row and (other not in gains or rest + weight > gains[other]):
                    gains[other], before[other] = rest + weight, row
                    waiting.append(other)
        return gains, before
