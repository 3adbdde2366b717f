"""The record of drawn frames: frames.json, written beside the frames before any of them.

The frames that it names and no others are the candidates of a review, so a run that was stopped
can be told from one that came to its end, and one set of settings from another.
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from robust_lib.atomic import write_json
from robust_lib.config.strict_yaml import Record
from robust_lib.errors import DataError

NAME = "frames.json"

FORMAT = 1
"""Raise it when the same videos and settings would give other frames than before."""

SHOWN = 3  # entries named in a message


class Drawn(Record):
    """The frames drawn from one video.

    Args:
        name: of its folder below val.
        source: its path below the folder of all videos.
        bytes: size of its file or files.
        rate: frames a second; None where nothing says so.
        anchor: number of the anchor.
        frames: number of each frame, the anchor's among them -> its classes.
    """

    name: str
    source: str
    bytes: int
    rate: float | None
    anchor: int
    frames: dict[int, tuple[int, ...]]

    def path(self, number: int) -> str:
        """Return the path of one of its frames, as the metadata name it."""
        return f"val/{self.name}/{number:06d}.JPEG"

    @property
    def neighbours(self) -> tuple[int, ...]:
        """The numbers of the frames besides the anchor's, ascending."""
        return tuple(sorted(number for number in self.frames if number != self.anchor))


class FrameRecord(Record):
    """The frames of all videos, and the settings they were drawn with.

    Args:
        k: frames between an anchor and its farthest neighbour at most.
        videos: what was drawn, sorted by name.
    """

    format: int = FORMAT
    k: int
    seed: int
    classes: str
    videos: tuple[Drawn, ...]

    @property
    def frames(self) -> tuple[str, ...]:
        """The paths of all frames."""
        return tuple(one.path(number) for one in self.videos for number in sorted(one.frames))


def begin(folder: Path, wanted: FrameRecord) -> FrameRecord:
    """Claim a folder for frames, or continue with those it has; videos may be added.

    Raises:
        DataError: the folder holds something else, or frames drawn with other settings or of other
            videos; nothing was written.
    """
    if (folder / NAME).exists():
        there = read(folder)
        _require_same(folder, there, wanted)
    else:
        _require_empty(folder)
    write_json(folder / NAME, wanted.model_dump(mode="json"))
    return wanted


def read(folder: Path) -> FrameRecord:
    """Return the record of a folder of frames.

    Raises:
        DataError: there is none, or it is none that `begin` wrote.
    """
    path = folder / NAME
    try:
        found = FrameRecord.model_validate_json(path.read_bytes())
        wrong = f"it is of format {found.format}" if found.format != FORMAT else ""
    except FileNotFoundError:
        raise DataError(
            f"Expected frames of videos in {folder}, but it has no {NAME}. `robust frames` writes "
            "them."
        ) from None
    except ValidationError as error:
        wrong = "; ".join(one["msg"] for one in error.errors()[:SHOWN])
    if wrong:
        raise DataError(
            f"{path} is not what `robust frames` writes, so nothing is known of the pictures "
            f"beside it: {wrong}. Write the frames to another folder."
        )
    return found


def require_complete(folder: Path, record: FrameRecord) -> None:
    """Raise DataError if frames of a record are missing; the message names the first."""
    missing = [frame for frame in record.frames if not (folder / frame).is_file()]
    if missing:
        raise DataError(
            f"Expected {len(record.frames)} frames in {folder}, but {len(missing)} are missing "
            f"({_listed(missing)}). Run `robust frames` again: it goes on where it stopped."
        )


def _require_same(folder: Path, there: FrameRecord, wanted: FrameRecord) -> None:
    apart = [
        f"{what} ({getattr(there, what)} there, {getattr(wanted, what)} now)"
        for what in ("k", "seed", "classes")
        if getattr(there, what) != getattr(wanted, what)
    ]
    if apart:
        raise DataError(
            f"Expected to go on with the settings that {folder} was begun with, but these differ: "
            f"{', '.join(apart)}. Nothing was written; name another folder, or ask for what is "
            "there."
        )
    now = {one.name: one for one in wanted.videos}
    if other := [one.source for one in there.videos if now.get(one.name) != one]:
        raise DataError(
            f"Expected the {len(there.videos)} videos that {folder} was begun with, but "
            f"{len(other)} are gone or have changed ({_listed(other)}). Nothing was written; "
            "restore them, or name another folder."
        )


def _require_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"Expected a folder to write to, but {folder} is a file. Name another.")
    there = sorted(one.name for one in folder.iterdir()) if folder.exists() else []
    if besides := [name for name in there if not name.startswith(f".{NAME}.")]:  # a stopped start
        raise DataError(
            f"Expected {folder} to be empty or to hold frames that `robust frames` has begun, but "
            f"it holds {_listed(besides)} and no {NAME}. Nothing was written; name another folder."
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
