"""The two data sets and how they came about: counts at each step, sizes and classes, as rows."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.curation.decisions import Filtration
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results import reported
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.row import Row
from robust_lib.results.table import Results

TOTAL = "total"
CROPS = 10

STEPS: Mapping[str, str] = {
    "downloaded": "candidates",
    "filtered": "fooled",
    "shortlisted": "shortlisted",
    "selected": "reviewed",
}
"""The paper's word for a step -> the column of `Filtration.funnel` that counts what is left."""

HEADINGS = {
    "candidates": "Pool",
    "fooled": "All wrong",
    "unconfident in truth": "Truth unlikely",
    "shortlisted": "Shortlist",
    "reviewed": "Kept",
}

TASKS = {"imagenet_a": "Classification", "imagenet_o": "Out-of-distribution detection"}


def require_rule(confidence: float, most: int) -> None:
    """Raise InputError unless these are thresholds of ImageNet-A's rule."""
    if not 0 <= confidence <= 1 or most < 1:
        raise InputError(
            f"Expected a confidence from 0 to 1 and most of at least 1, but got {confidence} and "
            f"{most}. A confidence is a fraction: 15 % is 0.15."
        )


def require_class(names: Sequence[str], shown: str) -> None:
    """Raise InputError unless there is a class of that name, or all are meant."""
    if shown != TOTAL and shown not in names:
        raise InputError(one_of("a class", shown, (TOTAL, *names)))


def counts(found: Filtration | None, shown: str) -> Results:
    """Return how many candidates were left after each step, as rows; none without candidates.

    Args:
        found: of ImageNet-A's rule.
        shown: name of a class, or "total".
    """
    if found is None:
        return Results()
    return Results.of(
        Row(
            item="nae-funnel",
            dataset=f"{found.settings['candidates']}/{step}",
            metric="images",
            convention=None if shown == TOTAL else shown,
            value=float(count),
        )
        for step, count in _left(found, shown).items()
    )


def rules(found: Filtration | None, images: ImageSet, confidence: float, most: int) -> Results:
    """Return the settings of ImageNet-A's rule, as rows; none where others filtered."""
    settings = {"crops": CROPS, "true_class_confidence": confidence, "images_per_confusion": most}
    return Results.of(
        Row(item="nae-funnel", dataset=images.name, metric=metric, value=float(value))
        for metric, value in (settings if found is not None else {}).items()
    )


def stand_ins(found: Filtration | None) -> dict[str, str]:
    """Return what stands for the paper's dragonflies: this run's candidates."""
    return {} if found is None else {"dragonfly": str(found.settings["candidates"])}


def papers() -> dict[str, int]:
    """Return the paper's own funnel, that of the dragonflies: step -> how many were left."""
    found = {
        str(row.dataset).partition("/")[2]: int(row.number or 0)
        for row in reported.reported("nae")
        if row.item == "nae-funnel" and row.metric == "images" and row.status == "printed"
    }
    return {step: found[step] for step in STEPS}


def ours(found: Filtration | None, shown: str) -> dict[str, dict[str, int]]:
    """Return this run's funnel under its title; nothing where others filtered."""
    if found is None:
        return {}
    what = "all classes" if shown == TOTAL else shown
    return {f"This run: {what}": _left(found, shown)}


def table(found: Filtration | None) -> pd.DataFrame:
    """Return how many candidates of each class are left after each step; else the paper's."""
    if found is None:
        return pd.DataFrame([{"Class": "dragonfly (the paper)", **papers()}])
    return found.funnel().rename(columns=HEADINGS).rename_axis("Class").reset_index()


def sizes(hard: ImageSet, foreign: ImageSet, whole: ImageSet) -> Results:
    """Return how many images and classes the data sets have, as rows.

    Args:
        hard: ImageNet-A or what stands for it.
        foreign: ImageNet-O or what stands for it.
        whole: pictures of all classes.
    """
    return Results.of(
        Row(item=item, dataset=images.name, metric=metric, value=float(value))
        for item, images, metric, value in (
            ("nae-tab1", hard, "images", len(hard)),
            ("nae-tab1", foreign, "images", len(foreign)),
            ("nae-tab1", hard, "classes", len(hard.class_names)),
            ("nae-tab1", foreign, "classes", len(foreign.class_names)),
            ("nae-tab1", whole, "classes", len(whole.class_names)),
            ("nae-appa", hard, "classes", len(hard.class_names)),
            ("nae-appb", foreign, "classes", len(foreign.class_names)),
        )
    )


def sources(hard: ImageSet, foreign: ImageSet) -> dict[str, tuple[str, str]]:
    """Return data set -> its task, and what it is."""
    return {
        images.name: (task, load_dataset(images.name).title)
        for images, task in zip((hard, foreign), TASKS.values(), strict=True)
    }


def class_table(images: ImageSet) -> pd.DataFrame:
    """Return the classes of a data set and how many of its pictures each has."""
    counted = np.bincount(images.labels, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Images": counted})


def answer_table(asked: MaskedPredictions, images: ImageSet, model: str) -> pd.DataFrame:
    """Return the classes that foreign pictures were taken for, and how many for each."""
    predicted = asked.predictions[model][0].predicted
    counted = np.bincount(predicted, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Taken for": counted})


def paper_classes(name: str) -> pd.DataFrame:
    """Return one of the paper's two lists of 200 classes: name and WordNet id."""
    entries = load_classes(name).entries
    return pd.DataFrame(
        {"Class": [one.name for one in entries], "WordNet id": [one.wnid for one in entries]}
    )


def key_numbers(
    found: Filtration | None, hard: ImageSet, foreign: ImageSet
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role."""
    left = {} if found is None else _left(found, TOTAL)
    words = {"candidates": "downloaded", "fooled": "filtered", "shortlisted": "shortlisted"}
    numbers = {key: left.get(step) for key, step in words.items()}
    numbers |= {"selected": len(hard), "foreign": len(foreign)}
    return {
        key: KeyNumber("an unknown number of")
        if count is None
        else KeyNumber(f"{count:,}", value=count, convention="images, all classes", n=count)
        for key, count in numbers.items()
    }


def _left(found: Filtration, shown: str) -> dict[str, int]:
    counted = found.funnel().loc[shown].to_dict()
    return {step: int(counted[column]) for step, column in STEPS.items() if column in counted}
