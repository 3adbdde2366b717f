"""The funnel: the number of candidates of ImageNet-A left after each step of its rule."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import slider, what_if
from robust_lib.curation.decisions import SHORTLISTED, Filtration
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
    """Return the step that rejected each of ImageNet-A's candidates; None if others filtered.

    Args:
        confidence: a candidate is rejected if a filter gives its true class a higher probability.
        most: maximum number of candidates kept per pair of true and predicted class; None: all.
    """
    if not filtered_sets.is_constructed(run.profile, "imagenet_a"):
        return None
    rule = {"confidence": confidence, "most": most}
    return filtered_sets.construction(run.profile, "imagenet_a", run.store, **rule).filtration


def results(
    filtration: Filtration | None, images: ImageSet, wanted: str, confidence: float, most: int
) -> Results:
    """Return the counts after each step and the rule's settings as rows; none without candidates.

    Args:
        wanted: name of the class to count, or "total".
        confidence: a candidate is rejected if a filter gives its true class a higher probability.
        most: maximum number of candidates kept per pair of true and predicted class.
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
    """Return the stand-in for the paper's dragonfly images: this run's candidates.

    >>> stand_ins(toys.FILTRATION)
    {'dragonfly': 'pool'}
    """
    return {} if filtration is None else {"dragonfly": str(filtration.settings["candidates"])}


def printed() -> dict[str, int]:
    """Return the paper's funnel, for dragonflies: step -> number of candidates left."""
    found = {
        str(row.dataset).partition("/")[2]: int(number(row))
        for row in printed_numbers("nae-funnel", metric="images", status="printed")
    }
    return {step: found[step] for step in STEPS}


def titled(filtration: Filtration | None, wanted: str) -> dict[str, dict[str, int]]:
    """Return title -> this run's funnel; empty if others filtered."""
    if filtration is None:
        return {}
    title = "all classes" if wanted == TOTAL else wanted
    return {f"This run: {title}": candidates_left(filtration, wanted)}


def seen(filtration: Filtration | None, wanted: str) -> str:
    """Return a text on how many candidates are kept, the paper's and this run's.

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
    """Return the number of candidates left after each step, by class; else the paper's."""
    if filtration is None:
        return pd.DataFrame([{"Class": "dragonfly (the paper)", **printed()}])
    return filtration.funnel().rename(columns=dict(HEADINGS)).rename_axis("Class").reset_index()


def candidates_left(filtration: Filtration, wanted: str) -> dict[str, int]:
    """Return the paper's word for a step -> number of candidates of a class left after it.

    Args:
        wanted: name of a class, or "total".

    >>> candidates_left(toys.FILTRATION, "key")
    {'downloaded': 5, 'filtered': 2, 'shortlisted': 0, 'selected': 0}
    """
    counted = filtration.funnel().loc[wanted].to_dict()
    return {step: int(counted[column]) for step, column in STEPS.items() if column in counted}


PERCENT = np.arange(101) / 100
MOST = 30  # of a confusion, as far as the slider goes
PAPERS = 15  # percent in the true class, and candidates of a confusion [nae, sec. 3]


def thresholds(every: Filtration | None) -> Html:
    """Return the funnel, which a reader can recompute with other thresholds.

    Args:
        every: result of `funnel.filtration` with a confidence of 1 and no maximum, so that it
            contains all candidates that fool the filters, each reviewed. None: others filtered.

    >>> texts(thresholds(toys.EVERY), "td")[:6]  # pool and those that are wrong on every crop
    ['7', '100.0', '2', '4', '57.1', '2']
    """
    if every is None:
        return Html(
            '<p class="rb-convention">The images of this profile were filtered by the paper\'s '
            "authors, who did not publish the candidates: their thresholds cannot be changed.</p>"
        )
    fooled = _fooled(every)
    return what_if(
        "filter",
        "What if the thresholds were different?",
        [
            slider(
                "confidence", "Probability of the true class at most", 0, 100, PAPERS, unit=" %"
            ),
            slider("most", "Kept per confusion", 1, MOST, PAPERS),
        ],
        table(
            _frame(every, fooled),
            caption="Candidates left after each step, as a percentage of those before the step, "
            "and number of classes left",
            decimals={"Left": 0, "Classes": 0},
        ),
        {
            "candidates": len(every),
            "classes": list(every.class_names),
            "fooled": fooled.to_numpy().tolist(),
        },
        convention=f"{every.settings['candidates']}; filters {' and '.join(every.filters)}; ten "
        "crops. The review's thresholds stay unchanged; the review has judged every candidate that "
        "fools the filters.",
    )


def _fooled(every: Filtration) -> pd.DataFrame:
    """Return true class, predicted class, smallest threshold passed, and the review's decision."""
    fooled = np.array([step != "correct" for step in every.steps])
    sure = every.in_truth[fooled].max(axis=1)
    kept = np.array([step == SHORTLISTED for step in every.steps])
    return pd.DataFrame(
        {
            "truth": every.labels[fooled],
            "said": every.predicted[fooled, 0],
            "least": np.searchsorted(PERCENT, sure, side="left"),
            "kept": kept[fooled].astype(int),
        }
    )


def _frame(every: Filtration, fooled: pd.DataFrame) -> pd.DataFrame:
    """Return the frame that the script computes, at the paper's thresholds."""
    unlikely = fooled[fooled["least"] <= PAPERS]
    shortlisted = unlikely[unlikely.groupby(["truth", "said"]).cumcount() < PAPERS]
    parts = [fooled, unlikely, shortlisted, shortlisted[shortlisted["kept"] == 1]]
    left = [len(every), *map(len, parts)]
    shares = [
        100 * count / before if before else None
        for before, count in zip(left[:1] + left, left, strict=False)
    ]
    classes = [len(every.class_names), *(part["truth"].nunique() for part in parts)]
    return pd.DataFrame(
        {
            "Step": list(HEADINGS.values()),
            "Left": left,
            "Of those before (%)": shares,
            "Classes": classes,
        }
    )
