"""The cost of training a network in seconds, from the measured time of one step."""

from robust_lib.config.manifests import load_model
from robust_lib.errors import InputError
from robust_lib.training.recipes import recipe_of


def training_seconds(
    name: str, images: int, epochs: int | None = None, *, corrupted: bool = False
) -> float | None:
    """Return the seconds to train a network on one core; None if they were not measured.

    Raises:
        InputError: the network is not trained here, or less than one image or epoch.

    >>> one, two = (training_seconds("alexnet_mini", 6400, epochs) for epochs in (1, 2))
    >>> two == 2 * one
    True
    """
    if images < 1:
        raise InputError(f"Expected at least one image to train {name} on, but got {images}.")
    manifest = load_model(name)
    recipe = recipe_of(manifest, epochs, corrupted=corrupted)
    if manifest.step_seconds is None:
        return None
    return manifest.step_seconds * recipe.steps(images)
