"""How many are left after each step, from a pool to a selection."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from robust_lib.errors import InputError
from robust_lib.figures.style import house

_SHADES = ("#8A8A94", "#0072B2", "#D55E00")


def funnels(counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """Return one panel a source, one bar a step, on a logarithmic axis: equal steps, equal shares.

    Args:
        counts: title of a source -> step -> how many are left after it.

    Raises:
        InputError: no source.

    >>> len(funnels({"The paper": {"candidates": 80000, "kept": 700}}).axes[0].patches)
    2
    """
    if not counts:
        raise InputError("Expected at least one funnel to draw, but got none.")
    rows = max(len(steps) for steps in counts.values())
    with house():
        figure = Figure(figsize=(7.2, 0.38 * rows + 0.9))
        axes = figure.subplots(1, len(counts), squeeze=False)[0]
        for place, (axis, (title, steps)) in enumerate(zip(axes, counts.items(), strict=True)):
            names, values = list(steps), list(steps.values())
            places = range(len(names))
            axis.barh(places, [max(value, 0.8) for value in values], color=_SHADES[place % 3])
            for where, value in zip(places, values, strict=True):
                axis.annotate(
                    f"{value:,}", (max(value, 0.8), where), (4, 0), textcoords="offset points",
                    va="center", fontsize=8, annotation_clip=False,
                )  # fmt: skip
            axis.set_yticks(list(places), names)
            axis.set_xscale("log")
            axis.set_xlim(0.8, 6 * max(values))
            axis.invert_yaxis()
            axis.set_title(title)
            axis.set_xlabel("images left")
    return figure
