"""A video as numbered frames: a file, decoded as it is read, or a folder of numbered images.

Frames of a file are numbered from 0 in the order in which they are shown; images in a folder by the
digits at the end of their names. PyAV (the package av) decodes files and is imported only for them.
"""

import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from robust_lib.datasets import open_picture, picture_size
from robust_lib.datasets.image_folder import SHOWN
from robust_lib.errors import DataError, InputError
from robust_lib.fetch.listing import READ, is_picture

VIDEOS = (
    *(".mp4", ".m4v", ".avi", ".mov", ".mkv", ".webm", ".wmv", ".mpg", ".mpeg", ".flv", ".3gp"),
    *(".ogv", ".ts", ".mts", ".m2ts", ".vob"),
)
QUALITY = 95
"""The quality of the JPEG files of decoded frames."""

# A packet of these may be a reference that is never shown, so packets say nothing of frames.
HIDDEN = ("vp8",)


@dataclass(frozen=True)
class Video:
    """A video that can be read.

    Attributes:
        numbers: numbers of the frames, ascending; at least two.
        rate: frames per second; None if unknown.
        bytes: total size of its file or files.
    """

    path: Path
    numbers: Sequence[int]
    rate: float | None
    bytes: int


def is_video(path: Path) -> bool:
    """Return whether a path is a video: a file with a video suffix, or a folder.

    >>> is_video(Path("rex.MP4")), is_video(Path("rex.txt"))
    (True, False)
    """
    return path.name[0] != "." and (path.suffix.lower() in VIDEOS or path.is_dir())


def open_video(path: Path) -> Video:
    """Return a video after checking that it can be read; only its first frame is decoded.

    Raises:
        DataError: the file is not a video, or ends before its first frame; the folder has images
            without numbers; there are fewer than two frames.
        InputError: the package av is not installed, and the video is a file.

    >>> import tempfile
    >>> home = Path(tempfile.mkdtemp())
    >>> for number in (9, 10, 12):
    ...     Image.new("RGB", (8, 8)).save(home / f"rex-{number}.png")
    >>> open_video(home).numbers
    (9, 10, 12)
    """
    found = _folder(path) if path.is_dir() else _file(path)
    if len(found.numbers) < 2:
        raise DataError(
            f"Expected at least two frames in the video {path}, but it has {len(found.numbers)}. "
            "An anchor needs a neighbour: remove the video."
        )
    return found


def require_one_size(video: Video, numbers: Collection[int]) -> None:
    """Raise DataError if a folder's frames differ in size; files are checked when read."""
    if not video.path.is_dir():
        return
    names = _names(video.path)
    first: tuple[int, int] | None = None
    for number in sorted(numbers):
        size = picture_size(video.path / names[number])
        first = first or size
        _require_size(video.path, number, size, first)


def jpegs(video: Video, numbers: Collection[int]) -> Iterator[tuple[int, bytes]]:
    r"""Yield frames as JPEG files; a JPEG image stays unchanged, others get quality 95.

    A file is decoded from its beginning to the last of the frames, since not every format allows
    access to a chosen frame.

    Args:
        numbers: numbers of the frames, in any order; frames are yielded in ascending order.

    Raises:
        DataError: a frame cannot be read, the video ends before it, or frames differ in size.
    """
    if not numbers:
        return
    first: tuple[int, int] | None = None
    source = _pictures if video.path.is_dir() else _decoded
    for number, picture, content in source(video.path, sorted(numbers)):
        first = first or picture.size
        _require_size(video.path, number, picture.size, first)
        yield number, _encoded(picture) if content is None else content


def _file(path: Path) -> Video:
    with _opened(path) as (container, stream):
        rate = float(stream.average_rate) if stream.average_rate else None
        count = _count(path, container, stream)
    if count:
        next(_decoded(path, [0]))
    return Video(path, range(count), rate, path.stat().st_size)


def _count(path: Path, container: Any, stream: Any) -> int:
    """Return the number of frames of a file, from its packets and without decoding."""
    if stream.codec_context.name in HIDDEN:
        return sum(1 for _ in container.decode(stream))
    count = 0
    for packet in container.demux(stream):
        if packet.is_corrupt:
            raise DataError(_no_video(path, f"it is cut off or damaged after {count} frames"))
        count += packet.size > 0 and not packet.is_discard
    return count


def _decoded(path: Path, numbers: Sequence[int]) -> Iterator[tuple[int, Image.Image, None]]:
    wanted, last, number = set(numbers), numbers[-1], -1
    with _opened(path) as (container, stream):
        for number, frame in enumerate(container.decode(stream)):
            if number in wanted:
                if frame.is_corrupt:
                    raise DataError(_no_video(path, f"frame {number} is damaged"))
                # Phones store what they see lying on its side, and by how much to turn it.
                yield number, frame.to_image().rotate(frame.rotation, expand=True), None
            if number == last:
                return
    raise DataError(
        f"Expected {last + 1} frames or more in the video {path}, but only {number + 1} can be "
        "decoded. Restore the file, or remove it."
    )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    """Provide a file's container and video stream; a failure within the block is a DataError."""
    try:
        import av
    except ImportError:
        raise InputError(
            f"Expected the package av, which decodes videos such as {path.name}, but it is not "
            "installed. Install the extra `video` (pip install -e '.[video]'), or provide each "
            "video as a folder of numbered images."
        ) from None
    try:
        with av.open(str(path)) as container:
            stream = container.streams.best("video")
            if stream is None or stream.codec_context is None:
                raise DataError(_no_video(path, "there are no images in it that can be decoded"))
            yield container, stream
    except av.error.FFmpegError as error:
        raise DataError(_no_video(path, str(error.strerror))) from None


def _folder(path: Path) -> Video:
    names = _names(path)
    size = sum((path / name).stat().st_size for name in names.values())
    return Video(path, tuple(sorted(names)), None, size)


def _pictures(
    path: Path, numbers: Sequence[int]
) -> Iterator[tuple[int, Image.Image, bytes | None]]:
    names = _names(path)
    for number in numbers:
        file = path / names[number]
        picture = open_picture(file)  # to its end: half a picture must not be copied
        with Image.open(file) as opened:
            is_jpeg = opened.format == "JPEG"
        yield number, picture, file.read_bytes() if is_jpeg else None


def _names(path: Path) -> dict[int, str]:
    """Return the images of a folder by their numbers."""
    found: dict[int, str] = {}
    for name in sorted(one.name for one in path.iterdir() if is_picture(one.name)):
        digits = re.search(r"\d+$", Path(name).stem)
        other = found.setdefault(int(digits[0]), name) if digits else ""
        if other != name:
            what = f"{name} and {other} have the same number" if digits else f"{name} has no number"
            raise DataError(
                f"Expected the frames of the video {path} to be numbered, as in 000012.jpg, but "
                f"{what}. Number the images in order of time, or remove files that are not frames."
            )
    if not found:
        raise DataError(
            f"Expected a video or numbered images ({READ}) in {path}, but found "
            f"none among {_inside(path)}. Each video is a file, or a folder of its frames."
        )
    return found


def _inside(path: Path) -> str:
    names = sorted(one.name for one in path.iterdir())
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "") or "no files"


def _require_size(path: Path, number: int, size: tuple[int, int], first: tuple[int, int]) -> None:
    if size != first:
        raise DataError(
            f"Expected the frames of the video {path} to be of one size, but frame {number} has "
            f"{size[0]} x {size[1]} pixels and one before it {first[0]} x {first[1]}. Cut the "
            "video where the size changes."
        )


def _encoded(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _no_video(path: Path, why: str) -> str:
    return (
        f"Expected a video in {path}, but it cannot be read: {why}. Restore the file, or remove it."
    )
