"""ImageNet-22K in 25 broad classes: images of subtypes inside and outside ImageNet-1K.

A subtype of a broad class is a synset below it in WordNet. It is seen if it is one of ImageNet-1K's
classes, and unseen if it is not [inc, app. E]. The broad class's own folder belongs to no subtype.
Folders of synsets below two of the broad classes have no unique label and are left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from typing_extensions import Unpack

from robust_lib import paths, seeds
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import digest, load_dataset
from robust_lib.datasets import sharded
from robust_lib.datasets.image_folder import require_folder
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles
from robust_lib.errors import DataError, InputError, one_of
from robust_lib.fetch.listing import is_picture

Part = Literal["train", "seen", "unseen"]
Children = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Subtypes:
    """The synsets below the broad classes.

    Attributes:
        seen: WordNet id -> label of its broad class, for subtypes in ImageNet-1K.
        unseen: the same for all other subtypes.
        shared: subtypes of several broad classes, which are excluded.
    """

    seen: Mapping[str, int]
    unseen: Mapping[str, int]
    shared: tuple[str, ...]


class ImageNet22K(PictureFiles):
    """Images of subtypes of the broad classes, labelled with the broad class.

    Args:
        part: "train" and "seen" contain seen subtypes and share no image; "unseen" contains the
            other subtypes.
        tested: maximum number of test images per subtype; at most half of a seen subtype's images.
        trained: maximum number of training images per subtype.
        held: the images of the part's subtypes, if they are in shards; None: in folders.

    Raises:
        InputError: an unknown part.
        DataError: the folder is missing, or has no subtype of the part for some broad class.
    """

    def __init__(
        self,
        folder: Path,
        classes: ClassList,
        subtypes: Subtypes,
        part: str,
        *,
        tested: int,
        trained: int,
        name: str,
        held: Iterable[Entry] | None = None,
        **choice: Unpack[Choice],
    ) -> None:
        if part not in get_args(Part):
            raise InputError(one_of("a part of ImageNet-22K", part, get_args(Part)))
        wanted = subtypes.unseen if part == "unseen" else subtypes.seen
        if held is None:
            require_folder(folder)
            held = (one for wnid, of in sorted(wanted.items()) for one in _inside(folder, wnid, of))
        by_subtype: dict[str, list[Entry]] = {}
        for one in held:
            by_subtype.setdefault(one.id.partition("/")[0], []).append(one)
        entries = [
            entry
            for _, of_one in sorted(by_subtype.items())
            for entry in _chosen(of_one, part, tested, trained)
        ]
        present = {entry.label for entry in entries}
        lacking = [one.name for one in classes.entries if one.index not in present]
        if lacking:
            kind = "unseen" if part == "unseen" else "seen"
            raise DataError(
                f"Expected images of {kind} subtypes of each of the {len(classes)} broad classes "
                f"in {folder}, but there are none of {', '.join(lacking)}. Unpack the folders of "
                "the synsets below these classes."
            )
        super().__init__(folder, entries, classes, name=name, **choice)
        self.shared = subtypes.shared

    @property
    def subtypes(self) -> tuple[str, ...]:
        """Return the WordNet id of each image's subtype."""
        return tuple(one.partition("/")[0] for one in self.ids)


def load(name: str, folder: Path | None = None, *, limit: int | None = None) -> ImageNet22K:
    """Return the image set of a manifest of kind imagenet_22k.

    Raises:
        InputError: no such manifest, or one of a different kind.
        DataError: the data is missing or differs from the manifest.
    """
    manifest = load_dataset(name)
    if manifest.kind != "imagenet_22k" or manifest.of is None or manifest.classes is None:
        raise InputError(
            f"Expected a part of ImageNet-22K, but got {name}. Use imagenet_22k_train, "
            "imagenet_22k_seen or imagenet_22k_unseen."
        )
    whole = load_dataset(manifest.of)
    folder = folder or paths.data() / whole.name
    classes = load_classes(manifest.classes)
    known = load_classes(str(whole.options["known"])).folders
    hierarchy = folder / str(whole.options["hierarchy"])
    subtypes, part = (
        subtypes_of(read_hierarchy(hierarchy), classes, known),
        manifest.options["part"],
    )
    wanted = subtypes.unseen if part == "unseen" else subtypes.seen
    return ImageNet22K(
        folder / str(whole.options["pictures"]),
        classes,
        subtypes,
        part,
        tested=whole.options["tested"],
        trained=whole.options["trained"],
        name=name,
        held=sharded.entries(whole, folder, wanted),
        limit=limit,
        provenance=digest(manifest) + digest(whole),
    )


def read_hierarchy(path: Path) -> Children:
    """Return parent -> children, from a file with one line "parent child" per pair.

    Raises:
        DataError: there is no such file, or a line that is not a pair.
    """
    if not path.is_file():
        raise DataError(
            f"Expected WordNet's hierarchy in {path}, but there is no such file. Download "
            "wordnet.is_a.txt from ImageNet's site and put it there."
        )
    found: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2:
            raise DataError(
                f"{path}:{number}: expected two WordNet ids, parent and child, but got {line!r}. "
                "Download the file again."
            )
        found.setdefault(words[0], []).append(words[1])
    return {parent: tuple(children) for parent, children in found.items()}


def subtypes_of(children: Children, classes: ClassList, known: Iterable[str]) -> Subtypes:
    """Return the synsets below broad classes, split by membership in ImageNet-1K.

    Raises:
        DataError: a broad class with nothing below it.
    """
    owners: dict[str, list[int]] = {}
    for label, root in enumerate(classes.folders):
        below = _below(children, root)
        if not below:
            raise DataError(
                f"Expected synsets below {classes.names[label]} ({root}) in WordNet's hierarchy, "
                "but there are none. Use the whole wordnet.is_a.txt."
            )
        for one in below:
            owners.setdefault(one, []).append(label)
    seen = set(known)
    alone = {one: labels[0] for one, labels in sorted(owners.items()) if len(labels) == 1}
    return Subtypes(
        {one: label for one, label in alone.items() if one in seen},
        {one: label for one, label in alone.items() if one not in seen},
        tuple(sorted(one for one, labels in owners.items() if len(labels) > 1)),
    )


def _below(children: Children, root: str) -> set[str]:
    """Return all synsets below one, each once: WordNet has several ways to some."""
    found: set[str] = set()
    left = [root]
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found:
                found.add(child)
                left.append(child)
    return found


def _inside(folder: Path, wnid: str, label: int) -> Iterator[Entry]:
    """Yield the images of a subtype's folder."""
    if (folder / wnid).is_dir():
        for file in (folder / wnid).iterdir():
            if is_picture(file.name):
                yield Entry(f"{wnid}/{file.name}", label, file.stat().st_size)


def _chosen(held: Sequence[Entry], part: str, tested: int, trained: int) -> Sequence[Entry]:
    """Return a subtype's images in a part, drawn by their names: parts share no image."""
    files = sorted(held, key=lambda one: (seeds.key(0, one.id, "held out"), one.id))
    if part == "unseen":
        return files[:tested]
    kept = min(tested, len(files) // 2)
    return files[:kept] if part == "seen" else files[kept : kept + trained]
