"""One door to other projects' scenario files: reads a data set in the format that is named, or that it looks like."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pytest_graph_eval.formats import preciso
from pytest_graph_eval.formats.entries import DataFile
from pytest_graph_eval.scenario import Dataset

__all__ = ["read_dataset"]

_FORMATS = {"preciso": preciso}


def read_dataset(content: bytes, name: str, dataset: Dataset) -> DataFile:
    """Read a data set.

    Args:
        content: the file's bytes.
        name: what messages call the file.
        dataset: the suite's entry for it: format (else detected) and prefix.
    """
    try:
        text = content.decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except UnicodeDecodeError as e:
        return DataFile(refused=f"not UTF-8 text (byte {e.start}); save the file as UTF-8")
    except RecursionError:
        return DataFile(refused="not JSON that can be read: nested too deeply")
    except ValueError as e:
        return DataFile(refused=f"not JSON: {e}")
    names = [dataset.format] if dataset.format else list(_FORMATS)
    found = next((_FORMATS[n] for n in names if _FORMATS[n].matches(data)), None)
    if found is None:
        forms = "; ".join(f"{n}: {_FORMATS[n].SHAPE}" for n in names)
        return DataFile(refused=f"not in a format that can be read ({forms})")
    file: DataFile = found.read(data, text, name, prefix=dataset.prefix)
    return file


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key!r} stands twice in one object")
        result[key] = value
    return result


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
