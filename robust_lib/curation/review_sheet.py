"""The sheet on which people review images, and its kinds: a single HTML file, without a server.

Images stay in their folder and are shown by relative path, one page at a time, so the sheet of a
large folder is small. The browser keeps decisions as they are made; a button saves them.
"""

import hashlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from robust_lib import atomic
from robust_lib.curation import sheet_page
from robust_lib.curation.decisions import WORDS, Filtration
from robust_lib.errors import DataError
from robust_lib.fetch.listing import READ
from robust_lib.fetch.verification import pictures_below


@dataclass(frozen=True)
class Choice:
    """An answer: its key on the keyboard, the saved word, its label, colour and group heading."""

    key: str
    word: str
    label: str
    tone: Literal["keep", "drop", "unsure"]
    group: str = ""


@dataclass(frozen=True)
class Mode:
    """A kind of sheet.

    Args:
        things: plural noun for the reviewed items, for messages.
    """

    things: str
    choices: tuple[Choice, ...]
    page: int
    shuffled: bool
    question: str
    saves: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words used in saved decisions.

        >>> PICTURES.words
        ('keep', 'drop', 'unsure')
        """
        return tuple(choice.word for choice in self.choices)


PICTURES = Mode(
    things="images",
    choices=tuple(Choice(word[0], word, word, word) for word in WORDS),
    page=48,
    shuffled=False,
    question="",
    saves="decisions",
)

SIMILAR = "similar"
WRONG = "wrong"
UNSURE = "unsure"
REASONS = ("motion", "background", "blur", "other")
"""Why two frames are dissimilar [vid, sec. 2.2]."""

ROUND_1 = Mode(
    things="pairs of frames",
    choices=(
        Choice("s", SIMILAR, "similar", "keep"),
        Choice("m", "motion", "motion", "drop", "dissimilar"),
        Choice("b", "background", "background", "drop", "dissimilar"),
        Choice("l", "blur", "blur", "drop", "dissimilar"),
        Choice("o", "other", "other", "drop", "dissimilar"),
        Choice("u", UNSURE, "don't know", "unsure"),
        Choice("w", WRONG, "wrong label", "drop"),
    ),
    # Among several pairs, or in a video, people miss large changes: change blindness.
    page=1,
    shuffled=True,
    question=(
        "Are the two frames similar? They are not if there is significant motion or a significant "
        "change in background or blur between them, or if a distinctive feature of the object, "
        "such as the face of a dog, is visible in only one frame. The label is wrong if either "
        "frame does not show the labelled object."
    ),
    saves="round-1",
)
"""The first round of a review in pairs, each reviewer alone [vid, sec. 2.2]."""

ROUND_2 = replace(ROUND_1, saves="round-2")
"""The second round, in which all reviewers see every pair that at least one of them doubted."""


@dataclass(frozen=True)
class Panel:
    """One of several images shown side by side: its path below the folder, and its caption."""

    file: str
    caption: str


@dataclass(frozen=True)
class Shown:
    """An item of a sheet: the image at a path, or several images under one name.

    Args:
        file: path of the image below the folder; any name if there are panels.
    """

    file: str
    truth: str | None = None
    said: str | None = None
    panels: tuple[Panel, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """The images that people are to review, in order, and their folder.

    Args:
        part_of: digest of the larger list to which decisions on this share belong.
        title: the title; empty means the folder's name.
    """

    folder: Path
    shown: tuple[Shown, ...]
    mode: Mode = PICTURES
    part_of: str = ""
    title: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """The names to which decisions refer: the images' paths below the folder."""
        return tuple(one.file for one in self.shown)

    @property
    def digest(self) -> str:
        """Digest of question and files, which distinguishes its decisions from other sheets'."""
        text = "\n".join([self.mode.saves, *self.files])
        return self.part_of or hashlib.sha256(text.encode()).hexdigest()

    def write(self, path: Path) -> None:
        """Write the sheet as one HTML file, completely or not at all.

        Raises:
            DataError: an image of a kind that browsers do not show.
        """
        data = {
            "title": self.title or self.folder.absolute().name,
            "digest": self.digest,
            "mode": asdict(self.mode),
            "files": [self._cells(one, path) for one in self.shown],
        }
        made = sheet_page.page(
            "review_sheet.html",
            title="Review",
            styles=["review_sheet.css"],
            scripts=["review_sheet.js"],
            data=data,
        )
        atomic.write_bytes(path, made.encode())

    def _cells(self, one: Shown, page: Path) -> dict[str, object]:
        pictures = []
        for panel in one.panels or (Panel(one.file, ""),):
            caption = {"caption": panel.caption} if panel.caption else {}
            address = sheet_page.address(self.folder / panel.file, page)
            pictures.append({"address": address} | caption)
        words = {"truth": one.truth, "said": one.said}
        known = {name: word for name, word in words.items() if word is not None}
        return {"file": one.file, "pictures": pictures, **known}


def of_folder(folder: Path) -> Sheet:
    """Return the sheet of all images in a folder and those below it, sorted by path.

    Raises:
        DataError: no such folder, or no images in it.
    """
    return Sheet(folder, tuple(Shown(file) for file in pictures(folder)))


def of_filtration(folder: Path, filtration: Filtration) -> Sheet:
    """Return the sheet of a filtration's shortlisted candidates; their ids are paths in the folder.

    Each candidate is shown with its true class, if it has one, and the class that the first filter
    predicts.

    Raises:
        DataError: no candidate is shortlisted, or the files are not in the folder.
    """
    kept = set(filtration.shortlisted)
    shown = [
        Shown(one.id, one.truth, one.answers[0].predicted) for one in filtration if one.id in kept
    ]
    if not shown:
        raise DataError(
            f"Expected shortlisted candidates to review, but none of {len(filtration)} is. Collect "
            "more candidates, or use other thresholds."
        )
    if absent := [one.file for one in shown if not (folder / one.file).is_file()]:
        raise DataError(
            f"Expected the {len(shown)} shortlisted candidates in {folder}, but {len(absent)} are "
            f"not there, such as {absent[0]}. Pass the folder that was filtered."
        )
    return Sheet(folder, tuple(shown))


def pictures(folder: Path) -> tuple[str, ...]:
    """Return the sorted paths of all images below a folder, without hidden ones.

    Raises:
        DataError: no such folder, or no images in it.
    """
    found = sorted(file.relative_to(folder).as_posix() for file in pictures_below(folder))
    if not found:
        what = "it has none" if folder.is_dir() else "there is no such folder"
        raise DataError(
            f"Expected images ({READ}) in {folder}, but {what}. Pass a folder of images."
        )
    return tuple(found)
