"""Label spaces: the class names of a classifier's outputs or of a data set's folders.

A list is a table data_manifests/classes/<name>.csv; lists.yaml next to it has titles and sources. A
mapping from the class names of a different data set is <theirs>_to_<ours>.csv; names without a row
belong to none of the classes.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from robust_lib import paths
from robust_lib.config import strict_yaml
from robust_lib.config.strict_yaml import Record
from robust_lib.errors import DataError, InputError, ManifestError, one_of


class ClassEntry(Record):
    """One class.

    Args:
        index: its position in the list, from 0.
        imagenet: the outputs of an ImageNet-1K classifier that belong to it, from 0.
        coco_id: its category id in COCO's annotation files (1 to 90, with gaps).
        folder: its folder on disk, if it is not the WordNet id.
    """

    index: Annotated[int, Field(ge=0)]
    name: Annotated[str, Field(min_length=1)]
    wnid: str | None = None
    imagenet: tuple[int, ...] = ()
    lemmas: str | None = None
    coco_id: int | None = None
    folder: str | None = None


class ClassList(Record):
    """A label space: its classes in the order of a classifier's outputs."""

    name: str
    title: str
    source: str
    entries: tuple[ClassEntry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the classes' names, in order."""
        return tuple(entry.name for entry in self.entries)

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the classes' folders, in order; raise InputError if a class has none."""
        folders = tuple(entry.folder or entry.wnid for entry in self.entries)
        if None in folders:
            raise InputError(f"The classes of {self.name} have no folders of their own.")
        return tuple(str(folder) for folder in folders)

    @property
    def imagenet(self) -> tuple[tuple[int, ...], ...]:
        """Return each class's ImageNet-1K outputs; raise InputError if a class has none."""
        if any(not entry.imagenet for entry in self.entries):
            raise InputError(f"The classes of {self.name} are not mapped to ImageNet-1K outputs.")
        return tuple(entry.imagenet for entry in self.entries)

    def meanings(self, words: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Return word -> the classes that it may stand for, ascending; other words are left out.

        A word is a WordNet id, a folder or a name, spelt like folders; a name may be the first of a
        class's lemmas, as in ImageNet's own lists. A word for two classes is unambiguous only if
        the words include the names of both as in this list.

        >>> imagenet = load_classes("imagenet_1k")
        >>> imagenet.meanings(["Tiger_cat", "n01443537", "crane", "rain"])
        {'Tiger_cat': (282,), 'n01443537': (1,), 'crane': (134, 517)}
        >>> imagenet.meanings(["crane", "crane bird"])
        {'crane': (517,), 'crane bird': (134,)}
        """
        exact: dict[str, int] = {}
        spelt: dict[str, set[int]] = {}
        for entry in self.entries:
            first = (entry.lemmas or "").partition(",")[0] or None
            for name in (entry.name, entry.wnid, entry.folder, first):
                if name is not None:
                    spelt.setdefault(plain(name), set()).add(entry.index)
            own = {name for name in (entry.name, entry.wnid, entry.folder) if name is not None}
            exact |= dict.fromkeys(own, entry.index)
        words = tuple(words)
        named = {exact[word] for word in words if word in exact}
        found = {}
        for word in words:
            may = spelt.get(plain(word), set())
            if word in exact and may <= named:
                may = {exact[word]}
            if may:
                found[word] = tuple(sorted(may))
        return found

    def places(self, words: Iterable[str], where: str) -> dict[str, int]:
        """Return word -> the class that it stands for; other words are left out.

        Args:
            where: the words and their source, for the message.

        Raises:
            DataError: a word that stands for two classes; the message has the ids of both.
        """
        found = self.meanings(words)
        for word, may in found.items():
            if len(may) > 1:
                both = [self.entries[place] for place in may]
                ids = " and ".join(f"{one.name} ({one.wnid or one.index})" for one in both)
                cure = "its WordNet id" if all(one.wnid for one in both) else "another name"
                raise DataError(
                    f"Expected {where} to mean one class of {self.name} each, but {word} may mean "
                    f"{ids}. Use {cure}."
                )
        return {word: place for word, (place,) in found.items()}


def plain(name: str) -> str:
    """Return a class's name in the form that folder names use.

    >>> plain("Tiger cat"), plain("jack-o'-lantern")
    ('tiger_cat', 'jack_o_lantern')
    """
    return re.sub(r"\W+", "_", name.casefold()).strip("_")


class _Heading(Record):
    title: str
    source: str


def load_classes(name: str) -> ClassList:
    """Return the class list data_manifests/classes/<name>.csv.

    Raises:
        InputError: no list with that name.
        ManifestError: the table is invalid; the message names file, line and column.

    >>> load_classes("imagenet_vid").entries[0].name
    'airplane'
    """
    if name not in class_names():
        raise InputError(one_of("class list", name, class_names()))
    folder = paths.manifests() / "classes"
    headings = folder / "lists.yaml"
    heading = strict_yaml.parse_record(_headings()[name], _Heading, headings, name)
    entries = _read_table(folder / f"{name}.csv")
    return ClassList(name=name, entries=entries, **heading.model_dump())


def class_names() -> tuple[str, ...]:
    """Return the names of all class lists, sorted."""
    return tuple(sorted(_headings()))


def _headings() -> dict[str, Any]:
    path = paths.manifests() / "classes" / "lists.yaml"
    raw = strict_yaml.read_yaml(path)
    if not isinstance(raw, dict):
        raise ManifestError(f"{path}:1: expected a mapping of list names to title and source.")
    return raw


def _read_table(path: Path) -> tuple[ClassEntry, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(f"Expected a table of classes at {path}, but there is none.") from None
    return _parsed(text, path)


@lru_cache(maxsize=32)
def _parsed(text: str, path: Path) -> tuple[ClassEntry, ...]:
    """Return the classes in a text, cached because a plan reads them hundreds of times."""
    rows = csv.reader(text.splitlines())
    header = next(rows, [])
    for column in header:
        if column not in _CELLS:
            raise ManifestError(f"{path}:1: {one_of('a column', column, _CELLS)}")
    if len(set(header)) < len(header) or not {"index", "name"} <= set(header):
        raise ManifestError(
            f"{path}:1: expected unique column names, including index and name, but got "
            f"{', '.join(header) or 'nothing'}."
        )
    entries: list[ClassEntry] = []
    seen: dict[tuple[str, Any], int] = {}
    for place, cells in enumerate(rows):
        line = rows.line_num
        if len(cells) != len(header):
            raise ManifestError(
                f"{path}:{line}: expected {len(header)} cells ({', '.join(header)}), "
                f"but got {len(cells)}."
            )
        values = {
            column: _value(path, line, column, cell)
            for column, cell in zip(header, cells, strict=True)
        }
        _check_row(path, line, place, values, seen)
        entries.append(ClassEntry(**values))
    if not entries:
        raise ManifestError(f"{path}:1: expected at least one class below the header.")
    return tuple(entries)


def _value(path: Path, line: int, column: str, cell: str) -> Any:
    try:
        return _CELLS[column](cell)
    except ValueError as error:
        raise ManifestError(f"{path}:{line}: column {column!r}: {error}.") from None


def _check_row(
    path: Path, line: int, place: int, values: Mapping[str, Any], seen: dict[tuple[str, Any], int]
) -> None:
    if values["index"] != place:
        raise ManifestError(
            f"{path}:{line}: column 'index': expected {place}, the row's place in the table, "
            f"but got {values['index']}."
        )
    for column, value in values.items():
        members = value if column == "imagenet" else (value,)
        for member in members:
            if column == "lemmas":
                continue
            first = seen.setdefault((column, member), line)
            if first != line or members.count(member) > 1:
                raise ManifestError(
                    f"{path}:{line}: column {column!r}: {member!r} occurs twice "
                    f"(first on line {first})."
                )


def _text(cell: str) -> str:
    if not cell or cell != cell.strip():
        raise ValueError(f"expected text without surrounding spaces, but got {cell!r}")
    return cell


def _number(cell: str) -> int:
    if not re.fullmatch(r"\d+", cell):
        raise ValueError(f"expected a whole number, but got {cell!r}")
    return int(cell)


def _wnid(cell: str) -> str:
    if not re.fullmatch(r"n\d{8}", cell):
        raise ValueError(f"expected a WordNet id like n01440764, but got {cell!r}")
    return cell


def _outputs(cell: str) -> tuple[int, ...]:
    """Read numbers and ranges: "7-24 80" is 7, 8, ..., 24, 80."""
    outputs: list[int] = []
    for part in cell.split():
        if not re.fullmatch(r"\d{1,3}(-\d{1,3})?", part):
            raise ValueError(f"expected numbers or ranges like 7-24, but got {part!r}")
        first, _, last = part.partition("-")
        members = range(int(first), int(last or first) + 1)
        if not members:
            raise ValueError(f"the range {part!r} runs backwards")
        outputs += members
    if not outputs:
        raise ValueError(f"expected at least one ImageNet-1K output, but got {cell!r}")
    return tuple(outputs)


_CELLS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {
        "index": _number,
        "name": _text,
        "wnid": _wnid,
        "imagenet": _outputs,
        "lemmas": _text,
        "coco_id": _number,
        "folder": _text,
    }
)


COLUMNS = ["theirs", "ours", "note"]


def load_class_map(name: str) -> Mapping[str, str]:
    """Return a mapping from the class names of a different data set to our classes.

    Args:
        name: name of the mapping, such as "openimages_to_coco".

    Raises:
        InputError: no such table.
        ManifestError: the table is invalid; the message names file and line.

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
                    f"{path}:{rows.line_num}: expected a word that occurs once in this file and a "
                    f"class of the label space, but got {','.join(cells)!r}."
                )
            found[cells[0]] = cells[1]
    return MappingProxyType(found)
