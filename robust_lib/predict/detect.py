"""The only loop over images for detectors; it can resume after an interruption.

Images are passed as they are, and read once for all detectors. Batch size and the order of images
change boxes and scores only by rounding.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from robust_lib import datasets, devices
from robust_lib.cache import Store
from robust_lib.code_digest import foreign
from robust_lib.datasets import ImageSet, require_image_set
from robust_lib.datasets.derived import contents_of
from robust_lib.errors import InputError, ModelError
from robust_lib.metrics.boxes import Detections, OfImage
from robust_lib.models.contract import fingerprint_of
from robust_lib.models.detectors.contract import Detector, Image, wrong_answer
from robust_lib.predict.classify import choose
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.predict.store import Arrays, Pieces, join
from robust_lib.preprocessing import Preprocessing

FORMAT = 1
"""Raise it when the same detector and images would be given other boxes than before."""

LEAST_SCORE = 0.05
"""Boxes with a lower score are not kept: the default of the code base of [vid, sec. 4.2]."""

MOST = 100
"""The number of boxes per image that are kept, as in COCO's evaluation."""

_AS_IT_IS = Preprocessing(None, None)


def detect(
    model: Detector,
    dataset: ImageSet,
    *,
    cache: Store | None = None,
    least_score: float = LEAST_SCORE,
    most: int = MOST,
    batch_size: int = 16,
    limit: int | None = None,
    chunk: int = 512,
    progress: bool = False,
) -> FoundBoxes:
    """Return the boxes that a detector finds in the images of a data set.

    Args:
        cache: store of the boxes; None stores nothing.
        least_score: minimum score of a box, a fraction.
        most: maximum number of boxes per image; the most confident are kept.
        chunk: images between checkpoints of an interrupted run.

    Raises:
        InputError: no image, a size below one, or a request for boxes that the detector itself
            leaves out.
        ModelError: an invalid output; the message names the model and the image.
        CacheError: a stored entry is damaged.
    """
    return detect_all(
        [model],
        dataset,
        cache=cache,
        least_score=least_score,
        most=most,
        batch_size=batch_size,
        limit=limit,
        chunk=chunk,
        progress=progress,
    )[model.name]


def detect_all(
    models: Sequence[Detector],
    dataset: ImageSet,
    *,
    cache: Store | None = None,
    least_score: float = LEAST_SCORE,
    most: int = MOST,
    batch_size: int = 16,
    limit: int | None = None,
    chunk: int = 512,
    progress: bool = False,
    fingerprints: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, FoundBoxes]:
    """Return the boxes that several detectors find in the same images, by the detectors' names.

    Every image is read once. Arguments and errors are those of `detect`; two models with the same
    name also raise InputError. `fingerprints` are those of the models, by name, if the caller knows
    them.
    """
    kept = _Kept(least_score, most)
    _check(models, dataset, kept, (batch_size, chunk, 1 if limit is None else limit))
    places = choose(dataset.ids, limit)
    known = {model.name: fingerprints.get(model.name) or fingerprint_of(model) for model in models}
    stored = {name: _pieces(name, known[name], dataset, kept, cache) for name in known}
    found = {name: pieces.find(places) for name, pieces in stored.items()}
    missing = [model for model in models if found[model.name] is None]
    if missing:
        cut = [places[at : at + chunk] for at in range(0, len(places), chunk)]
        fits: dict[str, int] = {}
        with tqdm(total=len(places), desc=dataset.name, unit="img", disable=not progress) as bar:
            parts = [
                _detect_piece(missing, stored, dataset, kept, piece, batch_size, fits, bar)
                for piece in cut
            ]
        for model in missing:
            whole = join([part[model.name] for part in parts])
            stored[model.name].close(cut, whole)
            found[model.name] = whole
    return {
        name: _record(name, known[name], dataset, kept, places, arrays)
        for name, arrays in found.items()
        if arrays is not None
    }


@dataclass(frozen=True)
class _Kept:
    """Which boxes of an answer are kept."""

    least_score: float
    most: int

    def of(self, answer: OfImage) -> OfImage:
        """Return the most confident boxes, in that order; of equal ones, those that came first."""
        boxes, classes, scores = answer
        order = np.argsort(-scores, kind="stable")[: self.most]
        order = order[scores[order] >= self.least_score]
        return (
            boxes[order].astype(np.float32),
            classes[order].astype(np.int64),
            scores[order].astype(np.float32),
        )


def _pieces(
    name: str, fingerprint: str, dataset: ImageSet, kept: _Kept, store: Store | None
) -> Pieces:
    about = {
        "what": "boxes",
        "format": FORMAT,
        "model": name,
        "fingerprint": fingerprint,
        "dataset": dataset.name,
        "digest": dataset.digest,
        "least score": kept.least_score,
        "most": kept.most,
    }
    return Pieces(about, dataset.ids, store)


def _detect_piece(
    models: Sequence[Detector],
    stored: Mapping[str, Pieces],
    dataset: ImageSet,
    kept: _Kept,
    piece: Sequence[int],
    batch_size: int,
    fits: dict[str, int],
    bar: "tqdm[Any]",
) -> dict[str, Arrays]:
    """Return each detector's boxes in a piece of the images, stored ones where they exist."""
    found = {model.name: stored[model.name].find(piece) for model in models}
    fresh = [model for model in models if found[model.name] is None]
    answers: dict[str, list[OfImage]] = {model.name: [] for model in fresh}
    batches = [piece[at : at + batch_size] for at in range(0, len(piece), batch_size)]

    def read(batch: Sequence[int]) -> list[Image]:
        pictures = (dataset.read(place, _AS_IT_IS)[None] for place in batch)
        return [datasets.to_images(picture)[0] for picture in pictures]

    # A thread reads the next batch while the detectors look at this one.
    with ThreadPoolExecutor(1, thread_name_prefix="read") as pool:
        ahead = pool.submit(read, batches[0]) if fresh else None
        for at, batch in enumerate(batches if fresh else []):
            assert ahead is not None
            images = ahead.result()
            ahead = pool.submit(read, batches[at + 1]) if at + 1 < len(batches) else None
            ids = [dataset.ids[place] for place in batch]
            for model in fresh:
                said = checked_boxes(model, images, ids, dataset.name, fits)
                answers[model.name] += map(kept.of, said)
            bar.update(len(batch))
    if not fresh:
        bar.update(len(piece))
    for name, of_images in answers.items():
        arrays = _arrays(of_images)
        stored[name].put(piece, arrays)
        found[name] = arrays
    return {name: arrays for name, arrays in found.items() if arrays is not None}


def checked_boxes(
    model: Detector,
    images: Sequence[Image],
    ids: Sequence[str],
    dataset: str,
    fits: dict[str, int],
) -> Sequence[OfImage]:
    """Return a detector's checked predictions for a batch.

    Raises:
        ModelError: NaN, wrong shapes, unknown classes, or boxes outside the image; the message
            names the model and the image. Or not even a single image fits into memory.
    """
    what = f"{model.name} to find boxes in {len(images)} images of {dataset}"
    with torch.inference_mode(), foreign(what):
        parts: list[Any] = devices.in_parts(model, images, fits, model.name)
    said = parts[0] if len(parts) == 1 else [one for part in parts for one in part]
    if not isinstance(said, Sequence) or len(said) != len(images):
        many = len(said) if isinstance(said, Sequence) else type(said).__name__
        raise ModelError(
            f"Expected {model.name} to return {len(images)} predictions for the batch that begins "
            f"with image {ids[0]}, but got {many}. Run check_detector."
        )
    for name, image, answer in zip(ids, images, said, strict=True):
        height, width = image.shape[1:]
        if (wrong := wrong_answer(answer, model.outputs, (height, width))) is not None:
            raise ModelError(
                f"Expected boxes, classes and scores from {model.name} for image {name} of "
                f"{dataset}, but got {wrong}. Run check_detector."
            )
    return said


def _arrays(of_images: Sequence[OfImage]) -> Arrays:
    boxes, classes, scores = zip(*of_images, strict=True)
    return {
        "boxes": np.concatenate(boxes),
        "classes": np.concatenate(classes),
        "scores": np.concatenate(scores),
        "counts": np.array([len(one) for one in scores], np.int64),
    }


def _record(
    name: str,
    fingerprint: str,
    dataset: ImageSet,
    kept: _Kept,
    places: Sequence[int],
    arrays: Arrays,
) -> FoundBoxes:
    images = np.repeat(np.arange(len(places)), arrays["counts"])
    found = Detections(images, arrays["classes"], arrays["boxes"], arrays["scores"])
    ids, contents = tuple(dataset.ids[place] for place in places), contents_of(dataset)
    about = kept.least_score, kept.most, fingerprint, dataset.digest
    pictures = tuple(contents[one] for one in ids)
    return FoundBoxes(name, dataset.name, ids, found, *about, pictures)


def _check(
    models: Sequence[Detector], dataset: ImageSet, kept: _Kept, sizes: tuple[int, int, int]
) -> None:
    for model in models:
        if not hasattr(model, "least_score"):
            called = getattr(model, "name", f"a {type(model).__name__}")
            raise InputError(
                f"Expected detectors, but {called} is not one. Wrap a torch module in "
                "TorchDetector. For a classifier, use predict, which returns classes."
            )
    names = [model.name for model in models]
    if len(set(names)) != len(names):
        raise InputError(f"Expected models with different names, but got {', '.join(names)}.")
    require_image_set(dataset)
    for model in models:
        if model.least_score > kept.least_score or model.most < kept.most:
            raise InputError(
                f"Expected {model.name} to return up to {kept.most} boxes with scores from "
                f"{kept.least_score:g}, but it omits those below {model.least_score:g} and all but "
                f"{model.most}. Lower its least score, or let it return more boxes."
            )
    if not dataset.ids:
        raise InputError(f"Expected {dataset.name} to have images, but it has none.")
    if min(sizes) < 1 or kept.most < 1 or not 0 <= kept.least_score <= 1:
        raise InputError(
            "Expected batch_size, chunk, limit and most of at least 1 and least_score in [0, 1], "
            f"but got {sizes[0]}, {sizes[1]}, {sizes[2]}, {kept.most} and {kept.least_score:g}."
        )
