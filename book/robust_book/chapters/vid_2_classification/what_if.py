"""What if pm-k had another k, and which sets fall on the way?"""

import numpy as np
import pandas as pd

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import choice, slider, ticks, what_if
from robust_lib.metrics import pm_k
from robust_lib.metrics.pm_k import Hits
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.run.network import network_title

ANCHOR = "anchor"


def distances(answers: FramePredictions, network: str, class_names: tuple[str, ...]) -> Html:
    """Return accuracies at k that a reader moves, and which sets fall at it.

    Args:
        network: whose sets are shown first.
        class_names: of the frames.

    >>> block = distances(toys.answers({"resnet50_mini": [3, 5]}), "resnet50_mini", ("owl", "key"))
    >>> texts(block, "td")  # anchors, worst frames, lost, falling at k = 10
    ['50.0', '30.0', '20.0', '0.0']
    """
    names = list(answers.by_network)
    hits = {name: _both(answers, name) for name in names}
    return what_if(
        "pm_k",
        "What if the frames had to be nearer, or the anchor did not count?",
        [
            slider("k", "Frames to either side that count, k", 0, answers.k, answers.k),
            ticks(
                ANCHOR,
                "In every set counts",
                {"": {ANCHOR: "the anchor, as in the authors' code"}},
                [ANCHOR] * answers.anchor,
            ),
            choice(
                "network",
                "Sets of",
                {str(place): network_title(name) for place, name in enumerate(names)},
                str(names.index(network)),
            ),
        ],
        table(
            pd.DataFrame(
                [[network_title(name), *_row(hits[name][not answers.anchor])] for name in names],
                columns=["Network", "Anchors", "Worst frames", "Lost", "Falling at k"],
            ),
            caption="Accuracy (%) on the anchors and on the worst of the frames that count, and "
            "how many sets of a hundred are lost",
            filterable=False,
        ),
        {
            "networks": [
                {
                    "title": network_title(name),
                    "seeds": [[_bits(one) for one in of_reading] for of_reading in hits[name]],
                }
                for name in names
            ],
            "sets": _titles(answers, class_names),
        },
        convention=f"{answers.dataset}, {answers.n} sets; {answers.words}. A mark is a set: grey "
        "where the network is right on all frames that count, red where it is not, dark red where "
        "the frames at distance k made the difference"
        + ("; marks are of the first seed." if len(hits[network][0]) > 1 else "."),
    )


def _both(answers: FramePredictions, network: str) -> tuple[tuple[Hits, ...], ...]:
    """Return the hits of each seed with the anchor among the frames, and without it."""
    members, offsets = answers.sets.members, answers.sets.offsets
    return tuple(
        tuple(
            pm_k.hits(right, members, offsets, answers.k, anchor=anchor)
            for right in answers.correct(network)
        )
        for anchor in (True, False)
    )


def _row(hits: tuple[Hits, ...]) -> list[float]:
    shares = np.mean([one.mean(0) for one in hits], axis=0)
    falling = np.mean([(one[:, -2] & ~one[:, -1]).mean() for one in hits])
    first, worst = 100 * float(shares[0]), 100 * float(shares[-1])
    return [first, worst, first - worst, 100 * float(falling)]


def _bits(hits: Hits) -> list[int]:
    """Return one number per set; its bit d says whether it is right within d frames."""
    bits: list[int] = (hits @ (1 << np.arange(hits.shape[1]))).tolist()
    return bits


def _titles(answers: FramePredictions, class_names: tuple[str, ...]) -> list[str]:
    """Return what each set shows, and its clip."""
    sets = answers.sets
    titles = []
    for anchor in sets.anchors.tolist():
        clip = sets.frames[anchor].rpartition("/")[0].rpartition("/")[2]
        shown = " and ".join(class_names[label] for label in sets.labels[anchor])
        titles.append(f"{shown} ({clip})")
    return titles
