"""The sheets on which people annotate candidates: one HTML file per stage, without a server.

The first stage asks five questions about a box [nao, sec. 3.4]; in the second, annotators draw
boxes around all objects of the label set, starting from proposals. Images stay in their folder and
are shown by relative path. The browser keeps the work in progress, and a button saves it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from robust_lib import atomic
from robust_lib.curation import questions, sheet_page
from robust_lib.curation.candidate_set import CandidateSet, Category, Labelled, Photograph
from robust_lib.errors import DataError

Stage = Literal[1, 2]

SAVES: Mapping[Stage, str] = {1: "answers", 2: "boxes"}
"""The beginning of the names of saved files."""

_STYLE = ("review_sheet.css", "annotation_sheet.css")
_SCRIPTS: Mapping[Stage, tuple[str, str]] = {
    1: ("annotation_sheet.js", "question_sheet.js"),
    2: ("annotation_sheet.js", "box_sheet.js"),
}


def programs() -> list[str]:
    """Return the scripts of both stages, as embedded in their pages."""
    return [sheet_page.program(scripts) for scripts in _SCRIPTS.values()]


@dataclass(frozen=True)
class Task:
    """A box about which questions are asked.

    Args:
        box: xyxy pixels.
    """

    id: str
    picture: int
    box: tuple[float, float, float, float]
    asked: str


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The content of a sheet for annotators at one stage.

    Args:
        stage: 1 for questions about boxes, 2 for drawing boxes.
    """

    stage: Stage
    title: str
    photographs: tuple[Photograph, ...]
    categories: tuple[Category, ...]
    tasks: tuple[Task, ...] = ()
    proposals: tuple[tuple[Labelled, ...], ...] = ()

    @property
    def digest(self) -> str:
        """Digest of the sheet's content, which distinguishes its answers from other sheets'."""
        text = json.dumps([self.stage, *self._asked()], ensure_ascii=False, default=asdict)
        return hashlib.sha256(text.encode()).hexdigest()

    def write(self, path: Path, folder: Path) -> None:
        """Write the sheet as one HTML file, completely or not at all.

        Raises:
            DataError: an image is missing, or of a kind that browsers do not show.
        """
        if absent := [one.file for one in self.photographs if not (folder / one.file).is_file()]:
            raise DataError(
                f"Expected the {len(self.photographs)} images of the sheet in {folder}, but "
                f"{len(absent)} are not there, such as {absent[0]}. Pass the folder that was "
                "searched."
            )
        addresses = {
            one.file: sheet_page.address(folder / one.file, path) for one in self.photographs
        }
        atomic.write_bytes(path, self.page(addresses).encode())

    def page(self, addresses: Mapping[str, str]) -> str:
        """Return the sheet as HTML.

        Args:
            addresses: image file -> its address for a browser.
        """
        pictures = [
            asdict(one) | {"address": addresses[one.file]} | self._proposed(place)
            for place, one in enumerate(self.photographs)
        ]
        data: dict[str, Any] = {
            "title": self.title,
            "digest": self.digest,
            "saves": SAVES[self.stage],
            "pictures": pictures,
        }
        if self.stage == 1:
            data["questions"] = [
                {"name": one.name, "words": one.words} for one in questions.QUESTIONS
            ]
            data["tasks"] = [
                {"id": one.id, "picture": one.picture, "box": one.box, "class": one.asked}
                for one in self.tasks
            ]
        else:
            data["categories"] = [asdict(one) for one in self.categories]
        return sheet_page.page(
            "annotation_sheet.html",
            title="Annotate",
            styles=_STYLE,
            scripts=_SCRIPTS[self.stage],
            data=data,
        )

    def _proposed(self, place: int) -> dict[str, object]:
        if self.stage == 1:
            return {}
        names = [one.name for one in self.categories]
        return {
            "proposals": [
                {"box": one.box, "category": names[one.category]} for one in self.proposals[place]
            ]
        }

    def _asked(self) -> tuple[object, ...]:
        if self.stage == 1:
            return self.photographs, self.tasks
        return self.photographs, self.categories, self.proposals


def of_questions(found: CandidateSet, title: str) -> Sheet:
    """Return the sheet of the first stage: one task per candidate.

    Raises:
        DataError: there are no candidates.
    """
    if not found.candidates:
        raise DataError(
            f"Expected candidates for the annotators, but none of {found.searched} images has one. "
            "Search more images, or use lower thresholds."
        )
    tasks, numbers = [], dict.fromkeys(range(len(found.photographs)), 0)
    for one in found.candidates:
        numbers[one.image] += 1
        name = f"{found.photographs[one.image].file} {numbers[one.image]}"
        asked = found.categories[questions.asked(one)[0]].name
        tasks.append(Task(name, one.image, one.box, asked))
    return Sheet(
        stage=1,
        title=title,
        photographs=found.photographs,
        categories=found.categories,
        tasks=tuple(tasks),
    )


def of_boxes(found: CandidateSet, title: str) -> Sheet:
    """Return the sheet of the second stage: all images, with their proposals.

    Raises:
        DataError: there are no images.
    """
    if not found.photographs:
        raise DataError("Expected images for drawing boxes, but no candidate was confirmed.")
    return Sheet(
        stage=2,
        title=title,
        photographs=found.photographs,
        categories=found.categories,
        proposals=found.proposals,
    )
