"""Contact sheets of the miniature's scenes, photographs and drawings."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from robust_book.figures.image_grids import png
from robust_lib.atomic import write_bytes
from robust_lib.miniworld.icons import Art
from robust_lib.miniworld.layout_grounds import KINDS
from robust_lib.miniworld.scene_set import Scenes
from robust_lib.types import Picture

COLUMNS = 16
PHOTOGRAPHS = 8  # on each kind of ground
Sheet = UInt8[np.ndarray, "sheet_height sheet_width 3"]


def draw(scenes: Scenes, folder: Path) -> tuple[Path, Path]:
    """Write both sheets as PNG files and return their paths."""
    sheets = {
        "contact-sheet-scenes": tiled(list(scenes.pictures[: len(scenes.class_names)])),
        "contact-sheet-art": rows_of_sets(scenes.art),
    }
    files = tuple(folder / f"{name}.png" for name in sheets)
    for file, sheet in zip(files, sheets.values(), strict=True):
        write_bytes(file, png(sheet))
    return files[0], files[1]


def draw_photographs(shown: Iterable[tuple[str, Picture]], folder: Path) -> Path:
    """Write the sheet of photographs as a PNG file and return its path.

    Args:
        shown: (kind of background, image), taken until the sheet is full.
    """
    file = folder / "contact-sheet-photographs.png"
    write_bytes(file, png(rows_of_grounds(shown)))
    return file


def rows_of_grounds(
    shown: Iterable[tuple[str, Picture]],
    kinds: Sequence[str] = tuple(KINDS),
    columns: int = PHOTOGRAPHS,
) -> Sheet:
    """Return one row of photographs per kind of background; missing ones are white.

    Args:
        shown: (kind of background, image), at least one, all of one size.

    >>> sky = np.zeros((2, 2, 3), np.uint8)
    >>> rows_of_grounds([("sky", sky)], kinds=("sea", "sky"), columns=1)[::2, 0, 0].tolist()
    [255, 0]
    """
    rows: dict[str, list[Picture]] = {kind: [] for kind in kinds}
    for kind, picture in shown:
        blank = np.full_like(picture, 255)
        if len(rows[kind]) < columns:
            rows[kind].append(picture)
        if all(len(row) == columns for row in rows.values()):
            break
    full = [(row + [blank] * columns)[:columns] for row in rows.values()]
    return tiled([picture for row in full for picture in row], columns)


def tiled(pictures: list[Picture], columns: int = COLUMNS) -> Sheet:
    """Return images of one size in a grid, row by row; empty places of the last row are white."""
    blank = [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    every = [*pictures, *blank]
    rows = [np.concatenate(every[at : at + columns], 1) for at in range(0, len(every), columns)]
    return np.concatenate(rows, 0)


def rows_of_sets(art: Art, columns: int = COLUMNS) -> Sheet:
    """Return one row of drawings per set, with the same names in each if the set has them."""
    sets = tuple(dict.fromkeys(drawing.set for drawing in art.drawings))
    names = tuple(dict.fromkeys(d.name.replace("-", "") for d in art.drawings))[::5][:columns]
    place = {(d.set, d.name.replace("-", "")): p for p, d in enumerate(art.drawings)}
    empty = np.full((*art.rgba.shape[1:3], 3), 255, np.uint8)
    drawn = [
        _on_white(art.rgba[place[one, name]]) if (one, name) in place else empty
        for one in sets
        for name in names
    ]
    return tiled(drawn, len(names))


def _on_white(rgba: np.ndarray) -> Picture:
    alpha = rgba[..., 3:].astype(np.float32) / 255
    return (rgba[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)
