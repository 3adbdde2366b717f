"""Overlaps in the chapter's form: gains, blocks of corruptions, scores by pair, prose."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from jaxtyping import Bool

from robust_book.chapters import view
from robust_book.chapters.overlap import Architectures, by_network, counted, scored
from robust_book.figures.scatter import Scores
from robust_lib import paths
from robust_lib.config.strict_yaml import read_record
from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.agreement import CEILING, ceiling, common
from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS, BLURRED, possible
from robust_lib.protocols.overlap.longer import Longer
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.interval import ScoreInterval
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.notation import Cell, listed, with_interval
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import NOISE, corruption_label, pair_of

BLOCK_TITLES = {
    "noise": "Noises",
    "blur_pixelate": "Blurs, pixelate",
    "noise_with_blur": "A noise with one of these",
    "texture": "All of these, and JPEG",
    "all": "All fifteen",
}
TABLE = "overlaps_3_seeds"
"""The committed table of a run with three seeds."""

UNKNOWN = "not known for these networks, and at most 1"
"""What is said of a ceiling that nobody measured."""

_SCORE = ("score", "low", "high")
NO_AGREEMENT = "not measured: fewer than three pairs are judged in both architectures"


def gains_frame(
    architectures: Architectures, control: Mapping[str, Longer] = MappingProxyType({})
) -> pd.DataFrame:
    """Return one row per network: its clean accuracy, and its gain from training in points.

    Accuracies are means over seeds, gains in robustness have intervals. The column "Scores" shows
    whether the corruption has scores, or why not.

    Args:
        control: architecture -> the effect of longer training without a corruption.
    """
    rows: list[dict[str, object]] = []
    for name, one in architectures.items():
        title, own = network_title(name), gains.own(one)
        accuracy, clean = one.table.accuracy.mean(0), one.table.clean.mean(0)
        standard = {"Network": title, "Trained with": "nothing", "Clean": 100 * clean[0]}
        rows.append(standard | {"Scores": "–"})
        for place, corruption in enumerate(one.table.corruptions):
            rows.append(
                {
                    "Network": title,
                    "Trained with": corruption_label(corruption),
                    "Clean": 100 * clean[place + 1],
                    "Standard, corrupted": 100 * accuracy[0, place],
                    "Itself, corrupted": 100 * accuracy[place + 1, place],
                    "Gain": Cell(*100 * own.loc[corruption, ["value", "low", "high"]]),
                    "Scores": one.judged.why_not(place, place) or "yes",
                }
                | _beside(control.get(name), corruption)
            )
    order = ["Network", "Trained with", "Scores"]
    frame = pd.DataFrame(rows)
    return frame[[*order, *(name for name in frame.columns if name not in order)]]


def _beside(control: Longer | None, corruption: str) -> dict[str, object]:
    """Return the gain of longer training against a corruption, and its share of the whole gain."""
    if control is None:
        return {}
    gain, share = control.gains[corruption], control.shares.get(corruption)
    return {
        "Trained on without|Gain": Cell(*gain.percent),
        "Trained on without|Share (%)": "–" if share is None else Cell(*share.percent),
    }


def control_numbers(control: Mapping[str, Longer]) -> dict[str, KeyNumber]:
    """Return the share of the gains due to longer training alone, and its largest value.

    >>> control_numbers({})["longer_share"].text
    'not measured: these networks have no control'
    """
    why = "no corruption can be judged" if control else "these networks have no control"
    none = KeyNumber(f"not measured: {why}")
    means = {name: one.mean for name, one in control.items() if one.mean is not None}
    texts = [
        f"{with_interval(*mean.percent)} % ({network_title(name)})" for name, mean in means.items()
    ]
    most = [
        (max(one.shares, key=lambda name: one.shares[name].value), name, one)
        for name, one in control.items()
        if one.shares
    ]
    told = [
        f"{corruption_label(corruption).lower()} with "
        f"{with_interval(*one.shares[corruption].percent)} % ({network_title(name)})"
        for corruption, name, one in most
    ]
    return {
        "longer_share": KeyNumber(" and ".join(texts)) if texts else none,
        "longer_most": KeyNumber(" and ".join(told)) if told else none,
    }


def blocks(results: Results, architectures: Architectures) -> dict[str, dict[str, ScoreInterval]]:
    """Return architecture -> title of a block of corruptions -> its mean overlap."""
    titles = block_titles(architectures)
    found: dict[str, dict[str, ScoreInterval]] = {network_title(name): {} for name in architectures}
    for row in results.select(metric="group_overlap", model=[*architectures]).rows:
        found[network_title(str(row.model))][titles[str(row.corruption)]] = row.interval
    return found


def block_titles(architectures: Architectures) -> dict[str, str]:
    """Return the title of each block of corruptions, with the number of its judged pairs.

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


def in_both(results: Results, architectures: Architectures) -> dict[str, dict[str, Scores]]:
    """Return kind of pair -> pair of corruptions -> its score in the first two architectures.

    Only pairs of the fifteen corruptions that are judged in both are included.
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
        one, other = pair_of(pair)
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
    """Return one row per architecture and group of corruptions: their overlap, times 100."""
    metrics = ("group_overlap", "mean_overlap", "largest_overlap", "rank_correlation")
    return view.values_frame(
        (row for metric in metrics for row in results.select(metric=metric).rows),
        {
            "Network": lambda row: "all" if row.model is None else view.title(row),
            "What": lambda row: row.metric.replace("_", " "),
            "Corruptions": lambda row: (
                "all" if row.corruption is None else corruption_label(row.corruption)
            ),
        },
        _SCORE,
    )


def pairs_frame(results: Results) -> pd.DataFrame:
    """Return one row per architecture and pair of corruptions: their overlap, times 100."""
    return view.values_frame(
        results.select(metric="overlap").rows,
        {
            "Network": view.title,
            "One": lambda row: corruption_label(pair_of(str(row.corruption))[0]),
            "Other": lambda row: corruption_label(pair_of(str(row.corruption))[1]),
        },
        _SCORE,
    )


def with_ceiling(results: Results, architectures: Architectures) -> Results:
    """Return the rows with the ceiling of agreement.

    The ceiling is the agreement of two trainings of one architecture. A run with several seeds
    measures it; others take it from the committed table, which covers its own networks alone. An
    unknown ceiling is at most 1, so an agreement above half of 1 is above half of any ceiling.
    """
    if results.select(metric=CEILING).rows:
        return results
    known = committed()
    titles = [network_title(name) for name in architectures]
    dataset = next(iter(architectures.values())).table.dataset
    words = f"of the committed table {TABLE}, over the pairs that were defined there"
    if any(title not in known for title in titles):
        most = ceiling([(1.0, 0.0, 1.0)] * len(titles), dataset=dataset)
        return results + Results.of([replace(most, convention=UNKNOWN)])
    row = ceiling([known[title] for title in titles], dataset=dataset, words=words)
    return results + Results.of([row])


def bound_words(results: Results) -> str:
    """Return a sentence on the bound of the agreement claim; "" without a ceiling.

    >>> bound_words(Results())
    ''
    """
    row = results.first(metric=CEILING, model=None)
    if row is None:
        return ""
    of = f"the ceiling, {row.value:.2f} {row.convention}"
    if row.convention == UNKNOWN:
        of = f"the ceiling, {UNKNOWN}"
    return f"The claim requires an agreement above {row.value / 2:.2f}, half of {of}."


def committed() -> dict[str, ScoreInterval]:
    """Return title of a network in the committed table -> agreement of its seeds, as fractions.

    "all" is the agreement of the two architectures. The mapping is empty if any of the table's
    networks is now trained differently.
    """
    path = paths.manifests() / "measured" / f"{TABLE}.csv"
    if not path.exists() or read_record(path.with_suffix(".yaml"), view.Measured).of_others:
        return {}
    frame = pd.read_csv(path)
    frame = frame[(frame["What"] == "rank correlation") & frame["score"].notna()]
    return {
        str(row["Network"]): tuple(float(row[name]) / 100 for name in _SCORE)  # type: ignore[misc]
        for row in frame.to_dict("records")
    }


def key_numbers(
    results: Results, architectures: Architectures, raw: Results
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose; a text replaces a number that this run does not have."""
    first = next(iter(architectures.values()))
    least = min(one.table.clean.min() for one in architectures.values())
    most = max(one.table.clean.max() for one in architectures.values())
    numbers = {
        "clean": KeyNumber(
            f"{100 * least:.1f} to {100 * most:.1f} %",
            convention="lowest and highest clean accuracy of all networks",
            n=first.table.n,
        ),
        "judged": KeyNumber(counted(architectures), convention=first.convention.words),
        "premise": KeyNumber(
            premise(architectures),
            convention=f"clean accuracies within {100 * first.convention.most_apart:g} points of "
            "the standard network's, in either direction; own gains whose "
            f"whole interval is above {first.convention.least_gain:g}",
            n=first.table.n,
        ),
        "no_gain": KeyNumber(no_gain(architectures), convention=first.convention.words),
        "agreement": _agreement(results),
        "raw_agreement": _agreement(raw),
        "ceiling": _ceiling(results),
        "agreement_3_seeds": _committed(),
    }
    for group in (*BLOCKS, *ACROSS):
        numbers[f"{group}_overlap"] = by_network(results, "group_overlap", group)
    return numbers


def premise(architectures: Architectures) -> str:
    """Return a text on whether all networks are about as accurate and gained, and on exceptions.

    Scores are judged by this rule.
    """
    apart = _named(architectures, lambda one: one.judged.converged)
    unsure = _named(architectures, lambda one: one.judged.gained)
    failed = [
        *([f"in clean accuracy for {apart}"] if apart else []),
        *([f"in the gain on its own corruption for {unsure}"] if unsure else []),
    ]
    return f"fails {', and '.join(failed)}" if failed else "holds for all networks"


def no_gain(architectures: Architectures) -> str:
    """Return a text on the corruptions for which training with them gives no gain beyond noise."""
    return _named(architectures, lambda one: one.judged.gained) or "none"


def _named(
    architectures: Architectures,
    fine: Callable[[ArchitectureOverlaps], Bool[np.ndarray, " corruptions"]],
) -> str:
    """Return a text on the corruptions that fail a criterion, by network."""
    texts = []
    for name, one in architectures.items():
        pairs = zip(one.table.corruptions, fine(one), strict=True)
        bad = [corruption_label(corruption).lower() for corruption, good in pairs if not good]
        texts += [f"{listed(bad)} ({network_title(name)})"] if bad else []
    return "; ".join(texts)


def _agreement(results: Results) -> KeyNumber:
    return _score(results.first(metric="rank_correlation", model=None), NO_AGREEMENT)


def _score(row: Row | None, missing: str) -> KeyNumber:
    if row is None:
        return KeyNumber(missing)
    return KeyNumber(scored(row), row.value, row.convention or "", row.n)


def _ceiling(results: Results) -> KeyNumber:
    row = results.first(metric=CEILING, model=None)
    if row is None or row.convention == UNKNOWN:
        return KeyNumber(UNKNOWN)
    return _score(row, UNKNOWN)


def _committed() -> KeyNumber:
    if (found := committed().get("all")) is None:
        return KeyNumber("not known")
    value, low, high = found
    return KeyNumber(f"{value:.2f} [{low:.2f}, {high:.2f}]", value, f"committed table {TABLE}")
