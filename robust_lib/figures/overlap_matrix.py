"""Overlap matrices: in the paper's order with the mean of each corruption, and in clusters."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from robust_lib.errors import InputError
from robust_lib.figures.style import corruption_label, house, label
from robust_lib.vocabulary import CATEGORIES

# Even steps look even, to the colour-blind too, and both ends differ from white and from black.
_COLOURS = "cividis"
_PALE, _DARK = "#ffffff", "#101014"  # not the ink: cells keep their colours on a dark page
_FAMILY = {name: family for family, names in CATEGORIES.items() for name in names}


def matrices(
    frames: Sequence[pd.DataFrame], means: Sequence[pd.Series], titles: Sequence[str]
) -> Figure:
    """Return the overlaps of each architecture with a column of means, one below the other.

    Args:
        frames: rows and columns are the same corruptions in the same order; scores as they are,
            missing (NaN) where there is none.
        means: the mean overlap of each of these corruptions, missing where there is none.
        titles: one an architecture.

    Raises:
        InputError: rows, columns or means of different corruptions, or another number of titles.
    """
    if not len(frames) == len(means) == len(titles) >= 1:
        raise InputError(
            "Expected a column of means and a title for each matrix, but got "
            f"{len(frames)} matrices, {len(means)} columns and {len(titles)} titles."
        )
    names = list(frames[0].index)
    for frame, mean in zip(frames, means, strict=True):
        _check(frame, names)
        if list(mean.index) != names:
            raise InputError(
                f"Expected the means of {', '.join(names)}, but got {', '.join(mean.index)}."
            )
    with house():
        height = 0.29 * len(names) + 1.25
        figure = Figure(figsize=(7.6, height * len(frames)))
        axes = figure.subplots(
            len(frames), 2, squeeze=False, sharey=True, width_ratios=[len(names), 1.15]
        )
        for (left, right), frame, mean, title in zip(axes, frames, means, titles, strict=True):
            _cells(left, frame.to_numpy(dtype=float))
            image = _cells(right, mean.to_numpy(dtype=float)[:, None])
            _name(left, names)
            _divide(left, names)
            left.set_title(label(title))
            right.set_xticks([0], ["mean"], rotation=45, ha="right")
            right.tick_params(length=0)
        _bar(figure, image, axes.ravel().tolist(), frames)
    return figure


def clusters(frame: pd.DataFrame, title: str) -> Figure:
    """Return the overlaps with neighbours put side by side, and the tree that says who they are.

    The tree joins the closest groups first; the distance of two groups is the mean of 1 - overlap
    over their pairs.

    Args:
        frame: rows and columns are the same corruptions in the same order.
        title: whose overlaps they are.

    Raises:
        InputError: see `cluster_order`.
    """
    tree, names = _tree(frame)
    with house():
        figure = Figure(figsize=(7.6, 0.29 * len(names) + 1.25))
        left, right = figure.subplots(1, 2, width_ratios=[2, 5])
        ink = mpl.rcParams["axes.edgecolor"]
        for heights, places in zip(tree["dcoord"], tree["icoord"], strict=True):
            # SciPy puts the leaves at 5, 15, 25, and so on.
            rows = [place / 10 - 0.5 for place in places]
            left.plot(heights, rows, color=ink, linewidth=1, solid_joinstyle="miter")
        left.set_xlim(1.05 * max(map(max, tree["dcoord"])) or 1.0, 0)
        left.set_ylim(len(names) - 0.5, -0.5)
        left.set_yticks([])
        left.spines["left"].set_visible(False)
        left.set_xlabel("1 − overlap")
        left.set_title(label(title))
        image = _cells(right, frame.loc[names, names].to_numpy(dtype=float))
        _name(right, names)
        right.yaxis.tick_right()
        _bar(figure, image, [left, right], [frame])
    return figure


def cluster_order(frame: pd.DataFrame) -> list[str]:
    """Return the corruptions of an overlap matrix with neighbours side by side.

    Raises:
        InputError: rows and columns of different corruptions, fewer than two of them, scores that
            are missing or not symmetric.

    >>> scores = [[1.0, 0.0, 0.9], [0.0, 1.0, 0.1], [0.9, 0.1, 1.0]]
    >>> cluster_order(pd.DataFrame(scores, index=list("abc"), columns=list("abc")))
    ['b', 'c', 'a']
    """
    return _tree(frame)[1]


def _tree(frame: pd.DataFrame) -> tuple[dict[str, list[list[float]]], list[str]]:
    from scipy.cluster import hierarchy  # half a second, which only trees need
    from scipy.spatial.distance import squareform

    names = list(frame.index)
    _check(frame, names)
    scores = frame.to_numpy(dtype=float)
    if len(names) < 2 or not np.isfinite(scores).all() or not np.allclose(scores, scores.T):
        raise InputError(
            "Expected a symmetric matrix of at least two corruptions with a score for every pair, "
            f"but got {len(names)} corruptions and {int(np.isnan(scores).sum())} missing scores. "
            "Leave out the corruptions that have none, and say so."
        )
    # Scores may exceed 1, distances may not be negative.
    apart = np.maximum(0.0, 1 - (scores + scores.T) / 2)
    np.fill_diagonal(apart, 0)
    joined = hierarchy.linkage(squareform(apart), method="average", optimal_ordering=True)
    tree = hierarchy.dendrogram(joined, no_plot=True)
    return tree, [names[leaf] for leaf in tree["leaves"]]


def _cells(axis: Axes, values: np.ndarray) -> AxesImage:
    image = axis.imshow(values, cmap=_COLOURS, vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        style: dict[str, Any] = {"ha": "center", "va": "center", "size": 6.2}
        if not np.isfinite(value):
            axis.text(column, row, "–", **style)  # on the page's ground, in its ink
            continue
        red, green, blue, _ = colormaps[_COLOURS](value)
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        axis.text(column, row, _short(value), color=_DARK if bright > 0.5 else _PALE, **style)
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    return image


def _short(value: float) -> str:
    """Return a score in few characters.

    >>> [_short(value) for value in (0.973, 0.004, 1.0, 1.013)]
    ['.97', '0', '1', '1.01']
    """
    text = f"{value:.2f}"
    return text.removesuffix(".00") if text.endswith(".00") else text.removeprefix("0")


def _name(axis: Axes, names: Sequence[str]) -> None:
    labels = [corruption_label(name) for name in names]
    axis.set_xticks(range(len(names)), labels, rotation=45, ha="right")
    axis.set_yticks(range(len(names)), labels)


def _divide(axis: Axes, names: Sequence[str]) -> None:
    """Draw a line between corruptions of different families."""
    for place in range(1, len(names)):
        if _FAMILY.get(names[place]) != _FAMILY.get(names[place - 1]):
            axis.axhline(place - 0.5, color=_PALE, linewidth=1.4)
            axis.axvline(place - 0.5, color=_PALE, linewidth=1.4)


def _bar(
    figure: Figure, image: AxesImage, axes: Sequence[Axes], frames: Sequence[pd.DataFrame]
) -> None:
    above = any((frame > 1.005).to_numpy().any() for frame in frames)
    figure.colorbar(
        image, ax=axes, shrink=0.6, label="overlap", extend="max" if above else "neither"
    )


def _check(frame: pd.DataFrame, names: Sequence[str]) -> None:
    if list(frame.index) != list(names) or list(frame.columns) != list(names):
        raise InputError(
            f"Expected rows and columns {', '.join(names)}, but got rows "
            f"{', '.join(map(str, frame.index))} and columns {', '.join(map(str, frame.columns))}."
        )
