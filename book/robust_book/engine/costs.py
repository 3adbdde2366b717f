"""Costs of work in seconds of one core and in memory, from manifests, recipes and models."""

import math
from collections.abc import Iterable

from robust_book.engine.jobs import Kind
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import (
    DatasetManifest,
    is_dataset,
    load_dataset,
    load_model,
    model_names,
)
from robust_lib.config.profiles import Profile, load_profile
from robust_lib.run.chapter import Chapter, finds_boxes
from robust_lib.run.network import Network
from robust_lib.training.cost import training_seconds
from robust_lib.training.recipes import recipe_of

TRAINED = 0.001  # an image and epoch, where nobody measured the model's training
PREDICTED = 0.0003  # an image, where nobody measured the model
CORRUPTED = 0.0006  # an image corrupted, stored and read again
ON_PHOTOGRAPHS = 0.027  # a photograph, corrupted and shown to one network of profile photos
MB = 1_000_000
# MB: torch, OpenCV and pandas, twice where a notebook has a kernel, and the engine's own process.
IMPORTED = 2_500
ON_GPU = 3_000  # MB: CUDA's libraries, and weights on their way to the device
OUTPUTS, LOGIT = 1_000, 4  # classes that a network knows, at most; bytes of its answer to each
CROPS = 10  # of each candidate that classifiers filter; a detector sees it once


def images(name: str, profile: Profile) -> int:
    """Return the number of images of a data set in a profile; 0 if unknown.

    The size of an uncounted part is estimated from its share of the classes.

    >>> from robust_lib.config.profiles import load_profile
    >>> [images("scenes_train_a", load_profile(name)) for name in ("mini", "smoke")]
    [7200, 720]
    """
    if not is_dataset(name):  # a user's folder
        return 0
    manifest = load_dataset(name)
    if manifest.kind == "joined":
        return sum(images(part, profile) for part in manifest.options["parts"])
    whole = manifest if manifest.of is None else load_dataset(manifest.of)
    limit = profile.train_limit if whole.options.get("split") == "train" else None
    limit = profile.candidates if "pool" in whole.options else limit
    most = whole.images or _held(whole)
    if whole.kind == "clips" and whole.options["split"] != "train" and profile.clips is not None:
        limit = most * profile.clips // whole.options["clips"]
    held = manifest.images or round(most * share_of_classes(manifest, whole))
    return held * min(limit or most, most) // max(most, 1)


def share_of_classes(part: DatasetManifest, whole: DatasetManifest) -> float:
    """Return the share of a data set's classes that one of its parts has.

    >>> share_of_classes(load_dataset("imagenet_train_a"), load_dataset("imagenet_train"))
    0.2
    """
    if part.classes is None or whole.classes is None or part.classes == whole.classes:
        return 1.0
    return len(load_classes(part.classes).entries) / len(load_classes(whole.classes).entries)


def on_photographs(chapter: Chapter, profile: Profile) -> float:
    """Return the seconds for a page's evaluations of real networks on photographs; 0: none.

    >>> from robust_lib.config.profiles import load_profile
    >>> round(on_photographs(Chapter("a", on_photographs=("fog",)), load_profile("mini")))
    13
    """
    if chapter.on_photographs is None or profile.beside is None:
        return 0.0
    photos = load_profile(profile.beside)
    number = images(photos.data["imagenet_val"], photos)
    number = min(number, photos.limit or number)
    cells = 1 + len(chapter.on_photographs) * len(photos.severities)
    return ON_PHOTOGRAPHS * number * cells * len(photos.networks["imagenet_c"])


def drawing(name: str, profile: Profile) -> float:
    """Return the seconds that drawing a data set takes; 0 if it is not drawn here.

    >>> from robust_lib.config.profiles import load_profile
    >>> drawing("imagenet_val", load_profile("full"))
    0.0
    """
    number = images(name, profile)
    return number * (load_dataset(name).image_seconds or 0.0) if number else 0.0


def training(network: Network, profile: Profile) -> float:
    """Return the seconds that training a network takes.

    >>> from robust_lib.config.profiles import load_profile
    >>> mini, smoke = load_profile("mini"), load_profile("smoke")
    >>> training(Network("resnet50_mini"), mini) > training(Network("resnet50_mini"), smoke)
    True
    """
    number = images(profile.data[load_model(network.model).trained_on], profile) or 1
    corrupted = network.corruption is not None
    measured = training_seconds(network.model, number, profile.epochs, corrupted=corrupted)
    return TRAINED * learned_from(network, profile) if measured is None else measured


def learned_from(network: Network, profile: Profile) -> int:
    """Return the number of images that pass forward and backward through a network in training.

    A step of an attack costs what a step of the training does.

    >>> from robust_lib.config.profiles import load_profile
    >>> learned_from(Network("resnet18_imagenet_100"), load_profile("full_trained"))
    5124680
    """
    from robust_lib.training.adversarial import STEPS  # imports torch

    number = images(profile.data[load_model(network.model).trained_on], profile) or 1
    corrupted = network.corruption is not None
    recipe = recipe_of(load_model(network.model), profile.epochs, corrupted=corrupted)
    seen = recipe.epochs * number
    if recipe.iterations is not None:
        seen = min(seen, recipe.iterations * recipe.batch)
    return seen * (1 + {"fgsm": 1, "pgd": STEPS}.get(recipe.attack, 0))


def predicting(networks: Iterable[Network], number: int) -> float:
    """Return the seconds that predictions of some networks on a number of images take."""
    return number * sum(map(_seconds_an_image, networks))


def corrupting(number: int) -> float:
    """Return the seconds that corrupting a number of images takes."""
    return number * CORRUPTED


def filtering(name: str, filters: Iterable[Network], profile: Profile) -> float:
    """Return the seconds that filtering a data set's candidates with networks takes."""
    candidates = profile.data[load_dataset(name).options["candidates"]]
    number = images(candidates, profile)
    return sum(predicting([one], number * (1 if finds_boxes(one) else CROPS)) for one in filters)


def memory(kind: Kind, profile: Profile, *, gpu: bool = False) -> int:
    """Return the memory that a kind of job needs in a profile, MB.

    Training holds its images and their corrupted copies in memory, up to a size beyond which they
    stay on disk. Predictions and notebooks hold the logits of all networks for all validation
    images, and a second copy while they are joined.

    >>> from robust_lib.config.profiles import load_profile
    >>> memory("draw", load_profile("mini"))
    2500
    >>> memory("predict", load_profile("full_trained"), gpu=True)
    19100
    """
    from robust_lib.datasets.decoded import IN_MEMORY  # imports torch

    networks = max((len(section) for section in profile.networks.values()), default=1)
    logits = 2 * networks * images(profile.data.get("imagenet_val", ""), profile) * OUTPUTS * LOGIT
    held = {"train": 2 * IN_MEMORY, "predict": logits, "notebook": logits}.get(kind, 0)
    return IMPORTED + ON_GPU * gpu + math.ceil(held / MB)


def _seconds_an_image(network: Network) -> float:
    """Return the seconds per image for a network; a model's row has them per thousand images."""
    known = network.model in model_names()
    measured = load_model(network.model).predict_seconds if known else None
    return PREDICTED if measured is None else measured / 1000


def _held(manifest: DatasetManifest) -> int:
    """Return the number of images that a copy must contain; the lowest if there are several."""
    counts = (
        (min(one.images) if isinstance(one.images, tuple) else one.images or 0) * one.matches
        for one in manifest.contents
    )
    return sum(counts)
