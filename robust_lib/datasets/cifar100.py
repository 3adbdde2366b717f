"""CIFAR-100: 32-pixel photographs of 100 subtypes, five in each of 20 broad classes.

The broad class is the label, as for ICONS-50 [inc, App. E]. Images have ids like those of icons,
<class>/cifar_<number>_<subtype>.png, and hold-outs of subtypes are made in the same way for both.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np

from robust_lib import paths
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import pickled
from robust_lib.datasets.icons50 import Icons50, InMemory
from robust_lib.errors import DataError

Split = Literal["train", "test"]
SIDE = 32
_FIELDS = ("data", "fine_labels", "coarse_labels")


def load(name: str, split: Split, folder: Path | None = None) -> Icons50:
    """Return a split of the released data set, from its Python version's files.

    The files are pickles; nothing in them is executed (see `pickled`).

    Raises:
        DataError: no such file, or unexpected content; the message names it.
    """
    manifest = load_dataset(name)
    whole = manifest.of or name
    root = (folder or paths.data() / whole) / load_dataset(whole).root
    classes = load_classes(str(manifest.classes))
    batch, meta = (_fields(root / file) for file in (split, "meta"))
    kinds, broad = (_words(meta, key, root / "meta") for key in ("fine", "coarse"))
    if broad != list(classes.folders):
        raise DataError(
            f"Expected the broad classes of {classes.name} in {root / 'meta'}, but got "
            f"{', '.join(broad[:5])} ... Use the file of the released data set."
        )
    pictures, subtypes, labels = _pictures(batch, root / split, len(kinds), len(broad))
    ids = tuple(
        f"{broad[label]}/cifar_{place}_{kinds[subtype]}.png"
        for place, (label, subtype) in enumerate(zip(labels, subtypes, strict=True))
    )
    return Icons50(InMemory(name, ids, labels, pictures, classes))


def _fields(path: Path) -> dict[str, Any]:
    found = pickled.read_pickle(path)
    if not isinstance(found, dict):
        raise DataError(
            f"Expected a dictionary in {path}, but got {type(found).__name__}. Use the Python "
            "version of CIFAR-100."
        )
    return {_text(key): value for key, value in found.items()}


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _words(meta: dict[str, Any], key: str, path: Path) -> list[str]:
    field = f"{key}_label_names"
    if field not in meta:
        raise DataError(
            f"Expected the field {field} in {path}, but it has {', '.join(meta) or 'none'}. Use "
            "the Python version of CIFAR-100."
        )
    return [_text(word) for word in meta[field]]


def _pictures(
    batch: dict[str, Any], path: Path, kinds: int, broad: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if missing := [field for field in _FIELDS if field not in batch]:
        raise DataError(
            f"Expected the field {missing[0]} in {path}, but it has {', '.join(batch) or 'none'}. "
            "Use the Python version of CIFAR-100."
        )
    flat = np.asarray(batch["data"])
    fine, coarse = (np.asarray(batch[field], np.int64) for field in _FIELDS[1:])
    sizes = {len(flat) if flat.ndim == 2 else -1, len(fine), len(coarse)}
    fits = len(sizes) == 1 and flat.dtype == np.uint8 and flat.shape[1] == 3 * SIDE * SIDE
    if not fits or not _within(fine, kinds) or not _within(coarse, broad):
        raise DataError(
            f"Expected images of {3 * SIDE * SIDE} bytes and two labels each in {path}, but got "
            f"data of {flat.dtype} {flat.shape}, {len(fine)} fine and {len(coarse)} coarse labels "
            f"up to {fine.max(initial=0)} and {coarse.max(initial=0)}. Fetch it again."
        )
    pictures = flat.reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pictures), fine, coarse


def _within(labels: np.ndarray, count: int) -> bool:
    return bool(((labels >= 0) & (labels < count)).all())
