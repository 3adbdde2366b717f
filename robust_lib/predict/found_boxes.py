"""Found boxes: one detector's predictions for one data set, from which metrics are computed."""

from dataclasses import dataclass

from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections


@dataclass(frozen=True, eq=False)
class FoundBoxes:
    """One detector's boxes in the images of one data set, in the data set's order.

    Attributes:
        ids: one name per image; `detections` refer to the images by their index here.
        detections: the boxes, xyxy in the images' own pixels; the most confident of an image first.
        least_score: minimum score of a box, a fraction.
        most: maximum number of boxes per image.
        fingerprint: digest of the detector; empty for boxes found elsewhere.
        digest: digest of the data set; empty for boxes found elsewhere.
        pictures: text that distinguishes each image from a different one with the same name; empty
            if unknown.

    Raises:
        InputError: an id occurs twice, or a box is in an image without an id.
    """

    model: str
    dataset: str
    ids: tuple[str, ...]
    detections: Detections
    least_score: float
    most: int
    fingerprint: str = ""
    digest: str = ""
    pictures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.ids)) != len(self.ids):
            raise InputError(f"Expected each image of {self.dataset} once, but one occurs twice.")
        numbers = self.detections.images
        if len(numbers) and numbers.max() >= len(self.ids):
            raise InputError(
                f"Expected boxes in the {len(self.ids)} images of {self.dataset}, but got one in "
                f"image {numbers.max()}, counted from 0."
            )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def convention(self) -> str:
        """Return the description of the kept boxes."""
        return f"scores from {self.least_score:g}, at most {self.most} boxes per image"
