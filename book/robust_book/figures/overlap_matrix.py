"""Overlap matrices: in the paper's order with the mean of each corruption, and clustered."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from robust_book.figures.heatmaps import PALE, cells
from robust_book.figures.style import GREY, SMALLEST, WIDE, house
from robust_lib.errors import InputError
from robust_lib.vocabulary import CATEGORIES, corruption_label

# Even steps look even, to the colour-blind too, and both ends differ from white and from black.
_COLOURS = "cividis"
HATCHES: Mapping[str, tuple[str, float]] = MappingProxyType(
    {"not converged": ("xxx", 0.9), "no gain": ("///", 0.9), "too wide": ("..", 0.45)}
)
"""How a cell without a score is hatched, by its reason, and how strongly."""
_FAMILY = {name: family for family, names in CATEGORIES.items() for name in names}


def matrices(
    frames: Sequence[pd.DataFrame],
    means: Sequence[pd.Series],
    titles: Sequence[str],
    reasons: Sequence[pd.DataFrame] = (),
) -> Figure:
    """Return the overlaps of each architecture with a column of means, one below the other.

    Args:
        frames: rows and columns are the same corruptions in the same order; scores as they are,
            missing (NaN) if there is none.
        means: mean overlap of each of these corruptions, missing if there is none.
        reasons: reason for each missing score, a key of `HATCHES`, which sets the hatching of its
            cell. Without reasons, the cell gets a dash.

    Raises:
        InputError: rows, columns or means of different corruptions, or a different number of titles
            or reasons.

    >>> scores = pd.DataFrame([[1, 0.2], [0.2, 1]], ["fog", "snow"], ["fog", "snow"])
    >>> figure = matrices([scores], [scores.mean()], ["resnet18"])
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1', '.20', '.20', '1']
    """
    if not len(frames) == len(means) == len(titles) >= 1 or len(reasons) not in (0, len(frames)):
        raise InputError(
            "Expected a column of means and a title for each matrix, but got "
            f"{len(frames)} matrices, {len(means)} columns and {len(titles)} titles, or "
            f"{len(reasons)} frames of reasons."
        )
    names = list(frames[0].index)
    whys = reasons or [frame.map(lambda _: "") for frame in frames]
    for frame, mean, why in zip(frames, means, whys, strict=True):
        _check(frame, names)
        _check(why, names)
        if list(mean.index) != names:
            raise InputError(
                f"Expected the means of {', '.join(names)}, but got {', '.join(mean.index)}."
            )
    with house():
        height = 0.29 * len(names) + 1.25
        figure = Figure(figsize=(WIDE, height * len(frames) + 0.3))
        axes = figure.subplots(
            len(frames), 2, squeeze=False, sharey=True, width_ratios=[len(names), 1.15]
        )
        panels = zip(axes, frames, means, titles, whys, strict=True)
        for (left, right), frame, mean, title, why in panels:
            _scores(left, frame.rename(columns=corruption_label), why)
            mesh = _scores(right, mean.to_frame("mean"))
            _divide(left, names)
            left.set_title(title)
        _bar(figure, mesh, axes.ravel().tolist(), frames)
        _legend(figure, whys)
    return figure


def clusters(frame: pd.DataFrame, title: str) -> Figure:
    """Return the overlaps with similar corruptions side by side, and the tree that groups them.

    The tree joins the closest groups first; the distance of two groups is the mean of 1 - overlap
    over their pairs.

    Args:
        frame: rows and columns are the same corruptions in the same order.

    Raises:
        InputError: see `cluster_order`.

    >>> scores = pd.DataFrame([[1, 0.2], [0.2, 1]], ["fog", "snow"], ["fog", "snow"])
    >>> clusters(scores, "resnet18").axes[0].get_xlabel()
    '1 − overlap'
    """
    from scipy.cluster import hierarchy  # half a second, which only trees need

    tree, names = _tree(frame)
    with house():
        figure = Figure(figsize=(WIDE, 0.29 * len(names) + 1.25))
        left, right = figure.subplots(1, 2, width_ratios=[2, 5])
        ink = mpl.rcParams["axes.edgecolor"]
        hierarchy.dendrogram(
            tree, ax=left, orientation="left", no_labels=True, link_color_func=lambda _: ink
        )
        left.collections[0].set_linewidth(1)
        left.spines["left"].set_visible(False)
        left.invert_yaxis()  # the first leaf on top, as in a matrix
        left.set_xlabel("1 − overlap")
        left.set_title(title)
        mesh = _scores(right, frame.loc[names, names].rename(columns=corruption_label))
        right.yaxis.tick_right()
        _bar(figure, mesh, [left, right], [frame])
    return figure


def cluster_order(frame: pd.DataFrame) -> list[str]:
    """Return the corruptions of an overlap matrix, ordered with similar ones side by side.

    Raises:
        InputError: rows and columns of different corruptions, fewer than two of them, scores that
            are missing or not symmetric.

    >>> scores = [[1.0, 0.0, 0.9], [0.0, 1.0, 0.1], [0.9, 0.1, 1.0]]
    >>> cluster_order(pd.DataFrame(scores, index=list("abc"), columns=list("abc")))
    ['b', 'c', 'a']
    """
    return _tree(frame)[1]


def _tree(frame: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """Return SciPy's linkage of the corruptions, and their names in its order."""
    from scipy.cluster import hierarchy  # half a second, which only trees need
    from scipy.spatial.distance import squareform

    names = list(frame.index)
    _check(frame, names)
    scores = frame.to_numpy(dtype=float)
    if len(names) < 2 or not np.isfinite(scores).all() or not np.allclose(scores, scores.T):
        raise InputError(
            "Expected a symmetric matrix of at least two corruptions with a score for every pair, "
            f"but got {len(names)} corruptions and {int(np.isnan(scores).sum())} missing scores. "
            "Omit the corruptions without scores, and state this."
        )
    # Scores may exceed 1, but no distance is negative, and a tree that is drawn needs a height.
    apart = np.maximum(1e-6, 1 - (scores + scores.T) / 2)
    np.fill_diagonal(apart, 0)
    joined = hierarchy.linkage(squareform(apart), method="average", optimal_ordering=True)
    return joined, [names[leaf] for leaf in hierarchy.leaves_list(joined)]


def _scores(axis: Axes, frame: pd.DataFrame, why: pd.DataFrame | None = None) -> QuadMesh:
    named = frame.rename(index=corruption_label)
    mesh = cells(axis, named, _short, _COLOURS, (0.0, 1.0), size=SMALLEST)
    for row, column in np.argwhere(frame.isna().to_numpy()):
        reason = "" if why is None else str(why.iat[row, column])
        if reason in HATCHES:
            axis.add_patch(_hatched(reason, (float(column), float(row))))
        else:  # on the page's ground, in its ink
            axis.text(column + 0.5, row + 0.5, "–", ha="center", va="center", size=SMALLEST)
    return mesh


def _hatched(reason: str, corner: tuple[float, float] = (0.0, 0.0)) -> Rectangle:
    hatch, alpha = HATCHES[reason]
    pattern: dict[str, Any] = {"hatch": hatch, "edgecolor": GREY, "alpha": alpha}
    return Rectangle(corner, 1, 1, facecolor="none", linewidth=0, label=reason, **pattern)


def _legend(figure: Figure, whys: Sequence[pd.DataFrame]) -> None:
    """Draw a legend of the hatches that occur."""
    found = {str(one) for why in whys for one in why.to_numpy().ravel()}
    handles = [_hatched(reason) for reason in HATCHES if reason in found]
    if handles:
        figure.legend(
            handles=handles, loc="outside lower left", ncols=len(handles), title="No score:"
        )


def _short(value: float) -> str:
    """Return a score in few characters.

    >>> [_short(value) for value in (0.973, 0.004, 1.0, 1.013)]
    ['.97', '0', '1', '1.01']
    """
    text = f"{value:.2f}"
    return text.removesuffix(".00") if text.endswith(".00") else text.removeprefix("0")


def _divide(axis: Axes, names: Sequence[str]) -> None:
    """Draw a line between corruptions of different families."""
    for place in range(1, len(names)):
        if _FAMILY.get(names[place]) != _FAMILY.get(names[place - 1]):
            axis.axhline(place, color=PALE, linewidth=1.4)
            axis.axvline(place, color=PALE, linewidth=1.4)


def _bar(
    figure: Figure, mesh: QuadMesh, axes: Sequence[Axes], frames: Sequence[pd.DataFrame]
) -> None:
    above = any((frame > 1.005).to_numpy().any() for frame in frames)
    extend = "max" if above else "neither"
    figure.colorbar(mesh, ax=axes, shrink=0.6, label="overlap", extend=extend)


def _check(frame: pd.DataFrame, names: Sequence[str]) -> None:
    if list(frame.index) != list(names) or list(frame.columns) != list(names):
        raise InputError(
            f"Expected rows and columns {', '.join(names)}, but got rows "
            f"{', '.join(map(str, frame.index))} and columns {', '.join(map(str, frame.columns))}."
        )
