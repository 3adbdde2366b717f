"""Images with boxes: objects, detections, and false detections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from robust_book.figures.image_grids import sampling
from robust_book.figures.style import ORDINARY, SMALLEST, WIDE, WRONG, Dash, house
from robust_lib.errors import InputError
from robust_lib.types import AnyPicture

Kind = Literal["truth", "right", "wrong"]

_COLOURS: dict[str, str] = {"truth": "white", "right": ORDINARY, "wrong": WRONG}
_WORDS = {"truth": "true object", "right": "true positive", "wrong": "false positive"}
_DASHES: dict[str, Dash] = {"truth": "-", "right": "-", "wrong": (0, (4, 2))}  # beside the colour
_DARK = "#222222"  # around what must be seen on any picture


@dataclass(frozen=True)
class Box:
    """A box to draw: xyxy in pixels of its image, its kind, and the text at its corner."""

    corners: tuple[float, float, float, float]
    kind: Kind
    words: str = ""


def boxed(
    pictures: Sequence[AnyPicture],
    boxes: Sequence[Sequence[Box]],
    captions: Sequence[str],
    *,
    columns: int,
) -> Figure:
    """Return images in rows of `columns`, each with its boxes and under its caption.

    White boxes are annotated objects, green boxes correct detections, and red dashed boxes false
    detections.

    Args:
        pictures: 8-bit RGB.

    Raises:
        InputError: no images, or a different number of boxes or captions.

    >>> import numpy as np
    >>> found = [Box((1.0, 1.0, 6.0, 6.0), "wrong", "sheep 90 %")]
    >>> figure = boxed([np.zeros((8, 8, 3), np.uint8)], [found], ["fox"], columns=1)
    >>> [text.get_text() for text in figure.axes[0].texts], figure.axes[0].get_title()
    (['sheep 90 %'], 'fox')
    """
    if not pictures or not len(pictures) == len(boxes) == len(captions):
        raise InputError(
            "Expected boxes and a caption for each image, and at least one image, but got "
            f"{len(pictures)} images, {len(boxes)} with boxes and {len(captions)} captions."
        )
    rows = -(-len(pictures) // columns)
    side = min(2.2, WIDE / columns)
    with house():
        figure = Figure(figsize=(columns * side, rows * (side + 0.25) + 0.3))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis in axes:
            axis.set_axis_off()
        for axis, picture, of_picture, caption in zip(
            axes, pictures, boxes, captions, strict=False
        ):
            height, width = picture.shape[:2]
            axis.imshow(
                picture, interpolation=sampling(picture, side), extent=(0, width, height, 0)
            )
            axis.set_title(caption, fontsize=8.5, fontweight="normal", loc="center")
            for box in of_picture:
                _draw(axis, box)
        kinds = [kind for kind in _WORDS if any(b.kind == kind for of in boxes for b in of)]
        figure.legend(
            handles=[_handle(kind) for kind in kinds],
            loc="outside upper center",
            ncols=max(1, len(kinds)),
        )
    return figure


def _draw(axis: Axes, box: Box) -> None:
    left, top, right, bottom = box.corners
    around = [patheffects.withStroke(linewidth=1.8, foreground=_DARK)]
    axis.add_patch(
        Rectangle(
            (left, top),
            right - left,
            bottom - top,
            fill=False,
            edgecolor=_COLOURS[box.kind],
            linewidth=0.8 if box.kind == "truth" else 1.2,
            linestyle=_DASHES[box.kind],
            path_effects=around,
        )
    )
    if box.words:
        # In the right half they end where the box ends, lest they run out of the picture.
        is_right = left > axis.get_xlim()[1] / 2
        axis.text(
            right - 1 if is_right else left + 1,
            bottom - 1,
            box.words,
            color="white",
            fontsize=SMALLEST,
            ha="right" if is_right else "left",
            va="bottom",
            path_effects=[patheffects.withStroke(linewidth=2.0, foreground=_DARK)],
            clip_on=True,
        )


def _handle(kind: str) -> Line2D:
    around = [patheffects.withStroke(linewidth=3.0, foreground=_DARK)]
    look: dict[str, Any] = {"color": _COLOURS[kind], "linestyle": _DASHES[kind], "linewidth": 1.6}
    return Line2D([], [], label=_WORDS[kind], path_effects=around, **look)
