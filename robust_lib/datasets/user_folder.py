"""A user's folder of images, named `folder:PATH` wherever a data set is named.

Folders in it are classes, named by WordNet id or by name as in one of the known class lists; a
folder that contains only images has no labels.
"""

import difflib
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from robust_lib.config.class_lists import ClassEntry, ClassList, class_names, load_classes, plain
from robust_lib.config.manifests import dataset_names, load_dataset
from robust_lib.datasets.derived import DIGITS
from robust_lib.datasets.image_folder import SHOWN
from robust_lib.datasets.picture_files import READING, Entry, PictureFiles
from robust_lib.errors import DataError
from robust_lib.fetch.devkit import validation_wnids
from robust_lib.fetch.listing import READ
from robust_lib.fetch.verification import pictures_below
from robust_lib.miniworld.worlds import load_world
from robust_lib.types import UNKNOWN

PREFIX, COCO = "folder:", "coco:"
"""Beginnings of the names of a user's image sets; see `user_objects` for those with boxes."""

NAMES = (f"{PREFIX}PATH", f"{COCO}ANNOTATIONS,PICTURES")


def is_users(name: str) -> bool:
    """Return whether a data set's name refers to a user's images.

    >>> is_users("folder:holiday/pictures"), is_users("coco:a.json,b"), is_users("imagenet_val")
    (True, True, False)
    """
    return name.startswith((PREFIX, COCO))


def short_name(name: str) -> str:
    """Return a data set's name for tables, without the paths of a user's data set.

    >>> short_name("folder:holiday/pictures"), short_name("coco:mine/cats.json,mine/pictures")
    ('folder:pictures', 'coco:cats')
    """
    if name.startswith(COCO):
        return COCO + Path(name.removeprefix(COCO).rpartition(",")[0]).stem
    return PREFIX + Path(name.removeprefix(PREFIX)).name if is_users(name) else name


def image_folder(
    folder: str | Path,
    *,
    spaces: Sequence[ClassList] = (),
    labelled: bool | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> PictureFiles:
    """Return a user's image folder, given as a path or as `folder:PATH`, as an image set.

    Its digest covers the contents of all files, so an image that changes is classified again.

    Args:
        spaces: class lists to search first for the folders' names; the first list that contains
            them all is the label space.
        labelled: whether folders are classes; None: true if there are folders with images. Without
            labels, images at any depth belong to the set, and its label space is the first of
            `spaces`. ImageNet's validation images, all in one folder under their own names, have
            the classes of the project's list.

    Raises:
        DataError: there is no such folder, it has no images, class folders and single images are
            mixed, or a folder's name fits no class or two; the message has the nearest name, or the
            ids of both.

    >>> import tempfile
    >>> from PIL import Image
    >>> home = Path(tempfile.mkdtemp())
    >>> for name in ("goldfish", "n01440764"):
    ...     (home / name).mkdir()
    ...     Image.new("RGB", (8, 8)).save(home / name / "a.png")
    >>> images = image_folder(home)
    >>> images.ids, images.labels.tolist(), images.classes
    (('goldfish/a.png', 'n01440764/a.png'), [1, 0], 'imagenet_1k')
    """
    root = Path(str(folder).removeprefix(PREFIX)).expanduser()
    _require_folder(root)
    found = sorted(pictures_below(root))
    if not found:
        raise DataError(
            f"Expected images ({READ}) below {root}, but found none. Pass the folder of the "
            "images, or that of their class folders."
        )
    inside = sorted({file.relative_to(root).parts[0] for file in found if file.parent != root})
    known = (*spaces, *_known())
    space, labels = known[0], dict[str, int]()
    called = {file: file.relative_to(root).parts[0] for file in found}
    wnids = None if inside or labelled is False else validation_wnids(found)
    if wnids is not None:
        space, labels = _labels(root, sorted(set(wnids.values())), known)
        called = wnids
    elif labelled or (labelled is None and inside):
        _require_folders(root, found, inside)
        space, labels = _labels(root, inside, known)
    digests = file_digests(found)
    contents = {file.relative_to(root).as_posix(): one for file, one in digests.items()}
    images = PictureFiles(
        root,
        (_entry(root, file, labels.get(called[file], UNKNOWN)) for file in found),
        space,
        name=short_name(f"{PREFIX}{root.resolve()}"),
        limit=limit,
        seed=seed,
        provenance=READING + joint_digest(digests.values()),
    )
    images.contents = {one: contents[one][:DIGITS] for one in images.ids}
    return images


def require_there(name: str) -> None:
    """Raise DataError if a user's images or annotations do not exist at the given path."""
    path = name.removeprefix(PREFIX)
    if name.startswith(COCO):
        file, _, path = name.removeprefix(COCO).rpartition(",")
        if file and not Path(file).expanduser().is_file():
            raise DataError(
                f"Expected annotations in {file}, but there is no such file. Check the path: it is "
                f"relative to {Path.cwd()}."
            )
    _require_folder(Path(path).expanduser())


def _require_folder(root: Path) -> None:
    if not root.is_dir():
        raise DataError(
            f"Expected a folder of images at {root}, but there is none. Check the path: it is "
            f"relative to {Path.cwd()}."
        )


def class_list(name: str, names: Iterable[str]) -> ClassList:
    """Return a label space of classes with names only.

    >>> class_list("pets", ["cat", "dog"]).names
    ('cat', 'dog')
    """
    entries = tuple(ClassEntry(index=place, name=one) for place, one in enumerate(names))
    return ClassList(name=name, title=name, source="names", entries=entries)


def _known() -> tuple[ClassList, ...]:
    """Return all label spaces of the project, ImageNet's first, then the miniature worlds'."""
    options = [load_dataset(name).options for name in dataset_names()]
    worlds = sorted({one["world"] for one in options if "world" in one})
    drawn = [class_list(name, load_world(name).inside) for name in worlds]
    first, *others = sorted(class_names(), key=lambda name: name != "imagenet_1k")
    return (load_classes(first), *drawn, *map(load_classes, others))


def _require_folders(root: Path, found: Sequence[Path], inside: Sequence[str]) -> None:
    single = [file.name for file in found if file.parent == root]
    if single or not inside:
        raise DataError(
            f"Expected the images of {root} in class folders, but {len(single)} are not in one "
            f"({_listed(single)}). Sort these images into folders named as their classes, or move "
            "them elsewhere."
        )


def _labels(
    root: Path, inside: Sequence[str], spaces: Sequence[ClassList]
) -> tuple[ClassList, dict[str, int]]:
    """Return the first label space that has classes of these names, and each one's label."""
    tried = [(space, space.meanings(inside)) for space in spaces]
    for space, known in tried:
        if len(known) == len(inside):
            return space, space.places(inside, f"the folders in {root}")
    best, known = max(tried, key=lambda pair: len(pair[1]))
    unknown = [name for name in inside if name not in known]
    near = difflib.get_close_matches(plain(unknown[0]), map(plain, best.names), n=3)
    hint = f"Names similar to {unknown[0]} are {', '.join(near)}. " if near else ""
    raise DataError(
        f"Expected the folders in {root} to be named as classes, by name or WordNet id, but "
        f"{len(unknown)} of the {len(inside)} folders are not in {best.name}, the closest list: "
        f"{_listed(unknown)}. {hint}Rename these folders, or put all images into one folder to "
        "use them without labels."
    )


def _entry(root: Path, file: Path, label: int) -> Entry:
    return Entry(file.relative_to(root).as_posix(), label, file.stat().st_size)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def file_digests(files: Iterable[Path]) -> dict[Path, str]:
    """Return file -> digest of its content."""
    return {file: _digest(file) for file in files}


def joint_digest(digests: Iterable[str]) -> str:
    """Return a single digest of several digests, in order."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
