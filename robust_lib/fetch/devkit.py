"""The ground truth of ImageNet's validation images, from the usual lists or from ours.

The development kit numbers classes by its own id (ILSVRC2012_ID, 1 to 1000), whose order is not
that of WordNet ids: using these numbers as a classifier's outputs gives chance accuracy. Its
meta.mat maps each of these ids to a WordNet id. If there is no list next to the images, the
project's own list gives their classes: data_manifests/truth has one number for each image, the
class in the order of WordNet ids, whereas the kit's file has one number for each image in the kit's
order.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from robust_lib import paths
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.errors import DataError

NAME = "ILSVRC2012_val_{:08d}.JPEG"

_LINE = re.compile(
    r"(?:(?P<name>ILSVRC2012_val_\d{8})(?:\.JPEG)?[\s,]+)?(?P<wnid>n\d{8})(?:[\s,].*)?"
)


def truth_of(manifest: DatasetManifest, folder: Path) -> dict[str, str] | None:
    """Return the WordNet id of every image in a data set, by file name; None without a list.

    A list next to the images takes precedence over the project's own.

    Raises:
        DataError: a file's content does not match its name.
    """
    options = manifest.options
    if "list" in options and (folder / options["list"]).exists():
        return list_truth(folder / options["list"])
    if "ground_truth" in options and (folder / options["ground_truth"]).exists():
        return kit_truth(folder / options["ground_truth"], folder / options["meta"])
    ours = _ours(manifest)
    return own_truth(ours, load_classes(str(manifest.folders))) if ours.exists() else None


def disputed(manifest: DatasetManifest, folder: Path) -> Iterator[str]:
    """Yield a line if a list next to the images has different classes from the project's own.

    This happens if a list has a different order of classes or images: with it, nearly all
    predictions would count as wrong.
    """
    if not {"list", "ground_truth"} & manifest.options.keys() or not _ours(manifest).is_file():
        return
    try:
        beside = truth_of(manifest, folder) or {}
    except DataError as error:  # without a list, pictures in class folders are read all the same
        yield str(error)
        return
    ours = own_truth(_ours(manifest), load_classes(str(manifest.folders)))
    other = [
        f"{name} is {ours.get(name, 'not known')} and not {of}"
        for name, of in beside.items()
        if ours.get(name) != of
    ]
    if other or len(beside) != len(ours):
        yield (
            f"{folder}: the list next to the images has {len(beside)} of them, {len(other)} with "
            "classes that differ from the project's own list of "
            f"{len(ours)}{f' ({other[0]}, ...)' if other else ''}"
        )


def has_truth(manifest: DatasetManifest, folder: Path) -> bool:
    """Return whether a list has the class of every image in a data set; no list is read."""
    lists = [manifest.options[key] for key in ("list", "ground_truth") if key in manifest.options]
    return any((folder / name).is_file() for name in lists) or _ours(manifest).is_file()


def _ours(manifest: DatasetManifest) -> Path:
    return paths.manifests() / "truth" / f"{manifest.name}.csv"


def validation_wnids(files: Sequence[Path]) -> dict[Path, str] | None:
    """Return the WordNet id of each of ImageNet's validation images, by file name.

    Returns:
        None if a file has a different name: the classes are then unknown.
    """
    if not all(re.fullmatch(r"ILSVRC2012_val_\d{8}", file.stem) for file in files):
        return None
    whole = load_dataset("imagenet_val")
    truth = own_truth(_ours(whole), load_classes(str(whole.folders)))
    found = {file: truth.get(f"{file.stem}.JPEG") for file in files}
    known = {file: wnid for file, wnid in found.items() if wnid is not None}
    return known if len(known) == len(found) else None


def own_truth(path: Path, classes: ClassList) -> dict[str, str]:
    """Return the WordNet id of every validation image, by file name, from the project's list.

    Args:
        path: a table with one column, `index`; line n has the class of image n.
        classes: class list, in the order of the numbers, which count from zero.

    Raises:
        DataError: a line is not the number of a class.
    """
    heading, *lines = _lines(path) or ["nothing"]
    if heading != "index":
        raise DataError(f"{path}: expected the heading index, but got {heading}.")
    wnids, truth = classes.folders, {}
    for number, line in enumerate(lines, start=1):
        if not line.isdecimal() or int(line) >= len(wnids):
            raise DataError(
                f"{path}:{number + 1}: expected a class from 0 to {len(wnids) - 1}, but got {line}."
            )
        truth[NAME.format(number)] = wnids[int(line)]
    return truth


def kit_truth(ground_truth: Path, meta: Path) -> dict[str, str]:
    """Return the WordNet id of every validation image, by file name, from the development kit.

    Args:
        ground_truth: ILSVRC2012_validation_ground_truth.txt; line n has the class of image n.

    Raises:
        DataError: a file is missing or its content does not match its name.
    """
    wnids = _kit_wnids(meta)
    truth = {}
    for number, line in enumerate(_lines(ground_truth), start=1):
        if not line.isdigit() or int(line) not in wnids:
            raise DataError(
                f"{ground_truth}:{number}: expected a class from 1 to {len(wnids)}, but got "
                f"{line!r}."
            )
        truth[NAME.format(number)] = wnids[int(line)]
    return truth


def list_truth(path: Path) -> dict[str, str]:
    r"""Return the WordNet id of every validation image, by file name, from a plain list.

    Two forms are read: one WordNet id per line, line n for image n; or an image's name and a
    WordNet id on each line, separated by a blank or a comma, as in Kaggle's LOC_val_solution.csv.

    Raises:
        DataError: the list is missing, mixes both forms, or has a line of a different form.
    """
    lines = _lines(path)
    first = 2 if lines and lines[0].startswith("ImageId") else 1
    truth: dict[str, str] = {}
    for number, line in enumerate(lines[first - 1 :], start=first):
        found = _LINE.fullmatch(line)
        if found is None:
            raise DataError(
                f"{path}:{number}: expected a WordNet id, alone or after an image's name, but got "
                f"{line!r}."
            )
        name = f"{found['name']}.JPEG" if found["name"] else NAME.format(number)
        if name in truth:
            raise DataError(f"{path}:{number}: {name} occurs twice.")
        truth[name] = found["wnid"]
    return truth


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(
            f"Expected a list of the validation images' classes at {path}, but there is none."
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"Expected a list of the validation images' classes in {path}, but it is not text: "
            f"{error}. Download the list again."
        ) from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _kit_wnids(meta: Path) -> dict[int, str]:
    # Slow to import, and rarely needed.
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        with meta.open("rb") as file:
            synsets = np.atleast_1d(loadmat(file, squeeze_me=True)["synsets"])
        # The classes are the leaves; the table's other synsets are their ancestors.
        leaves = synsets[synsets["num_children"] == 0]
        numbers, wnids = map(int, leaves["ILSVRC2012_ID"]), map(str, leaves["WNID"])
        return dict(zip(numbers, wnids, strict=True))
    except (MatReadError, OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"Expected the development kit's meta.mat at {meta}, with a table `synsets`, but could "
            f"not read it ({error})."
        ) from None
