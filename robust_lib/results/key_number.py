"""The numbers that the prose of a chapter names, ready for the `{result}` role."""

from dataclasses import dataclass

from robust_lib.results.estimate import Estimate
from robust_lib.results.notation import with_interval
from robust_lib.results.row import Row


@dataclass(frozen=True)
class KeyNumber:
    """A number as the prose shows it, with what gives it its meaning.

    Attributes:
        text: as shown, or words in its place.
        value: the number, a fraction where the text is a percentage; None for words.
        n: number of things averaged, if known.
    """

    text: str
    value: float | int | str | None = None
    convention: str = ""
    n: int | None = None


NOT_MEASURED = KeyNumber("not measured")


def percent(row: Row | None, *, missing: str = NOT_MEASURED.text) -> KeyNumber:
    """Return a row's number in percent, with its interval and convention; words without a row.

    >>> row = Row(item="inc-tab1", dataset="toy", model="m", metric="accuracy", value=0.5, low=0.4,
    ...           high=0.6, n=9, n_full=9, convention="clean")
    >>> percent(row).text, percent(row).convention
    ('50.0 %', 'accuracy of m on toy, [40.0, 60.0] %; clean')
    """
    if row is None:
        return KeyNumber(missing)
    what = f"{row.metric.replace('_', ' ')} of {row.model} on {row.dataset}"
    if row.low is not None and row.high is not None:
        what += f", [{100 * row.low:.1f}, {100 * row.high:.1f}] %"
    convention = "; ".join(part for part in (what, row.convention) if part)
    return KeyNumber(f"{100 * row.value:.1f} %", row.value, convention, row.n)


def points(row: Row | None) -> KeyNumber:
    """Return a difference in points, with its interval.

    >>> points(None).text
    'not measured'
    """
    if row is None:
        return NOT_MEASURED
    low, high = (None if end is None else 100 * end for end in (row.low, row.high))
    text = f"{with_interval(100 * row.value, low, high)} points"
    return KeyNumber(text, row.value, f"{row.metric.replace('_', ' ')}; {row.convention}", row.n)


def paired_points(found: Estimate | None, what: str) -> KeyNumber:
    """Return the paired difference of two numbers in points, with its interval.

    >>> paired_points(Estimate(value=0.25, low=0.2, high=0.3, n=8, n_full=8), "mCE").text
    '25.0 [20.0, 30.0] points'
    """
    if found is None:
        return NOT_MEASURED
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    text = f"{with_interval(100 * found.value, low, high)} points"
    return KeyNumber(text, found.value, f"{what}; paired interval", found.n)


def score(row: Row | None) -> KeyNumber:
    """Return a score with two decimals and its interval.

    >>> score(None).text
    'not measured'
    """
    if row is None:
        return NOT_MEASURED
    text = with_interval(row.value, row.low, row.high, 2)
    return KeyNumber(text, row.value, row.convention or "", row.n)


def count(number: int, convention: str = "", n: int | None = None) -> KeyNumber:
    """Return a whole number, thousands apart.

    >>> count(1109, "anchors").text
    '1,109'
    """
    return KeyNumber(f"{number:,}", number, convention, n)
