"""Tables of numbers as colours."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.figures.style import corruption_label, house, label

# Not black, which follows the page's text and would be light on a light cell in the dark.
DIGITS = "#101014"


def models_by_corruption(
    frames: Sequence[pd.DataFrame],
    titles: Sequence[str],
    *,
    unit: str,
    centre: float | None = 100,
) -> Figure:
    """Return one heat map a source, models down and corruptions across, on one colour scale.

    Args:
        frames: index: models; columns: corruptions; values in percent.
        titles: one a frame.
        unit: of the colour bar.
        centre: the value in the middle of the scale; None spans the values.

    Raises:
        InputError: frames whose columns differ, so that they cannot share an axis.
    """
    if any(list(frame.columns) != list(frames[0].columns) for frame in frames):
        raise InputError(
            "Expected the same corruptions in the same order in every frame, but got "
            + " and ".join(str(list(frame.columns)) for frame in frames)
            + ". Reindex them alike."
        )
    every = np.concatenate([frame.to_numpy(dtype=float).ravel() for frame in frames])
    every = every[np.isfinite(every)]
    low, high = float(every.min()), float(every.max())
    if centre is not None:
        reach = max(centre - low, high - centre, 1.0)
        low, high = centre - reach, centre + reach
    with house():
        height = sum(0.3 * len(frame) + 0.5 for frame in frames) + 0.9
        figure = Figure(figsize=(8.2, height))
        rows = {"height_ratios": [len(frame) for frame in frames]}
        axes = figure.subplots(len(frames), 1, squeeze=False, sharex=True, gridspec_kw=rows).ravel()
        for axis, frame, title in zip(axes, frames, titles, strict=True):
            image = axis.imshow(frame, cmap="RdBu_r", vmin=low, vmax=high, aspect="auto")
            axis.set_title(title)
            axis.set_yticks(range(len(frame)), [label(str(name)) for name in frame.index])
            for (row, column), value in np.ndenumerate(frame.to_numpy(dtype=float)):
                if np.isfinite(value):
                    strong = abs(value - (low + high) / 2) > 0.3 * (high - low)
                    shade = "white" if strong else DIGITS
                    axis.text(
                        column, row, f"{value:.0f}", ha="center", va="center", color=shade, size=7.5
                    )
            axis.spines[:].set_visible(False)
            axis.tick_params(length=0)
        names = [corruption_label(str(name)) for name in frames[0].columns]
        axes[-1].set_xticks(range(len(names)), names, rotation=45, ha="right")
        bar = figure.colorbar(image, ax=axes, shrink=0.6, label=unit)
        # The scale is even around its middle; colours of values that there are not need no room.
        bar.ax.set_ylim(float(every.min()), float(every.max()))
    return figure
