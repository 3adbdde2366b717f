"""The result of a search for candidates: images, confident mistakes in them, and proposed boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robust_lib.curation.candidates import Candidate

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Photograph:
    """An image: its path below the folder, and its size in pixels."""

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
    """The images with a detector's confident mistakes, and what annotators begin with.

    Args:
        detector: name of the detector; empty without one.
        settings: thresholds and the file of truth: all that decided.
        candidates: they number the photographs from 0.
        proposals: boxes per image that annotators may take over.
    """

    detector: str
    categories: tuple[Category, ...]
    searched: int
    settings: Mapping[str, Any]
    photographs: tuple[Photograph, ...]
    candidates: tuple[Candidate, ...]
    proposals: tuple[tuple[Labelled, ...], ...]

    def only(self, places: Sequence[int]) -> "Found":
        """Return some of the images with all that belongs to them, renumbered."""
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
