"""What conftest files and other packages add: metrics, checks under `expect:`, and kinds of targets.

A plugin is whatever has some of the functions in `HOOKS`; each returns a mapping of names to functions. pytest calls
them as hooks; elsewhere they are those of the packages with an entry point in the group `pytest_graph_eval`.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import inspect
import sys
import traceback
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pydantic
from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from pytest_graph_eval.errors import UsageError
from pytest_graph_eval.models.scalars import Data, Model, Text, plain

GROUP = "pytest_graph_eval"
"""The group of entry points."""

EMPTY = inspect.Parameter.empty
"""What stands for an annotation or a default that is not there."""

Field = Literal["metrics", "checks", "targets"]
HOOKS: dict[Field, str] = {
    "metrics": "pytest_graph_eval_metrics",
    "checks": "pytest_graph_eval_checks",
    "targets": "pytest_graph_eval_target",
}


@dataclass(frozen=True)
class Added:
    """A function that a plugin adds under a name."""

    name: str
    call: Callable[..., Any] = field(hash=False)

    @property
    def file(self) -> str:
        """The file that defines it, or its module where that is not known."""
        code = getattr(inspect.unwrap(self.call), "__code__", None)
        return code.co_filename if code else str(getattr(self.call, "__module__", self.call))

    @property
    def line(self) -> int:
        """The line that it begins on; 0 where that is not known."""
        return getattr(getattr(inspect.unwrap(self.call), "__code__", None), "co_firstlineno", 0)

    @property
    def place(self) -> str:
        """Where it is defined, for messages: `conftest.py:12`."""
        return f"{Path(self.file).name}:{self.line}" if self.line else self.file

    @property
    def help(self) -> str:
        """The first paragraph of its docstring, in one line."""
        return " ".join((inspect.getdoc(self.call) or "").partition("\n\n")[0].split())

    @functools.cached_property
    def parameters(self) -> dict[str, tuple[Any, Any]]:
        """Annotation and default of each parameter, `EMPTY` where there is none.

        Raises:
            UsageError: an annotation names what does not exist.
        """
        try:
            hints = get_type_hints(self.call, include_extras=True)
        except (NameError, TypeError, AttributeError) as e:
            raise UsageError(f"{self.place}: {self.name!r}: an annotation cannot be read: {e}") from None
        found = inspect.signature(self.call).parameters.values()
        named = (p for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
        return {p.name: (hints.get(p.name, EMPTY), p.default) for p in named}


def field_type(annotation: Any) -> Any:
    """Return the type as which a value of a YAML file is read for a parameter with this annotation."""
    return Data if annotation is EMPTY else Text if annotation is str else annotation


@dataclass(frozen=True)
class Extensions:
    """All that is added for one suite."""

    metrics: Mapping[str, Added] = field(default_factory=dict)
    checks: Mapping[str, Added] = field(default_factory=dict)
    targets: Mapping[str, Added] = field(default_factory=dict)
    repeated: tuple[tuple[Field, Added, Added], ...] = ()
    """Names that two plugins want: the first, and the other."""
    is_open: bool = False
    """Whether unknown names are taken as they are: what defines them is known elsewhere, and was looked at there."""

    def knows(self, kind: Field, name: str) -> bool:
        """Tell whether there is a metric, a check or a target of this name."""
        return self.is_open or name in getattr(self, kind)


OPEN = Extensions(is_open=True)
_active: ContextVar[Extensions | None] = ContextVar("graph_eval_extensions", default=None)


def current() -> Extensions:
    """Return what is added here: what `using` says, else what installed packages add."""
    found = _active.get()
    return _installed() if found is None else found


@contextmanager
def using(extensions: Extensions) -> Iterator[None]:
    """Make `extensions` the current ones."""
    token = _active.set(extensions)
    try:
        yield
    finally:
        _active.reset(token)


@contextmanager
def extended(
    *plugins: Any,
    metrics: Mapping[str, Callable[..., Any]] | None = None,
    checks: Mapping[str, Callable[..., Any]] | None = None,
    target: Mapping[str, Callable[..., Any]] | None = None,
) -> Iterator[None]:
    """Add metrics, checks and kinds of targets to suites that are loaded or evaluated in a `with` block.

    Args:
        plugins: modules or objects with the functions that the hooks of the same names are.
        metrics: name to a function of scenario and response that returns a score from 0 to 1, or a `Score`.
        checks: key of `expect:` to a function of expected value, scenario and response that returns True, or what is
            wrong.
        target: kind of target to a function that takes the settings and returns the callable to ask.

    Raises:
        UsageError: a plugin cannot be used.
    """
    own = {"metrics": metrics or {}, "checks": checks or {}, "targets": target or {}}
    known = current()
    found = {kind: [*_named(getattr(known, kind)), *_returned(plugins, kind), *own[kind].items()] for kind in HOOKS}
    with using(gathered(found)):
        yield


def _named(added: Mapping[str, Added]) -> list[tuple[str, Any]]:
    return [(name, one.call) for name, one in added.items()]


def called(hook: Callable[[], Any], name: str) -> Any:
    """Return what a hook returns.

    Raises:
        UsageError: it raises.
    """
    try:
        return hook()
    except Exception as e:  # whatever the plugin's code does
        last = traceback.extract_tb(e.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        raise UsageError(f"{name}() raised {type(e).__name__}: {e} at {place}; it returns names and functions") from e


def pairs_of(returned: Any, hook: str) -> list[tuple[Any, Any]]:
    """Return the names and functions that a hook returned.

    Raises:
        UsageError: it is no mapping.
    """
    if not isinstance(returned, Mapping):
        raise UsageError(f"{hook}() returned {returned!r}; a mapping of names to functions is expected")
    return list(returned.items())


def gathered(found: Mapping[Field, Iterable[tuple[str, Any]]]) -> Extensions:
    """Return extensions of names and functions; a name that is there twice is noted.

    Raises:
        UsageError: what stands under a name cannot be called.
    """
    kinds: dict[Field, dict[str, Added]] = {"metrics": {}, "checks": {}, "targets": {}}
    repeated = []
    for kind, pairs in found.items():
        for name, call in pairs:
            if not isinstance(name, str) or not callable(call):
                raise UsageError(f"{HOOKS[kind]}: {name!r}: {call!r} is returned, expected a name and a function")
            added = Added(name, call)
            first = kinds[kind].setdefault(name, added)
            if first.call is not call:
                repeated.append((kind, first, added))
    return Extensions(kinds["metrics"], kinds["checks"], kinds["targets"], tuple(repeated))


def plugin(name: str) -> Any:
    """Return the plugin that a module, or a file that ends in `.py`, is; modules are looked for here, too.

    Raises:
        UsageError: it cannot be imported, or it has none of the hooks.
    """
    try:
        if name.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(name).stem, name)
            assert spec is not None  # the suffix is one of Python's
            assert spec.loader is not None  # as above
            found = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(found)
        else:
            with _on_path(str(Path.cwd())):
                found = importlib.import_module(name)
    except Exception as e:  # whatever the module's code does
        raise UsageError(f"the plugin {name!r} cannot be loaded: {type(e).__name__}: {e}") from e
    if not any(hasattr(found, hook) for hook in HOOKS.values()):
        raise UsageError(f"the plugin {name!r} has none of {', '.join(f'{hook}()' for hook in HOOKS.values())}")
    return found


@contextmanager
def _on_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def entry_points() -> list[tuple[str, Any]]:
    """Return name and plugin of each entry point of the installed packages.

    Raises:
        UsageError: one cannot be imported.
    """
    found = []
    for point in importlib.metadata.entry_points(group=GROUP):
        try:
            found.append((point.name, point.load()))
        except Exception as e:  # whatever the package's code does
            of = f" of {point.dist.name}" if point.dist else ""
            what = f"the plugin {point.name!r}{of} cannot be loaded: {type(e).__name__}: {e}"
            raise UsageError(f"{what}; repair {point.value!r} or uninstall it") from e
    return found


@functools.cache
def _installed() -> Extensions:
    plugins = [plugin for _, plugin in entry_points()]
    return gathered({kind: _returned(plugins, kind) for kind in HOOKS})


def _returned(plugins: Iterable[Any], kind: Field) -> list[tuple[str, Any]]:
    """Return what the plugins add of one kind."""
    pairs: list[tuple[str, Any]] = []
    for plugin in plugins:
        if hook := getattr(plugin, HOOKS[kind], None):
            pairs += pairs_of(called(hook, f"{getattr(plugin, '__name__', plugin)}.{HOOKS[kind]}"), HOOKS[kind])
    return pairs


class OpenModel(Model):
    """A model in which plugins may have keys of their own; they are kept apart, and written beside the others."""

    added: dict[Text, Any] = pydantic.Field(default_factory=dict)

    @classmethod
    @abstractmethod
    def _is_added(cls, key: str) -> bool:
        """Tell whether a key that is none of ours may be a plugin's."""

    @model_validator(mode="before")
    @classmethod
    def _set_apart(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        known = _keys(cls)
        if data.keys() <= known:
            return data
        own = {key: plain(value) for key, value in data.items() if key not in known and cls._is_added(str(key))}
        if not own:
            return data
        rest = {key: value for key, value in data.items() if key not in own}
        values = {key: value for key, value in own.items() if value is not None}
        before = rest.get("added")
        return {**rest, "added": {**(before if isinstance(before, dict) else {}), **values}} if values else rest

    @model_serializer(mode="wrap")
    def _together(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        added = data.pop("added", {})
        return {**data, **added}


@functools.cache
def _keys(model: type[Model]) -> frozenset[str]:
    return frozenset(key for name, field in model.model_fields.items() for key in (name, field.alias or name))
