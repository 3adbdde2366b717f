"""From images to predictions; the package itself can be called: `predict(model, images)`."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robust_lib.predict.predictions import Predictions


class _Room(ModuleType):
    """A module that is called like the function that researchers type."""

    def __call__(self, *arguments: Any, **options: Any) -> "Predictions":
        """Return a model's predictions, see `robust_lib.predict.classify.predict`."""
        from robust_lib.predict.classify import predict  # imports torch

        return predict(*arguments, **options)


sys.modules[__name__].__class__ = _Room
