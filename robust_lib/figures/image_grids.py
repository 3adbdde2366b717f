"""Pictures side by side, with a caption each."""

import io
from collections.abc import Sequence

from matplotlib.figure import Figure
from PIL import Image

from robust_lib.errors import InputError
from robust_lib.figures.style import house
from robust_lib.types import Picture


def grid(
    pictures: Sequence[Picture], captions: Sequence[str], *, columns: int, size: float = 1.25
) -> Figure:
    """Return pictures in rows of `columns`, each under its caption.

    Args:
        pictures: 8-bit RGB.
        captions: one a picture; empty ones take no room.
        columns: pictures a row.
        size: inches of a picture's side.

    Raises:
        InputError: no pictures, or captions of another number.
    """
    if len(pictures) != len(captions) or not pictures:
        raise InputError(
            f"Expected a caption a picture, but got {len(captions)} for {len(pictures)} pictures."
        )
    rows = -(-len(pictures) // columns)
    with house():
        figure = Figure(figsize=(columns * size, rows * (size + (0.22 if any(captions) else 0.02))))
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for axis in axes:
            axis.set_axis_off()
        for axis, picture, caption in zip(axes, pictures, captions, strict=False):
            axis.imshow(picture, interpolation="nearest")
            axis.set_title(caption, fontsize=7.5, fontweight="normal", loc="center", pad=3)
    return figure


def png(picture: Picture) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()
