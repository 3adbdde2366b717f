"""The loop over images for embeddings; it can resume after an interruption."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
from jaxtyping import Float32

from robust_lib import devices
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, ModelError
from robust_lib.models.contract import Classifier, fingerprint_of
from robust_lib.models.embedding import embedded, last_layer
from robust_lib.predict.classify import choose, device_of
from robust_lib.predict.reading import read
from robust_lib.predict.store import Pieces, join
from robust_lib.preprocessing import Preprocessing

FORMAT = 1
"""Raise it when the same model and images would be given other embeddings than before."""


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One network's embeddings of the images of one data set, in the data set's order.

    Attributes:
        vectors: input of the network's last linear layer, one row per image.

    Raises:
        InputError: the number of rows differs from the number of images.
    """

    model: str
    dataset: str
    ids: tuple[str, ...]
    vectors: Float32[np.ndarray, "images size"]
    preprocessing: Preprocessing

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.vectors):
            raise InputError(
                f"Expected one row per image, but got {len(self.vectors)} for {len(self.ids)} "
                "images."
            )

    def __len__(self) -> int:
        return len(self.ids)


def embed(
    model: Classifier,
    dataset: ImageSet,
    *,
    preprocessing: Preprocessing | None = None,
    cache: Store | None = None,
    batch_size: int = 64,
    limit: int | None = None,
    workers: int = 0,
    chunk: int = 1024,
) -> Embeddings:
    """Return a network's embeddings of the images of a data set [nao, sec. 4.3].

    Args:
        model: a torch network that ends in a linear layer.
        preprocessing: resizing and cropping of its images; None: the network's own.
        cache: store of the embeddings; None stores nothing.

    Raises:
        InputError: no image, or a size below one.
        ModelError: a network without a final linear layer, or with NaN or infinity in its input;
            the message names the first image concerned.
        CacheError: a stored entry is damaged.
    """
    last_layer(model)  # before an image is read
    sizes = (batch_size, chunk, 1 if limit is None else limit)
    if not dataset.ids or min(sizes) < 1 or workers < 0:
        raise InputError(
            f"Expected images, and batch_size, chunk and limit of at least 1 and workers of at "
            f"least 0, but got {len(dataset.ids)} images of {dataset.name}, and {sizes[0]}, "
            f"{sizes[1]}, {sizes[2]} and {workers}, in this order."
        )
    seen = preprocessing or model.preprocessing
    places = choose(dataset.ids, limit)
    about = {
        "what": "embeddings",
        "format": FORMAT,
        "model": model.name,
        "fingerprint": fingerprint_of(model),
        "preprocessing": asdict(seen),
        "dataset": dataset.name,
        "digest": dataset.digest,
    }
    stored = Pieces(about, dataset.ids, cache)
    found = stored.find(places)
    if found is None:
        pieces = [places[at : at + chunk] for at in range(0, len(places), chunk)]
        parts = []
        for piece in pieces:
            part = stored.find(piece)
            if part is None:
                batches = [piece[at : at + batch_size] for at in range(0, len(piece), batch_size)]
                part = {"vectors": _vectors(model, dataset, seen, batches, workers)}
                stored.put(piece, part)
            parts.append(part)
        found = join(parts)
        stored.close(pieces, found)
    ids = tuple(dataset.ids[place] for place in places)
    return Embeddings(model.name, dataset.name, ids, found["vectors"], seen)


def _vectors(
    model: Classifier,
    dataset: ImageSet,
    preprocessing: Preprocessing,
    batches: Sequence[Sequence[int]],
    workers: int,
) -> Float32[np.ndarray, "images size"]:
    """Return the embeddings of some images, checked."""
    rows, fits = [], dict[str, int]()
    for batch, images in read(dataset, preprocessing, batches, workers, device_of(model)):
        parts = devices.in_parts(partial(embedded, model), images, fits, model.name)
        vectors = np.concatenate([part.numpy() for part in parts])
        finite = np.isfinite(vectors).all(1)
        if not finite.all():
            first = dataset.ids[batch[int(finite.argmin())]]
            raise ModelError(
                f"Expected finite embeddings from {model.name}, but it returned NaN or infinity "
                f"for image {first} of {dataset.name}. Run check_classifier."
            )
        rows.append(vectors)
    return np.concatenate(rows)


def whole(preprocessing: Preprocessing) -> Preprocessing:
    """Return a preprocessing with whole images, for a network that crops without resizing.

    Small networks of the miniature get images at their own size; a crop of larger images would
    leave only the middle. The average over the image accepts any size.
    """
    return Preprocessing(None, None) if preprocessing.resize is None else preprocessing
