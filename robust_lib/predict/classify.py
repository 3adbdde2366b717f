"""The only loop over images for classifiers; it can resume after an interruption.

Images are read, and corrupted, once for all models with the same preprocessing. Batch size, number
of workers and the order of the images affect no predicted class; they change logits only by
rounding, on a processor by less than 1e-5 of the largest one.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from robust_lib import devices, seeds
from robust_lib.cache import Store
from robust_lib.code_digest import foreign
from robust_lib.datasets import ImageSet, require_image_set
from robust_lib.errors import InputError, ModelError, one_of
from robust_lib.models.contract import Classifier, Images, fingerprint_of, not_logits
from robust_lib.predict.answers_file import FiledAnswers
from robust_lib.predict.predictions import Predictions, decide
from robust_lib.predict.reading import as_read, read
from robust_lib.predict.store import Arrays, Keep, PredictionStore, join
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Logits


def predict(
    model: Classifier,
    dataset: ImageSet,
    *,
    cache: Store | None = None,
    batch_size: int = 64,
    limit: int | None = None,
    keep: Keep = "logits",
    workers: int = 0,
    chunk: int | None = None,
    progress: bool = False,
) -> Predictions:
    """Return a model's predictions for the images of a data set.

    Args:
        cache: store of the predictions; None stores nothing.
        batch_size: images per forward pass.
        limit: number of images: a fixed random selection by id, the same in every condition of a
            grid; a smaller selection is part of a larger one. None takes all.
        keep: "logits" keeps every output; "reduced" keeps only predicted class and confidence, for
            grids as large as ImageNet-C.
        workers: number of threads that read ahead; 0 reads between forward passes.
        chunk: images between checkpoints of an interrupted run; None: 1,024 on a processor and
            8,192 on a GPU, a few seconds' work.

    Raises:
        InputError: no image, or a size below one.
        ModelError: logits of a wrong shape, NaN or infinite; the message names the
            model and the first image concerned.
        CacheError: a stored entry is damaged.

    >>> from robust_lib.datasets.synthetic import Synthetic
    >>> from robust_lib.models.adapter import wrap_callable
    >>> model = wrap_callable(lambda x: x.mean((2, 3)), "mean", "colours", Preprocessing(None, 8))
    >>> images = Synthetic("noise", "blobs", 4, 32, "colours", ("red", "green", "blue"))
    >>> predict(model, images).logits.shape
    (4, 3)
    """
    return predict_all(
        [model],
        dataset,
        cache=cache,
        batch_size=batch_size,
        limit=limit,
        keep=keep,
        workers=workers,
        chunk=chunk,
        progress=progress,
    )[model.name]


def predict_all(
    models: Sequence[Classifier],
    dataset: ImageSet,
    *,
    cache: Store | None = None,
    batch_size: int = 64,
    limit: int | None = None,
    keep: Keep = "logits",
    workers: int = 0,
    chunk: int | None = None,
    progress: bool = False,
    fingerprints: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Predictions]:
    """Return the predictions of several models for the same images, by the models' names.

    Every image is read once for all models that share a preprocessing. Arguments and errors are
    those of `predict`; two models with the same name also raise InputError. `fingerprints` are
    those of the models, by name, if the caller knows them, since hashing large weights takes
    seconds.
    """
    chunk = chunk_of(models) if chunk is None else chunk
    _check(models, dataset, keep, (batch_size, chunk, 1 if limit is None else limit), workers)
    places = choose(dataset.ids, limit)
    pieces = [places[at : at + chunk] for at in range(0, len(places), chunk)]
    known = {model.name: fingerprints.get(model.name) or fingerprint_of(model) for model in models}
    stores = [PredictionStore(model, dataset, keep, known[model.name], cache) for model in models]
    found = {
        one.model.name: one.model.answers(dataset, places, keep)
        if isinstance(one.model, FiledAnswers)
        else one.pieces.find(places)
        for one in stores
    }
    groups: dict[Preprocessing, list[PredictionStore]] = {}
    for one in stores:
        if found[one.model.name] is None:
            groups.setdefault(as_read(one.model.preprocessing), []).append(one)
    total, fits = len(groups) * len(places), dict[str, int]()
    with tqdm(total=total, desc=dataset.name, unit="img", disable=not progress) as bar:
        for group in groups.values():
            parts = [
                _predict_piece(group, piece, batch_size, workers, fits, bar) for piece in pieces
            ]
            for one, of_one in zip(group, zip(*parts, strict=True), strict=True):
                whole = join(of_one)
                one.pieces.close(pieces, whole)
                found[one.model.name] = whole
    return {
        one.model.name: one.predictions(places, arrays)
        for one in stores
        if (arrays := found[one.model.name]) is not None
    }


def chunk_of(models: Sequence[Classifier]) -> int:
    """Return the number of images stored at a time: a few seconds of work."""
    return 8192 if any(device_of(model).startswith("cuda") for model in models) else 1024


def device_of(model: Classifier) -> str:
    """Return the device for a model's input."""
    return str(getattr(model, "device", "cpu"))


def choose(ids: Sequence[str], limit: int | None) -> list[int]:
    """Return the indices of a fixed random selection of `limit` ids, in order; all if None.

    The selection depends on the ids alone, not on their order, and a smaller one is part of a
    larger one.
    """
    if limit is None or limit >= len(ids):
        return list(range(len(ids)))
    ranked = sorted(range(len(ids)), key=lambda place: seeds.key("limit", ids[place]))
    return sorted(ranked[:limit])


def _predict_piece(
    group: Sequence[PredictionStore],
    piece: Sequence[int],
    batch_size: int,
    workers: int,
    fits: dict[str, int],
    bar: "tqdm[Any]",
) -> list[Arrays]:
    """Return each model's predictions on a piece of the images, stored ones where they exist."""
    stored = [one.pieces.find(piece) for one in group]
    fresh: dict[int, list[Arrays]] = {at: [] for at, found in enumerate(stored) if found is None}
    batches = [piece[at : at + batch_size] for at in range(0, len(piece), batch_size)]
    shown, wanted = group[0].dataset, batches if fresh else []
    seen = group[0].model.preprocessing
    asked: deque[tuple[Sequence[int], list[Any]]] = deque()

    def settle() -> None:
        batch, answers = asked.popleft()
        for (at, parts), answer in zip(fresh.items(), answers, strict=True):
            parts.append(_decided(group[at], batch, answer))
        bar.update(len(batch))

    for batch, images in read(shown, seen, wanted, workers, device_of(group[0].model)):
        asked.append((batch, [ask(group[at].model, images, fits) for at in fresh]))
        # A GPU computes the next batch while the answers to the last one are looked at.
        if len(asked) > 1:
            settle()
    while asked:
        settle()
    if not fresh:
        bar.update(len(piece))
    predictions: list[Arrays] = []
    for at, found in enumerate(stored):
        if found is None:
            found = join(fresh[at])
            group[at].pieces.put(piece, found)
        predictions.append(found)
    return predictions


def _decided(store: PredictionStore, places: Sequence[int], answer: Any) -> Arrays:
    """Return a model's predictions on one batch."""
    ids = [store.dataset.ids[place] for place in places]
    logits = _checked(answer, store.model, ids, store.dataset.name)
    predicted, confidence = decide(logits)
    arrays = {"predicted": predicted, "confidence": confidence}
    return arrays | {"logits": logits} if store.keep == "logits" else arrays


def checked_logits(model: Classifier, images: Images, ids: Sequence[str], dataset: str) -> Logits:
    """Return a model's checked logits for a batch.

    Raises:
        ModelError: logits of a wrong shape, NaN or infinite; the message names the
            model and the first image concerned.
    """
    return _checked(ask(model, images, {}), model, ids, dataset)


def ask(model: Classifier, images: Images, fits: dict[str, int]) -> Any:
    """Return a model's output for a batch, in parts if it does not fit into memory.

    Args:
        fits: model -> number of images known to fit into memory; it is updated, so that the next
            batch starts with this number.

    Raises:
        ModelError: not even a single image fits into memory.
    """
    with foreign(f"{model.name} to classify {len(images)} images"):
        parts = devices.in_parts(model, images, fits, model.name)
    if not all(isinstance(part, torch.Tensor) for part in parts):
        return parts[0]  # which is refused
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _checked(answer: Any, model: Classifier, ids: Sequence[str], dataset: str) -> Logits:
    expected = (len(ids), model.outputs)
    if not isinstance(answer, torch.Tensor):
        wrong = not_logits(answer, model.name)
        raise ModelError(f"{wrong} Expected logits of shape {expected} from image {ids[0]} on.")
    if answer.shape != expected:
        raise ModelError(
            f"Expected {model.name} to return logits of shape {expected} for the batch that begins "
            f"with image {ids[0]}, but got {tuple(answer.shape)}. Run check_classifier."
        )
    logits: Logits = answer.detach().to("cpu", torch.float32).numpy()
    finite = np.isfinite(logits).all(1)
    if not finite.all():
        first = ids[int(finite.argmin())]
        raise ModelError(
            f"Expected finite logits from {model.name}, but it returned NaN or infinity for image "
            f"{first} of {dataset}. Run check_classifier."
        )
    return logits


def _check(
    models: Sequence[Classifier], dataset: ImageSet, keep: str, sizes: Sequence[int], workers: int
) -> None:
    for model in models:
        if not hasattr(model, "preprocessing"):
            called = getattr(model, "name", f"a {type(model).__name__}")
            raise InputError(
                f"Expected classifiers, but {called} is not: it has no preprocessing. Wrap a torch "
                "module in TorchClassifier, a function with wrap_callable. For a detector, use "
                "detect, which returns boxes."
            )
    names = [model.name for model in models]
    if len(set(names)) != len(names):
        raise InputError(f"Expected models with different names, but got {', '.join(names)}.")
    require_image_set(dataset)
    if not dataset.ids:
        raise InputError(f"Expected {dataset.name} to have images, but it has none.")
    if keep not in ("logits", "reduced"):
        raise InputError(one_of("keep", keep, ("logits", "reduced")))
    if min(sizes) < 1 or workers < 0:
        raise InputError(
            "Expected batch_size, chunk and limit of at least 1 and workers of at least 0, but got "
            f"{sizes[0]}, {sizes[1]}, {sizes[2]} and {workers}."
        )
