"""What each key of a suite means: the texts below the fields of the models, read from their source when asked for."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import sys
from types import ModuleType

from pytest_graph_eval.models.scalars import Model


def descriptions(model: type[Model]) -> dict[str, str]:
    """Return the names of a model's fields with their descriptions, those of its bases included."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, Model) and base.__module__.startswith("pytest_graph_eval."):
            found.update(_texts(sys.modules[base.__module__]).get(base.__name__, {}))
    return {name: found[name] for name in model.model_fields if name in found}


@functools.cache
def _texts(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return the texts that stand below the annotated names of each class of a module."""
    classes = (node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef))
    return {node.name: _below(node.body) for node in classes}


def _below(body: list[ast.stmt]) -> dict[str, str]:
    found = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            value = ast.literal_eval(text.value) if isinstance(text.value, ast.Constant) else None
            if isinstance(value, str):
                found[field.target.id] = " ".join(value.split())
    return found
