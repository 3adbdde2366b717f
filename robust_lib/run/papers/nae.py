"""Natural Adversarial Examples: the records of its chapters, and the images that they share."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from robust_lib.run.chapter import Chapter, OnImages

# One role each, so that chapters that show the same images share their predictions.
IMAGENET_A = OnImages(("imagenet_a",), "imagenet_a")
IMAGENET_VAL_A = OnImages(("imagenet_val_a",), "imagenet_a")
IMAGENET_O = OnImages(("imagenet_o",), "imagenet_o")
IMAGENET_VAL_O = OnImages(("imagenet_val_o",), "imagenet_o")


def record(
    notebook: str,
    *shows: OnImages,
    role: str = "imagenet_a",
    evaluates: Callable[[str], bool] = lambda model: True,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Chapter:
    """Return the record of one of the chapters.

    Args:
        evaluates: function that returns whether a model, by the paper's name, is evaluated; by
            default all are.

    >>> record("nae_2_imagenet_a", IMAGENET_A).role
    'imagenet_a'
    """
    return Chapter(
        notebook,
        networks="nae",
        role=role,
        shows=shows,
        evaluates=evaluates,
        every_image=True,
        description="{title}: {images} images, {classes} classes, {seeds}",
        settings=settings,
    )
