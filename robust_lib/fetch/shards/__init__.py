"""Images packed into numbered shards, Parquet files or WebDataset tars, and read in place.

Hubs and clusters store data sets in this form: `validation-00003-of-00014.parquet`,
`imagenet1k-train-0003.tar` or `test/3.tar`. Nothing is unpacked.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path, PurePosixPath

from robust_lib import vocabulary
from robust_lib.config.class_lists import load_classes
from robust_lib.config.dataset_files import Content
from robust_lib.config.manifests import DatasetManifest
from robust_lib.errors import DataError
from robust_lib.fetch import listing
from robust_lib.fetch.listing import is_picture

LAYOUTS = {".parquet": "Parquet shards", ".tar": "WebDataset tars"}

MANY = ("imagenet_c", "imagenet_22k")
"""Kinds of data sets all of whose series of shards are read, one for each condition or split."""

KINDS = ("image_folder", *MANY)
"""Kinds of data sets that may be in shards."""

DEEPEST = 5  # folders below a data set's own
SHOWN = 3  # numbers in a message

_WNID = re.compile(r"n\d{8}")
_NUMBERED = re.compile(
    r"(?:(?P<series>.+?)[-_])?(?P<number>\d+)(?:-of-(?P<of>\d+))?(?:-[0-9a-f]{16})?"
)


Label = int | str | None
"""A class as a shard tells it: a number, a WordNet id, or nothing."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An image inside a shard.

    Attributes:
        name: its file name as written there, with folders.
        first, second: its position: the row group and the row in a Parquet file; the first byte in
            a tar, and 0.
        bytes: its size; 0 if it is unknown until the image is read.
    """

    name: str
    label: Label
    first: int
    second: int
    bytes: int


@dataclass(frozen=True)
class Contents:
    """The content of a shard, in order.

    Attributes:
        digest: digest that changes with the images, if their sizes are not known; otherwise empty.
        class_names: names of the classes, by label number; empty if the shard does not state them.
    """

    digest: str
    class_names: tuple[str, ...]
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Shards:
    """The shards of one data set.

    Attributes:
        folder: the data set's folder.
        files: the shards in the order of their numbers, series by series.
        layout: their kind, as text.
        problems: shards that are missing or duplicated, one line each.
    """

    folder: Path
    files: tuple[Path, ...]
    layout: str
    problems: tuple[str, ...]

    def require(self) -> None:
        """Raise DataError if a shard is missing or duplicated."""
        if self.problems:
            raise DataError(
                f"Expected all shards of a series in {self.folder}, each once, but "
                f"{'; '.join(self.problems)}. Download those again."
            )


def of(manifest: DatasetManifest, folder: Path) -> Shards | None:
    """Return the shards in a data set's folder; None if there are none.

    No shard is opened. From a copy with several splits, the series named after the manifest's key
    `split` is used. Archives that the manifest lists are not shards: they are unpacked.

    Raises:
        DataError: shards of two kinds or series, or shards next to images, so that the choice is
            ambiguous.
    """
    if manifest.kind not in KINDS:
        return None
    below = listing.looked_once("shards", folder, lambda: tuple(_below(folder, DEEPEST)))
    found = series([PurePosixPath(path.relative_to(folder).as_posix()) for path in below], manifest)
    if not found:
        return None
    if len({kind for kind, _ in found}) > 1 or are_several(manifest, found):
        held = [f"{LAYOUTS[kind]} ({called or '.'})" for kind, called in sorted(found)]
        raise _several(manifest, folder, held)
    kind = next(iter(found))[0]
    if (plain := unpacked(manifest, folder)) is not None:
        raise _several(manifest, folder, [LAYOUTS[kind], f"images in {plain}"])
    files: list[Path] = []
    problems: list[str] = []
    for (_, called), paths in sorted(found.items()):
        files += [folder / path for path in sorted(paths, key=_number)]
        problems += _lacking(called or ".", paths)
    return Shards(folder, tuple(files), LAYOUTS[kind], tuple(problems))


Series = Mapping[tuple[str, str], Sequence[PurePosixPath]]
"""Ending and name -> the shards of a series, in no order."""


def series(paths: Iterable[PurePosixPath], manifest: DatasetManifest) -> Series:
    """Return a data set's series of shards among paths, which are below its folder or on a hub.

    >>> val = DatasetManifest.model_construct(files=(), split="val")
    >>> names = ["data/validation-00000-of-00014.parquet", "data/train-00000-of-00294.parquet"]
    >>> list(series(map(PurePosixPath, names), val))
    [('.parquet', 'data/validation')]
    """
    archives = {file.name for file in manifest.files}
    found: dict[tuple[str, str], list[PurePosixPath]] = {}
    for path in paths:
        named = _NUMBERED.fullmatch(path.stem)
        if path.suffix not in LAYOUTS or path.name in archives:
            continue
        if named is None and path.suffix != ".parquet":
            continue
        called = f"{path.parent}/{(named and named['series']) or ''}".removeprefix("./").strip("/")
        if manifest.split is None or manifest.split in called.lower():
            found.setdefault((path.suffix, called), []).append(path)
    return found


def are_several(manifest: DatasetManifest, found: Series) -> bool:
    """Return whether there are more series of shards than a data set of this kind has."""
    return len(found) > 1 and manifest.kind not in MANY


def condition_of(name: str, shard: Path, folder: Path) -> str | None:
    """Return the ImageNet-C condition that an image shows, such as "fog/3"; None if not stated.

    The image's own name states it, or the folders that contain its shard.

    >>> condition_of("fog/3/n01440764/ILSVRC2012_val_00000293.JPEG", Path("c/0.tar"), Path("c"))
    'fog/3'
    >>> condition_of("a.jpg", Path("c/data/fog/severity_3/train-00000-of-00001.parquet"), Path("c"))
    'fog/3'
    """
    for parts in (name.split("/")[:-1], shard.parent.relative_to(folder).parts):
        for one, after in pairwise(parts):
            severity = after.removeprefix("severity_")
            if vocabulary.is_corruption(one) and severity.isdigit():
                return f"{one}/{severity}"
    return None


def holds(manifest: DatasetManifest, content: Content) -> bool:
    """Return whether shards replace one of the contents of a complete copy."""
    pictures = manifest.options.get("pictures")
    return bool(content.images or content.folders or content.path == pictures)


def class_folders(manifest: DatasetManifest) -> tuple[str, ...]:
    """Return the class folders of a data set; none if shards cannot show them."""
    name = manifest.classes if manifest.kind == "imagenet_c" else manifest.folders
    return () if name is None else load_classes(name).folders


def _several(manifest: DatasetManifest, folder: Path, held: Sequence[str]) -> DataError:
    more = ", ..." if len(held) > SHOWN else ""
    return DataError(
        f"Expected one copy of {manifest.title} in {folder}, but it contains "
        f"{' and '.join(held[:SHOWN])}{more}. Keep the one to be read, and move the others "
        "elsewhere."
    )


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files below a folder that may be shards; class folders are not looked into."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name[0] == "." or _WNID.fullmatch(entry.name):
            continue
        if entry.name.endswith(tuple(LAYOUTS)):
            if entry.is_file():
                yield Path(entry.path)
        elif depth and entry.is_dir():
            yield from _below(Path(entry.path), depth - 1)


def unpacked(manifest: DatasetManifest, folder: Path) -> Path | None:
    """Return the first of the data set's folders that contains class folders or single images."""
    root = manifest.below(folder)
    globs = [one.path for one in manifest.contents] or ["."]
    places = [place for glob in globs for place in ([root] if glob == "." else root.glob(glob))]
    for place in sorted(places):
        if place.is_dir():
            with os.scandir(place) as entries:
                if any(_WNID.fullmatch(one.name) or is_picture(one.name) for one in entries):
                    return place
    return None


def _number(path: PurePosixPath) -> tuple[int, str]:
    named = _NUMBERED.fullmatch(path.stem)
    return (int(named["number"]) if named else 0, path.name)


def _lacking(called: str, paths: Sequence[PurePosixPath]) -> Iterator[str]:
    """Yield a line on the shards of a series that lack, and one on those that are there twice."""
    named = [found for path in paths if (found := _NUMBERED.fullmatch(path.stem))]
    numbers = sorted(int(one["number"]) for one in named)
    if not numbers:
        return
    stated = {int(one["of"]) for one in named if one["of"]}
    if len(stated) > 1:
        yield f"the shards of {called} say that there are {_few(sorted(stated))}"
    first = 0 if stated else min(numbers[0], 1)
    last = max(stated) - 1 if stated else numbers[-1]
    lacking = sorted({*range(first, last + 1)} - {*numbers})
    if lacking:
        yield f"{called} lacks {len(lacking)} of its shards (number {_few(lacking)})"
    twice = sorted(number for number, many in groupby(numbers) if len(list(many)) > 1)
    if twice:
        yield f"{called} has {len(twice)} of its shards twice (number {_few(twice)})"


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:SHOWN])) + (", ..." if len(numbers) > SHOWN else "")
