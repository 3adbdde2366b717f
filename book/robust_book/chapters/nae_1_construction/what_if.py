"""What if ImageNet-A's rule had other thresholds?"""

import numpy as np
import pandas as pd

from robust_book.chapters.nae_1_construction.funnel import HEADINGS
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import slider, what_if
from robust_lib.curation.decisions import SHORTLISTED, Filtration

PERCENT = np.arange(101) / 100
MOST = 30  # of a confusion, as far as the slider goes
PAPERS = 15  # percent in the true class, and candidates of a confusion [nae, sec. 3]


def thresholds(every: Filtration | None) -> Html:
    """Return the funnel, which a reader computes again with other thresholds.

    Args:
        every: of `funnel.filtration` with a confidence of 1 and no most, so that all candidates
            that fool the filters are there, and the review has seen each. None: others filtered.

    >>> texts(thresholds(toys.EVERY), "td")[:6]  # pool and those that are wrong on every crop
    ['7', '100.0', '2', '4', '57.1', '2']
    """
    if every is None:
        return Html(
            '<p class="rb-convention">The pictures of this profile were filtered by the paper\'s '
            "authors, who did not publish the candidates: their thresholds cannot be moved.</p>"
        )
    fooled = _fooled(every)
    return what_if(
        "filter",
        "What if the thresholds were others?",
        [
            slider(
                "confidence", "Probability of the true class at most", 0, 100, PAPERS, unit=" %"
            ),
            slider("most", "Kept of a confusion", 1, MOST, PAPERS),
        ],
        table(
            _frame(every, fooled),
            caption="Candidates left after each step, in percent of those before it, and classes "
            "left",
            decimals={"Left": 0, "Classes": 0},
        ),
        {
            "candidates": len(every),
            "classes": list(every.class_names),
            "fooled": fooled.to_numpy().tolist(),
        },
        convention=f"{every.settings['candidates']}; filters {' and '.join(every.filters)}; ten "
        "crops. The review's thresholds stay as they are; it has looked at every candidate that "
        "fools the filters.",
    )


def _fooled(every: Filtration) -> pd.DataFrame:
    """Return true class, answer, smallest threshold that is passed, and what the review says."""
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
    """Return what the script computes, at the paper's thresholds."""
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
