"""The record that the four chapters of Natural Adversarial Examples share."""

from robust_lib.run.chapter import Chapter, OnImages

HARD = OnImages(("imagenet_a", "imagenet_val_a"), "imagenet_a")
FOREIGN = OnImages(
    ("imagenet_o", "imagenet_val_o", "bernoulli_noise", "blobs", "textures", "places365"),
    "imagenet_o",
)


def of(notebook: str, *shows: OnImages, described_role: str | None = None) -> Chapter:
    """Return the record of one of the chapters.

    >>> of("nae_2_imagenet_a", HARD).role
    'imagenet_a'
    """
    return Chapter(
        notebook,
        networks="nae",
        role="imagenet_a",
        shows=shows,
        every_image=True,
        description="{title}: {images} images, {classes} classes, {seeds}",
        described_role=described_role,
    )
