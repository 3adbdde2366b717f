"""Review of clips: simulated decisions of people on each pair of anchor and neighbour.

People reviewed ImageNet-Vid-Robust's pairs one by one, and rejected those that are not similar or
whose label is wrong [vid, sec. 2.2]. Here the similarity rule decides, from the frames' ground
truth. Since the faults of clips are known, so are the errors of the review.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

from robust_lib.errors import InputError
from robust_lib.miniworld.clip_motion import FRAMES, LARGEST
from robust_lib.miniworld.clip_truth import Clip
from robust_lib.miniworld.review import CONTRAST
from robust_lib.miniworld.similarity import Difference, Similarity, differences

Reason = Literal[
    "significant background change",
    "wrong label",
    "significant motion",
    "significant blur change",
    "other",
]

REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a pair is dropped, in the paper's words; of several the first counts."""

REASON_OF: Mapping[Difference, Reason] = MappingProxyType(
    {
        "subject": "significant background change",
        "labels": "wrong label",
        "overlap": "significant motion",
        "scale": "significant motion",
        "turn": "significant motion",
        "blur": "significant blur change",
        "visible": "other",
        "light": "other",
    }
)
"""Which parts of the rule a reviewer would call by which reason."""


@dataclass(frozen=True)
class Pair:
    """A reviewed pair of an anchor and a neighbour.

    `differences` are the parts of the rule that the neighbour violates, including a wrong label; if
    there are none, it is kept. `fault` is the reason why it is a deliberately bad neighbour, or
    None.
    """

    clip: str
    offset: int
    differences: tuple[Difference, ...]
    fault: str | None = None

    @property
    def reason(self) -> Reason | None:
        """Return the reason why the pair is rejected; None if it is kept.

        >>> Pair("val/a", 3, ("blur", "labels")).reason, Pair("val/a", 4, ()).reason
        ('wrong label', None)
        """
        found = {REASON_OF[part] for part in self.differences}
        return next((reason for reason in REASONS if reason in found), None)


@dataclass(frozen=True)
class Counts:
    """Counts for each step of the review, from the videos to the sets that are kept.

    Attributes:
        unfair: anchors that are not a fair image of their subject; their pairs are not reviewed.
        pairs: reviewed pairs of anchor and neighbour.
        alone: anchors whose neighbours are all rejected.
        missed: kept pairs with a fault, by its kind.
        faulty: pairs with a fault, by its kind.
        harsh: rejected pairs without a fault, by reason.
    """

    videos: int
    unfair: int
    pairs: int
    dropped: Mapping[Reason, int]
    kept: int
    alone: int
    anchors: int
    missed: Mapping[str, int]
    faulty: Mapping[str, int]
    harsh: Mapping[Reason, int]


@dataclass(frozen=True)
class ClipReview:
    """The record of a review.

    Attributes:
        unfair: names of the clips whose anchor is not a fair image.
        pairs: pairs of the other clips, in the order of clips and offsets.
    """

    videos: tuple[str, ...]
    unfair: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @cached_property
    def kept(self) -> Mapping[str, tuple[int, ...]]:
        """Return, by clip, the offsets of the neighbours that each remaining anchor keeps."""
        found: dict[str, list[int]] = {}
        for pair in self.pairs:
            if pair.reason is None:
                found.setdefault(pair.clip, []).append(pair.offset)
        return MappingProxyType({clip: tuple(offsets) for clip, offsets in found.items()})

    @cached_property
    def counts(self) -> Counts:
        """Return counts of videos, anchors and pairs, before and after, and the review's errors."""
        reasons = Counter(pair.reason for pair in self.pairs)
        faulty = Counter(pair.fault for pair in self.pairs if pair.fault is not None)
        missed = Counter(pair.fault for pair in self.pairs if pair.fault and not pair.reason)
        harsh = Counter(pair.reason for pair in self.pairs if pair.reason and not pair.fault)
        return Counts(
            videos=len(self.videos),
            unfair=len(self.unfair),
            pairs=len(self.pairs),
            dropped=MappingProxyType({reason: reasons[reason] for reason in REASONS}),
            kept=reasons[None],
            alone=len(self.videos) - len(self.unfair) - len(self.kept),
            anchors=len(self.kept),
            missed=MappingProxyType({kind: missed[kind] for kind in sorted(faulty)}),
            faulty=MappingProxyType({kind: faulty[kind] for kind in sorted(faulty)}),
            harsh=MappingProxyType({reason: harsh[reason] for reason in REASONS}),
        )


def reviewed(
    clips: Sequence[Clip], rule: Similarity | None = None, *, contrast: float = CONTRAST
) -> ClipReview:
    """Return the review of each pair of an anchor and a neighbour.

    An anchor is a fair image of its subject if the subject is visible and stands out as the review
    of scenes requires (see `review`), and its label is right.

    Args:
        rule: the similarity rule; None: the default rule.
        contrast: minimum contrast of an anchor's subject, from 0 to 1.

    Raises:
        InputError: no clips, one twice, or one without all of its frames.
    """
    _require_whole(clips)
    rule = rule or Similarity()
    unfair, pairs = [], []
    for clip in clips:
        anchor = clip.at(0)
        if clip.contrast < contrast or differences(anchor, anchor, rule):
            unfair.append(clip.name)
            continue
        for offset in range(-LARGEST, LARGEST + 1):
            if offset:
                frame = clip.at(offset)
                found = differences(frame, anchor, rule)
                pairs.append(Pair(clip.name, offset, found, frame.fault))
    return ClipReview(tuple(clip.name for clip in clips), tuple(unfair), tuple(pairs))


def _require_whole(clips: Sequence[Clip]) -> None:
    names = {clip.name for clip in clips}
    if not clips or len(names) < len(clips):
        raise InputError(
            f"Expected clips to review, each once, but got {len(clips)} of {len(names)} names."
        )
    if short := [clip.name for clip in clips if len(clip.frames) != FRAMES]:
        raise InputError(
            f"Expected what is true of {FRAMES} frames of each clip, but {short[0]} has another "
            "number. Give all of them, from -10 to 10."
        )
