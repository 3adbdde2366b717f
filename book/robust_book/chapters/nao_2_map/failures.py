"""Common failure modes: what was predicted and what was there, as pictures [nao, fig. 4]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from robust_book.figures.boxed_pictures import Box
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import source
from robust_lib.datasets.layouts import Layouts
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.types import AnyPicture

ITEM = "nao-fig4"
PAIRS = 8  # shown, as in the paper
LISTED = 20
AS_IS = Preprocessing(None, None)


@dataclass(frozen=True, eq=False)
class Shown:
    """Pictures of confusions, one each, with the box that was found and what lies there."""

    pictures: tuple[AnyPicture, ...]
    boxes: tuple[tuple[Box, ...], ...]
    captions: tuple[str, ...]


def shown(
    confusions: Sequence[Confusion], found: FoundBoxes, images: ImageSet, *, most: int = PAIRS
) -> Shown:
    """Return the surest picture of each of the most frequent confusions.

    Args:
        confusions: of `protocols.objects.confusions`.
        found: the detector's boxes.
        images: in which they were found.
        most: how many.

    >>> from robust_lib.protocols.objects.confusions import confusions, mistakes
    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> shown(told, found, images).captions
    ('wedge, called box', 'ring, called disc')
    """
    places = {one: place for place, one in enumerate(images.ids)}
    chosen = [one for one in confusions if one.truth][:most]
    pictures, boxes = [], []
    for confusion in chosen:
        one = confusion.mistakes[0]
        pictures.append(images.read(places[found.ids[one.image]], AS_IS))
        left, top, right, bottom = map(float, found.detections.boxes[one.place])
        words = f"{one.predicted} {100 * one.score:.0f} %"
        truth = () if one.box is None else (Box(one.box, "truth"),)
        boxes.append((*truth, Box((left, top, right, bottom), "wrong", words)))
    captions = tuple(f"{one.truth}, called {one.predicted}" for one in chosen)
    return Shown(tuple(pictures), tuple(boxes), captions)


def confusion_frame(
    confusions: Sequence[Confusion], pairs: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Return the most frequent confusions, counted in pictures.

    Args:
        confusions: of `protocols.objects.confusions`.
        pairs: what the world planted, each what is seen and what it looks like; none where the
            pictures are photographs.

    >>> from robust_lib.protocols.objects.confusions import confusions, mistakes
    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> confusion_frame(told, [("ring", "disc")])["Planted"].tolist()
    ['', 'yes']
    """
    printed = {frozenset(pair) for pair in of_the_paper()}
    planted = {frozenset(pair) for pair in pairs}
    lines = []
    for one in confusions[:LISTED]:
        both = frozenset((one.predicted, one.truth))
        line: dict[str, object] = {
            "What was there": one.truth or "nothing known",
            "Called": one.predicted,
            "Pictures": one.pictures,
            "Of the label set": "" if not one.truth else "no" if one.is_foreign else "yes",
            "In the paper's figure": "yes" if both in printed else "",
        }
        if pairs:
            line["Planted"] = "yes" if both in planted else ""
        lines.append(line)
    return pd.DataFrame(lines)


def paper_frame() -> pd.DataFrame:
    """Return the eight pairs of the paper's figure, as it prints them.

    >>> paper_frame().iloc[0].tolist()
    ['Moth', 'Umbrella']
    """
    return pd.DataFrame(_printed(), columns=["What was there", "Called"])


_SAME: Mapping[str, str] = {"donut": "doughnut", "elephants": "elephant", "moth": "butterfly"}


def of_the_paper() -> tuple[tuple[str, str], ...]:
    """Return the paper's eight pairs, what was there and what it was called, in our words.

    >>> of_the_paper()[:2]
    (('butterfly', 'umbrella'), ('fish', 'bird'))
    """
    return tuple((_ours(truth), _ours(called)) for truth, called in _printed())


def results(confusions: Sequence[Confusion], dataset: str, network: str) -> Results:
    """Return in how many pictures each confusion happens, as rows.

    Args:
        confusions: of `protocols.objects.confusions`.
        dataset: name of the pictures.
        network: the detector.

    >>> from robust_lib.protocols.objects.confusions import confusions, mistakes
    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> [(row.dataset, row.value) for row in results(told, "nao", "mine").rows]
    [('nao/wedge called box', 3.0), ('nao/ring called disc', 3.0)]
    """
    counts: dict[str, int] = {}
    for one in confusions:
        # A foreign thing may bear the name of a class; both are counted as one.
        key = f"{one.truth or 'nothing known'} called {one.predicted}"
        counts[key] = counts.get(key, 0) + one.pictures
    return Results.of(
        Row(item=ITEM, dataset=f"{dataset}/{key}", model=network, metric="images",
            value=float(count))
        for key, count in counts.items()
    )  # fmt: skip


def planted_pairs(images: ImageSet) -> tuple[tuple[str, str], ...]:
    """Return what a composed world planted, each what is seen and as what; none of photographs."""
    made = source(images)
    return made.world.pairs if isinstance(made, Layouts) else ()


def _printed() -> list[tuple[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for row in reported(ITEM):
        told.setdefault(str(row.dataset), {})[row.metric] = str(row.value)
    return [(pair["ground_truth"], pair["prediction"]) for pair in told.values()]


def _ours(name: str) -> str:
    return _SAME.get(name.lower(), name.lower())
