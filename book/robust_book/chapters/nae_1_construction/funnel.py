"""The funnel: how many candidates of ImageNet-A are left after each step of its rule."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib.curation.decisions import Filtration
from robust_lib.datasets import ImageSet
from robust_lib.results.reported import number
from robust_lib.results.reported import printed as printed_numbers
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import filtered_sets
from robust_lib.run.run import Run

TOTAL = "total"
CROPS = 10

STEPS: Mapping[str, str] = MappingProxyType(
    {
        "downloaded": "candidates",
        "filtered": "fooled",
        "shortlisted": "shortlisted",
        "selected": "reviewed",
    }
)
"""The paper's word for a step -> the column of `Filtration.funnel` that counts what is left."""

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        "candidates": "Pool",
        "fooled": "All wrong",
        "unconfident in truth": "Truth unlikely",
        "shortlisted": "Shortlist",
        "reviewed": "Kept",
    }
)


def filtration(run: Run, confidence: float, most: int | None) -> Filtration | None:
    """Return at which step each of ImageNet-A's candidates fell; None where others filtered.

    Args:
        run: its profile says what the candidates are.
        confidence: a candidate falls if a filter gives its true class more than this.
        most: candidates kept of a pair of true class and predicted one; None: all.
    """
    if not filtered_sets.is_constructed(run.profile, "imagenet_a"):
        return None
    rule = {"confidence": confidence, "most": most}
    return filtered_sets.construction(run.profile, "imagenet_a", run.store, **rule).filtration


def results(
    filtration: Filtration | None, images: ImageSet, wanted: str, confidence: float, most: int
) -> Results:
    """Return the counts after each step and the rule's settings, as rows; none without candidates.

    Args:
        filtration: of `filtration`.
        images: what is left of the candidates.
        wanted: name of the class that is counted, or "total".
        confidence: a candidate falls if a filter gives its true class more than this.
        most: candidates kept of a pair of true class and predicted one.
    """
    if filtration is None:
        return Results()
    pool = filtration.settings["candidates"]
    settings = {"crops": CROPS, "true_class_confidence": confidence, "images_per_confusion": most}
    counts = Results.of(
        Row(
            item="nae-funnel",
            dataset=f"{pool}/{step}",
            metric="images",
            convention=None if wanted == TOTAL else wanted,
            value=float(count),
        )
        for step, count in candidates_left(filtration, wanted).items()
    )
    return counts + Results.of(
        Row(item="nae-funnel", dataset=images.name, metric=metric, value=float(value))
        for metric, value in settings.items()
    )


def stand_ins(filtration: Filtration | None) -> dict[str, str]:
    """Return what stands for the paper's dragonflies: this run's candidates.

    >>> stand_ins(toys.FILTRATION)
    {'dragonfly': 'pool'}
    """
    return {} if filtration is None else {"dragonfly": str(filtration.settings["candidates"])}


def printed() -> dict[str, int]:
    """Return the paper's own funnel, that of the dragonflies: step -> how many were left."""
    found = {
        str(row.dataset).partition("/")[2]: int(number(row))
        for row in printed_numbers("nae-funnel", metric="images", status="printed")
    }
    return {step: found[step] for step in STEPS}


def titled(filtration: Filtration | None, wanted: str) -> dict[str, dict[str, int]]:
    """Return this run's funnel under its title; nothing where others filtered."""
    if filtration is None:
        return {}
    title = "all classes" if wanted == TOTAL else wanted
    return {f"This run: {title}": candidates_left(filtration, wanted)}


def seen(filtration: Filtration | None, wanted: str) -> str:
    """Return from how many candidates how many are kept, the paper's and this run's, in words.

    >>> seen(None, "total")
    "80 of the paper's 81,413 dragonflies are left"
    """
    first, *_, last = printed().values()
    words = [f"{last:,} of the paper's {first:,} dragonflies"]
    for counts in titled(filtration, wanted).values():
        before, *_, left = counts.values()
        words.append(f"{left:,} of this run's {before:,} candidates")
    return f"{' and '.join(words)} are left"


def step_frame(filtration: Filtration | None) -> pd.DataFrame:
    """Return how many candidates of each class are left after each step; else the paper's."""
    if filtration is None:
        return pd.DataFrame([{"Class": "dragonfly (the paper)", **printed()}])
    return filtration.funnel().rename(columns=dict(HEADINGS)).rename_axis("Class").reset_index()


def candidates_left(filtration: Filtration, wanted: str) -> dict[str, int]:
    """Return the paper's word for a step -> how many candidates of a class are left after it.

    Args:
        filtration: has the candidates.
        wanted: name of a class, or "total".

    >>> candidates_left(toys.FILTRATION, "key")
    {'downloaded': 5, 'filtered': 2, 'shortlisted': 0, 'selected': 0}
    """
    counted = filtration.funnel().loc[wanted].to_dict()
    return {step: int(counted[column]) for step, column in STEPS.items() if column in counted}
