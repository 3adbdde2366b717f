"""Whether each picture of a data set lies in the folder of its class."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from robust_lib import paths
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.errors import DataError
from robust_lib.fetch.devkit import truth_of

SHOWN = 3
"""Pictures or folders named in a message."""


def known(manifest: DatasetManifest, folder: Path) -> dict[str, str] | None:
    """Return the class folder that each image belongs to, by file name; None if unknown.

    ImageNet's development kit says so of the validation images, which those of ImageNet-C are, and
    the project's own list of them. A data set without either is still held against the one that it
    shows, where that is sorted into class folders.
    """
    if manifest.members_of is not None:
        whole = load_dataset(manifest.members_of)
        beside = paths.data() / whole.name
        return known(whole, beside) or _placed(beside / whole.root)
    try:
        return truth_of(manifest, folder)
    except DataError:  # who reads the pictures by it says what is wrong with it
        return None


def _placed(root: Path) -> dict[str, str] | None:
    """Return the class folder of each picture as a sorted copy has it; None for another copy."""
    return {file.name: file.parent.name for file in root.glob("*/*") if file.is_file()} or None


def uneven(folder: Path, files: Sequence[Path]) -> Iterator[str]:
    """Yield a line if class folders hold unequal numbers of images.

    >>> files = [Path("val/n01440764/1.JPEG"), Path("val/n01440764/2.JPEG"), Path("val/n0/3.JPEG")]
    >>> list(uneven(Path("val"), files))
    ['val: its classes have unequal numbers of pictures: n0 1, n01440764 2']
    """
    counts = Counter(file.parent.name for file in files if file.parent != folder)
    if len(set(counts.values())) > 1:
        usual = Counter(counts.values()).most_common(1)[0][0]
        odd = sorted(name for name, count in counts.items() if count != usual) or sorted(counts)
        told = few(
            [f"{name} {counts[name]}" for name in (odd if len(counts) > 2 else sorted(counts))]
        )
        yield f"{folder}: its classes have unequal numbers of pictures: {told}"


def problems(folder: Path, files: Sequence[Path], truth: Mapping[str, str]) -> Iterator[str]:
    """Yield one line for each thing that is wrong with the places of some images.

    Args:
        folder: of class folders, or of pictures beside each other, whose classes no folder tells.
        truth: class folder of each, by file name.

    >>> truth = {"1.JPEG": "n01440764", "2.JPEG": "n01443537"}
    >>> swapped = [Path("n01443537/1.JPEG"), Path("n01440764/2.JPEG")]
    >>> list(problems(Path("val"), swapped, truth))
    ['val: class folders are swapped: n01440764 holds the pictures of n01443537, n01443537 those of\
 n01440764']
    """
    names = Counter(file.name for file in files)
    for what, wrong in (
        ("pictures that are in no list", sorted(names.keys() - truth.keys())),
        ("pictures of the list that are not there", sorted(truth.keys() - names.keys())),
        (
            "pictures that are there twice",
            sorted(name for name, count in names.items() if count > 1),
        ),
    ):
        if wrong:
            yield f"{folder}: {what}: {len(wrong)} ({few(wrong)})"
    lies = [(file.name, file.parent.name) for file in files if file.parent != folder]
    if not lies:
        return
    yield from _misplaced(folder, lies, truth)


def _misplaced(
    folder: Path, lies: Sequence[tuple[str, str]], truth: Mapping[str, str]
) -> Iterator[str]:
    held: dict[str, Counter[str]] = {}
    for name, inside in lies:
        held.setdefault(inside, Counter())[truth.get(name, "")] += 1
    # A folder all of whose pictures are of one other class was given a wrong name.
    swapped = {
        inside: next(iter(classes))
        for inside, classes in sorted(held.items())
        if len(classes) == 1 and set(classes) not in ({inside}, {""})
    }
    if swapped:
        (first, other), *rest = swapped.items()
        told = [f"{first} holds the pictures of {other}"]
        told += [f"{inside} those of {of}" for inside, of in rest[: SHOWN - 1]]
        more = ", ..." if len(swapped) > SHOWN else ""
        yield f"{folder}: class folders are swapped: {', '.join(told)}{more}"
    moved = [
        f"{inside}/{name} belongs to {truth[name]}"
        for name, inside in lies
        if inside not in swapped and truth.get(name, inside) != inside
    ]
    if moved:
        few_of_them = few(sorted(moved))
        yield f"{folder}: pictures in the folder of another class: {len(moved)} ({few_of_them})"


def few(names: Sequence[str]) -> str:
    """Return the first few of some names."""
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
