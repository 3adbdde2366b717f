"""Strict JSON: reading a file gives a frozen record, or an error that names the first fault."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from robust_lib.errors import DataError

R = TypeVar("R", bound=BaseModel)


def parsed(content: str | bytes, **hooks: Any) -> Any:
    """Return the content of a user's JSON; `hooks` are those of `json.loads`.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(content, **hooks)
    except RecursionError:
        raise ValueError("it is nested too deeply to be read") from None


class Wrong(NamedTuple):
    """The first fault of a record: its key, the reason, and the given value.

    >>> f"{Wrong('images.0.id', 'Field required', None)}", f"{Wrong('', 'Invalid JSON', '')}"
    ('images.0.id: Field required', 'Invalid JSON')
    """

    where: str
    why: str
    given: Any

    def __str__(self) -> str:
        return f"{self.where}: {self.why}" if self.where else self.why


def first_wrong(error: ValidationError) -> Wrong:
    """Return the first of all faults found by the check of a record."""
    first = error.errors()[0]
    why = first["msg"].removeprefix("Value error, ")
    return Wrong(".".join(map(str, first["loc"])), why, first["input"])


def read_json(
    path: Path, kind: type[R], missing: str, refused: Callable[[Path, str], DataError]
) -> R:
    """Return the record in a JSON file.

    Args:
        missing: message if there is no such file.
        refused: function from the fault to the error for a file that is not of this kind.

    Raises:
        DataError: there is no such file, or it contains something else.
    """
    try:
        return kind.model_validate_json(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(missing) from None
    except ValidationError as error:
        raise refused(path, str(first_wrong(error))) from None
    except (OSError, ValueError) as error:  # no text, either
        raise refused(path, str(error)) from None
