"""The images in shards under the names that they have in folders: class folder and file name.

A network's predictions and a corruption's random draws are keyed by these ids, so a copy in shards
gives the same results as an unpacked one. Images are in the order of the shards, so that reading
all of them takes one pass.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import DatasetManifest
from robust_lib.errors import DataError
from robust_lib.fetch.shards import Sample, Shards, class_folders, condition_of
from robust_lib.fetch.shards.index import conditions_in, contents, reader

_WNID = re.compile(r"n\d{8}")
_OF_IMAGENET = re.compile(r"ILSVRC2012_val_\d{8}|n\d{8}_\d+")
_WITH_CLASS = re.compile(r"(?P<name>.+)_(?P<wnid>n\d{8})")


@dataclass(frozen=True, slots=True)
class Packed:
    """An image of a data set inside a shard.

    Attributes:
        order: its position among all images in the shards.
        condition: its ImageNet-C condition, such as "fog/3"; None for a data set without
            conditions.
        folder: its class folder.
        name: its file name in that folder.
        named: the class folder in its own name, which may differ; None if its name has none.
        digest: the digest of the shard; see `Contents`.
    """

    shard: Path
    sample: Sample
    order: int
    condition: str | None
    folder: str
    name: str
    named: str | None
    digest: str

    @property
    def id(self) -> str:
        """Return its path below the folder of its condition."""
        return f"{self.folder}/{self.name}"

    def read(self) -> bytes:
        """Return the image's bytes.

        Raises:
            DataError: the shard cannot be read.
        """
        content: bytes = reader(self.shard).read(self.shard, self.sample)
        return content


def packed(
    manifest: DatasetManifest,
    shards: Shards,
    *,
    truth: Mapping[str, str] | None = None,
    condition: str | None = None,
) -> Iterator[Packed]:
    """Yield the images in shards, in their order.

    The class of each image is taken from the shard or, failing that, from its name or folder or
    from a list of file names.

    Args:
        truth: class folder by file name.
        condition: the only ImageNet-C condition to include.

    Raises:
        DataError: a shard cannot be read, or an image's class is not known.
    """
    files = shards.files
    if condition is not None:
        files = tuple(one for one in files if condition in conditions_in(one, shards.folder))
    folders = _folders(manifest, files)
    order = -1
    for file in files:
        held = contents(file)
        for sample in held.samples:
            shown = condition_of(sample.name, file, shards.folder)
            if condition is not None and shown != condition:
                continue
            order += 1
            name, named = own_name(sample.name)
            told = sample.label
            said = folders.get(told) if isinstance(told, int) else told
            of = said or named or (truth or {}).get(name)
            if of is None or (folders and isinstance(told, int) and told not in folders):
                raise DataError(
                    f"Expected a class of the image {sample.name} in {file}, a label, a folder or "
                    f"name with a WordNet id, or a name of {manifest.title}, but got the label "
                    f"{told!r}. Use a copy with class numbers from 0."
                )
            yield Packed(file, sample, order, shown, of, name, named, held.digest)


def own_name(name: str) -> tuple[str, str | None]:
    """Return an image's file name as in ImageNet, and the class folder named in it, if any.

    >>> own_name("ILSVRC2012_val_00000293_n01440764.JPEG")
    ('ILSVRC2012_val_00000293.JPEG', 'n01440764')
    >>> own_name("n01440764_10026.jpg"), own_name("n01440764/a.jpg"), own_name("s0000007.webp")
    (('n01440764_10026.JPEG', 'n01440764'), ('a.jpg', 'n01440764'), ('s0000007.webp', None))
    """
    path = PurePosixPath(name)
    stem, ending = path.stem, path.suffix
    told = path.parent.name if _WNID.fullmatch(path.parent.name) else None
    if (found := _WITH_CLASS.fullmatch(stem)) is not None:
        stem, told = found["name"], found["wnid"]
    if _OF_IMAGENET.fullmatch(stem):
        ending = ".JPEG"  # other packers write .jpg
        told = told or (stem[:9] if _WNID.match(stem) else None)
    return stem + ending, told


def _folders(manifest: DatasetManifest, files: Sequence[Path]) -> Mapping[int, str]:
    """Return the class folder of each number that shards use as a label; none if unknown.

    A part of ImageNet's classes is counted in its own order, or in that of all thousand.
    """
    own, whole = class_folders(manifest), load_classes("imagenet_1k").folders
    if not own:
        return {}
    numbers, called = set[int](), tuple[str, ...]()
    if len(own) == len(whole) and all(file.suffix == ".tar" for file in files):
        return dict(enumerate(own))  # no shard need be opened for that
    for file in files:
        held = contents(file)
        called = called or held.class_names
        numbers |= {one.label for one in held.samples if isinstance(one.label, int)}
    if called and all(_WNID.fullmatch(one) for one in called):
        return dict(enumerate(called))
    counted = {
        "its own": numbers <= {*range(len(own))} and len(called) in (0, len(own)),
        "ImageNet's": numbers <= {*map(whole.index, own)} and len(called) in (0, len(whole)),
    }
    fits = [what for what, may_be in counted.items() if may_be]
    if len(own) == len(whole) or fits == ["its own"]:
        return dict(enumerate(own))
    if fits == ["ImageNet's"]:
        return dict(enumerate(whole))
    if not numbers:
        return {}
    raise DataError(
        f"Expected labels of {manifest.title} that number its {len(own)} classes from 0, or the "
        f"{len(whole)} of ImageNet, but got {len(numbers)} numbers from {min(numbers)} to "
        f"{max(numbers)}, which {'may be either' if fits else 'are neither'}. Download a complete "
        "copy."
    )
