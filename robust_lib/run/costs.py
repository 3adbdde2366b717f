"""What work costs, in seconds of one core: what manifests, recipes and models say of it."""

from collections.abc import Iterable
from math import ceil

from robust_lib.config.manifests import load_dataset, load_model
from robust_lib.config.profiles import Profile
from robust_lib.run.chapter import is_trained_here
from robust_lib.run.network import Network
from robust_lib.training.recipes import load_recipe

STEP = 0.05  # of a training, where nobody measured the model's
PASSES = 3  # what a training step costs in forward passes
CROPS = 10  # of each candidate that networks filter
FORWARD = 0.0003  # an image through a network that is not trained here
CORRUPTION = 0.0006  # an image corrupted, stored and read again


def images(name: str, profile: Profile) -> int:
    """Return how many images a data set has in a profile; 0 where nobody knows yet.

    >>> from robust_lib.config.profiles import load_profile
    >>> [images("scenes_train_a", load_profile(name)) for name in ("mini", "smoke")]
    [7200, 1440]
    """
    manifest = load_dataset(name)
    whole = manifest if manifest.of is None else load_dataset(manifest.of)
    limit = profile.train_limit if whole.options.get("split") == "train" else None
    limit = profile.candidates if "pool" in whole.options else limit
    most = whole.images or 0
    return (manifest.images or 0) * min(limit or most, most) // max(most, 1)


def drawing(name: str, profile: Profile) -> float:
    """Return the seconds that a data set's pictures take to be drawn; 0 where none are drawn.

    >>> from robust_lib.config.profiles import load_profile
    >>> drawing("imagenet_val", load_profile("full"))
    0.0
    """
    return images(name, profile) * (load_dataset(name).image_seconds or 0.0)


def training(network: Network, profile: Profile) -> float:
    """Return the seconds that a network takes to be trained here.

    >>> from robust_lib.config.profiles import load_profile
    >>> mini, smoke = load_profile("mini"), load_profile("smoke")
    >>> training(Network("resnet50_mini"), mini) > training(Network("resnet50_mini"), smoke)
    True
    """
    model = load_model(network.model)
    recipe = load_recipe(str(model.recipe))
    steps = ceil(images(profile.data[model.trained_on], profile) / recipe.batch)
    return (profile.epochs or recipe.epochs) * steps * STEP


def predicting(networks: Iterable[Network], number: int) -> float:
    """Return the seconds in which some networks see a number of images."""
    return number * sum(map(_forward, networks))


def corrupting(number: int) -> float:
    """Return the seconds in which a number of images are corrupted."""
    return number * CORRUPTION


def filtering(name: str, filters: Iterable[Network], profile: Profile) -> float:
    """Return the seconds in which networks choose a data set's images from its candidates."""
    candidates = profile.data[load_dataset(name).options["candidates"]]
    return predicting(filters, CROPS * images(candidates, profile))


def _forward(network: Network) -> float:
    if not is_trained_here(network):
        return FORWARD
    return STEP / PASSES / load_recipe(str(load_model(network.model).recipe)).batch
