"""Candidates with their images and proposed boxes, as a search finds them and a file keeps them.

The file is JSON, one record per image, boxes as in COCO: x, y, width and height in pixels.
Classes are written by their names.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from robust_lib import atomic
from robust_lib.config.coco import Box, from_coco, to_coco
from robust_lib.config.strict_json import read_json
from robust_lib.curation.candidates import Candidate, Kind
from robust_lib.errors import DataError
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
    """A class of the label set, and the number that COCO's files have for it."""

    id: int
    name: str


@dataclass(frozen=True)
class Labelled:
    """A box, xyxy pixels, and the place of its class in the label set."""

    box: Box
    category: int


@dataclass(frozen=True, kw_only=True)
class CandidateSet:
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

    def only(self, places: Sequence[int]) -> "CandidateSet":
        """Return some of the images with all that belongs to them, renumbered."""
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
    """Write candidates as JSON; the file is replaced only when the new one is whole."""
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
        f"Expected candidates at {path}, but there is no such file. `robust candidates` writes one."
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
        raise _refused(path, "a category stands twice")
    if (twice := repeated(one.file for one in file.pictures)) is not None:
        raise _refused(path, f"{twice} stands twice")

    def number(name: str, of: _Picture) -> int:
        if name not in classes:
            raise _refused(path, f"{of.file} has a box of {name}, which is no category")
        return classes[name]

    def corners(bbox: Sequence[float], of: _Picture) -> Box:
        box = from_coco(bbox)
        if min(bbox[2:]) < 0 or not inside(box, of.width, of.height):
            raise _refused(
                path, f"{of.file} is {of.width} x {of.height} pixels, and {bbox} is no box in it"
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
    """Return whether a box lies in an image; a hundredth of a pixel is allowed for rounding."""
    left, top, right, bottom = box
    return min(left, top) >= -0.01 and right <= width + 0.01 and bottom <= height + 0.01


def _refused(path: Path, what: str) -> DataError:
    return DataError(
        f"Expected candidates in {path}, but it is no such file: {what}. Write it anew with "
        "`robust candidates`."
    )
