"""Sizes of the data set, next to the paper's, and the numbers in the prose."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.chapters.vid_1_dataset.falls import ITEM as FALLS
from robust_book.chapters.vid_1_dataset.falls import Fall, offset_words
from robust_book.html.markup import Html, text
from robust_lib.config.class_lists import class_names, load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, vid_robust
from robust_lib.datasets.clips import Clips
from robust_lib.miniworld.clip_review import Counts
from robust_lib.miniworld.similarity import Similarity
from robust_lib.protocols.pm_k import counts
from robust_lib.protocols.pm_k.counts import BEFORE, ITEM
from robust_lib.protocols.pm_k.networks import TYPES
from robust_lib.results.errata.lines import rows, value
from robust_lib.results.errata.vid import counts_of, exact_interval
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent
from robust_lib.results.notation import ends
from robust_lib.results.reported import number, printed, reported
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

ROBUST = "imagenet_vid_robust"
FIRST, SECOND = "The paper|abstract, sec. 1", "The paper|sections 2 and 4"
"""The two versions of the data set that the paper has numbers of."""

TRAINING = "training"
"""What stands for a data set's videos to train with, among its groups."""

LINES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("", "anchors"): "Anchors",
        ("", "frames"): "Frames",
        ("", "fewest_neighbours"): "Fewest neighbours",
        ("", "median_neighbours"): "Median neighbours",
        ("", "most_neighbours"): "Most neighbours",
        ("", "frames_with_several_labels"): "Frames with several labels",
        ("", "classes"): "Classes",
        ("", "imagenet_classes"): "Narrow classes below them",
        (TRAINING, "videos"): "Training videos",
        (TRAINING, "frames"): "Frames of these videos",
        (TRAINING, "images"): "Training frames among them",
        (BEFORE, "videos"): "Videos before the review",
        (BEFORE, "anchors"): "Anchors before the review",
        (BEFORE, "frames"): "Frames of their videos",
        ("", "candidates_per_anchor"): "Candidates per anchor",
        ("", "pairs_reviewed"): "Pairs reviewed (the paper: by each of four people)",
        ("", "annotators"): "Reviewers",
        ("", "review_rounds"): "Rounds of review",
    }
)
"""Group of the data set and metric -> what is counted, in the order of the table."""


def count_frame(results: Results, dataset: str, training: str = "") -> pd.DataFrame:
    """Return the counts of this run next to those of the paper's two versions."""
    ours = {(row.dataset, row.metric): int(row.value) for row in results.rows if row.k is None}
    paper = _printed()
    lines = []
    for (group, metric), words in LINES.items():
        name = {"": dataset, TRAINING: training}.get(group, f"{dataset}/{group}")
        told = {version: paper.get((group, metric, version)) for version in (FIRST, SECOND)}
        lines.append({"Count": words, "This run": ours.get((name, metric)), **told})
    frame = pd.DataFrame(lines)
    return frame.astype(dict.fromkeys(["This run", FIRST, SECOND], "Int64"))


def distance_frame(results: Results) -> pd.DataFrame:
    """Return the number of neighbours within each distance, and their share of those possible."""
    anchors = int(results.row(item=ITEM, metric="anchors", dataset=_name(results)).value)
    ours = [int(row.value) for row in results.select(metric="pairs").rows]
    release = vid_robust.released(load_dataset(ROBUST))
    frame = pd.DataFrame({"k": range(1, len(ours) + 1)})
    for source, pairs, sets in (
        ("This run", ours, anchors),
        *([] if release is None else [("Released set", release.neighbours, release.anchors)]),
    ):
        frame[f"{source}|Neighbours"] = list(pairs)
        possible = 2 * frame["k"] * sets
        frame[f"{source}|Of possible (%)"] = 100 * frame[f"{source}|Neighbours"] / possible
    return frame


def narrow_classes(images: ImageSet) -> int | None:
    """Return the number of narrow classes in the classes of frames; None if unknown."""
    if isinstance(images, Clips):
        wide = images.footage.world.wide[images.footage.wide]
        return sum(map(len, wide.values()))
    if images.classes not in class_names():
        return None
    return sum(map(len, load_classes(images.classes).imagenet))


def _name(results: Results) -> str:
    return next(row.dataset for row in results.rows if row.metric == "pairs")


def _printed() -> dict[tuple[str, str, str], int]:
    """Return group, metric and version -> the paper's printed number."""
    groups = dict.fromkeys((ROBUST, f"{ROBUST}_1145"), "")
    groups |= {"imagenet_vid_val": BEFORE, "imagenet_vid_train": TRAINING}
    found = {}
    for row in printed(ITEM, dataset=[*groups]):
        version = FIRST if row.locator.endswith("sec. 1") else SECOND
        found[groups[str(row.dataset)], row.metric, version] = int(number(row))
    return found


UNKNOWN = KeyNumber("an unknown number of")


def key_numbers(
    results: Results,
    found: Sequence[Fall],
    network: str | None,
    reviewed: Counts | None,
    rule: Similarity | None,
) -> dict[str, KeyNumber]:
    """Return the prose's numbers: counts, drops, the review's errors and the bounds of its rule.

    Args:
        network: name of the network; None if none was evaluated.
        reviewed: counts of the review; None if people reviewed, and did not publish them.
        rule: rule of the review; None likewise.
    """
    fitting = agreeing()
    best = max(fitting, key=lambda n: fitting[n])
    return {
        "network": KeyNumber("no network" if network is None else network_title(network)),
        "fall": percent(results.first(item=FALLS, metric="share")),
        "falls": NOT_MEASURED
        if network is None
        else _count(len(found), "sets with a right anchor and a wrong neighbour"),
        "largest": NOT_MEASURED if network is None else _largest(found),
        "printed_intervals": _count(len(recomputed()), "intervals of Table 1"),
        "fitting_n": _count(best, "number of anchors that matches most of the printed intervals"),
        "fitting": _count(fitting[best], "printed intervals that match that number of anchors"),
        "fitting_released": _count(
            fitting[SCORED], "printed intervals that match the number of released anchors"
        ),
        **{
            name: _counted(results, name)
            for name in ("anchors", "frames", "median_neighbours", "frames_with_several_labels")
        },
        **_of_review(reviewed),
        **_of_rule(rule),
    }


def _of_review(reviewed: Counts | None) -> dict[str, KeyNumber]:
    if reviewed is None:
        names = ("videos", "unfair", "pairs", "dropped", "kept", "faulty", "missed", "harsh")
        return {**dict.fromkeys(names, UNKNOWN), "kept_share": NOT_MEASURED}
    kept = reviewed.kept / reviewed.pairs if reviewed.pairs else 0.0
    values = {
        "videos": (reviewed.videos, "clips, one anchor each, before the review"),
        "unfair": (reviewed.unfair, "anchors that are not fair images"),
        "pairs": (reviewed.pairs, "pairs that the review saw"),
        "dropped": (reviewed.pairs - reviewed.kept, "pairs that the review rejected"),
        "kept": (reviewed.kept, "pairs that the review kept"),
        "faulty": (sum(reviewed.faulty.values()), "pairs with a fault"),
        "missed": (sum(reviewed.missed.values()), "pairs with a fault that the review kept"),
        "harsh": (sum(reviewed.harsh.values()), "pairs without a fault that the review rejected"),
    }
    numbers = {name: _count(*value) for name, value in values.items()}
    share = KeyNumber(f"{100 * kept:.0f} %", kept, "of the reviewed pairs", reviewed.pairs)
    return {**numbers, "kept_share": share}


def _of_rule(rule: Similarity | None) -> dict[str, KeyNumber]:
    names = ("overlap", "scale", "turn", "visible", "light", "blur")
    if rule is None:
        return dict.fromkeys(names, KeyNumber("not written down"))
    values = {name: float(getattr(rule, name)) for name in names}
    return {
        name: KeyNumber(f"{value:g}", value, f"bound of the similarity rule: {name}")
        for name, value in values.items()
    }


def _largest(found: Sequence[Fall]) -> KeyNumber:
    if not found:
        return KeyNumber("none")
    one = found[0]
    text = f"from {100 * one.before:.0f} to {100 * one.after:.0f} % at {offset_words(one.offset)}"
    return KeyNumber(text, one.lost, "drop in the confidence for the true class")


def _count(number: int, what: str) -> KeyNumber:
    return count(number, what, number or None)


def _counted(results: Results, metric: str) -> KeyNumber:
    dataset = next(row.dataset for row in results.rows if row.metric == "pairs")
    row = results.row(item=counts.ITEM, metric=metric, dataset=dataset)
    return _count(int(row.value), metric.replace("_", " "))


SCORED = 1109
"""The anchors that Table 1's accuracies are counts of; see erratum vid-two-versions."""
CANDIDATES: Mapping[int, str] = MappingProxyType(
    {SCORED: "released", 1145: "section 2", 1314: "before review"}
)
"""Numbers of anchors -> where the paper has so many."""

Ends = tuple[float, float]


def recomputed() -> list[tuple[str, int, float, Ends, dict[int, Ends]]]:
    """Return model, k, accuracy, printed interval and those for each number of anchors, percent.

    The share of the 1,109 anchors is applied to the other numbers of anchors, for which the count
    need not be whole.
    """
    table, found = reported("vid-tab1"), []
    for line in rows(table, "pm_accuracy"):
        share = counts_of(100 * number(line), SCORED)[0] / SCORED
        printed = _rounded(
            value(table, f"pm_accuracy_{end}", model=line.model, k=line.k)
            for end in ("low", "high")
        )
        ours = {n: _rounded(exact_interval(share * n, n)) for n in CANDIDATES}
        found.append((str(line.model), line.k or 0, 100 * number(line), printed, ours))
    return found


def agreeing() -> dict[int, int]:
    """Return number of anchors -> number of printed intervals that match it."""
    every = recomputed()
    return {n: sum(ours[n] == printed for *_, printed, ours in every) for n in CANDIDATES}


def interval_frame() -> pd.DataFrame:
    """Return the printed intervals next to those for each number of anchors; mismatches are red."""
    return pd.DataFrame(
        [
            {
                "Network": TYPES[model].capitalize(),
                "k": k,
                "Printed": f"{accuracy:.1f}{ends(*printed)}",
                **{f"n = {n:,}": _cell(ours[n], printed) for n in CANDIDATES},
            }
            for model, k, accuracy, printed, ours in recomputed()
        ]
    )


def words() -> str:
    """Return a sentence on the table, computed from it."""
    found = agreeing()
    best = max(found, key=lambda n: found[n])
    others = " and ".join(f"{found[n]} for n = {n:,} ({CANDIDATES[n]})" for n in found if n != best)
    return (
        f"Of the {len(recomputed())} printed intervals, {found[best]} are those for n = {best:,} "
        f"({CANDIDATES[best]}); {others}"
    )


def _rounded(interval: Iterable[float]) -> Ends:
    low, high = (round(100 * float(end), 1) for end in interval)
    return low, high


def _cell(ours: Ends, printed: Ends) -> Html:
    shown = text(ends(*ours).strip())
    if np.allclose(ours, printed):
        return Html(f"{shown} ✓")
    return Html(f'<span class="rb-wrong">{shown}</span>')
