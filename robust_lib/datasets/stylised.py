"""Images in the style of others, as a corruption with five severities [inc, app. E]."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

from robust_lib import seeds, vocabulary
from robust_lib.code_digest import source_digest
from robust_lib.datasets import Images, ImageSet, stack, to_images
from robust_lib.datasets.derived import Derived
from robust_lib.datasets.imagenet_c import Storage
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture

CORRUPTION = "style_transfer"
ALPHAS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""How much of the style a picture takes over, by severity; the paper gives no numbers."""


@dataclass(frozen=True)
class Transfer:
    """A way to render images in the style of others.

    Attributes:
        apply: (images, as many style images, alpha) -> the restyled images.
    """

    words: str
    digest: str
    apply: Callable[[Images, Images, float], Images]


@dataclass(frozen=True, eq=False)
class Stylised(Derived):
    """An image set rendered in the styles of a second image set.

    The style is keyed by the image's id, so it is the same at all severities and for all networks.

    Args:
        severity: 1 to 5; see `ALPHAS`.

    Raises:
        InputError: an unknown severity, or no style.
    """

    styles: ImageSet
    transfer: Transfer
    severity: int
    _: KW_ONLY
    seed: int = 0
    storage: Storage = "jpeg85"

    def __post_init__(self) -> None:
        if self.severity not in vocabulary.SEVERITIES:
            raise InputError(one_of("severity", self.severity, vocabulary.SEVERITIES))
        if not len(self.styles):
            raise InputError(
                f"Expected pictures in {self.styles.name} whose styles are taken, but there are "
                "none. Put some there."
            )

    @property
    def name(self) -> str:
        """Return the base's name with the severity."""
        return f"{self.base.name}/{CORRUPTION}/{self.severity}"

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that determines the images."""
        code = source_digest("datasets.stylised", "corruptions.jpeg", "corruptions.levels")
        parts = (code, self.base.digest, self.styles.digest, self.transfer.digest)
        what = (*parts, ALPHAS[self.severity - 1], self.seed, self.storage)
        return hashlib.sha256(repr(what).encode()).hexdigest()

    def style_of(self, index: int) -> int:
        """Return the index of an image's style."""
        drawn = seeds.generator(self.seed, self.ids[index], "style").integers(len(self.styles))
        return int(drawn)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one restyled 8-bit image, for display; models use `batch`."""
        from robust_lib.corruptions.levels import truncate  # imports OpenCV

        levels = truncate(self.batch([index], preprocessing))[0]
        return levels.permute(1, 2, 0).contiguous().numpy()

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return restyled images as float32 in [0, 1], channels first."""
        from robust_lib.corruptions.jpeg import ARCHIVE_QUALITY, round_trip
        from robust_lib.corruptions.levels import truncate

        styles = [self.style_of(int(index)) for index in indices]
        content = to_images(stack(self.base, indices, preprocessing))
        alpha = ALPHAS[self.severity - 1]
        painted = self.transfer.apply(
            content, to_images(stack(self.styles, styles, preprocessing)), alpha
        ).cpu()
        if self.storage == "memory":
            return painted.contiguous()
        pictures = round_trip(truncate(painted), ARCHIVE_QUALITY).permute(0, 2, 3, 1).contiguous()
        return to_images(pictures.numpy())
