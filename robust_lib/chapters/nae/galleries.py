"""Pictures of the chapters: which are shown, and what is written above them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from robust_lib import datasets
from robust_lib.curation.ten_crops import as_filter
from robust_lib.datasets import ImageSet
from robust_lib.models.contract import Classifier
from robust_lib.models.wrappers import ten_crops
from robust_lib.predict.classify import choose
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.predict.predictions import Predictions
from robust_lib.preprocessing import Preprocessing
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import Picture

MOST = 60  # pictures of a gallery


@dataclass(frozen=True)
class Shown:
    """Pictures to be shown, each under its words."""

    pictures: tuple[Picture, ...]
    words: tuple[str, ...]

    def __add__(self, other: "Shown") -> "Shown":
        return Shown(self.pictures + other.pictures, self.words + other.words)

    def part(self, first: int, last: int) -> "Shown":
        """Return some of them, in order; as many of the last ones if there are no more."""
        begin = max(0, min(first, len(self.words) - (last - first)))
        return Shown(self.pictures[begin:last], self.words[begin:last])


def hard(
    asked: MaskedPredictions, images: ImageSet, *, network: str, geometry: Preprocessing
) -> Shown:
    """Return the pictures that a network gets wrong, the surest mistakes first.

    One of each true class comes before a second one follows. Above each stands what it shows and
    what the network said.
    """
    said = asked.predictions[network][0]
    wrong = np.flatnonzero(said.predicted != said.labels)
    places = _spread(wrong, said.labels, said.confidence)[:MOST]
    words = [caption(said, place, images.class_names) for place in places]
    return show(images, places, words, geometry)


def foreign(
    asked: MaskedPredictions, images: ImageSet, *, network: str, geometry: Preprocessing
) -> Shown:
    """Return pictures of foreign things, the surest answers first, one a predicted class."""
    said = asked.predictions[network][0]
    places = _spread(np.arange(len(said.ids)), said.predicted, said.confidence)[:MOST]
    words = [
        caption(said, place, images.class_names, truth=truth(said.ids[place])) for place in places
    ]
    return show(images, places, words, geometry)


def truth(name: str) -> str:
    """Return what a foreign picture shows, as far as its id tells.

    ImageNet-O's folders are what a network saw in the pictures, not what they show.

    >>> truth("candidate/wrench/000004"), truth("n02783161/n13896217_1.JPEG")
    ('wrench', 'foreign')
    """
    parts = name.split("/")
    return parts[1] if len(parts) == 3 else "foreign"


def show(
    images: ImageSet, places: Sequence[int], words: Sequence[str], geometry: Preprocessing
) -> Shown:
    """Return some pictures of a set, resized and cropped, with their words."""
    return Shown(tuple(images.read(place, geometry) for place in places), tuple(words))


def caption(said: Predictions, place: int, names: Sequence[str], truth: str | None = None) -> str:
    """Return what a picture shows and what a network said of it, with its confidence.

    >>> said = Predictions.from_logits(np.array([[0.0, 2.0]], np.float32), ids=("a",),
    ...     labels=np.array([0]), model="mine", dataset="one")
    >>> caption(said, 0, ("candle", "jack-o'-lantern")).splitlines()
    ['candle', "→ jack-o'-lantern 88 %"]
    """
    shown = names[int(said.labels[place])] if truth is None else truth
    answer = names[int(said.predicted[place])]
    return f"{shown}\n→ {answer} {100 * float(said.confidence[place]):.0f} %"


def confusions(
    asked: MaskedPredictions, images: ImageSet, model: str, most: int = 10
) -> list[tuple[str, str, int]]:
    """Return the commonest mistakes: true class, what it was taken for, and how often."""
    said, names = asked.predictions[model][0], images.class_names
    wrong = said.predicted != said.labels
    pairs = zip(said.labels[wrong].tolist(), said.predicted[wrong].tolist(), strict=True)
    return [(names[a], names[b], count) for (a, b), count in Counter(pairs).most_common(most)]


def ten_answers(
    model: Classifier, images: ImageSet, *, limit: int = 256, batch_size: int = 64
) -> dict[int, list[int]]:
    """Return place -> what a network says of ten crops of the picture.

    A crop shows the same thing a little to one side; a network that names another class in each
    has not seen the thing.

    Args:
        model: a classifier of the images' classes.
        images: what it is shown.
        limit: how many pictures, a fixed choice.
        batch_size: pictures at once.

    Raises:
        InputError: the model's pictures have no frame to crop from.
    """
    crops = as_filter(model)
    places = choose(images.ids, limit)
    found: dict[int, list[int]] = {}
    for at in range(0, len(places), batch_size):
        piece = list(places[at : at + batch_size])
        views = ten_crops(datasets.batch(images, piece, crops.frame), crops.side)
        logits = torch.stack([model(view) for view in views])
        for place, answers in zip(piece, logits.argmax(-1).T.tolist(), strict=True):
            found[int(place)] = answers
    return found


def fickle(
    answers: Mapping[int, Sequence[int]], images: ImageSet, *, geometry: Preprocessing, most: int
) -> Shown:
    """Return the pictures whose ten crops get the most different answers, and how many.

    Args:
        answers: of `ten_answers`.
        images: the pictures.
        geometry: how they are shown.
        most: how many of them.
    """
    ranked = sorted(answers, key=lambda place: (-len(set(answers[place])), place))[:most]
    words = []
    for place in ranked:
        truth = images.class_names[int(images.labels[place])]
        words.append(f"{truth}\n{len(set(answers[place]))} answers")
    return show(images, ranked, words, geometry)


def surest(asked: MaskedPredictions, model: str) -> Results:
    """Return the largest confidence of a wrong answer, as a row beside the paper's candle."""
    said = asked.predictions[model][0]
    wrong = said.confidence[~said.correct]
    if not len(wrong):
        return Results()
    row = Row(
        item="nae-fig7",
        dataset=asked.dataset,
        metric="confidence",
        convention=f"surest wrong answer of {model}, {asked.convention}",
        value=float(wrong.max()),
        n=len(wrong),
        n_full=len(wrong),
    )
    return Results.of([row])


def _spread(places: np.ndarray, classes: np.ndarray, confidence: np.ndarray) -> list[int]:
    ranked = sorted(places.tolist(), key=lambda place: -float(confidence[place]))
    turn: Counter[int] = Counter()
    ordered = []
    for place in ranked:
        ordered.append((turn[int(classes[place])], place))
        turn[int(classes[place])] += 1
    return [place for _, place in sorted(ordered, key=lambda one: one[0])]
