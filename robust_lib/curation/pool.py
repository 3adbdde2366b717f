"""A user's folder as candidates: images in class folders or other folders, and videos.

In class folders every frame has the class of its folder; in ImageNet-VID's layout, Data/VID/val
next to Annotations/VID/val, a frame has the classes of its objects.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from robust_lib.config.class_lists import ClassList
from robust_lib.curation.review_sheet import pictures
from robust_lib.datasets import imagenet_vid, vid_boxes
from robust_lib.datasets.picture_files import READING, Entry, PictureFiles
from robust_lib.datasets.video_files import VIDEOS, Video, is_video, open_video
from robust_lib.errors import DataError
from robust_lib.fetch.listing import listed
from robust_lib.types import UNKNOWN


def labelled(folder: Path, classes: ClassList) -> PictureFiles:
    """Return the images of class folders, named by WordNet id, folder name or class name.

    Folders of some of the classes suffice; files next to them are ignored.

    Raises:
        DataError: no such folder, a class folder whose name is not that of a class, or no images.
    """
    found, places = pictures(folder), class_folders(folder, classes)
    entries = [
        Entry(file, places[file.split("/")[0]], (folder / file).stat().st_size)
        for file in found
        if "/" in file
    ]
    return _set(folder, entries, classes)


def unlabelled(folder: Path, classes: ClassList) -> PictureFiles:
    """Return all images in a folder, at any depth; none of them has a true class.

    `classes` are the classes that a model may predict for them.

    Raises:
        DataError: no such folder, or no images.
    """
    entries = [Entry(file, UNKNOWN, (folder / file).stat().st_size) for file in pictures(folder)]
    return _set(folder, entries, classes)


def _set(folder: Path, entries: Iterable[Entry], classes: ClassList) -> PictureFiles:
    name = folder.absolute().name
    return PictureFiles(folder, entries, classes, name=name, provenance=READING)


def class_folders(folder: Path, classes: ClassList) -> dict[str, int]:
    """Return the class folders in a folder, sorted, and the class after which each is named.

    Raises:
        DataError: the name of one fits no class (by WordNet id, folder name or class name), or two.
    """
    inside = sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name[0] != ".")
    places = classes.places(inside, f"the folders in {folder}")
    for name in inside:
        if name not in places:
            near = difflib.get_close_matches(name, classes.names, n=3)
            hint = f" Similar names are {', '.join(near)}." if near else ""
            raise DataError(
                f"Expected folders named as classes of {classes.name} in {folder}, but {name} is "
                f"not the name of a class.{hint} Rename this folder, or move it away."
            )
    return places


SPLIT = "val"


@dataclass(frozen=True)
class Candidate:
    """A video from which frames may be drawn.

    Attributes:
        name: name of its folder of frames: letters, digits, - and _ only.
        labels: frame number -> its classes, ascending; empty if it shows no object.
    """

    name: str
    source: str
    video: Video
    labels: Callable[[int], tuple[int, ...]]


def candidates(
    folder: Path, classes: ClassList, *, progress: bool = False
) -> tuple[Candidate, ...]:
    """Return the videos in a folder, sorted by name, after opening each of them.

    Args:
        folder: class folders, named by WordNet id or name, with videos: files (see `VIDEOS`) or
            folders of numbered images; or a copy of ImageNet-VID, the folder with Data and
            Annotations.

    Raises:
        DataError: no such folder; a folder whose name fits no class, or without videos; videos that
            cannot be read or have fewer than two frames; two videos that would have the same name.
        InputError: the package av is not installed, but there are video files.
    """
    if not folder.is_dir():
        raise DataError(f"Expected a folder of videos at {folder}, but there is none.")
    is_vid = (folder / imagenet_vid.FRAMES / SPLIT).is_dir()
    found = _of_imagenet_vid(folder, classes) if is_vid else _of_class_folders(folder, classes)
    sources = sorted(found, key=lambda one: one[0])
    names: dict[str, Path] = {}
    for name, path, _ in sources:
        if other := names.get(name.casefold()):
            raise DataError(
                f"Expected videos with different names, but the frames of {other} and {path} would "
                f"both be stored as {name}. Rename one of them."
            )
        names[name.casefold()] = path
    opened, unreadable = [], []
    for name, path, labels in tqdm(sources, "looking", unit="video", disable=not progress):
        try:
            video = open_video(path)
        except DataError as error:
            unreadable.append((path.name, str(error)))
        else:
            opened.append(Candidate(name, path.relative_to(folder).as_posix(), video, labels))
    if unreadable:
        (_, first), *others = unreadable
        rest = ", ".join(name for name, _ in others)
        more = f" The same applies to {rest}." if others else ""
        raise DataError(first + more)
    return tuple(opened)


def left_out(folder: Path) -> tuple[str, ...]:
    """Return the files in a folder of videos that are neither videos nor frames of one, sorted."""
    if (folder / imagenet_vid.FRAMES).is_dir():  # whose annotations are read
        return ()
    found = listed(folder)
    single = ((below, name) for below, one in found.items() for name in one.others)
    # A picture is a frame in a video's folder, not beside it.
    loose = (
        (below, name) for below, one in found.items() for name in one.pictures if "/" not in below
    )
    files = (Path(below, name) for below, name in (*single, *loose) if not is_video(Path(name)))
    return tuple(sorted(file.as_posix() for file in files))


_Source = tuple[str, Path, Callable[[int], tuple[int, ...]]]


def _of_class_folders(folder: Path, classes: ClassList) -> Iterator[_Source]:
    places = class_folders(folder, classes)
    if not places:
        raise DataError(
            f"Expected folders of videos in {folder}, named as classes of {classes.name}, but it "
            "has none. Sort the videos into one folder per class."
        )
    for inside, place in places.items():
        found = [path for path in sorted((folder / inside).iterdir()) if is_video(path)]
        if not found:
            raise DataError(
                f"Expected videos ({', '.join(VIDEOS)}, or folders of numbered images) in "
                f"{folder / inside}, but it has none. Put each video's images into a folder of "
                "their own, or remove the class."
            )
        for path in found:
            stem = path.name if path.is_dir() else path.stem
            yield f"{_plain(inside)}_{_plain(stem)}", path, _always(place)


def _of_imagenet_vid(folder: Path, classes: ClassList) -> Iterator[_Source]:
    for video in imagenet_vid.videos(folder, SPLIT):
        name = video.removeprefix(f"{SPLIT}/")
        yield name, folder / imagenet_vid.FRAMES / video, _annotated(folder, video, classes)


def _always(label: int) -> Callable[[int], tuple[int, ...]]:
    return lambda _: (label,)


def _annotated(folder: Path, video: str, classes: ClassList) -> Callable[[int], tuple[int, ...]]:
    def labels(number: int) -> tuple[int, ...]:
        path = vid_boxes.annotation_path(folder, f"{video}/{number:06d}.JPEG")
        return tuple(sorted(set(vid_boxes.read(path, classes).classes.tolist())))

    return labels


def _plain(name: str) -> str:
    """Return a name that may be part of a frame's path in the metadata.

    >>> _plain("Rex, in the park (2)"), _plain("domestic cat")
    ('Rex_in_the_park_2', 'domestic_cat')
    """
    return re.sub(r"[^\w-]+", "_", name).strip("_") or "video"
