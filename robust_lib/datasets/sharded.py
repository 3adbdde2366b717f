"""Images of a data set in shards, with the same ids as in class folders."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from robust_lib.config.manifests import DatasetManifest
from robust_lib.datasets.picture_files import Entry
from robust_lib.errors import DataError
from robust_lib.fetch import shards
from robust_lib.fetch.pictures import few, is_all_of_imagenet, known_folders
from robust_lib.fetch.shards.packed import packed


def entries(
    manifest: DatasetManifest,
    folder: Path,
    labels: Mapping[str, int],
    *,
    condition: str | None = None,
) -> list[Entry] | None:
    """Return the images in a data set's shards, in order; None if it has no shards.

    Args:
        labels: class folder -> label; images of other classes are left out.
        condition: condition of ImageNet-C, such as "fog/3".

    Raises:
        DataError: a shard is missing or cannot be read, an image occurs twice, or the classes are
            not those of the data set.
    """
    held = shards.of(manifest, folder)
    if held is None:
        return None
    held.require()
    truth = known_folders(manifest, folder)
    there: set[str] = set()
    found: list[Entry] = []
    for one in packed(manifest, held, truth=truth, condition=condition):
        there.add(one.folder)
        if one.folder in labels:
            found.append(Entry(one.id, labels[one.folder], one.sample.bytes, one))
    twice = sorted(name for name, count in Counter(one.id for one in found).items() if count > 1)
    if twice:
        raise DataError(
            f"Expected each image of {manifest.title} once in the {held.layout} of {folder}, but "
            f"{len(twice)} are duplicated ({few(twice)}). Download those shards again."
        )
    if expected := {*shards.class_folders(manifest)}:
        lacking, besides = sorted(expected - there), sorted(there - expected)
        if lacking or (besides and not is_all_of_imagenet(there)):
            raise DataError(
                f"Expected the {len(expected)} classes of {manifest.title} in the {held.layout} of "
                f"{folder / (condition or '')}, but {len(lacking)} are missing "
                f"({few(lacking) or 'none'}) and {len(besides)} do not belong there "
                f"({few(besides) or 'none'}). Check that these are its shards."
            )
    return found
