"""The comparison of ImageNet-C made here with the published archive, image by image.

The archive was made once, from random numbers that were not kept. A new copy has different draws,
and perhaps uses different libraries for blurring, resizing or storing. Both show the same images,
so predictions can be paired: a difference in accuracy comes from the images that are misclassified
in one copy only.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_lib.corruptions.table import CORRUPTIONS
from robust_lib.errors import InputError
from robust_lib.metrics.intervals import shared_rates
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Draws, Estimate, difference

SEVERAL = "all"
"""The severity of rows over all severities."""

COLUMNS = (
    "model", "corruption", "severity", "archive", "generated", "difference", "low", "high",
    "only_archive", "only_generated", "p", "levels", "n", "why",
)  # fmt: skip


def table(
    archive: Grid,
    generated: Grid,
    levels: Mapping[tuple[str, int], float],
    *,
    samples: int = 1000,
) -> pd.DataFrame:
    """Return each network's accuracy in each condition of both copies, and the differences.

    One row per network and condition, and per network and corruption over all severities.
    `difference` is the generated copy's accuracy minus the archive's, `low` and `high` the 95 %
    bootstrap interval over images, paired; `only_archive` and `only_generated` count images that
    are classified correctly in one copy alone, and `p` is the exact probability of a split at least
    as unequal by chance (McNemar's test). Accuracies are fractions.

    Args:
        levels: (corruption, severity) -> mean absolute difference of the copies' pixels, in levels
            out of 255.

    Raises:
        InputError: the grids have different networks, conditions or images.

    >>> import dataclasses
    >>> from robust_lib.predict.predictions import Predictions
    >>> labels, sure = np.array([0, 0]), np.ones(2, np.float32)
    >>> right = Predictions("net", "toys", ("a", "b"), labels, None, labels, sure)
    >>> half = dataclasses.replace(right, predicted=np.array([0, 1]))
    >>> one, other = (Grid("toys", "toys_c", 2, {"net": (right,)}, {("net", "fog", 3): (said,)},
    ...     (3,), "archive") for said in (half, right))
    >>> table(one, other, {("fog", 3): 2.5}).iloc[0][["archive", "generated", "only_generated"]]
    archive           0.5
    generated         1.0
    only_generated      1
    Name: 0, dtype: object
    """
    _require_same(archive, generated)
    rows = [
        row
        for model in dict.fromkeys(model for model, _, _ in archive.cells)
        for corruption in archive.corruptions
        for row in _rows(model, corruption, archive, generated, levels, samples)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference per corruption, and the number of networks with a clear one.

    >>> columns = {"model": ["net"], "corruption": ["fog"], "severity": ["all"], "n": [9]}
    >>> numbers = {"archive": [0.5], "generated": [0.6], "difference": [0.1], "low": [0.05]}
    >>> more = {"high": [0.15], "levels": [2.5], "why": ["other draws"]}
    >>> summary(pd.DataFrame(columns | numbers | more)).astype(str).iloc[0].tolist()
    ['fog', '50.0', '60.0', '10.0', '1 of 1', '2.5', 'other draws']
    """
    whole = table[table["severity"] == SEVERAL]
    rows = []
    for corruption, part in whole.groupby("corruption", sort=False):
        decided = int(((part["low"] > 0) | (part["high"] < 0)).sum())
        rows.append(
            {
                "corruption": corruption,
                "archive": 100 * part["archive"].mean(),
                "generated": 100 * part["generated"].mean(),
                "difference": 100 * part["difference"].mean(),
                "decided": f"{decided} of {len(part)}",
                "levels": part["levels"].mean(),
                "why": part["why"].iloc[0],
            }
        )
    return pd.DataFrame(rows)


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the two-sided p-value of McNemar's test for images that are correct in one copy only.

    >>> mcnemar(0, 0), mcnemar(5, 5), round(mcnemar(0, 5), 4)
    (1.0, 1.0, 0.0625)
    """
    from scipy import stats  # half a second, which other chapters need not wait for

    both = only_one + only_other
    return float(stats.binomtest(only_one, both, 0.5).pvalue) if both else 1.0


def _rows(
    model: str,
    corruption: str,
    archive: Grid,
    generated: Grid,
    levels: Mapping[tuple[str, int], float],
    samples: int,
) -> Iterator[dict[str, object]]:
    severities = archive.severities
    pairs = [
        tuple(grid.cells[model, corruption, one][0].correct for grid in (archive, generated))
        for one in severities
    ]
    told = {"model": model, "corruption": corruption, "why": why(corruption, generated.notes)}
    apart = [levels[corruption, one] for one in severities]
    for severity, (old, new), level in zip(severities, pairs, apart, strict=True):
        counts = {
            "only_archive": int((old & ~new).sum()),
            "only_generated": int((new & ~old).sum()),
        }
        yield (
            told
            | {"severity": str(severity), "levels": level}
            | counts
            | {"p": mcnemar(counts["only_archive"], counts["only_generated"])}
            | _paired(old[None], new[None], archive.dataset, samples)
        )
    olds, news = (np.stack(side) for side in zip(*pairs, strict=True))
    yield (
        told
        | {"severity": SEVERAL, "levels": float(np.mean(apart))}
        # A picture counts in every severity, so the test of independent pictures does not apply.
        | {
            "only_archive": int((olds & ~news).sum()),
            "only_generated": int((news & ~olds).sum()),
            "p": None,
        }
        | _paired(olds, news, archive.dataset, samples)
    )


def why(corruption: str, notes: Mapping[str, str]) -> str:
    """Return, as text, why a corruption computed here differs from the archive's.

    >>> why("contrast", {}), why("fog", {})
    ('same images but for decoding, rounding and the JPEG library', 'other random draws')
    """
    known = notes.get(corruption)
    if known is not None:
        return known
    if CORRUPTIONS[corruption].random:
        return "other random draws"
    return "same images but for decoding, rounding and the JPEG library"


def _paired(
    old: Bool[np.ndarray, "cells images"],
    new: Bool[np.ndarray, "cells images"],
    images: str,
    samples: int,
) -> dict[str, object]:
    """Return both accuracies and their difference with its interval, over images."""
    before, after = (_mean(one, images, samples) for one in (old, new))
    apart = difference(after, before)
    return {
        "archive": before.value,
        "generated": after.value,
        "difference": apart.value,
        "low": apart.low,
        "high": apart.high,
        "n": old.shape[1],
    }


def _mean(right: Bool[np.ndarray, "cells images"], images: str, samples: int) -> Estimate:
    """Return the accuracy, with draws that take whole images in all conditions at once."""
    draws = Draws(images, lambda: shared_rates(right, images, samples=samples).mean(1))
    return Estimate.over([float(right.mean())], n=right.shape[1], draws=draws)


def _require_same(archive: Grid, generated: Grid) -> None:
    if archive.cells.keys() != generated.cells.keys():
        raise InputError(
            "Expected the same networks and conditions in both copies, but they differ "
            f"({len(archive.cells)} in one, {len(generated.cells)} in the other). Predict "
            "both for the same corruptions and severities."
        )
    for key, (old, *_) in archive.cells.items():
        if old.ids != generated.cells[key][0].ids:
            raise InputError(
                f"Expected both copies of {key[1]} at severity {key[2]} to show the same images "
                "in the same order, but they do not. Verify both data sets."
            )
