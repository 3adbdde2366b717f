"""Names written at the ends of lines, in place of a legend."""

from collections.abc import Mapping

from matplotlib.axes import Axes

LINE = 10  # height of a line of text, points
_AWAY = 6  # of a name from the end of its line, points


def at_ends(
    axis: Axes,
    ends: Mapping[str, tuple[float, float]],
    shades: Mapping[str, str],
    *,
    height: float,
    in_layout: bool = True,
) -> None:
    """Write each line's name to the right of its end; names of lines that end close by move apart.

    Args:
        axis: the axes, with final limits.
        ends: name -> end point of its line, in the units of the axes.
        shades: name -> its colour.
        height: height of the panel, points.
        in_layout: whether the figure reserves room for the names; False if the place is empty
            anyway.

    >>> from matplotlib.figure import Figure
    >>> axis = Figure().subplots()
    >>> at_ends(axis, {"a": (1.0, 0.5), "b": (1.0, 0.5)}, {"a": "k", "b": "k"}, height=100)
    >>> [(text.xyann[0], round(text.xyann[1])) for text in axis.texts]
    [(6, -5), (6, 5)]
    """
    bottom, top = axis.get_ylim()
    scale = height / (top - bottom)
    names = sorted(ends, key=lambda name: ends[name][1])
    own = [scale * ends[name][1] for name in names]
    places = _apart(own)
    for back in range(len(places)):  # from the top, so that none stands above the panel
        above = places[-back] - LINE if back else scale * top
        places[-1 - back] = min(places[-1 - back], above)
    for name, place, at in zip(names, places, own, strict=True):
        text = axis.annotate(
            name,
            ends[name],
            xytext=(_AWAY, place - at),
            textcoords="offset points",
            color=shades[name],
            va="center",
            fontsize=8,
            annotation_clip=False,
        )
        text.set_in_layout(in_layout)


def _apart(own: list[float]) -> list[float]:
    """Return increasing positions at least one line apart, as near to the given ones as possible.

    >>> _apart([0.0, 50.0, 52.0])
    [0.0, 46.0, 56.0]
    """
    groups: list[tuple[float, int]] = []  # middle and number of those that stand together
    for place in own:
        middle, count = place, 1
        while groups and groups[-1][0] + LINE * groups[-1][1] / 2 > middle - LINE * count / 2:
            before, many = groups.pop()
            middle = (before * many + middle * count) / (many + count)
            count += many
        groups.append((middle, count))
    return [
        middle + LINE * (place - (count - 1) / 2)
        for middle, count in groups
        for place in range(count)
    ]
