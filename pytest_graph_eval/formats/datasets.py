"""One door to other projects' scenario files: reads a data set in the format that is named, or that it looks like."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pytest_graph_eval import yaml_source
from pytest_graph_eval.errors import Problem
from pytest_graph_eval.formats import graphrag_eval, preciso, tdfs4ds
from pytest_graph_eval.formats.entries import DataFile, Position
from pytest_graph_eval.graph.reading.positions import position_finder
from pytest_graph_eval.models.scenario import Dataset

FORMATS: dict[str, Any] = {"preciso": preciso, "graphrag-eval": graphrag_eval, "tdfs4ds": tdfs4ds}
"""Modules that read and write a format each: `matches`, `read`, `SHAPE` in words, `PLACES` of messages, `write`.

`read` takes parsed data that `matches`, what tells the places of its parts, what messages call the file, and what is
put before every id.
"""

MAX_BYTES = 256 * 1024 * 1024
"""Most of one data set: the expected results of queries make it large."""

_PLACES = tuple(place for form in FORMATS.values() for place in form.PLACES)


def read_dataset(content: bytes, name: str, dataset: Dataset) -> DataFile:
    """Read a data set.

    Args:
        content: the file's bytes.
        name: what messages call the file; `.yaml` and `.yml` are read as YAML, all others as JSON.
        dataset: the suite's entry for it: format (else detected) and prefix.
    """
    parsed = parse_dataset(content, name)
    if isinstance(parsed, DataFile):
        return parsed
    data, position, problems = parsed
    names = [dataset.format] if dataset.format else list(FORMATS)
    found = next((FORMATS[n] for n in names if FORMATS[n].matches(data)), None)
    if found is None:
        forms = "; ".join(f"{n}: {FORMATS[n].SHAPE}" for n in names)
        return DataFile(refused=f"not in a format that can be read ({forms})")
    file: DataFile = found.read(data, position, name, prefix=dataset.prefix)
    return DataFile(file.entries, file.documents, [*problems, *file.problems])


def parse_dataset(content: bytes, name: str) -> DataFile | tuple[Any, Position, list[Problem]]:
    """Return the data of a file, their places, and what is wrong with it; a file without data where it has none."""
    try:
        text = content.decode("utf-8-sig")
        return _yaml(text, name) if name.endswith((".yaml", ".yml")) else _json(text)
    except UnicodeDecodeError as e:
        return DataFile(refused=f"not UTF-8 text (byte {e.start}); save the file as UTF-8")
    except RecursionError:
        return DataFile(refused="not JSON that can be read: nested too deeply")
    except ValueError as e:
        return DataFile(refused=f"not JSON: {e}")


def _yaml(text: str, name: str) -> DataFile | tuple[Any, Position, list[Problem]]:
    document = yaml_source.parse(text, name)
    if document.broken:
        return DataFile(problems=document.problems)
    return document.data, document.position, document.problems


def _json(text: str) -> tuple[Any, Position, list[Problem]]:
    data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    return data, position_finder(text, _PLACES), []


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key!r} stands twice in one object")
        result[key] = value
    return result


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
