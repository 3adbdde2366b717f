"""Balance and coverage of any set of corruptions as a benchmark.

A benchmark is a set of corruptions. It is balanced if its corruptions overlap equally with one
another, so that no ability counts several times; it covers another corruption if one of its own
overlaps with it [overlap, sec. 4.2 and 4.3].
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.errors import InputError, one_of
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps, matrix
from robust_lib.vocabulary import COMMON


def members(benchmark: Sequence[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the corruptions of a benchmark; those of ImageNet-C if none are named.

    Raises:
        InputError: not a list, fewer than two corruptions, one twice, or one with which no network
            was trained.

    >>> members(["fog", "snow"], ["fog", "snow", "border"])
    ('fog', 'snow')
    >>> members(None, ["fog", "snow", "border"])
    ('fog', 'snow')
    """
    if isinstance(benchmark, str):
        raise InputError(
            'Expected a benchmark as a list of corruptions, such as \'["fog", "snow"]\', but got '
            f"{benchmark!r}."
        )
    names = [name for name in known if name in COMMON] if benchmark is None else benchmark
    _check(known, names)
    return tuple(names)


def average(architectures: Mapping[str, ArchitectureOverlaps]) -> pd.DataFrame:
    """Return the overlaps averaged over architectures; NaN if one of them has none.

    >>> (one,) = toys.judged("fog", "snow").values()
    >>> average({"resnet18": one, "densenet121": one}).round(2).loc["fog", "snow"]
    np.float64(0.1)
    """
    found = [matrix(one) for one in architectures.values()]
    names = found[0].index
    return pd.DataFrame(np.mean(found, axis=0), names, names)


def balance(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return the overlaps of each corruption of a benchmark with the others.

    Returns:
        One row per corruption: `mean` is its mean overlap with the others with which it has one,
        `pairs` their number; `nearest` and `overlap` are as in `coverage`.

    Raises:
        InputError: fewer than two corruptions, one twice, or one with which no network was trained.

    >>> names = ["fog", "snow", "frost"]
    >>> overlaps = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.4], [0.2, 0.4, 1]], names, names)
    >>> balance(overlaps, names)["mean"].round(2).to_dict()
    {'fog': 0.1, 'snow': 0.2, 'frost': 0.3}
    """
    _check(list(overlaps.index), benchmark)
    others = {name: [other for other in benchmark if other != name] for name in benchmark}
    found = _nearest(overlaps, others)
    known = [overlaps.loc[name, rest].dropna() for name, rest in others.items()]
    found.insert(0, "mean", [one.mean() for one in known])
    found.insert(1, "pairs", [len(one) for one in known])
    return found


def coverage(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return the nearest corruption of a benchmark to each corruption that it lacks.

    Returns:
        One row per corruption that the benchmark lacks: `nearest` is the benchmark's corruption
        that overlaps most with it, and `overlap` their overlap; both are missing if no overlap is
        defined.

    Raises:
        InputError: see `balance`.

    >>> names = ["fog", "snow", "frost"]
    >>> overlaps = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.4], [0.2, 0.4, 1]], names, names)
    >>> coverage(overlaps, ["fog", "snow"]).to_dict("index")
    {'frost': {'nearest': 'snow', 'overlap': 0.4}}
    """
    _check(list(overlaps.index), benchmark)
    missing = [str(name) for name in overlaps.index if name not in benchmark]
    return _nearest(overlaps, {name: list(benchmark) for name in missing})


def _nearest(overlaps: pd.DataFrame, among: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return one row per corruption: the nearest of those it is compared with."""
    known = {
        name: overlaps.loc[[name], list(others)].iloc[0].dropna() for name, others in among.items()
    }
    return pd.DataFrame(
        {
            "nearest": [None if one.empty else str(one.idxmax()) for one in known.values()],
            "overlap": [np.nan if one.empty else float(one.max()) for one in known.values()],
        },
        index=list(known),
    )


def _check(known: Sequence[str], benchmark: Sequence[str]) -> None:
    for name in benchmark:
        if name not in known:
            raise InputError(one_of("a corruption of the benchmark", name, known))
    if len(set(benchmark)) != len(benchmark) or len(benchmark) < 2:
        raise InputError(
            "Expected a benchmark of at least two corruptions, each once, but got "
            f"{', '.join(benchmark) or 'none'}."
        )
