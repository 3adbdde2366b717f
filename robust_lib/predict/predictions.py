"""Predictions: one model's predictions for one data set, from which all results are computed."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float32, Int64

from robust_lib import atomic, datasets, seeds
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import others_of
from robust_lib.errors import NO_ARRAYS, DataError, InputError
from robust_lib.metrics.intervals import Sample
from robust_lib.predict import foreign_numbers
from robust_lib.types import UNKNOWN, Correct, Logits


@dataclass(frozen=True, eq=False)
class Predictions:
    """One model's predictions for the images of one data set, in the data set's order.

    Args:
        labels: true classes; -1 if unknown.
        logits: all outputs, or None if only predicted class and confidence are kept.
        predicted: the class with the largest logit; the first one if several are equal.
        confidence: its softmax probability, a fraction.
        fingerprint: digest of the model; empty for predictions made elsewhere.
        digest: digest of the data set; empty for predictions made elsewhere.
        together: the group of each image, such as its drawing; None: images are independent.
        pictures: text that distinguishes each image from a different one with the same name; empty
            if unknown.

    Raises:
        InputError: lengths differ, an id occurs twice, a number is NaN or out of range, or
            `predicted` is not the argmax of `logits`.
    """

    model: str
    dataset: str
    ids: tuple[str, ...]
    labels: Int64[np.ndarray, " images"]
    logits: Logits | None
    predicted: Int64[np.ndarray, " images"]
    confidence: Float32[np.ndarray, " images"]
    fingerprint: str = ""
    digest: str = ""
    together: tuple[str, ...] | None = None
    pictures: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sizes = {
            name: len(getattr(self, name)) for name in ("ids", "labels", "predicted", "confidence")
        }
        if self.logits is not None:
            sizes["logits"] = len(self.logits)
        if self.together is not None:
            sizes["together"] = len(self.together)
        if self.pictures:
            sizes["pictures"] = len(self.pictures)
        if len(set(sizes.values())) != 1:
            raise InputError(f"Expected one entry per image in every array, but got {sizes}.")
        if len(set(self.ids)) != len(self.ids):
            twice = next(name for place, name in enumerate(self.ids) if name in self.ids[:place])
            raise InputError(f"Expected each image once, but {twice!r} occurs twice.")
        if not ((self.confidence >= 0) & (self.confidence <= 1)).all():
            raise InputError("Expected confidences in [0, 1], but got other values or NaN.")
        if self.logits is not None:
            if not np.isfinite(self.logits).all():
                raise InputError("Expected finite logits, but got NaN or infinity.")
            if not np.array_equal(self.logits.argmax(1), self.predicted):
                raise InputError(
                    "Expected `predicted` to be the argmax of `logits`, but it is not."
                )

    @classmethod
    def from_logits(
        cls,
        logits: Logits,
        *,
        ids: tuple[str, ...],
        labels: Int64[np.ndarray, " images"],
        model: str,
        dataset: str,
        fingerprint: str = "",
        digest: str = "",
        together: tuple[str, ...] | None = None,
    ) -> "Predictions":
        """Return predictions from logits: the class of the largest, and its probability.

        >>> said = Predictions.from_logits(np.array([[0.0, 2.0]], np.float32), ids=("a",),
        ...     labels=np.array([1]), model="mine", dataset="one")
        >>> int(said.predicted[0]), round(float(said.confidence[0]), 3)
        (1, 0.881)
        """
        logits, labels = np.asarray(logits, np.float32), np.asarray(labels, np.int64)
        said = labels, logits, *decide(logits)
        return cls(model, dataset, tuple(ids), *said, fingerprint, digest, together)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def correct(self) -> Correct:
        """Whether each image was classified correctly."""
        correct: Correct = self.predicted == self.labels
        return correct

    @property
    def by_confidence(self) -> Int64[np.ndarray, " images"]:
        """The indices of the images, the most confident first; ties in random order.

        Data are ordered by class, so the order of the data would resolve ties by class.
        """
        lots = np.array([seeds.key("confidence", one) for one in self.ids], np.uint64)
        order: Int64[np.ndarray, " images"] = np.lexsort((lots, -self.confidence))
        return order

    @property
    def sample(self) -> Sample:
        """The images as a sample for resampling."""
        return Sample(self.dataset, self.together)

    def aligned(self, dataset: ImageSet) -> "Predictions":
        """Return predictions made elsewhere, in a data set's order and with its labels.

        Raises:
            InputError: an image of one is missing in the other.
        """
        place = {name: index for index, name in enumerate(self.ids)}
        absent = [name for name in dataset.ids if name not in place]
        foreign = sorted(place.keys() - set(dataset.ids))
        if absent or foreign:
            raise InputError(
                f"Expected predictions for the {len(dataset.ids)} images of {dataset.name}, but "
                f"{len(absent)} are missing (e.g. {absent[:1]}) and {len(foreign)} are for other "
                f"images (e.g. {foreign[:1]}). Use the data set's own ids."
            )
        order = np.array([place[name] for name in dataset.ids], np.int64)
        told = tuple(self.pictures[at] for at in order) if self.pictures else ()
        if told and (others := others_of(dataset, dataset.ids, told)):
            raise InputError(
                f"Expected predictions for the images of {dataset.name}, but {len(others)} are for "
                f"other images with the same name (e.g. {others[:1]}). Compute the predictions "
                "again."
            )
        return replace(
            self,
            dataset=dataset.name,
            ids=tuple(dataset.ids),
            labels=np.asarray(dataset.labels, np.int64),
            logits=None if self.logits is None else self.logits[order],
            predicted=self.predicted[order],
            confidence=self.confidence[order],
            digest=dataset.digest,
            together=datasets.together(dataset),
            pictures=told,
        )

    def save(self, path: Path) -> None:
        """Write an .npz file that `load` reads; it replaces an older file only once complete."""
        arrays = {
            "ids": np.array(self.ids, dtype=np.str_),
            "labels": self.labels,
            "predicted": self.predicted,
            "confidence": self.confidence,
            "about": np.array([self.model, self.dataset, self.fingerprint, self.digest]),
        }
        if self.logits is not None:
            arrays["logits"] = self.logits
        if self.pictures:
            arrays["pictures"] = np.array(self.pictures, dtype=np.str_)
        with atomic.file(path) as made, made.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> "Predictions":
        """Return predictions from an .npz file that `save` wrote, or from your own.

        Your own file needs `ids` (strings) and `logits` (images, classes), and may have `labels`;
        call `aligned` on the result to compare it with a data set.

        Raises:
            DataError: no such file, or one that does not contain predictions.
        """
        arrays = _arrays(path)
        if "ids" not in arrays or not ({"logits", "predicted"} & arrays.keys()):
            raise DataError(
                f"Expected arrays ids and logits in {path}, but found "
                f"{', '.join(sorted(arrays)) or 'none'}. Write both with numpy.savez."
            )
        ids = tuple(foreign_numbers.names(arrays["ids"], f"ids of {path}"))
        pictures = tuple(map(str, arrays.get("pictures", ())))
        model, dataset, fingerprint, digest = (
            str(text) for text in arrays.get("about", (path.stem, "", "", ""))
        )
        every = np.iinfo(np.int64).max
        logits, classes = None, every
        if "logits" in arrays:
            logits = foreign_numbers.logits(arrays["logits"], f"logits of {path}")
            classes = logits.shape[1]
            predicted, confidence = decide(logits)
        else:
            predicted = foreign_numbers.class_ids(
                arrays["predicted"], every, f"predicted of {path}"
            )
            sure = foreign_numbers.shares(arrays["confidence"], f"confidence of {path}")
            confidence = sure.astype(np.float32)
        labels = foreign_numbers.class_ids(
            arrays.get("labels", np.full(len(ids), UNKNOWN)),
            classes,
            f"labels of {path}",
            unknown=True,
        )
        answers = ids, labels, logits, predicted, confidence
        return cls(model, dataset, *answers, fingerprint, digest, pictures=pictures)


def decide(
    logits: Logits,
) -> tuple[Int64[np.ndarray, " images"], Float32[np.ndarray, " images"]]:
    """Return the class with the largest logit (the first, if equal) and its softmax probability.

    >>> predicted, confidence = decide(np.zeros((1, 4), np.float32))
    >>> int(predicted[0]), float(confidence[0])
    (0, 0.25)
    """
    predicted = logits.argmax(1).astype(np.int64)
    shifted = logits - logits.max(1, keepdims=True)
    confidence = 1 / np.exp(shifted, dtype=np.float64).sum(1)
    return predicted, confidence.astype(np.float32)


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        # A file that numpy opened itself stays open where it is none.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as loaded:
            held = {name: loaded[name] for name in loaded.files}
            # What is no array in the file comes as its bytes.
            return {name: it for name, it in held.items() if isinstance(it, np.ndarray)}
    except FileNotFoundError:
        raise DataError(f"Expected predictions in {path}, but there is no such file.") from None
    except (AttributeError, *NO_ARRAYS) as error:  # a single array has no files and is no context
        raise DataError(
            f"Expected predictions in {path}, but it is not an .npz file of plain arrays "
            f"({error}). Write it with numpy.savez."
        ) from None
