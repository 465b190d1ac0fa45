"""What this folder's suites know beside what comes with pytest-graph-eval: a metric, a check and a kind of target."""

from typing import Annotated

from pydantic import Field

from pytest_graph_eval import Response, Scenario, Score


def brevity(scenario: Scenario, response: Response) -> float | Score:
    """How short the answer is: 1 up to 12 words, half of that with twice as many, and so on."""
    if response.answer is None:
        return Score(reason="the target gives no answer")
    return min(1.0, 12 / max(1, len(response.answer.split())))


def cites(expected: Annotated[int, Field(ge=1)], scenario: Scenario, response: Response) -> bool | str:
    """At least so many sources are cited in brackets, each of which was retrieved."""
    known = {chunk.id for chunk in response.chunks or ()}
    cited = {word.strip("[].,") for word in (response.answer or "").split() if word.startswith("[")}
    if invented := cited - known:
        return f"{', '.join(sorted(invented))} was never retrieved; retrieved: {', '.join(sorted(known))}"
    return len(cited) >= expected or f"{len(cited)} sources are cited, expected at least {expected}"


def notebook(pages: dict[str, str], cite: bool = True):
    """Answers with the page that shares most words with the question."""

    def ask(question: str) -> dict:
        words = {word.strip("?.,").lower() for word in question.split()}
        page = max(pages, key=lambda p: len(words & {word.strip(".,").lower() for word in pages[p].split()}))
        answer = f"{pages[page]} [{page}]" if cite else pages[page]
        return {"answer": answer, "chunks": [{"id": page, "content": pages[page]}]}

    return ask


def pytest_graph_eval_metrics():
    return {"brevity": brevity}


def pytest_graph_eval_checks():
    return {"cites": cites}


def pytest_graph_eval_target():
    return {"notebook": notebook}
