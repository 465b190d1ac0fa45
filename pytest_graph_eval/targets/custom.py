"""A target of a kind that a plugin adds: its function takes the settings, and returns the callable that is asked."""

from __future__ import annotations

import functools
import os
from typing import Any, Literal

from pydantic import ValidationError, create_model

from pytest_graph_eval.models.extensions import EMPTY, Added, field_type
from pytest_graph_eval.models.scalars import Flag, Model
from pytest_graph_eval.models.settings import CustomTarget, SharedSettings
from pytest_graph_eval.models.validation import first_problem
from pytest_graph_eval.targets.base import Surroundings
from pytest_graph_eval.targets.inline import until_done
from pytest_graph_eval.targets.python import PythonCallable
from pytest_graph_eval.targets.templates import expand_environment

_CLOSE_TIMEOUT = 2.0


@functools.cache
def settings_model(added: Added) -> type[Model]:
    """Return the settings of a kind of target: what all kinds share, and the parameters of the plugin's function."""
    fields: dict[str, Any] = {"kind": (Literal[added.name], ...), "thread_safe": (Flag, False)}
    for name, (annotation, default) in added.parameters.items():
        fields[name] = (field_type(annotation), ... if default is EMPTY else default)
    model = create_model(f"{added.name.title()}Target", __base__=SharedSettings, __doc__=added.help, **fields)
    model.model_rebuild()  # an annotation that is none is told now
    return model


class CustomCallable(PythonCallable):
    """A callable that a plugin makes of the target's settings; closed with its `close`, where it has one."""

    def __init__(self, spec: CustomTarget, surroundings: Surroundings) -> None:
        super().__init__(spec, surroundings)
        self._custom = spec
        self.kind = spec.kind

    def _source(self) -> tuple[Any, bool]:
        added = self._custom.maker
        assert added is not None  # `open` has looked
        return functools.partial(added.call, **self._settings), True

    async def open(self) -> None:
        """Read the variables, and have the plugin make the callable."""
        added = self._custom.maker
        if added is None:
            raise self._unfit("no plugin that is here has this kind of target; install it")
        written = self._custom.model_dump(mode="python", by_alias=True, exclude_unset=True)
        read = expand_environment(written, os.environ, self.where)
        self.secrets = read.secrets
        try:
            settings = settings_model(added).model_validate(read.values)
        except ValidationError as e:
            raise self._unfit(first_problem(e)) from None
        self._settings = {name: getattr(settings, name) for name in added.parameters}
        await super().open()

    async def close(self) -> None:
        """Close what was made, in its own thread, then that."""
        close = getattr(self._callable, "close", None)
        if close is not None and self._thread is not None:
            await until_done(self._thread.submit(close), _CLOSE_TIMEOUT)  # what it raises is given up with it
        await super().close()
