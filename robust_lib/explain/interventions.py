"""Interventions: images with one property changed, to see whether it matters.

If a banana is classified as a banana, but not in other colours, or the other way round [nae, fig.
12], the network relied on colour. Shapes and shadows do not change.

`Versions` is an image set of changed images, several of each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
import yaml
from PIL import Image

from robust_lib.cache import content_key
from robust_lib.corruptions import hsv
from robust_lib.datasets.derived import Derived
from robust_lib.errors import InputError, one_of
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Labels, Picture

EDITS = ("grey", "hue+60", "hue+120", "hue+180", "hue+240", "hue+300")
"""The edits of `recolour`; hues are rotated by degrees, from red over green to blue."""

LIGHT = (0.299, 0.587, 0.114)  # what red, green and blue add to lightness (ITU-R BT.601)

FORMAT = 1
"""Raise it when the same edit of the same image would look other than before."""

_AS_IT_IS = Preprocessing(None, None)


def chosen(edits: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the edits with these names; None: all.

    Args:
        edits: names of `EDITS`, or a list as text, as from papermill's -p.

    Raises:
        InputError: an unknown edit, or no edit.
    """
    named = yaml.safe_load(edits) if isinstance(edits, str) else edits
    found = EDITS if named is None else (named,) if isinstance(named, str) else tuple(named)
    for edit in found or ("nothing",):
        if edit not in EDITS:
            raise InputError(one_of("edit", str(edit), EDITS))
    return found


def recolour(picture: Picture, edit: str) -> Picture:
    """Return an image with changed colours: grey, or with every hue rotated by the same angle.

    Args:
        edit: a name of `EDITS`.

    Raises:
        InputError: an unknown edit.

    >>> recolour(np.array([[[255, 0, 0]]], np.uint8), "hue+120")
    array([[[  0, 255,   0]]], dtype=uint8)
    """
    if edit not in EDITS:
        raise InputError(one_of("edit", edit, EDITS))
    if edit == "grey":
        return grey(picture)
    return turned(picture, int(edit.removeprefix("hue+")))


def grey(picture: Picture) -> Picture:
    """Return an image's lightness alone, repeated in all three channels."""
    light = (picture @ np.array(LIGHT)).round().astype(np.uint8)
    return np.repeat(light[..., None], 3, axis=-1)


def turned(picture: Picture, degrees: int) -> Picture:
    """Return an image with rotated hues but the same saturation and value."""
    colours = torch.from_numpy(picture.astype(np.float64) / 255).permute(2, 0, 1)[None]
    hue, saturation, value = hsv.from_rgb(colours)
    edited = hsv.to_rgb((hue + degrees / 360) % 1, saturation, value)
    return (edited[0].permute(1, 2, 0) * 255).round().to(torch.uint8).numpy()


@dataclass(frozen=True, eq=False)
class Edited(Derived):
    """An image set whose images are recoloured after preprocessing.

    Raises:
        InputError: an unknown edit.
    """

    edit: str

    def __post_init__(self) -> None:
        if self.edit not in EDITS:
            raise InputError(one_of("edit", self.edit, EDITS))

    @property
    def name(self) -> str:
        """Return the name of the base with the edit, such as "scenes_val/grey"."""
        return f"{self.base.name}/{self.edit}"

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of the edit."""
        return content_key({"base": self.base.digest, "edit": self.edit, "format": FORMAT})

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image, resized, cropped and recoloured."""
        return recolour(self.base.read(index, preprocessing), self.edit)


@dataclass(frozen=True, eq=False)
class Versions(Derived):
    """Versions of some images of an image set, each changed in its own way at its original size.

    Args:
        title: the changed property, such as "backgrounds".
        places: index of each version's image in the base.
        marks: suffix of each version's id, after its image's id.
        change: function that maps an image and the number of a version to that version.
        about: everything that determines the changes, as plain values.

    Raises:
        InputError: the number of marks differs from the number of versions.
    """

    title: str
    places: Sequence[int]
    marks: Sequence[str]
    change: Callable[[Picture, int], Picture]
    about: Mapping[str, Any]

    def __post_init__(self) -> None:
        if len(self.places) != len(self.marks):
            raise InputError(
                f"Expected a mark for each of {len(self.places)} versions, but got "
                f"{len(self.marks)}."
            )

    @property
    def name(self) -> str:
        """Return the base's name and the changed property, such as "layouts_val/backgrounds"."""
        return f"{self.base.name}/{self.title}"

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return the id of each version: that of its image, with its mark."""
        own = self.base.ids
        pairs = zip(self.places, self.marks, strict=True)
        return tuple(f"{own[place]}/{mark}" for place, mark in pairs)

    @cached_property
    def labels(self) -> Labels:
        """Return the label of each version's image."""
        return np.asarray(self.base.labels)[np.asarray(self.places, np.int64)]

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of all changes."""
        return content_key(
            {"base": self.base.digest, "ids": self.ids, "change": self.title, **self.about}
        )

    def __len__(self) -> int:
        return len(self.places)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one version, changed at its image's own size, then resized and cropped."""
        picture = self.base.read(self.places[index], _AS_IT_IS)
        changed = self.change(picture, index)
        return preprocessing.apply(Image.fromarray(changed))
