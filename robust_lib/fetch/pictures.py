"""Whether images can be decoded to their end, and have the expected size."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from PIL import Image
from tqdm import tqdm

from robust_lib.fetch.members import few


def problems(
    folder: Path, files: Sequence[Path], side: int | None, *, progress: bool = False
) -> Iterator[str]:
    """Yield one line per kind of fault in some images; each of them is decoded.

    Args:
        side: expected pixels on either side; None: any number.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(partial(_fault, side), files, chunksize=64)
        told = list(tqdm(found, total=len(files), desc=folder.name, disable=not progress))
    faults: dict[str, list[str]] = {}
    for file, fault in zip(files, told, strict=True):
        if fault is not None:
            faults.setdefault(fault, []).append(file.relative_to(folder).as_posix())
    for fault, names in sorted(faults.items()):
        yield f"{folder}: {fault}: {len(names)} ({few(names)})"


def _fault(side: int | None, file: Path) -> str | None:
    try:
        with Image.open(file) as picture:
            if side is not None and picture.size != (side, side):
                return f"pictures that have not {side} x {side} pixels"
            picture.load()
    # Pillow raises SyntaxError and ValueError, too, for files that are not what they say they are.
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return "pictures that cannot be read to their end"
    return None
