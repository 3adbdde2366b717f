"""The file of candidates: images with a detector's confident mistakes, and proposed boxes.

JSON, one record per image, boxes as in COCO: x, y, width and height in pixels. Classes are written
by their names.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from robust_lib import atomic
from robust_lib.curation.candidates import Candidate, Kind
from robust_lib.curation.found import Box, Category, Found, Labelled, Photograph
from robust_lib.errors import DataError
from robust_lib.types import UNKNOWN

FORMAT = 1
"""Raise it when the fields change; files of another format are refused."""


def save(found: Found, path: Path) -> None:
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


def load(path: Path) -> Found:
    """Return the candidates that `save` wrote.

    Raises:
        DataError: no such file, or not one that `save` wrote; the message says what is wrong.
    """
    try:
        file = _File.model_validate_json(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"Expected candidates at {path}, but there is no such file. `robust candidates` writes "
            "one."
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(
            _none(path, f"{where}: {first['msg']}" if where else first["msg"])
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(_none(path, str(error))) from None
    return _found(file, path)


def to_coco(box: Sequence[float]) -> list[float]:
    """Return an xyxy box as x, y, width and height."""
    left, top, right, bottom = box
    return [left, top, right - left, bottom - top]


def from_coco(box: Sequence[float]) -> Box:
    """Return x, y, width and height as an xyxy box."""
    left, top, width, height = box
    return left, top, left + width, top + height


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


def _found(file: _File, path: Path) -> Found:
    classes = {one.name: place for place, one in enumerate(file.categories)}
    if len(classes) < len(file.categories):
        raise DataError(_none(path, "a category stands twice"))
    if (twice := repeated(one.file for one in file.pictures)) is not None:
        raise DataError(_none(path, f"{twice} stands twice"))

    def number(name: str, of: _Picture) -> int:
        if name not in classes:
            raise DataError(_none(path, f"{of.file} has a box of {name}, which is no category"))
        return classes[name]

    def corners(bbox: Sequence[float], of: _Picture) -> Box:
        box = from_coco(bbox)
        if min(bbox[2:]) < 0 or not inside(box, of.width, of.height):
            raise DataError(
                _none(
                    path,
                    f"{of.file} is {of.width} x {of.height} pixels, and {bbox} is no box in it",
                )
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
    return Found(
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


def _none(path: Path, what: str) -> str:
    return (
        f"Expected candidates in {path}, but it is no such file: {what}. Write it anew with "
        "`robust candidates`."
    )
