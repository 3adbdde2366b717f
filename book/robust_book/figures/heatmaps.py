"""Tables of numbers as colours."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from robust_book.figures.style import SMALLEST, WIDE, house
from robust_lib.errors import InputError
from robust_lib.results.notation import written
from robust_lib.vocabulary import corruption_label

# Neither black nor the ink, which follow the page's text: cells keep their colours on a dark page.
PALE, DARK, PAPER_GREY, FAINT = "#ffffff", "#101014", "#E4E4E8", "#6A6A74"


def models_by_corruption(
    frames: Sequence[pd.DataFrame],
    titles: Sequence[str],
    *,
    unit: str,
    centre: float | None = 100,
    unsure: Sequence[Collection[str]] = (),
) -> Figure:
    """Return one heat map per source, side by side: corruptions down, models across.

    The first source sets the colour scale; values of others beyond it have the colours of its ends.

    Args:
        frames: index: titles of models; columns: corruptions; values in percent.
        centre: the value in the middle of the scale; None spans the first frame's values.
        unsure: for each frame, corruptions whose numbers are unreliable, grey on a flat grey.

    Raises:
        InputError: frames whose columns differ, so that they cannot share an axis.

    >>> frame = pd.DataFrame([[100.0, 90.0]], index=["AlexNet"], columns=["fog", "snow"])
    >>> figure = models_by_corruption([frame], ["this run"], unit="CE (%)")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['100', '90']
    """
    if any(list(frame.columns) != list(frames[0].columns) for frame in frames):
        raise InputError(
            "Expected the same corruptions in the same order in every frame, but got "
            + " and ".join(str(list(frame.columns)) for frame in frames)
            + ". Pass all frames the same index."
        )
    scale = frames[0].to_numpy(dtype=float)
    low, high = float(np.nanmin(scale)), float(np.nanmax(scale))
    if centre is not None:
        reach = max(centre - low, high - centre, 1.0)
        low, high = centre - reach, centre + reach
    with house():
        across = sum(len(frame) for frame in frames)
        figure = Figure(figsize=(max(4.2, min(WIDE, 0.43 * across + 2.4)), _height(frames[0])))
        columns = {"width_ratios": [len(frame) for frame in frames]}
        axes = figure.subplots(1, len(frames), squeeze=False, sharey=True, gridspec_kw=columns)
        marked = [*unsure, *[()] * (len(frames) - len(unsure))]
        for axis, frame, title, names in zip(axes[0], frames, titles, marked, strict=True):
            named = frame.rename(columns=corruption_label).T
            mesh = cells(
                axis, named, partial(written, decimals=0), "RdBu_r", (low, high), size=SMALLEST
            )
            axis.set_title(title)
            _grey_out(axis, [place for place, name in enumerate(frame) if name in names], frame)
        figure.colorbar(mesh, ax=axes, shrink=0.6, label=unit, extend=_beyond(frames, low, high))
        if any(unsure):
            words = "divided by almost zero"
            figure.legend([_unsure((0.0, 0.0))], [words], loc="outside upper left")
    return figure


def tuned(
    frame: pd.DataFrame,
    beside: Mapping[str, float],
    *,
    xlabel: str,
    ylabel: str,
    unit: str,
    centre: float | None = None,
) -> Figure:
    """Return a heat map over two settings, with the numbers of other networks next to it.

    Args:
        frame: index: values of one setting; columns: values of the other.
        beside: title of a network without these settings -> its number.
        centre: the value in the middle of the colours; None takes the middle of all.

    Raises:
        InputError: no number at all.

    >>> frame = pd.DataFrame([[95.0, 96.0]], index=["0.1"], columns=["0.01", "0.05"])
    >>> figure = tuned(frame, {"ResNet-50": 90.0}, xlabel="noise", ylabel="weight", unit="mCE (%)")
    >>> [text.get_text() for axis in figure.axes for text in axis.texts]
    ['95.0', '96.0', '90.0']
    """
    every = np.array([*frame.to_numpy(dtype=float).ravel(), *beside.values()])
    if not np.isfinite(every).any():
        raise InputError("Expected at least one number to show, but got none.")
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    middle = (low + high) / 2 if centre is None else centre
    reach = max(middle - low, high - middle, 1.0)
    ends = (middle - reach, middle + reach)
    with house():
        figure = Figure(figsize=(5.6, 0.5 * max(len(frame), len(beside)) + 1.6))
        widths = {"width_ratios": [len(frame.columns), 1]}
        left, right = figure.subplots(1, 2, gridspec_kw=widths)
        column = pd.DataFrame({"without": dict(beside)})
        for axis, part in ((left, frame), (right, column)):
            if len(part):
                mesh = cells(axis, part, "{:.1f}".format, "RdBu_r", ends, size=9.0)
            else:
                axis.set_axis_off()
        left.set(xlabel=xlabel, ylabel=ylabel)
        right.yaxis.tick_right()
        right.set_yticks(right.get_yticks(), list(column.index), rotation=0, ha="left")
        right.set_xticks([])
        figure.colorbar(mesh, ax=[left, right], shrink=0.8, label=unit, location="left")
    return figure


def _height(frame: pd.DataFrame) -> float:
    return 0.27 * len(frame.columns) + 1.7


def _grey_out(axis: Axes, rows: Sequence[int], frame: pd.DataFrame) -> None:
    """Cover rows with a flat grey and write their numbers in a legible grey."""
    for row in rows:
        axis.add_patch(_unsure((0.0, float(row)), len(frame)))
    for text in axis.texts:
        if int(text.get_position()[1]) in rows:
            text.set_color(FAINT)


def _unsure(corner: tuple[float, float], width: float = 1.0) -> Rectangle:
    return Rectangle(corner, width, 1, linewidth=0, facecolor=PAPER_GREY, label="unsure")


def _beyond(
    frames: Sequence[pd.DataFrame], low: float, high: float
) -> Literal["neither", "both", "min", "max"]:
    every = np.concatenate([frame.to_numpy(dtype=float).ravel() for frame in frames])
    below, above = bool((every < low - 0.5).any()), bool((every > high + 0.5).any())
    if below and above:
        return "both"
    return "min" if below else "max" if above else "neither"


def cells(
    axis: Axes,
    frame: pd.DataFrame,
    digits: Callable[[float], str],
    colours: str,
    ends: tuple[float, float],
    *,
    size: float,
) -> QuadMesh:
    """Draw a table as coloured cells with their numbers, and return the mesh for a colour bar.

    Args:
        axis: the axes to draw on, inside `house`.
        frame: rows and columns with the names that readers see; a missing value (NaN) gets no
            colour and no number.
        digits: a value -> the text of its cell.
        ends: lowest and highest value of the colour scale.
        size: height of the digits, points.

    >>> frame = pd.DataFrame([[0.5, 1.0]], index=["ResNet-18"], columns=["Fog", "Snow"])
    >>> axis = Figure().subplots()
    >>> mesh = cells(axis, frame, "{:.1f}".format, "cividis", (0.0, 1.0), size=8.0)
    >>> [text.get_text() for text in axis.texts]
    ['0.5', '1.0']
    """
    import seaborn  # a second, which only matrices need

    seaborn.heatmap(
        frame.astype(float),
        ax=axis,
        cmap=colours,
        vmin=ends[0],
        vmax=ends[1],
        linewidths=0.4,
        linecolor="face",  # else the ground shows as a hair between cells on a screen
        annot=frame.map(digits),
        fmt="",
        annot_kws={"size": size},
        cbar=False,
    )
    (mesh,) = axis.collections
    assert isinstance(mesh, QuadMesh)
    # Seaborn's own digits are white on cells of middle brightness, where dark ones read better.
    grounds = np.asarray(mesh.get_facecolor())[frame.notna().to_numpy().ravel()]
    for text, (red, green, blue, _) in zip(axis.texts, grounds, strict=True):
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        text.set_color(DARK if bright > 0.5 else PALE)
    axis.set_xticks(axis.get_xticks(), list(frame.columns), rotation=45, ha="right")
    axis.set_yticks(axis.get_yticks(), list(frame.index), rotation=0)
    axis.tick_params(length=0)
    axis.set(xlabel="", ylabel="")  # the names of a frame's axes are none of the reader's
    return mesh
