"""COCO's files of objects and of results as records, and its boxes as pairs of corners.

COCO writes a box as x, y, width and height in pixels; everything here uses corners, xyxy. Files may
have fields besides those of the records.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Box = tuple[float, float, float, float]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)


class Image(_Record):
    """An image; its size may be omitted."""

    id: int | str
    file_name: str
    width: int | None = None
    height: int | None = None


class Annotation(_Record):
    """A box in an image."""

    image_id: int | str
    category_id: int
    bbox: Annotated[list[float], Field(min_length=4, max_length=4)]
    iscrowd: Annotated[int, Field(ge=0, le=1)] = 0


class Category(_Record):
    """A class, and the number that a file assigns to it."""

    id: int
    name: str


class Objects(_Record):
    """A whole file of annotations."""

    images: list[Image]
    annotations: list[Annotation]
    categories: list[Category]
    info: dict[str, Any] = Field(default_factory=dict)


def to_coco(box: Sequence[float]) -> list[float]:
    """Return an xyxy box as x, y, width and height."""
    left, top, right, bottom = box
    return [left, top, right - left, bottom - top]


def from_coco(box: Sequence[float]) -> Box:
    """Return x, y, width and height as an xyxy box."""
    left, top, width, height = box
    return left, top, left + width, top + height
