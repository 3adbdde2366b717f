"""Icon art: from the packages of nine open icon sets to small named RGBA images.

A *drawing* is one icon of one set, such as `twemoji:bell`. Sets use the same names for icons,
except that some omit the hyphens, so names are matched without them. Two sets may share their
drawings (one shaded, one flat); such sets form a *hand*, and a split by drawing keeps the versions
of a hand together.
"""

import io
import json
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from robust_lib import cache
from robust_lib.errors import DataError

# The flat Fluent set is the shaded one without its gradients: one hand drew both.
HANDS = {"fluent-emoji-flat": "fluent-emoji"}
FORMAT = 1


@dataclass(frozen=True)
class Drawing:
    """One icon of one set, with `set` and `name` as in the set."""

    set: str
    name: str

    @property
    def hand(self) -> str:
        """Return the name of the hand that drew it, which sets with the same drawings share."""
        return HANDS.get(self.set, self.set)

    def __str__(self) -> str:
        return f"{self.set}:{self.name}"


@dataclass(frozen=True)
class Art:
    """Rasterised drawings: `rgba[i]` is `drawings[i]`, 8-bit with straight alpha."""

    drawings: tuple[Drawing, ...]
    rgba: UInt8[np.ndarray, "drawings size size 4"]

    def of(self, name: str) -> tuple[int, ...]:
        """Return the indices of the drawings with an icon name; hyphens do not matter."""
        plain = name.replace("-", "")
        return tuple(
            place for place, d in enumerate(self.drawings) if d.name.replace("-", "") == plain
        )


def read_set(archive: Path) -> dict[str, Any]:
    """Return the content of icons.json in an icon package (an npm archive).

    Raises:
        DataError: the archive lacks this file, or is truncated or altered.
    """
    try:
        with tarfile.open(archive, "r:gz") as members:
            file = members.extractfile("package/icons.json")
            if file is None:
                raise KeyError("package/icons.json")
            content: dict[str, Any] = json.load(file)
        if missing := {"prefix", "icons"} - content.keys():
            raise KeyError(*missing)
    # A cut or altered archive fails in the tar, in the compression or in the text.
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError, zlib.error) as error:
        raise DataError(
            f"Expected an icon package with package/icons.json in {archive}, but could not read "
            f"it ({error}). Delete the file and run `robust fetch icons`."
        ) from None
    return content


def svg_of(icons: Mapping[str, Any], name: str) -> tuple[str, bool]:
    """Return an icon's SVG text, and whether it must be mirrored, as for some aliases.

    Raises:
        KeyError: the set does not have the icon, or hides it.
    """
    alias = icons.get("aliases", {}).get(name)
    icon = icons["icons"][alias["parent"] if alias else name]
    if icon.get("hidden") or (alias or {}).get("hidden"):
        raise KeyError(name)
    width = icon.get("width", icons.get("width", 16))
    height = icon.get("height", icons.get("height", 16))
    left, top = icon.get("left", 0), icon.get("top", 0)
    mirrored = bool((alias or {}).get("hFlip"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{left} {top} {width} {height}">{icon["body"]}</svg>'
    ), mirrored


def rasterise(svg: str, size: int, *, mirrored: bool = False) -> UInt8[np.ndarray, "size size 4"]:
    """Return an SVG drawn in the centre of a square of `size` pixels, with straight alpha."""
    from resvg_py import svg_to_bytes

    png = svg_to_bytes(svg_string=svg, width=size, height=size, skip_system_fonts=True)
    picture = Image.open(io.BytesIO(bytes(png))).convert("RGBA")
    square = Image.new("RGBA", (size, size))
    square.paste(picture, ((size - picture.width) // 2, (size - picture.height) // 2))
    rgba = np.asarray(square)
    return np.ascontiguousarray(rgba[:, ::-1] if mirrored else rgba)


def load(
    archives: Sequence[Path], names: Iterable[str], *, size: int, store: cache.Store | None = None
) -> Art:
    """Return the drawings of all sets for the requested icon names, which are rasterised once.

    Args:
        archives: the icon packages, one per set.
        names: icon names; a set without one of these icons has no drawing of it.
        size: pixels of the square into which each icon is drawn.
        store: store of rasterised art, whose key depends on packages, names and size.

    Raises:
        DataError: a package cannot be read, or a name is in none of them.
    """
    wanted = sorted({name.replace("-", "") for name in names})
    description = {
        "what": "art",
        "format": FORMAT,
        "size": size,
        "packages": [archive.name for archive in archives],
        "names": wanted,
    }
    key = cache.content_key(description)
    if store is not None and store.has(key):
        kept = store.get(key, expect=description)
        drawings = [str(text).split(":", 1) for text in kept["drawings"]]
        return Art(tuple(Drawing(*pair) for pair in drawings), kept["rgba"])
    drawn = [pair for archive in archives for pair in _draw(read_set(archive), wanted, size)]
    found = {drawing.name.replace("-", "") for drawing, _ in drawn}
    if missing := [name for name in wanted if name not in found]:
        raise DataError(
            f"Expected icons named {', '.join(missing[:5])} in the packages "
            f"{', '.join(archive.name for archive in archives)}, but none has them. "
            "Check the class list against the pinned package versions."
        )
    art = Art(tuple(drawing for drawing, _ in drawn), np.stack([rgba for _, rgba in drawn]))
    if store is not None:
        text = np.array([str(drawing) for drawing in art.drawings])
        store.put(key, {"drawings": text, "rgba": art.rgba}, description)
    return art


def _draw(
    icons: Mapping[str, Any], wanted: Iterable[str], size: int
) -> Iterator[tuple[Drawing, UInt8[np.ndarray, "size size 4"]]]:
    plain = {name.replace("-", ""): name for name in icons.get("aliases", {})}
    plain |= {name.replace("-", ""): name for name in icons["icons"]}
    for name in wanted:
        if name not in plain:
            continue
        try:
            svg, mirrored = svg_of(icons, plain[name])
        except KeyError:
            continue
        rgba = rasterise(svg, size, mirrored=mirrored)
        if rgba[..., 3].any():
            yield Drawing(icons["prefix"], plain[name]), rgba
