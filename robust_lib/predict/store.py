"""A model's predictions for an image set in the cache: in chunks, then as a whole."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from robust_lib import datasets
from robust_lib.cache import Store, content_key
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import contents_of
from robust_lib.models.contract import Classifier
from robust_lib.predict.predictions import Predictions

FORMAT = 1
"""Raise it when the same model and images would be given other predictions than before."""

Keep = Literal["logits", "reduced"]
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Stored predictions of one model for the images of one set; `places` are indices in it.

    Attributes:
        about: everything that determines the predictions, except the selection of images.
        store: store of the predictions; None stores nothing.
    """

    about: Mapping[str, Any]
    ids: Sequence[str]
    store: Store | None

    def find(self, places: Sequence[int]) -> Arrays | None:
        """Return the predictions for these images as arrays, or None if they are not stored."""
        if self.store is None:
            return None
        description = self._describe(places)
        return self.store.find(content_key(description), expect=description)

    def put(self, places: Sequence[int], arrays: Arrays) -> None:
        """Store the predictions for these images."""
        if self.store is not None:
            description = self._describe(places)
            self.store.put(content_key(description), arrays, description)

    def close(self, pieces: Sequence[Sequence[int]], arrays: Arrays) -> None:
        """Store the predictions as a whole, then delete the pieces."""
        if self.store is None or len(pieces) == 1:  # then the piece is the whole
            return
        self.put([place for piece in pieces for place in piece], arrays)
        for piece in pieces:
            self.store.drop(content_key(self._describe(piece)))

    def _describe(self, places: Sequence[int]) -> dict[str, Any]:
        chosen = "\n".join(self.ids[place] for place in places)
        return {
            **self.about,
            "images": len(places),
            "ids": hashlib.sha256(chosen.encode()).hexdigest(),
        }


@dataclass(frozen=True, eq=False)
class PredictionStore:
    """The stored predictions of one model on one image set.

    The key is made of everything that determines them: the data set's digest, the ids, the model's
    fingerprint and the preprocessing. `places` are indices in the data set.
    """

    model: Classifier
    dataset: ImageSet
    keep: Keep
    fingerprint: str
    store: Store | None

    @property
    def pieces(self) -> Pieces:
        """Return the stored pieces of the predictions."""
        about = {
            "what": "predictions",
            "format": FORMAT,
            "model": self.model.name,
            "fingerprint": self.fingerprint,
            "preprocessing": asdict(self.model.preprocessing),
            "dataset": self.dataset.name,
            "digest": self.dataset.digest,
            "keep": self.keep,
        }
        return Pieces(about, self.dataset.ids, self.store)

    def predictions(self, places: Sequence[int], arrays: Arrays) -> Predictions:
        """Return stored arrays with the names and labels of their images."""
        ids, shared = self.dataset.ids, datasets.together(self.dataset)
        contents = contents_of(self.dataset)
        return Predictions(
            model=self.model.name,
            dataset=self.dataset.name,
            ids=tuple(ids[place] for place in places),
            labels=np.asarray(self.dataset.labels, np.int64)[list(places)],
            logits=arrays.get("logits"),
            predicted=arrays["predicted"],
            confidence=arrays["confidence"],
            fingerprint=self.fingerprint,
            digest=self.dataset.digest,
            together=None if shared is None else tuple(shared[place] for place in places),
            pictures=tuple(contents[ids[place]] for place in places),
        )


def join(pieces: Sequence[Arrays]) -> Arrays:
    """Return the predictions of consecutive pieces as one."""
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
