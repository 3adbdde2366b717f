"""How far two architectures could agree at all: what two trainings of one agree by.

A run of several seeds knows it. One of a single seed takes it from the committed table of three.
"""

from collections.abc import Mapping

import pandas as pd

from robust_lib import paths
from robust_lib.protocols.overlap.agreement import CEILING, ceiling
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.interval import ScoreInterval
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

TABLE = "overlaps_3_seeds"


def with_ceiling(results: Results, architectures: Mapping[str, ArchitectureOverlaps]) -> Results:
    """Return the rows with the ceiling of agreement, where it is known.

    The committed table speaks of its own networks alone: of others nothing is known.

    >>> one = toys.judged("fog", "snow")["resnet18"]
    >>> both = dict.fromkeys(("resnet18_small", "densenet121_small"), one)
    >>> rows = with_ceiling(Results(), both)
    >>> rows.row(metric="rank_correlation_between_seeds").n
    2
    """
    if results.select(metric=CEILING).rows:
        return results
    known = committed()
    titles = [network_title(name) for name in architectures]
    if any(title not in known for title in titles):
        return results
    dataset = next(iter(architectures.values())).table.dataset
    words = f"of the committed table {TABLE}, over the pairs that were defined there"
    row = ceiling([known[title] for title in titles], dataset=dataset, words=words)
    return results + Results.of([row])


def committed() -> dict[str, ScoreInterval]:
    """Return what two seeds of each network of the committed table agree by, as fractions.

    "all" is the agreement of the two architectures.

    >>> sorted(committed())
    ['DenseNet-121-like', 'ResNet-18-like', 'all']
    """
    path = paths.manifests() / "measured" / f"{TABLE}.csv"
    if not path.exists():
        return {}
    frame = pd.read_csv(path)
    frame = frame[(frame["What"] == "rank correlation") & frame["score"].notna()]
    columns = ("score", "low", "high")
    return {
        str(row["Network"]): tuple(float(row[name]) / 100 for name in columns)  # type: ignore[misc]
        for row in frame.to_dict("records")
    }
