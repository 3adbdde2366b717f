"""The settings of a tree of corrupted images, in a file that is written before any image.

A tree is continued only with its original settings, so all its images are made in the same way,
regardless of interruptions.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import cv2
import numpy as np
import PIL
import scipy
import torch
import yaml
from pydantic import Field

from robust_lib.atomic import cleared, write_json
from robust_lib.code_digest import source_digest
from robust_lib.config.corruption_cards import convention
from robust_lib.config.strict_yaml import Record, read_record
from robust_lib.corruptions.jpeg import ARCHIVE_QUALITY
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import authors_frost
from robust_lib.errors import DataError, ManifestError
from robust_lib.preprocessing import Preprocessing
from robust_lib.vocabulary import NAMES

NAME = "robust_corrupt.json"

FORMAT = 1
"""Raise it when the same settings would give other files than before."""

SHOWN = 3  # entries named in a message


class Settings(Record):
    """All settings that determine the bytes of a tree's files.

    Args:
        resize, crop: pixels, as for `Preprocessing`; None keeps the size.
        pictures: digest of the images' names, sizes in bytes and class folders.
    """

    format: int
    seed: int
    resize: int | None
    crop: int | None
    interpolation: str
    quality: int
    images: Annotated[int, Field(ge=1)]
    pictures: str
    code: str
    versions: dict[str, str]

    @property
    def digest(self) -> str:
        """Return 16 hexadecimal digits that identify these settings."""
        text = json.dumps(self.model_dump(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Corruption(Record):
    """One corruption of a tree: its convention, and the progress of each severity."""

    convention: str
    severities: dict[int, Literal["begun", "complete"]]


class TreeManifest(Record):
    """The content of a tree and the settings with which it was made."""

    made_by: Literal["robust corrupt"] = "robust corrupt"
    source: str
    settings: Settings
    corruptions: dict[str, Corruption]


def settings_of(images: ImageFolder, geometry: Preprocessing, seed: int) -> Settings:
    """Return the settings with which images would be corrupted now."""
    versions = {
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "pillow": PIL.__version__,
        "scipy": scipy.__version__,
        "torch": torch.__version__,
    }
    return Settings(
        format=FORMAT,
        seed=seed,
        resize=geometry.frame,
        crop=geometry.crop,
        interpolation=geometry.interpolation,
        quality=ARCHIVE_QUALITY,
        images=len(images),
        pictures=images.digest,
        code=source_digest("corruptions", "preprocessing", "seeds"),
        versions=versions,
    )


def words_of(name: str) -> str:
    """Return the convention, as text, of a number computed with a corruption of a tree."""
    own = name == "frost" and authors_frost() is not None
    return "as published" if own else convention(name)


def begin(
    folder: Path, source: str, settings: Settings, names: Sequence[str], severities: Sequence[int]
) -> None:
    """Claim a folder for a tree, or continue the tree in it, and record this in its manifest.

    Args:
        folder: folder of the tree; an empty or missing folder, or one without any image yet, begins
            a new tree.

    Raises:
        DataError: the folder contains something else, or a tree made with different settings;
            nothing was written.
    """
    path = folder / NAME
    wanted = TreeManifest(
        source=source,
        settings=settings,
        corruptions={
            name: Corruption(
                convention=words_of(name), severities=dict.fromkeys(severities, "begun")
            )
            for name in names
        },
    )
    if path.exists():
        there = _read(path)
        if not cleared(folder, NAME):
            _require_same(folder, there, wanted)
            wanted = _merged(there, wanted)
    else:
        _require_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(path, wanted.model_dump(mode="json"))


def complete(folder: Path, names: Sequence[str], severities: Sequence[int]) -> None:
    """Record in a tree's manifest that these conditions are complete."""
    there = _read(folder / NAME)
    done = {
        name: there.corruptions[name].model_copy(
            update={"severities": dict.fromkeys(severities, "complete")}
        )
        for name in names
    }
    finished = there.model_copy(update={"corruptions": done})
    write_json(folder / NAME, _merged(there, finished).model_dump(mode="json"))


def _merged(old: TreeManifest, new: TreeManifest) -> TreeManifest:
    """Return the old manifest, updated with the new one's conditions; the order is fixed."""
    merged: dict[str, Corruption] = {}
    for name in NAMES:
        parts = [one.corruptions[name] for one in (old, new) if name in one.corruptions]
        if parts:
            states = {k: v for part in parts for k, v in part.severities.items()}
            ordered = {severity: states[severity] for severity in sorted(states)}
            merged[name] = parts[0].model_copy(update={"severities": ordered})
    return old.model_copy(update={"corruptions": merged})


def _read(path: Path) -> TreeManifest:
    try:
        return read_record(path, TreeManifest)
    except (ManifestError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(
            f"{path} is not what `robust corrupt` writes, so nothing is known about the images "
            f"next to it: {str(error).splitlines()[0]} Write to another folder."
        ) from None


def _require_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise DataError(f"Expected a folder to write to, but {folder} is a file. Use another path.")
    there = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    begun = [name for name in there if name.startswith(f".{NAME}.")]  # stopped before anything
    besides = [name for name in there if name not in begun]
    if besides:
        listed = ", ".join(besides[:SHOWN]) + (", ..." if len(besides) > SHOWN else "")
        raise DataError(
            f"Expected {folder} to be empty or a folder begun by `robust corrupt`, but it contains "
            f"{listed} and no {NAME}. Nothing was written; use another folder."
        )
    for name in begun:
        (folder / name).unlink()


def _require_same(folder: Path, there: TreeManifest, wanted: TreeManifest) -> None:
    old, new = _flat(there), _flat(wanted)
    apart = [
        f"{what} ({old[what]} there, {new[what]} now)"
        for what in new
        if what in old and old[what] != new[what]
    ]
    if apart:
        raise DataError(
            f"Expected the settings with which {folder} was begun, but these differ: "
            f"{', '.join(apart)}. Nothing was written; use a different folder or the same settings."
        )


def _flat(manifest: TreeManifest) -> Mapping[str, str]:
    """Return everything that must not change within a tree, under the names that users know."""
    settings = manifest.settings.model_dump()
    versions = {f"version of {name}": v for name, v in settings.pop("versions").items()}
    words = {
        "pictures": "digest of the images' names and sizes",
        "code": "digest of this library's code",
        "images": "number of images",
    }
    shown = {words.get(name, name): _short(value) for name, value in settings.items()}
    looks = {name: one.convention for name, one in manifest.corruptions.items()}
    return shown | versions | looks


def _short(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) < 64 else f"{text[:12]}..."
