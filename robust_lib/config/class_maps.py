"""Maps from the words of another data set to the classes of a label space.

A map is a table data_manifests/classes/<theirs>_to_<ours>.csv with the columns `theirs`, `ours`
and `note`. Words without a row mean none of the classes.
"""

import csv
from collections.abc import Mapping
from types import MappingProxyType

from robust_lib import paths
from robust_lib.config.class_lists import load_classes
from robust_lib.errors import InputError, ManifestError

COLUMNS = ["theirs", "ours", "note"]


def load_class_map(name: str) -> Mapping[str, str]:
    """Return their word -> our class.

    Args:
        name: such as "openimages_to_coco".

    Raises:
        InputError: no such table.
        ManifestError: the table is wrong; the message names file and line.

    >>> load_class_map("openimages_to_coco")["Coffee cup"]
    'cup'
    """
    path = paths.manifests() / "classes" / f"{name}.csv"
    if not path.is_file():
        raise InputError(
            f"Expected a map of class names at {path}, but there is none. Write one with the "
            f"columns {', '.join(COLUMNS)}."
        )
    known = frozenset(load_classes(name.rpartition("_to_")[2]).names)
    found: dict[str, str] = {}
    with path.open(encoding="utf-8", newline="") as opened:
        rows = csv.reader(opened)
        if next(rows, []) != COLUMNS:
            raise ManifestError(f"{path}:1: expected the columns {', '.join(COLUMNS)}.")
        for cells in rows:
            if len(cells) != len(COLUMNS) or cells[1] not in known or cells[0] in found:
                raise ManifestError(
                    f"{path}:{rows.line_num}: expected a word that stands here once and a class of "
                    f"the label space, but got {','.join(cells)!r}."
                )
            found[cells[0]] = cells[1]
    return MappingProxyType(found)
