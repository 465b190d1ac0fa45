"""A target that says when it is busy, or how fast it may be asked, makes nobody red, and is asked no faster."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.listening import JSON, Asked, Reply, listening

from .runs import run_pytest


class Busy:
    """Refuses every fifth question for a second, and all that come before the second is over."""

    refuse_every = 5

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.too_early = 0
        self.free_at = 0.0
        self.guard = threading.Lock()
        self.address = ""

    def refuses(self) -> bool:
        with self.guard:
            now = time.monotonic()
            self.asked.append(now)
            if now < self.free_at:
                self.too_early += 1
                return True
            if len(self.asked) % self.refuse_every == 0:
                self.free_at = now + 1
                return True
            return False

    def reply(self, asked: Asked) -> Reply:
        if asked.method == "OPTIONS":
            return 405, {}, b""
        if self.refuses():
            return 429, {"retry-after": "1"}, b""
        return 200, JSON, json.dumps({"answer": "It was $1.0 billion."}).encode()


@pytest.fixture
def busy() -> Iterator[Busy]:
    server = Busy()
    with listening(server.reply) as server.address:
        yield server


def write(folder: Path, server: Busy, count: int, settings: str = "") -> None:
    items = "".join(f'  - {{id: s{i}, question: q, expect: {{numbers: ["$1 billion"]}}}}\n' for i in range(count))
    target = f"{{kind: http, url: '{server.address}/ask'{settings}}}"
    (folder / "s.graph.yaml").write_text(f"target: {target}\nscenarios:\n{items}")


def test_every_fifth_question_refused_for_a_second_is_green_at_the_rate_that_is_set(tmp_path: Path, busy: Busy) -> None:
    write(tmp_path, busy, 20, ", rate: 20/s")
    run = run_pytest(tmp_path)
    assert run.code == 0, run.out
    assert {r["status"] for r in run.records} == {"PASS"}
    assert len(busy.asked) == 20 + sum(r["attempts"] - 1 for r in run.records)
    # Of eight in flight, those that were on their way are refused with the one; nobody else asks too early.
    assert busy.too_early <= 7
    pauses = sorted(b - a for a, b in itertools.pairwise(busy.asked))
    assert pauses[len(pauses) // 4] > 0.03  # a network may make two of them closer, not most
    assert all(r["elapsed_s"] < 1 for r in run.records)


def test_a_worker_of_xdist_asks_ahead_in_its_share(tmp_path: Path, busy: Busy) -> None:
    busy.refuse_every = 1000
    write(tmp_path, busy, 40)
    run = run_pytest(tmp_path, "-n2", "-p", "no:randomly")
    assert run.code == 0, run.out
    assert [r["id"] for r in run.records] == [f"s{i}" for i in range(40)]
    # xdist hands five at first to each, and keeps them supplied; with the next one alone it would be two.
    assert max(r["concurrency"] for r in run.records) > 2
    assert len(busy.asked) == 40


def test_each_worker_leaves_a_record_of_every_scenario_that_all_of_them_run(tmp_path: Path, busy: Busy) -> None:
    busy.refuse_every = 1000
    write(tmp_path, busy, 40)
    run = run_pytest(tmp_path, "--dist=each", "--tx=2*popen", "-p", "no:randomly")
    assert sorted(r["nodeid"] for r in run.records) == sorted([f"s.graph.yaml::s{i}" for i in range(40)] * 2)
