"""Numbers that the prose of a chapter names, as its `{result}` role wants them."""

from collections.abc import Mapping, Sequence

from robust_lib.results.row import Row

Told = Mapping[str, object]
"""text: as it stands in the prose; value; convention: what gives it its meaning; n."""


def told(
    text: str, *, value: object = None, convention: str = "", n: int | None = None
) -> Mapping[str, object]:
    """Return a number, or the words that stand in its place.

    >>> told("not measured")["value"] is None
    True
    """
    return {"text": text, "value": value, "convention": convention, "n": n}


NOTHING: Told = told("not measured")


def percent(row: Row | None, *, missing: str = "not measured") -> Told:
    """Return a row's number in percent, with its interval and what it is, or words without a row.

    >>> row = Row(item="inc-tab1", dataset="toy", model="m", metric="accuracy", value=0.5, low=0.4,
    ...           high=0.6, n=9, n_full=9, convention="clean")
    >>> percent(row)["text"], percent(row)["convention"]
    ('50.0 %', 'accuracy of m on toy, [40.0, 60.0] %; clean')
    """
    if row is None:
        return told(missing)
    what = f"{row.metric.replace('_', ' ')} of {row.model} on {row.dataset}"
    ends = "" if row.low is None or row.high is None else _ends(row.low, row.high)
    words = "; ".join(part for part in (f"{what}{ends}", row.convention) if part)
    return told(f"{100 * row.value:.1f} %", value=row.value, convention=words, n=row.n)


def mean(values: Sequence[float], over: str) -> Told:
    """Return the mean of some scores, with two decimals; words if there are none.

    >>> mean([0.5, 1.0], "architectures")["text"], mean([], "architectures")["text"]
    ('0.75', 'not measured')
    """
    if not values:
        return NOTHING
    value = sum(values) / len(values)
    return told(f"{value:.2f}", value=value, convention=f"mean of the {over}")


def _ends(low: float, high: float) -> str:
    return f", [{100 * low:.1f}, {100 * high:.1f}] %"
