"""Overlaps in tables: what each network gained, blocks of corruptions, scores by pair."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters.view import ends
from robust_book.figures.scatter import Scores
from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.agreement import common
from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS, BLURRED, possible
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results import notation
from robust_lib.results.interval import ScoreInterval
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import NOISE, corruption_label

BLOCK_TITLES = {
    "noise": "Noises",
    "blur_pixelate": "Blurs, pixelate",
    "noise_with_blur": "A noise with one of these",
    "texture": "All of these, and JPEG",
    "all": "All fifteen",
}


def gains_frame(architectures: Mapping[str, ArchitectureOverlaps]) -> pd.DataFrame:
    """Return how well each network learned: its clean accuracy and what its corruption gained it.

    A row a network, accuracies in percent, means over seeds; gains in points of robustness with
    their intervals. The last column says whether the corruption has scores, or why not.

    >>> frame = gains_frame(toys.judged("fog", "snow"))
    >>> [round(gain.value) for gain in frame["Gain"][1:]], frame["Scores"].tolist()
    ([50, 50], ['–', 'yes', 'yes'])
    """
    rows: list[dict[str, object]] = []
    for name, one in architectures.items():
        title, own = network_title(name), gains.own(one)
        accuracy, clean = one.table.accuracy.mean(0), one.table.clean.mean(0)
        standard = {"Network": title, "Trained with": "nothing", "Clean": 100 * clean[0]}
        rows.append(standard | {"Scores": "–"})
        for place, corruption in enumerate(one.table.corruptions):
            gained = 100 * own.loc[corruption]
            rows.append(
                {
                    "Network": title,
                    "Trained with": corruption_label(corruption),
                    "Clean": 100 * clean[place + 1],
                    "Standard on it": 100 * accuracy[0, place],
                    "Itself on it": 100 * accuracy[place + 1, place],
                    "Gain": notation.Cell(*gained[["value", "low", "high"]]),
                    "Scores": one.judged.why_not(place, place) or "yes",
                }
            )
    order = ["Network", "Trained with", "Scores"]
    frame = pd.DataFrame(rows)
    return frame[[*order, *(name for name in frame.columns if name not in order)]]


def blocks(
    results: Results, architectures: Mapping[str, ArchitectureOverlaps]
) -> dict[str, dict[str, ScoreInterval]]:
    """Return architecture -> block of corruptions -> its mean overlap, (value, low, high).

    A block says how many of its pairs are judged in each architecture.

    >>> architectures = toys.judged("gaussian_noise", "shot_noise", "fog")
    >>> rows = toys.rows("overlap-fig2", "group_overlap", {"resnet18": 0.9}, corruption="noise")
    >>> blocks(rows, architectures)
    {'ResNet-18': {'Noises: 1 of 3 pairs': (0.9, 0.9, 0.9)}}
    """
    titles = block_titles(architectures)
    found: dict[str, dict[str, ScoreInterval]] = {network_title(name): {} for name in architectures}
    for row in results.select(metric="group_overlap", model=[*architectures]).rows:
        found[network_title(str(row.model))][titles[str(row.corruption)]] = row.interval
    return found


def block_titles(architectures: Mapping[str, ArchitectureOverlaps]) -> dict[str, str]:
    """Return what each block of corruptions is called, with how many of its pairs are judged.

    >>> block_titles(toys.judged("gaussian_noise", "shot_noise", "fog"))["noise_with_blur"]
    'A noise with one of these: 0 of 15 pairs'
    """
    titles = {}
    for name, title in BLOCK_TITLES.items():
        ones, others = ACROSS.get(name, (BLOCKS.get(name, ()), None))
        judged = [
            str(one.judged.count(one.places(ones), None if others is None else one.places(others)))
            for one in architectures.values()
        ]
        titles[name] = f"{title}: {', '.join(judged)} of {possible(ones, others)} pairs"
    return titles


def in_both(
    results: Results, architectures: Mapping[str, ArchitectureOverlaps]
) -> dict[str, dict[str, Scores]]:
    """Return kind of pair -> pair of corruptions -> its score in the first two architectures.

    Only pairs of the fifteen that are judged in both are there.

    >>> rows = toys.rows("overlap-fig2", "overlap", {"a": 0.1, "b": 0.2}, corruption="snow+fog")
    >>> one = toys.judged("fog", "snow")["resnet18"]
    >>> in_both(rows, {"a": one, "b": one})["others"]
    {'Snow + Fog': ((0.1, 0.1, 0.1), (0.2, 0.2, 0.2))}
    """
    found: dict[str, dict[str, Scores]] = {
        name: {} for name in ("two noises", "two of blurs, pixelate", "one of each", "others")
    }
    if len(architectures) < 2:
        return found
    first, second, *_ = architectures.items()
    names = set(common(first[1], second[1]))
    scores = {
        model: {
            str(row.corruption): row.interval
            for row in results.select(metric="overlap", model=model).rows
        }
        for model in (first[0], second[0])
    }
    for pair, score in scores[first[0]].items():
        one, _, other = pair.partition("+")
        if pair in scores[second[0]] and {one, other} <= names:
            title = f"{corruption_label(one)} + {corruption_label(other)}"
            found[_kind(one, other)][title] = (score, scores[second[0]][pair])
    return found


def _kind(one: str, other: str) -> str:
    noises = sum(name in NOISE for name in (one, other))
    blurs = sum(name in BLURRED for name in (one, other))
    if noises + blurs < 2:
        return "others"
    return ("two of blurs, pixelate", "one of each", "two noises")[noises]


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
