"""What share each step keeps, from a pool to a selection."""

from collections.abc import Mapping
from itertools import pairwise

from matplotlib.figure import Figure

from robust_book.figures.style import WIDE, colour, house
from robust_lib.errors import InputError


def funnels(counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """Return one panel per source, one bar per step: the share of the previous step that it keeps.

    Args:
        counts: title of a source -> step -> how many are left after it, the pool first.

    Raises:
        InputError: no source, or one without a step after its pool.

    >>> figure = funnels({"The paper": {"candidates": 80000, "kept": 800}})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1.0 %, 800 of 80,000']
    """
    if not counts or any(len(steps) < 2 for steps in counts.values()):
        raise InputError(
            "Expected at least one funnel to draw, each a pool and a step, but got "
            f"{', '.join(f'{title} of {len(steps)}' for title, steps in counts.items()) or 'none'}."
        )
    rows = max(len(steps) for steps in counts.values()) - 1
    with house():
        figure = Figure(figsize=(WIDE, 0.5 * rows + 0.9))
        axes = figure.subplots(1, len(counts), squeeze=False)[0]
        for axis, (title, steps) in zip(axes, counts.items(), strict=True):
            names = list(steps)[1:]
            for place, (before, left) in enumerate(pairwise(steps.values())):
                share = 100 * left / before if before else 0.0
                shade = colour(title.partition(":")[0], list(counts))
                axis.barh(place, share, color=shade, height=0.42)
                words = f"{share:.1f} %, {left:,} of {before:,}" if before else "none came so far"
                axis.annotate(words, (0, place - 0.24), (2, 1), textcoords="offset points",
                              va="bottom", fontsize=8)  # fmt: skip
            axis.set_yticks(range(len(names)), names)
            axis.set_ylim(len(names) - 0.6, -0.7)
            axis.set_xlim(0, 100)
            axis.set_title(title)
            axis.set_xlabel("share kept by the step (%)")
    return figure
