"""A test of many values as one case, which still names the value that fails."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def over(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each value of one of its arguments, in one case.

    A case by name for each value (`parametrize`) is for values that mean something by themselves;
    this is for seeds and the like. Fixtures are made once for all values.
    """
    values = list(values)

    def looped(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every(**fixtures: Any) -> None:
            for value in values:
                try:
                    test(**{name: value}, **fixtures)
                except Exception as error:
                    error.add_note(f"{name} = {value!r}")
                    raise

        given = inspect.signature(test)
        others = [one for one in given.parameters.values() if one.name != name]
        every.__signature__ = given.replace(parameters=others)  # type: ignore[attr-defined]
        return every

    return looped
