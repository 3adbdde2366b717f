"""Candidates with their images and proposed boxes, from a search or a file.

The file is JSON with one record per image; boxes are as in COCO: x, y, width and height in pixels.
Classes are given by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from jaxtyping import Float
from pydantic import BaseModel, ConfigDict, Field

from robust_lib import atomic
from robust_lib.config.coco import Box, from_coco, to_coco
from robust_lib.config.strict_json import read_json
from robust_lib.curation.candidates import IOU, SCORE, Candidate, Kind, candidates
from robust_lib.datasets import picture_size
from robust_lib.datasets.objects import Objects, foreign_of, truth_of
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.types import UNKNOWN

FORMAT = 1
"""Raise it when the fields change; files of another format are refused."""


@dataclass(frozen=True)
class Photograph:
    """An image: its path below the folder, and its size in pixels."""

    file: str
    width: int
    height: int


@dataclass(frozen=True)
class Category:
    """A class of the label set, and its number in COCO's files."""

    id: int
    name: str


@dataclass(frozen=True)
class Labelled:
    """A box in xyxy pixels, and the index of its class in the label set."""

    box: Box
    category: int


@dataclass(frozen=True, kw_only=True)
class CandidateSet:
    """The images with a detector's confident mistakes, and the boxes proposed to annotators.

    Args:
        detector: name of the detector; empty without one.
        candidates: the mistakes, with images numbered from 0.
    """

    detector: str
    categories: tuple[Category, ...]
    searched: int
    settings: Mapping[str, Any]
    photographs: tuple[Photograph, ...]
    candidates: tuple[Candidate, ...]
    proposals: tuple[tuple[Labelled, ...], ...]

    def only(self, places: Sequence[int]) -> "CandidateSet":
        """Return some of the images with their candidates and boxes, numbered anew from 0."""
        numbers = {place: number for number, place in enumerate(places)}
        return CandidateSet(
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


def save(found: CandidateSet, path: Path) -> None:
    """Write candidates as JSON; an older file is replaced only by a complete new one."""
    names = [one.name for one in found.categories]
    by_picture: list[list[Candidate]] = [[] for _ in found.photographs]
    for one in found.candidates:
        by_picture[one.image].append(one)
    record = {
        "format": FORMAT,
        "detector": found.detector,
        "searched": found.searched,
        "settings": dict(found.settings),
        "categories": [{"id": one.id, "name": one.name} for one in found.categories],
        "pictures": [
            {
                "file": picture.file,
                "width": picture.width,
                "height": picture.height,
                "candidates": [
                    {
                        "kind": one.kind,
                        "bbox": to_coco(one.box),
                        "predicted": names[one.predicted],
                        "score": one.score,
                        "truth": None if one.truth < 0 else names[one.truth],
                        "overlap": one.overlap,
                    }
                    for one in of_picture
                ],
                "proposals": [
                    {"bbox": to_coco(one.box), "category": names[one.category]} for one in proposals
                ],
            }
            for picture, of_picture, proposals in zip(
                found.photographs, by_picture, found.proposals, strict=True
            )
        ],
    }
    atomic.write_json(path, record)


def load(path: Path) -> CandidateSet:
    """Return the candidates that `save` wrote.

    Raises:
        DataError: no such file, or not one that `save` wrote; the message says what is wrong.
    """
    missing = (
        f"Expected candidates at {path}, but there is no such file. Run `robust candidates` to "
        "write it."
    )
    return _found(read_json(path, _File, missing, _refused), path)


def repeated(names: Iterable[str]) -> str | None:
    """Return the first name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


_Pixels = Annotated[list[float], Field(min_length=4, max_length=4)]
_Fraction = Annotated[float, Field(ge=0, le=1)]
_Whole = Annotated[int, Field(ge=0)]
_Size = Annotated[int, Field(gt=0)]


class _Candidate(_Strict):
    kind: Kind
    bbox: _Pixels
    predicted: str
    score: _Fraction
    truth: str | None
    overlap: _Fraction


class _Proposal(_Strict):
    bbox: _Pixels
    category: str


class _Picture(_Strict):
    file: str
    width: _Size
    height: _Size
    candidates: list[_Candidate]
    proposals: list[_Proposal]


class _Category(_Strict):
    id: _Whole
    name: str


class _File(_Strict):
    format: Literal[1]
    detector: str
    searched: _Whole
    settings: dict[str, Any]
    categories: Annotated[list[_Category], Field(min_length=1)]
    pictures: list[_Picture]


def _found(file: _File, path: Path) -> CandidateSet:
    classes = {one.name: place for place, one in enumerate(file.categories)}
    if len(classes) < len(file.categories):
        raise _refused(path, "a category occurs twice")
    if (twice := repeated(one.file for one in file.pictures)) is not None:
        raise _refused(path, f"{twice} occurs twice")

    def number(name: str, of: _Picture) -> int:
        if name not in classes:
            raise _refused(path, f"{of.file} has a box of {name}, which is not a category")
        return classes[name]

    def corners(bbox: Sequence[float], of: _Picture) -> Box:
        box = from_coco(bbox)
        if min(bbox[2:]) < 0 or not inside(box, of.width, of.height):
            raise _refused(
                path, f"{of.file} is {of.width} x {of.height} pixels, and {bbox} is not a box in it"
            )
        return box

    found: list[Candidate] = []
    proposals = []
    for place, of in enumerate(file.pictures):
        for one in of.candidates:
            found.append(
                Candidate(
                    image=place,
                    detection=len(found),
                    kind=one.kind,
                    box=corners(one.bbox, of),
                    predicted=number(one.predicted, of),
                    score=one.score,
                    truth=UNKNOWN if one.truth is None else number(one.truth, of),
                    overlap=one.overlap,
                )
            )
        proposals.append(
            tuple(Labelled(corners(one.bbox, of), number(one.category, of)) for one in of.proposals)
        )
    return CandidateSet(
        detector=file.detector,
        categories=tuple(Category(one.id, one.name) for one in file.categories),
        searched=file.searched,
        settings=file.settings,
        photographs=tuple(Photograph(of.file, of.width, of.height) for of in file.pictures),
        candidates=tuple(found),
        proposals=tuple(proposals),
    )


def inside(box: Box, width: int, height: int) -> bool:
    """Return whether a box is inside an image; a hundredth of a pixel is allowed for rounding."""
    left, top, right, bottom = box
    return min(left, top) >= -0.01 and right <= width + 0.01 and bottom <= height + 0.01


def _refused(path: Path, what: str) -> DataError:
    return DataError(
        f"Expected a file of candidates at {path}, but it is not one: {what}. Write it again with "
        "`robust candidates`."
    )


PROPOSED = 0.5
"""The smallest score, a fraction, of proposed boxes if the objects are unknown; we chose it."""


def photographs(folder: Path, files: Sequence[str]) -> tuple[Photograph, ...]:
    """Return images with their sizes, read from the headers of their files.

    Raises:
        DataError: a file is missing or not an image; the message names it.
    """
    return tuple(Photograph(file, *picture_size(folder / file)) for file in files)


def search(
    pictures: Sequence[Photograph],
    detections: Detections,
    categories: Sequence[Category],
    *,
    detector: str,
    objects: Sequence[Objects] | None = None,
    truth: str | None = None,
    iou: float = IOU,
    score: float = SCORE,
    count_foreign: bool = False,
) -> CandidateSet:
    """Return the images with a detector's confident mistakes, and proposed boxes for annotators.

    Without objects, every confident box is a candidate, and people decide whether it is a mistake.
    Proposals are the objects if these are known, as OpenImages' were for the paper's annotators;
    otherwise they are the detector's boxes with a medium or higher score.

    Args:
        objects: one entry per image; None if they are unknown.
        iou: the IoU of a detection and its object must be above this.
        score: the score of a confident detection must be above this, a fraction.
        count_foreign: whether objects outside the label set count as ground truth; see
            `candidates`.

    Raises:
        InputError: an invalid threshold, or `count_foreign` without known objects.

    >>> dog = Detections(np.array([1]), np.array([0]), np.array([[1.0, 1.0, 9.0, 9.0]]),
    ...     np.array([0.9]))
    >>> both = (Photograph("a.jpg", 64, 48), Photograph("b.jpg", 64, 48))
    >>> found = search(both, dog, [Category(18, "dog")], detector="net")
    >>> [one.file for one in found.photographs], found.searched
    (['b.jpg'], 2)
    """
    foreign = foreign_of(objects) if objects is not None and count_foreign else None
    if count_foreign and foreign is None:
        raise InputError(
            "Expected boxes of out-of-distribution objects to count, but there are none. Pass a "
            "file of objects with categories outside the label set, or omit --foreign."
        )
    known = _nothing() if objects is None else truth_of(objects)
    by_image = candidates(known, detections, iou=iou, score=score, foreign=foreign)
    whole = CandidateSet(
        detector=detector,
        categories=tuple(categories),
        searched=len(pictures),
        settings={"iou": iou, "score": score, "truth": truth, "foreign": count_foreign},
        photographs=tuple(pictures),
        candidates=tuple(one for of in by_image.values() for one in of),
        proposals=tuple(
            _labelled(detections, place) if objects is None else _objects(objects[place])
            for place in range(len(pictures))
        ),
    )
    return whole.only(list(by_image))


def without_candidates(
    pictures: Sequence[Photograph], categories: Sequence[Category]
) -> CandidateSet:
    """Return images for annotators to draw boxes in, without a detector's mistakes."""
    return CandidateSet(
        detector="",
        categories=tuple(categories),
        searched=len(pictures),
        settings={},
        photographs=tuple(pictures),
        candidates=(),
        proposals=tuple(() for _ in pictures),
    )


def _nothing() -> Truth:
    return Truth(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4)))


def _labelled(detections: Detections, place: int) -> tuple[Labelled, ...]:
    chosen = np.flatnonzero((detections.images == place) & (detections.scores >= PROPOSED))
    return tuple(Labelled(_box(detections.boxes[at]), int(detections.classes[at])) for at in chosen)


def _objects(of: Objects) -> tuple[Labelled, ...]:
    single = np.flatnonzero(~of.crowds)
    return tuple(Labelled(_box(of.boxes[at]), int(of.classes[at])) for at in single)


def _box(corners: Float[np.ndarray, " 4"]) -> Box:
    left, top, right, bottom = (round(float(value), 2) for value in corners)
    return left, top, right, bottom
