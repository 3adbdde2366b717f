"""What lies outside of ImageNet-C: the largest overlap with it, and the accuracies behind it."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters import view
from robust_lib.protocols.overlap.frames import matrix
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, corruption_label


def cover_frame(
    results: Results, architectures: Mapping[str, ArchitectureOverlaps]
) -> pd.DataFrame:
    """Return the largest overlap of each corruption outside with one of the fifteen, times 100.

    A row a corruption and architecture; beside it of how many judged pairs it is the largest, and
    the accuracies (%) on the corruption outside: of the standard network, of the one trained with
    the nearest of the fifteen, and of the one trained with the corruption itself.

    >>> rows = toys.rows("overlap-claim-cover", "largest_overlap", {"resnet18": 0.25},
    ...     corruption="border")
    >>> frame = cover_frame(rows, toys.judged("fog", "snow", "border"))
    >>> frame[["Corruption", "Judged pairs"]].to_numpy().tolist(), frame["Overlap"][0].value
    ([['Border', '2 of 15']], 25.0)
    """
    rows = []
    for name, one in architectures.items():
        known, overlaps = list(one.table.corruptions), matrix(one)
        inside = [other for other in COMMON if other in known]
        accuracy = 100 * one.table.accuracy.mean(0)
        for outside in (other for other in known if other not in COMMON):
            place, scores = known.index(outside), overlaps.loc[outside, inside].dropna()
            found = results.select(metric="largest_overlap", corruption=outside, model=name).rows
            nearest = None if scores.empty else str(scores.idxmax())
            rows.append(
                {
                    "Corruption": corruption_label(outside),
                    "Network": network_title(name),
                    "Overlap": view.cell(found[0]) if found else None,
                    "Nearest": "Not judged" if nearest is None else corruption_label(nearest),
                    "Judged pairs": f"{len(scores)} of {len(COMMON)}",
                    "Standard": accuracy[0, place],
                    "With the nearest": None
                    if nearest is None
                    else accuracy[known.index(nearest) + 1, place],
                    "With itself": accuracy[place + 1, place],
                }
            )
    return pd.DataFrame(rows)
