"""Images in WebDataset tars: KEY.jpg, and KEY.cls or KEY.json next to it.

All files of a sample have the same name except for the suffix. Folders in a name are kept, and a
folder named by a WordNet id also gives a class.
"""

import tarfile
from pathlib import Path, PurePosixPath

from robust_lib.config import strict_json
from robust_lib.errors import DataError
from robust_lib.fetch.listing import is_picture
from robust_lib.fetch.shards import Contents, Label, Sample

TOLD = (".cls", ".json")
"""Endings of the files that tell a class."""

KEYS = ("label", "cls", "wnid", "synset")
"""Keys of a JSON file that do, the first of them that is there."""


def contents(path: Path) -> Contents:
    """Return the contents of a tar; images are skipped, not read.

    Raises:
        DataError: it is not a tar, is truncated, or has a class that cannot be read.
    """
    pictures: list[tarfile.TarInfo] = []
    told: dict[str, Label] = {}
    try:
        with tarfile.open(path, "r:") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                if not member.isreg() or name.name[0] == ".":
                    continue
                if is_picture(name.name):
                    pictures.append(member)
                elif name.suffix.lower() in TOLD:
                    file = tar.extractfile(member)
                    content = file.read() if file else b""
                    said = _label(content, name.suffix.lower(), f"{path}: {name}")
                    key = name.with_suffix("").as_posix()
                    told[key] = told.get(key) if said is None else said
    except (tarfile.TarError, OSError) as error:
        raise DataError(f"Could not read the tar {path}: {error}. Download it again.") from None
    samples = (
        Sample(
            PurePosixPath(one.name).as_posix(),
            told.get(PurePosixPath(one.name).with_suffix("").as_posix()),
            one.offset_data,
            0,
            one.size,
        )
        for one in pictures
    )
    return Contents("", (), tuple(samples))


def read(path: Path, sample: Sample) -> bytes:
    """Return an image's bytes; there are fewer if the tar was truncated after it was listed."""
    with path.open("rb") as file:
        file.seek(sample.first)
        return file.read(sample.bytes)


def _label(content: bytes, kind: str, where: str) -> Label:
    try:
        if kind == ".cls":
            text = content.decode("utf-8").strip()
            return int(text) if text.isdecimal() else text
        found = strict_json.parsed(content)
    except ValueError as error:
        raise DataError(
            f"{where}: expected the class of an image, but could not read it ({error}). Download "
            "the tar again."
        ) from None
    if not isinstance(found, dict):
        return found if isinstance(found, int | str) else None
    return next((found[key] for key in KEYS if isinstance(found.get(key), int | str)), None)
