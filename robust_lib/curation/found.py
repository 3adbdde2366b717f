"""What a search for candidates found: pictures, sure mistakes in them, and boxes to begin with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robust_lib.curation.candidates import Candidate

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Photograph:
    """A picture: its path below the folder, and its size in pixels."""

    file: str
    width: int
    height: int


@dataclass(frozen=True)
class Category:
    """A class of the label set, and the number that COCO's files have for it."""

    id: int
    name: str


@dataclass(frozen=True)
class Labelled:
    """A box, xyxy pixels, and the place of its class in the label set."""

    box: Box
    category: int


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a detector's sure mistakes were found in, and what annotators begin with.

    Args:
        detector: whose mistakes they are; empty if there are none.
        categories: the label set.
        searched: how many pictures were looked at.
        settings: thresholds and the file of truth: all that decided.
        photographs: those with a candidate.
        candidates: they number the photographs from 0.
        proposals: boxes of each photograph that annotators may take over.
    """

    detector: str
    categories: tuple[Category, ...]
    searched: int
    settings: Mapping[str, Any]
    photographs: tuple[Photograph, ...]
    candidates: tuple[Candidate, ...]
    proposals: tuple[tuple[Labelled, ...], ...]

    def only(self, places: Sequence[int]) -> "Found":
        """Return some of the photographs with all that belongs to them, numbered anew."""
        numbers = {place: number for number, place in enumerate(places)}
        return Found(
            detector=self.detector,
            categories=self.categories,
            searched=self.searched,
            settings=self.settings,
            photographs=tuple(self.photographs[place] for place in places),
            candidates=tuple(
                replace(one, image=numbers[one.image])
                for one in self.candidates
                if one.image in numbers
            ),
            proposals=tuple(self.proposals[place] for place in places),
        )
