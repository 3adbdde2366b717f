"""Grids of images with captions, and images as separate files."""

import io
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from robust_book.figures.style import WRONG, house
from robust_lib.errors import InputError
from robust_lib.types import AnyPicture, Picture
from robust_lib.vocabulary import corruption_label

QUALITY = 82  # of 100: noise looks like noise, and 200 pixels take 10 kB
DOTS = 96  # pixels that a page shows an inch
ARROW = "\N{RIGHTWARDS ARROW}"  # before an answer that is wrong
_TEXT = 8.0  # of a caption, points
_LINE = 0.135  # of a caption, inches
_LETTERS = 15  # of a caption, an inch


_GUTTER = 0.06  # inches between pictures that would fill their places


def grid(
    pictures: Sequence[AnyPicture], captions: Sequence[str], *, columns: int, size: float = 1.25
) -> Figure:
    """Return images in rows of `columns`, each under its caption.

    A caption is wrapped to its image's width. An arrow precedes a wrong prediction; from the arrow
    on, the caption is red. Small images are drawn at a whole multiple of their pixels.

    Args:
        pictures: 8-bit RGB.
        captions: one per image; empty ones take no room.
        size: maximum side of an image, inches.

    Raises:
        InputError: no images, or a different number of captions.

    >>> import numpy as np
    >>> picture = np.zeros((8, 8, 3), np.uint8)
    >>> grid([picture, picture], ["owl", "hat"], columns=2).axes[1].get_title()
    'hat'
    """
    if len(pictures) != len(captions) or not pictures:
        raise InputError(
            f"Expected one caption per image, but got {len(captions)} for {len(pictures)} images."
        )
    rows = -(-len(pictures) // columns)
    pixels = max(max(picture.shape[:2]) for picture in pictures)
    side = whole(size, pixels) if pixels <= size * DOTS else size - _GUTTER
    size = max(size, side + _GUTTER)
    wrapped = [_wrapped(one, int(size * _LETTERS)) for one in captions]
    lines = max(true.count("\n") + answer.count("\n") + 1 for true, answer in wrapped)
    above = _LINE * (lines + 0.5) if any(captions) else 0.02
    with house():
        figure = Figure(figsize=(columns * size, rows * (side + above)))
        figure.set_layout_engine("none")
        for place, (picture, (true, answer)) in enumerate(zip(pictures, wrapped, strict=True)):
            row, column = divmod(place, columns)
            left, bottom = (column + 0.5) / columns - side / size / columns / 2, rows - 1 - row
            height = side / (side + above) / rows
            axis = figure.add_axes((left, bottom / rows, side / size / columns, height))
            axis.set_axis_off()
            axis.imshow(picture, interpolation=sampling(picture, side))
            _caption(axis, true, answer)
    return figure


def whole(size: float, pixels: int) -> float:
    """Return the largest side up to `size` (inches) at which each pixel covers whole ones.

    A page shows `DOTS` pixels per inch. An image with more pixels than fit is drawn at `size`.

    >>> whole(1.2, 32), whole(1.2, 224)
    (1.0, 1.2)
    """
    times = int(size * DOTS // pixels)
    return times * pixels / DOTS if times else size


def sampling(picture: AnyPicture, size: float) -> str:
    """Return matplotlib's interpolation for an image in a square of the given side, inches.

    If all its pixels fit, the image is stored unchanged, and the viewer enlarges it.

    >>> [sampling(np.zeros((side, side, 3), np.uint8), 1.0) for side in (32, 224)]
    ['none', 'antialiased']
    """
    return "none" if max(picture.shape[:2]) <= size * DOTS else "antialiased"


def _wrapped(caption: str, letters: int) -> tuple[str, str]:
    r"""Return a caption's parts before and from its arrow, each wrapped to a number of letters.

    >>> _wrapped("musical keyboard\n→ traffic light 100 %", 12)
    ('musical\nkeyboard', '\n→ traffic\nlight 100 %')
    """
    true, arrow, said = caption.replace(" %", "\N{NO-BREAK SPACE}%").partition(ARROW)
    lines = [line for part in true.splitlines() for line in textwrap.wrap(part, letters)]
    found = textwrap.wrap(arrow + said, letters) if arrow else []
    both = "\n".join(lines), "".join(f"\n{line}" for line in found)
    return both[0].replace("\N{NO-BREAK SPACE}", " "), both[1].replace("\N{NO-BREAK SPACE}", " ")


def _caption(axis: Axes, true: str, answer: str) -> None:
    above = 3 + 72 * _LINE * answer.count("\n")
    axis.set_title(true, fontsize=_TEXT, fontweight="normal", loc="center", pad=above)
    if answer:
        where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
        where |= {"ha": "center", "va": "bottom", "fontsize": _TEXT, "color": WRONG, "zorder": 3.1}
        axis.annotate(answer.lstrip("\n"), (0.5, 1.0), (0, 3), **where)


def corruptions(
    pictures: Sequence[AnyPicture], names: Sequence[str], *, columns: int, size: float = 1.25
) -> Figure:
    """Return an image under several corruptions, each under the corruption's name.

    >>> import numpy as np
    >>> picture = np.zeros((8, 8, 3), np.uint8)
    >>> corruptions([picture], ["jpeg_compression"], columns=1).axes[0].get_title()
    'JPEG'
    """
    return grid(pictures, [corruption_label(name) for name in names], columns=columns, size=size)


def withhold(figure: Figure) -> bool:
    """Replace a figure's images by grey, and return whether it has any.

    >>> import numpy as np
    >>> figure = grid([np.zeros((8, 8, 3), np.uint8)], ["owl"], columns=1)
    >>> withhold(figure), int(figure.axes[0].images[0].get_array().min())
    (True, 205)
    """
    found = False
    for axis in figure.axes:
        for image in axis.images:
            picture = image.get_array()
            if picture is not None and picture.ndim == 3:  # maps of numbers have two axes
                image.set_data(blank(np.asarray(picture)))
                found = True
    return found


def blank(picture: AnyPicture) -> Picture:
    """Return a grey image with a stripe, of the same size as an image that is withheld.

    >>> import numpy as np
    >>> blank(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """
    height, width = picture.shape[:2]
    down, across = np.arange(height)[:, None] / height, np.arange(width)[None] / width
    grey = np.where(np.abs(down - across) < 0.02, 235, 205).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def png(picture: Picture) -> bytes:
    """Return an image as the bytes of a PNG file.

    >>> import numpy as np
    >>> png(np.zeros((8, 8, 3), np.uint8))[1:4]
    b'PNG'
    """
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


def webp(picture: Picture) -> bytes:
    """Return an image as the bytes of a small WebP file, for display only.

    >>> import numpy as np
    >>> webp(np.zeros((8, 8, 3), np.uint8))[8:12]
    b'WEBP'
    """
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "WEBP", quality=QUALITY, method=4)
    return file.getvalue()
