"""Objects of Python libraries as JSON data: what an agent framework or a data frame holds, without importing either."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel


def plain_data(value: Any) -> Any:
    """Return `value` with pydantic models, dataclasses, data frames, tuples, enums and dates as JSON data.

    Missing cells of a data frame are null. What is none of these stays as it is.

    Raises:
        RecursionError: the data contains itself, or is nested too deeply.
    """
    if isinstance(value, enum.Enum):
        return plain_data(value.value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_data(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_data(part) for part in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return _opened(value)


def _opened(value: Any) -> Any:
    """Return the parts of an object that is known by its class, or by how it behaves."""
    if isinstance(value, BaseModel):
        return {name: plain_data(part) for name, part in value}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain_data(getattr(value, field.name, None)) for field in dataclasses.fields(value)}
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return [{str(key): _cell(cell) for key, cell in row.items()} for row in value.to_dict(orient="records")]
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return plain_data(value.tolist())
    return value


def _cell(value: Any) -> Any:
    is_missing = (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")
    return None if is_missing else plain_data(value)
