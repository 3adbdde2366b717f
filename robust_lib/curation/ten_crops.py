"""Filters' predictions on ten crops of each candidate, computed and stored in chunks.

A candidate is rejected if any filter classifies any of its crops correctly. Each filter therefore
classifies the centre crop first, and the other nine crops only for candidates that fool all
filters.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Int64
from tqdm import tqdm

from robust_lib import datasets
from robust_lib.cache import Store, content_key
from robust_lib.datasets import ImageSet
from robust_lib.models.contract import Classifier, Images
from robust_lib.models.wrappers import CENTRE, one_crop, ten_crop
from robust_lib.predict.classify import checked_logits
from robust_lib.predict.store import Arrays, join
from robust_lib.preprocessing import Preprocessing

FORMAT = 1
"""Raise it when the same filters and candidates would be given other answers than before."""

Rows = Int64[np.ndarray, " images"]
Sums = Float64[np.ndarray, "images classes"]


@dataclass(frozen=True, eq=False)
class Filter:
    """A classifier and the geometry of its ten crops: `side` pixels out of the `frame`."""

    model: Classifier
    side: int
    frame: Preprocessing
    fingerprint: str


def as_filter(model: Classifier, crop: int | None = None) -> Filter:
    """Return a classifier with the geometry of its ten crops, as in `wrappers.ten_crop`.

    Args:
        crop: side of a crop in pixels; None: the model's own if that is smaller than its frame,
            else seven eighths of the frame, as with 224 of 256.

    Raises:
        InputError: crops that are not smaller than the frame, or no frame.
    """
    own = model.preprocessing
    frame = own.frame or own.crop
    if crop is None and frame is not None and (own.crop is None or own.crop >= frame):
        crop = frame * 7 // 8
    shown = ten_crop(model, crop=crop)
    side = crop or own.crop
    assert side is not None  # ten_crop has refused anything else
    return Filter(model, side, shown.preprocessing, shown.fingerprint)


@dataclass(frozen=True, eq=False)
class _Pool:
    """Candidates with their ids and labels; a set may compute those at every call."""

    images: ImageSet
    ids: tuple[str, ...]
    labels: Rows


def answers(
    candidates: ImageSet,
    filters: Sequence[Filter],
    *,
    store: Store | None,
    chunk: int,
    batch_size: int,
    progress: bool,
) -> Arrays:
    """Return the filters' predictions for candidates with true classes.

    The arrays have the shape (candidates, filters): `predicted`, the class with the largest mean
    probability over the ten crops; `confidence`, that probability; `in_truth`, the true class's. If
    some crop is classified correctly, they are -1, NaN and NaN.
    """
    pool = _Pool(candidates, tuple(candidates.ids), np.asarray(candidates.labels, np.int64))
    asked = [[f.model.name, f.fingerprint] for f in filters]
    size = len(candidates)
    parts: list[Arrays] = []
    with tqdm(total=size, desc=candidates.name, unit="img", disable=not progress) as bar:
        for start in range(0, size, chunk):
            rows = np.arange(start, min(start + chunk, size), dtype=np.int64)
            description = _describe(pool, asked, rows)
            key = content_key(description)
            found = store.find(key, expect=description) if store is not None else None
            if found is None:
                found = _ask_all(pool, filters, rows, batch_size)
                if store is not None:
                    store.put(key, found, description)
            parts.append(found)
            bar.update(len(rows))
    return join(parts)


def _describe(pool: _Pool, asked: list[list[str]], rows: Rows) -> Mapping[str, Any]:
    ids = "\n".join(pool.ids[row] for row in rows)
    return {
        "what": "ten-crop answers",
        "format": FORMAT,
        "candidates": pool.images.name,
        "digest": pool.images.digest,
        "images": len(rows),
        "ids": hashlib.sha256(ids.encode()).hexdigest(),
        "filters": asked,
    }


@dataclass(frozen=True, eq=False)
class _Fooling:
    """Candidates whose centre crop fools all filters: frames, and each filter's probabilities."""

    rows: Rows
    frames: Mapping[Preprocessing, Images]
    centres: tuple[Sums, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: Any) -> "_Fooling":
        some = torch.from_numpy(chosen) if isinstance(chosen, np.ndarray) else chosen
        frames = {geometry: images[some] for geometry, images in self.frames.items()}
        return _Fooling(self.rows[chosen], frames, tuple(sums[chosen] for sums in self.centres))

    def __add__(self, other: "_Fooling") -> "_Fooling":
        if not len(self):
            return other
        return _Fooling(
            np.concatenate([self.rows, other.rows]),
            {g: torch.cat([images, other.frames[g]]) for g, images in self.frames.items()},
            tuple(np.concatenate(two) for two in zip(self.centres, other.centres, strict=True)),
        )


def _ask_all(pool: _Pool, filters: Sequence[Filter], rows: Rows, batch_size: int) -> Arrays:
    """Return the predictions for one chunk; survivors of the centre crop form whole batches.

    No more than two batches of frames are held at a time.
    """
    shape = (len(rows), len(filters))
    said: Arrays = {
        "predicted": np.full(shape, -1, np.int64),
        "confidence": np.full(shape, np.nan),
        "in_truth": np.full(shape, np.nan),
    }
    batches = (rows[at : at + batch_size] for at in range(0, len(rows), batch_size))
    for fooling in _gathered((_centre(pool, filters, b) for b in batches), batch_size):
        left, sums = _other_nine(pool, filters, fooling)
        places, truth = left - rows[0], pool.labels[left]
        for at, total in enumerate(sums):
            mean = total / 10
            said["predicted"][places, at] = mean.argmax(1)
            said["confidence"][places, at] = mean.max(1)
            said["in_truth"][places, at] = mean[np.arange(len(left)), truth]
    return said


def _gathered(parts: Iterator[_Fooling], batch_size: int) -> Iterator[_Fooling]:
    waiting: _Fooling | None = None
    for part in parts:
        waiting = part if waiting is None else waiting + part
        if len(waiting) >= batch_size:
            yield waiting[:batch_size]
            waiting = waiting[batch_size:]
    if waiting is not None and len(waiting):
        yield waiting


def _centre(pool: _Pool, filters: Sequence[Filter], rows: Rows) -> _Fooling:
    """Return the candidates of a batch whose centre crop fools every filter."""
    geometries = dict.fromkeys(f.frame for f in filters)
    left = _Fooling(
        rows, {g: datasets.batch(pool.images, rows.tolist(), g) for g in geometries}, ()
    )
    for f in filters:
        if len(left):
            fooled, shares = _look(pool, f, left, CENTRE)
            left = _Fooling(left.rows, left.frames, (*left.centres, shares))
            left = left if fooled.all() else left[fooled]
    empty = np.zeros((0, filters[0].model.outputs))
    return left if len(left) else _Fooling(left.rows, left.frames, (empty,) * len(filters))


def _other_nine(
    pool: _Pool, filters: Sequence[Filter], left: _Fooling
) -> tuple[Rows, tuple[Sums, ...]]:
    """Return candidates with no correct crop, with each filter's probabilities summed over ten."""
    for at, f in enumerate(filters):
        fooled, total = np.ones(len(left), bool), left.centres[at].copy()
        for number in range(10):
            if number != CENTRE and len(left):
                by_this, shares = _look(pool, f, left, number)
                fooled &= by_this
                total += shares
        sums = (*left.centres[:at], total, *left.centres[at + 1 :])
        left = _Fooling(left.rows, left.frames, sums)[fooled]
    return left.rows, left.centres


def _look(pool: _Pool, f: Filter, shown: _Fooling, number: int) -> tuple[np.ndarray, Sums]:
    """Return whether one crop fools a filter, and the filter's probabilities."""
    crops = one_crop(shown.frames[f.frame], f.side, number)
    ids = [pool.ids[row] for row in shown.rows]
    logits = checked_logits(f.model, crops, ids, pool.images.name)
    shares = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    return logits.argmax(1) != pool.labels[shown.rows], shares
