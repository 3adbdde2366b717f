"""The three studies as rows, with the settings that the paper prints."""

from collections.abc import Mapping, Sequence

import numpy as np

from robust_book.chapters.nao_4_attribution.grounds import MOST, Ground
from robust_book.chapters.nao_4_attribution.studies import Study
from robust_lib.protocols.attribution import changes as protocol
from robust_lib.protocols.attribution import share_rows
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.results.row import Row
from robust_lib.results.table import Results

CHANGE, SHARE, SWAPS = "nao-fig6", share_rows.ITEM, "nao-fig8"


def backgrounds(network: str, studies: Mapping[str, Study], places: Sequence[Ground]) -> Results:
    """Return Figure 6 as rows: over all classes, by class, by background, and the control.

    Args:
        network: our name of the detector.
        studies: of `studies.replaced`.
        places: the backgrounds that were used.

    >>> one = toys.changes([0.75], [[0.5, 0.25]])
    >>> found = backgrounds("mine", {"ordinary": toys.study(one)}, [])
    >>> [row.dataset for row in found.rows][3:6]
    ['toys/cat', 'toys/backgrounds/a', 'toys/backgrounds/b']
    """
    made = []
    for study in studies.values():
        made += protocol.rows(CHANGE, network, study.found, study.controls)
        made += protocol.by_version(CHANGE, network, study.found, "backgrounds")
    settings = {"backgrounds": float(len(places)), "threshold": MOST}
    return Results.of([*made, *_settings(CHANGE, network, studies, settings)])


def shares(network: str, shares: Mapping[str, Shares]) -> Results:
    """Return Figure 7 as rows: over all classes, by class, and how many lie mostly inside.

    >>> found = shares("mine", {"ordinary": toys.shares([0.75, 0.25], classes=[0, 1])})
    >>> [row.value for row in found.select(metric="classes_mostly_inside").rows]
    [0.5]
    """
    made = [row for one in shares.values() for row in share_rows.rows(network, one)]
    first = next(iter(shares.values()))  # the paper does not say of which set its images are
    many = float(len(np.unique(first.of.images)))
    made.append(
        Row(
            item=share_rows.ITEM,
            dataset=first.dataset,
            model=network,
            metric="images",
            value=many,
        )
    )
    return Results.of(made)


def swaps(network: str, studies: Mapping[str, Study], *, swaps: int, repeats: int) -> Results:
    """Return Figure 8 as rows: over all classes, by class, and the controls.

    Args:
        network: our name of the detector.
        studies: of `studies.swapped`.
        swaps: of a version.
        repeats: versions of a prediction.

    >>> one = toys.changes([0.75], [[0.5, 0.25]])
    >>> found = swaps("mine", {"ordinary": toys.study(one)}, swaps=3, repeats=2)
    >>> [(row.metric, row.value) for row in found.rows][-2:]
    [('swaps', 3.0), ('repeats', 2.0)]
    """
    made = []
    for study in studies.values():
        made += protocol.rows(SWAPS, network, study.found, study.controls)
    settings = {"swaps": float(swaps), "repeats": float(repeats)}
    return Results.of([*made, *_settings(SWAPS, network, studies, settings)])


def _settings(
    item: str, network: str, studies: Mapping[str, Study], values: Mapping[str, float]
) -> list[Row]:
    first = next(iter(studies.values())).found.dataset
    return [
        Row(item=item, dataset=first, model=network, metric=name, value=value)
        for name, value in values.items()
    ]
