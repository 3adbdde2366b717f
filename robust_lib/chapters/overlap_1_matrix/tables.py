"""Overlaps in tables: what each network gained, which corruptions have overlaps, scores by pair."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.chapters.tables import ends
from robust_lib.errors import InputError
from robust_lib.figures.style import corruption_label
from robust_lib.metrics.overlap import robustness_score
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.scores import PAPER, Convention, matrix, undefined
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def gains_frame(accuracies: Mapping[str, Accuracies]) -> pd.DataFrame:
    """Return how well each network learned: its clean accuracy and what its corruption gained it.

    A row a network, accuracies in percent, means over seeds. A network that is far less accurate
    than the standard one, or gains little against its own corruption, did not learn enough to
    speak of overlaps.

    >>> import numpy as np
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> gains_frame({"resnet18": one})["Gain in robustness"].round().tolist()
    [nan, 75.0, 75.0]
    """
    rows = []
    for name, one in accuracies.items():
        accuracy, clean = one.accuracy.mean(0), one.clean.mean(0)
        scores = robustness_score(accuracy, clean[:, None])
        rows.append(
            {"Network": network_title(name), "Trained with": "nothing", "Clean": 100 * clean[0]}
        )
        for place, corruption in enumerate(one.corruptions):
            rows.append(
                {
                    "Network": network_title(name),
                    "Trained with": corruption_label(corruption),
                    "Clean": 100 * clean[place + 1],
                    "Standard on it": 100 * accuracy[0, place],
                    "Itself on it": 100 * accuracy[place + 1, place],
                    "Gain in robustness": 100 * (scores[place + 1, place] - scores[0, place]),
                }
            )
    return pd.DataFrame(rows)


def defined(table: Accuracies, convention: Convention = PAPER) -> pd.DataFrame:
    """Return the matrix without the corruptions that have no overlaps.

    Raises:
        InputError: fewer than two are left.

    >>> import numpy as np
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> defined(one).loc["fog", "snow"].round(2)
    np.float64(0.33)
    """
    without = undefined(table, convention)
    frame = matrix(table, convention).drop(index=list(without), columns=list(without))
    if len(frame) < 2:
        raise InputError(
            f"Expected at least two corruptions with overlaps, but {', '.join(without)} have none: "
            "training with them hardly helped. Train longer, or with other corruptions."
        )
    return frame


def groups_frame(results: Results) -> pd.DataFrame:
    """Return a row an architecture and group of corruptions: their overlap, times 100.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="overlap-fig2", dataset="toys", model="resnet18", metric="group_overlap",
    ...           corruption="noise", value=0.9, n=9, n_full=9)
    >>> groups_frame(Results.of([row])).to_dict("records")
    [{'Network': 'ResNet-18', 'What': 'group overlap', 'Corruptions': 'Noise', 'score': 90.0}]
    """
    metrics = ("group_overlap", "mean_overlap", "largest_overlap", "rank_correlation")
    return pd.DataFrame(
        {
            "Network": "all" if row.model is None else network_title(row.model),
            "What": metric.replace("_", " "),
            "Corruptions": "all" if row.corruption is None else corruption_label(row.corruption),
            "score": 100 * row.value,
            **ends(row),
        }
        for metric in metrics
        for row in results.select(metric=metric).rows
    )


def pairs_frame(results: Results) -> pd.DataFrame:
    """Return a row an architecture and pair of corruptions: their overlap, times 100.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="overlap-fig2", dataset="toys", model="resnet18", metric="overlap",
    ...           corruption="fog+snow", value=0.25, n=9, n_full=9)
    >>> pairs_frame(Results.of([row])).to_dict("records")
    [{'Network': 'ResNet-18', 'One': 'Fog', 'Other': 'Snow', 'score': 25.0}]
    """
    rows = []
    for row in results.select(metric="overlap").rows:
        one, _, other = str(row.corruption).partition("+")
        names = {"One": corruption_label(one), "Other": corruption_label(other)}
        score = {"score": 100 * row.value, **ends(row)}
        rows.append({"Network": network_title(str(row.model)), **names, **score})
    return pd.DataFrame(rows)
