"""The divisor of corruption errors: AlexNet's errors, published or measured here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from robust_lib.errors import InputError
from robust_lib.protocols.grid import Grid, wrong_share
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import SEVERITIES


@dataclass(frozen=True)
class Normaliser:
    """The errors by which corruption errors are divided, and their source.

    Attributes:
        words: the source of the errors, as text.
        wrong: errors by corruption and image, if measured on the evaluated images, so that
            resamples include the normaliser; `wrong_clean` likewise.

    >>> errors = {"fog": np.array([0.4, 0.6]), "brightness": np.array([0.3, 0.3])}
    >>> base = Normaliser(errors, 0.3, "a baseline")
    >>> [base.divides(name, relative=True) for name in ("fog", "brightness")]
    [True, False]
    """

    errors: Mapping[str, Float[np.ndarray, " severities"]]
    clean: float
    words: str
    wrong: Mapping[str, Float[np.ndarray, "severities images"]] | None = None
    wrong_clean: Float[np.ndarray, " images"] | None = None

    def divides(self, corruption: str, *, relative: bool) -> bool:
        """Return whether it errs on a corruption or, if `relative`, more than on clean images."""
        if corruption not in self.errors:
            return False
        return bool((self.errors[corruption] - (self.clean if relative else 0)).sum() > 0)


def measured(grid: Grid, model: str) -> Normaliser:
    """Return the normaliser from a model's own errors in a grid.

    Raises:
        InputError: the model is not in the grid.

    >>> from robust_lib.predict.predictions import Predictions
    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> clean, foggy = (
    ...     (Predictions("alexnet", "toys", ("a", "b"), labels, None, np.array(said), sure),)
    ...     for said in ([0, 0], [0, 1]))
    >>> grid = Grid("toys", "toys_c", 2, {"alexnet": clean}, {("alexnet", "fog", 5): foggy}, (5,),
    ...     "memory")
    >>> measured(grid, "alexnet").clean, measured(grid, "alexnet").errors
    (0.0, {'fog': array([0.5])})
    """
    if model not in grid.models:
        raise InputError(
            f"Expected the normaliser {model} among the evaluated models, but those are "
            f"{', '.join(grid.models)}. Add it to the models."
        )
    wrong = {name: grid.wrong(model, name) for name in grid.corruptions}
    clean = wrong_share(grid.clean[model])
    return Normaliser(
        {name: cells.mean(1) for name, cells in wrong.items()},
        float(clean.mean()),
        f"{model}, measured on the same images",
        wrong,
        clean,
    )


def published(
    severities: Sequence[int] = SEVERITIES, grid: Grid | None = None, model: str = "alexnet"
) -> Normaliser:
    """Return AlexNet's published errors on ImageNet-C [inc, app. C and the authors' table].

    Args:
        grid: source of AlexNet's errors that are not published, if the grid has them.

    >>> round(published().clean, 3)
    0.435
    """
    table = alexnet_errors()
    places = [severity - 1 for severity in severities]
    errors = {name: row[places] for name, row in table.items() if name != "clean"}
    words = "AlexNet's published errors on ImageNet-C"
    added = [name for name in ([] if grid is None else grid.corruptions) if name not in errors]
    if grid is not None and model in grid.models and added:
        errors |= {name: grid.errors(model, name) for name in added}
        words += f" ({', '.join(added)}: {model}, measured on the same images)"
    return Normaliser(errors, float(table["clean"][0]), words)
