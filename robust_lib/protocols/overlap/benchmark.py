"""Is a benchmark balanced, and what does it cover? MaskedPredictions of any choice of corruptions.

A benchmark is a set of corruptions. It is balanced if its corruptions overlap alike with one
another, so that no ability counts several times; it covers another corruption if one of its own
overlaps with it [overlap, sec. 4.2 and 4.3].
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import yaml

from robust_lib.errors import InputError, one_of
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.scores import PAPER, Convention, matrix
from robust_lib.vocabulary import COMMON


def chosen(benchmark: Sequence[str] | str | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return the corruptions of a benchmark, those of ImageNet-C if none is named.

    Args:
        benchmark: names, or the text of a list, as papermill's -p hands it over.
        known: the corruptions that networks were trained with.

    Raises:
        InputError: fewer than two, one twice, or one that no network was trained with.

    >>> chosen('["fog", "snow"]', ["fog", "snow", "border"])
    ('fog', 'snow')
    """
    named = yaml.safe_load(benchmark) if isinstance(benchmark, str) else benchmark
    names = [name for name in known if name in COMMON] if named is None else named
    if not isinstance(names, list | tuple):
        raise InputError(f"Expected a benchmark as a list of corruptions, but got {benchmark!r}.")
    _check(known, names)
    return tuple(names)


def common(tables: Mapping[str, Accuracies]) -> tuple[str, ...]:
    """Return those of ImageNet-C's corruptions that the networks were trained with."""
    return tuple(name for name in next(iter(tables.values())).corruptions if name in COMMON)


def average(tables: Mapping[str, Accuracies], convention: Convention = PAPER) -> pd.DataFrame:
    """Return the overlaps averaged over architectures; missing (NaN) where one has none."""
    found = [matrix(table, convention) for table in tables.values()]
    names = found[0].index
    return pd.DataFrame(np.mean(found, axis=0), names, names)


def balance(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return a row a corruption of a benchmark: its mean overlap with the others, and its nearest.

    Args:
        overlaps: square, of all corruptions that networks were trained with.
        benchmark: two or more of them.

    Raises:
        InputError: fewer than two, one twice, or one that no network was trained with.

    >>> names = ["fog", "snow", "frost"]
    >>> overlaps = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.4], [0.2, 0.4, 1]], names, names)
    >>> balance(overlaps, names)["Mean overlap"].round(2).tolist()
    [0.1, 0.2, 0.3]
    """
    _check(list(overlaps.index), benchmark)
    rows = []
    for name in benchmark:
        others = overlaps.loc[name, [other for other in benchmark if other != name]]
        rows.append({"Corruption": name, "Mean overlap": others.mean(), **_nearest(others)})
    return pd.DataFrame(rows)


def coverage(overlaps: pd.DataFrame, benchmark: Sequence[str]) -> pd.DataFrame:
    """Return a row a corruption that a benchmark lacks: which of its corruptions is nearest to it.

    Raises:
        InputError: as `balance`.

    >>> names = ["fog", "snow", "frost"]
    >>> overlaps = pd.DataFrame([[1, 0, 0.2], [0, 1, 0.4], [0.2, 0.4, 1]], names, names)
    >>> coverage(overlaps, ["fog", "snow"])["Nearest"].tolist()
    ['snow']
    """
    _check(list(overlaps.index), benchmark)
    missing = [str(name) for name in overlaps.index if name not in benchmark]
    rows = [
        {"Corruption": name, **_nearest(overlaps.loc[name, list(benchmark)])} for name in missing
    ]
    return pd.DataFrame(rows, columns=["Corruption", "Nearest", "Overlap with it"])


def _nearest(others: Any) -> dict[str, object]:
    known = others.dropna()
    if known.empty:
        return {"Nearest": "not defined", "Overlap with it": np.nan}
    return {"Nearest": str(known.idxmax()), "Overlap with it": float(known.max())}


def _check(known: Sequence[str], benchmark: Sequence[str]) -> None:
    for name in benchmark:
        if name not in known:
            raise InputError(one_of("a corruption of the benchmark", name, known))
    if len(set(benchmark)) != len(benchmark) or len(benchmark) < 2:
        raise InputError(
            "Expected a benchmark of at least two corruptions, each once, but got "
            f"{', '.join(benchmark) or 'none'}."
        )
