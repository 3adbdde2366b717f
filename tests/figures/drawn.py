"""What figures show, read back from them."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from robust_book.figures import style

MODELS = ("AlexNet", "VGG-11", "ResNet-18")
CORRUPTIONS = ("fog", "jpeg_compression", "gaussian_noise")


def shown(axis: Axes) -> list[str]:
    return [label.get_text() for label in axis.get_xticklabels()]


def numbers(axis: Axes) -> dict[tuple[int, int], str]:
    """Return (row, column) of a matrix -> the text drawn there."""
    found = {}
    for text in axis.texts:
        column, row = text.get_position()
        found[int(row), int(column)] = text.get_text()
    return found


def legend(figure: Figure) -> list[str]:
    found = [*figure.legends, *(axis.get_legend() for axis in figure.axes)]
    return [text.get_text() for one in found if one for text in one.get_texts()]


def saved(figure: Figure) -> str:
    """Draw a figure to the end: a bad label or layout fails only then."""
    assert isinstance(figure, Figure)
    style.png(figure)
    text = style.svg(figure)
    assert style.svg(figure) == text
    return text


def extents(figure: Figure, texts: Iterable[Text]) -> list[Bbox]:
    """Return the rooms that texts take, in pixels, once the figure is drawn."""
    saved(figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    found = []
    for text in texts:
        if isinstance(text, Annotation):
            text.update_positions(renderer)
        # An annotation would count the line that leads from it as its own.
        found.append(Text.get_window_extent(text, renderer))
    return found


def apart(boxes: Iterable[Bbox]) -> bool:
    return not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def luminance(colour: object) -> float:
    """Return how bright a colour is to the eye, as the guidelines for web pages define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
