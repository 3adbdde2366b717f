"""What the review dropped, why, and where it erred: known of the miniature's clips alone."""

from collections.abc import Sequence

import pandas as pd

from robust_book.chapters.nae.galleries import Gallery
from robust_book.chapters.vid_1_dataset.falls import offset_words
from robust_lib import seeds
from robust_lib.datasets import ImageSet
from robust_lib.datasets.clips import Clips
from robust_lib.miniworld.clip_motion import LARGEST
from robust_lib.miniworld.clip_review import REASONS, Counts, Pair
from robust_lib.miniworld.similarity import Truth

FAULTS = {
    "jump": "the subject leaps",
    "cut": "another clip",
    "blur": "blur",
    "label": "wrong label",
}
STEPS = {
    "significant background change": "same scene",
    "wrong label": "right label",
    "significant motion": "little motion",
    "significant blur change": "as sharp",
    "other": "nothing else",
}
"""Why a pair is dropped -> what is left after those with it are gone."""


def reviewed_clips(images: ImageSet) -> Clips | None:
    """Return the clips whose review is known; None for released sets, whose review is not."""
    return images if isinstance(images, Clips) else None


def examples(pairs: Sequence[Pair], seed: int = 0) -> tuple[Pair, ...]:
    """Return one dropped pair of each reason that occurs, drawn by (seed, clip, offset)."""
    drawn = sorted(pairs, key=lambda one: seeds.key(seed, one.clip, one.offset, "dropped"))
    first = {one.reason: one for one in reversed(drawn)}
    return tuple(first[reason] for reason in REASONS if reason in first)


def gallery(clips: Clips, pairs: Sequence[Pair]) -> Gallery:
    """Return each pair's anchor and neighbour, with the reason for which it was dropped."""
    pictures, captions = [], []
    for one in pairs:
        frames, clip = clips.candidates(one.clip), clips.clips[one.clip]
        pictures += [frames[LARGEST], frames[LARGEST + one.offset]]
        captions += [f"anchor: {_said(clip.at(0))}", caption(one, clip.at(one.offset))]
    return Gallery(tuple(pictures), tuple(captions))


def caption(pair: Pair, frame: Truth) -> str:
    r"""Return a dropped neighbour's place and the reason; what a wrong label says is red.

    >>> from robust_lib.miniworld.similarity import Target
    >>> bell = Target("bell", (0.2, 0.2, 0.8, 0.8), 1.0, 0.0, 0.6, 0.0)
    >>> caption(Pair("val/a", 3, ("labels",)), Truth((bell,), 0.0, 0.0, ("cat",)))
    '+3: wrong label\n→ cat'
    """
    words = f"{offset_words(pair.offset)}: {pair.reason}"
    if pair.reason != "wrong label":
        return words
    return f"{words}\n\N{RIGHTWARDS ARROW} {_said(frame)}"


def fault_frame(counts: Counts) -> pd.DataFrame:
    """Return how many pairs have a fault of each kind, and how many of them the review missed."""
    return pd.DataFrame(
        [
            {
                "Fault": FAULTS[kind],
                "Pairs with it": faulty,
                "Dropped": faulty - counts.missed[kind],
                "Missed": counts.missed[kind],
            }
            for kind, faulty in counts.faulty.items()
        ],
        columns=["Fault", "Pairs with it", "Dropped", "Missed"],
    )


def reason_frame(counts: Counts) -> pd.DataFrame:
    """Return how many pairs were dropped for each reason, and how many of them have no fault."""
    return pd.DataFrame(
        [
            {"Reason": reason, "Dropped": dropped, "Without a fault": counts.harsh[reason]}
            for reason, dropped in counts.dropped.items()
        ]
    )


def steps(counts: Counts) -> dict[str, int]:
    """Return how many pairs are left after each reason, for those that occur.

    >>> steps(toys.REVIEW.counts)
    {'candidates': 40, 'fair anchor': 20, 'little motion': 19, 'as sharp': 18}
    """
    left = counts.pairs
    found = {"candidates": 2 * LARGEST * counts.videos, "fair anchor": left}
    for reason in REASONS:
        if counts.dropped[reason]:
            left -= counts.dropped[reason]
            found[STEPS[reason]] = left
    return found


def _said(frame: Truth) -> str:
    return " and ".join(frame.said)
