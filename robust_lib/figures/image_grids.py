"""Pictures side by side, with a caption each; and pictures as files of their own."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image

from robust_lib import atomic
from robust_lib.errors import InputError, RunError
from robust_lib.figures.style import corruption_label, house
from robust_lib.types import Picture

QUALITY = 82  # of 100: noise looks like noise, and 200 pixels take 10 kB


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

    >>> import numpy as np
    >>> picture = np.zeros((8, 8, 3), np.uint8)
    >>> grid([picture, picture], ["owl", "hat"], columns=2).axes[1].get_title()
    'hat'
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


def corruptions(
    pictures: Sequence[Picture], names: Sequence[str], *, columns: int, size: float = 1.25
) -> Figure:
    """Return a picture under several corruptions, each under the corruption's name.

    >>> import numpy as np
    >>> picture = np.zeros((8, 8, 3), np.uint8)
    >>> corruptions([picture], ["jpeg_compression"], columns=1).axes[0].get_title()
    'JPEG'
    """
    return grid(pictures, [corruption_label(name) for name in names], columns=columns, size=size)


def save(pictures: Mapping[str, Picture], folder: Path) -> tuple[str, ...]:
    """Write pictures as WebP files, all or none, and return their names.

    Args:
        pictures: file name -> 8-bit RGB.
        folder: where the figures of a run lie.

    Raises:
        RunError: the disk is full, or the folder cannot be written.

    >>> import tempfile
    >>> import numpy as np
    >>> picture = np.zeros((8, 8, 3), np.uint8)
    >>> save({"black.webp": picture}, Path(tempfile.mkdtemp()))
    ('black.webp',)
    """
    try:
        with atomic.folder(folder) as made:
            for name, picture in pictures.items():
                atomic.write_bytes(made / name, webp(picture))
    except OSError as error:
        raise RunError(
            f"The pictures could not be written to {folder}: {error}. Free some space, or make "
            "the folder writable, and run it again; no file was left half written."
        ) from error
    return tuple(pictures)


def png(picture: Picture) -> bytes:
    """Return a picture as the bytes of a PNG file.

    >>> import numpy as np
    >>> png(np.zeros((8, 8, 3), np.uint8))[1:4]
    b'PNG'
    """
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


def webp(picture: Picture) -> bytes:
    """Return a picture as the bytes of a small WebP file, for looking at alone.

    >>> import numpy as np
    >>> webp(np.zeros((8, 8, 3), np.uint8))[8:12]
    b'WEBP'
    """
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "WEBP", quality=QUALITY, method=4)
    return file.getvalue()
