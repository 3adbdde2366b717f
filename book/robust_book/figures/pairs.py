"""Pairs of related networks: without and with a part, smaller and larger."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robust_book.figures.style import GREY, PAPER, RUN, house
from robust_lib.errors import InputError
from robust_lib.results.interval import PercentInterval

Pair = tuple[PercentInterval, PercentInterval]


def paired(
    values: Mapping[str, Mapping[str, Pair]],
    *,
    words: tuple[str, str],
    better: Sequence[str],
    paper: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
) -> Figure:
    r"""Return one panel per metric: two joined points for each pair of related networks.

    The first network of a pair is a ring, the second a dot. Where the paper prints both numbers,
    they stand below in grey.

    Args:
        values: metric -> pair -> the two networks' (value, low, high), percent.
        words: what the first and the second of each pair are, such as "without SE", "with SE".
        better: which way is better in each panel, such as "lower", "higher".
        paper: metric -> pair -> the two printed values, percent.

    Raises:
        InputError: no metrics, or another number of directions than of metrics.

    >>> pairs = {"ResNet": ((50.0, 40.0, 60.0), (40.0, 30.0, 50.0))}
    >>> figure = paired({"AURRA": pairs}, words=("34", "152"), better=["higher"])
    >>> figure.axes[0].get_xlabel()
    'AURRA (%)\nhigher is better'
    """
    if not values or len(better) != len(values):
        raise InputError(
            "Expected at least one metric and for each which way is better, but got "
            f"{len(values)} metrics and {len(better)} ways."
        )
    printed = paper or {}
    names = list(dict.fromkeys(name for pairs in values.values() for name in pairs))
    with house():
        figure = Figure(figsize=(5.6, 0.42 * len(names) + 1.2))
        axes = figure.subplots(1, len(values), sharey=True, squeeze=False).ravel()
        for axis, (metric, pairs), way in zip(axes, values.items(), better, strict=True):
            for name, pair in pairs.items():
                _dumbbell(axis, float(names.index(name)), pair, RUN)
            for name, (first, second) in printed.get(metric, {}).items():
                if name in names:
                    both = (PercentInterval((first,) * 3), PercentInterval((second,) * 3))
                    _dumbbell(axis, names.index(name) + 0.3, both, PAPER, size=4.0)
            axis.set_xlabel(f"{metric} (%)\n{way} is better")
            if not pairs:
                axis.set_xticks([])
                middle = {"xycoords": "axes fraction", "ha": "center", "va": "center"}
                axis.annotate("not asked in this run", (0.5, 0.5), **middle)
            axis.grid(axis="x")
            axis.margins(x=0.1)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].set_ylim(len(names) - 0.4, -0.6)
        for axis in axes:
            axis.tick_params(axis="y", length=0)
        _legend(figure, axes[0], words, with_paper=bool(printed))
    return figure


def _dumbbell(axis: Axes, place: float, pair: Pair, shade: str, *, size: float = 6.5) -> None:
    first, second = pair
    axis.plot([first[0], second[0]], [place, place], color=GREY, linewidth=2.2, alpha=0.6)
    for shift, (_, low, high) in ((-0.12, first), (0.12, second)):
        if high > low:
            axis.plot([low, high], [place + shift] * 2, color=shade, linewidth=1)
    axis.plot(first[0], place, "o", ms=size, mfc="none", mec=shade, mew=1.5)
    axis.plot(second[0], place, "o", ms=size, color=shade)


def _legend(figure: Figure, axis: Axes, words: tuple[str, str], *, with_paper: bool) -> None:
    handles = [
        *axis.plot([], [], "o", ms=6.5, mfc="none", mec=RUN, mew=1.5, label=words[0]),
        *axis.plot([], [], "o", ms=6.5, color=RUN, label=words[1]),
    ]
    if with_paper:
        handles += axis.plot([], [], "o-", ms=4, color=PAPER, label="the paper")
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
