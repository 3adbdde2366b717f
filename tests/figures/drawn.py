"""What figures show, read back from them."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_lib.figures import style

MODELS = ("alexnet", "vgg11", "resnet18")
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
