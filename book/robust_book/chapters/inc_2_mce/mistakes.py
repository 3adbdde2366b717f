"""Misclassified images: each network's mistakes under each corruption."""

from collections.abc import Mapping, Sequence

import numpy as np
from PIL import Image

from robust_book.chapters.inc_2_mce import numbers
from robust_book.html.markup import Html
from robust_book.html.mistakes import Behind, Mistake, mistakes
from robust_book.page import Page
from robust_lib.config.withheld import may_show
from robust_lib.fetch import listing
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run import corrupted_sets
from robust_lib.run.network import network_title
from robust_lib.run.run import Run
from robust_lib.types import AnyPicture, Picture
from robust_lib.vocabulary import COMMON, corruption_label, corruption_words

MOST = 5  # pictures of a cell
SIDE = 128  # pixels of a picture, at most

Cells = Mapping[tuple[str, str], Predictions]
"""(network, corruption) -> predictions."""


def pictured(page: Page, results: Results, grid: Grid) -> Html | None:
    """Return the block that shows the mistakes behind each cell of Table 1, and write its images.

    No network predicts again: the predictions are the grid's, from the first seed, and the images
    are those of the grid. If the images may not be redistributed, None is returned.

    >>> run = toys.corrupting()
    >>> rows = toys.rows("inc-tab1", "ce", {"alexnet_mini": 0.9}, corruption="fog")
    >>> block = str(pictured(type(page)(run), rows, run.grid()))
    >>> "AlexNet-like under fog" in block, "AlexNet-like under JPEG compression" in block
    (True, True)
    """
    if not may_show(page.run.profile, page.run.chapter.role):
        return None
    severity = middle(grid.severities)
    networks = [str(name) for name in numbers.models_by_corruption(results, "ce").index]
    named = {corruption_label(name): name for name in COMMON}
    shown = [named.get(str(title), "") for title in numbers.error_frame(results).columns[1:]]
    cells = {
        (network, name): grid.cells[network, name, severity][0]
        for network in networks
        for name in shown
        if (network, name, severity) in grid.cells
    }
    found = _read(page.run, cells, severity)
    files = {key: f"inc-tab1-mistakes-{networks.index(key[0])}-{key[1]}.webp" for key in found}
    page.pictures({files[key]: side_by_side(pictures) for key, pictures in found.items()})
    names = page.run.images.class_names

    def behind(key: tuple[str, str]) -> Behind | None:
        return _behind(key, cells[key], files.get(key), names) if key in cells else None

    first = "; networks of the first seed" if len(page.run.profile.seeds) > 1 else ""
    return mistakes(
        [[behind((network, name)) for name in shown] for network in networks],
        convention=f"Severity {severity}{first}. The most confident mistakes, one of each class "
        "before a second of any class. A percentage is the probability that the network assigned "
        "to its prediction.",
    )


def middle(severities: Sequence[int]) -> int:
    """Return the middle one of some severities; the milder if there are two.

    >>> middle((1, 2, 3, 4, 5)), middle((5, 1))
    (3, 1)
    """
    return sorted(severities)[(len(severities) - 1) // 2]


def surest(said: Predictions, most: int = MOST) -> tuple[int, ...]:
    """Return positions of the most confident mistakes, one of each class before a second of any.

    Ties keep the order of the images; images without a class are left out.

    >>> said = Predictions("net", "toys", ("a", "b", "c", "d"), np.array([0, 0, 1, 2]), None,
    ...     np.array([1, 1, 0, 2]), np.array([0.9, 0.8, 0.7, 1.0], np.float32))
    >>> surest(said), surest(said, 2)
    ((0, 2, 1), (0, 2))
    """
    wrong = np.flatnonzero(~said.correct & (said.labels >= 0))
    ranked = wrong[np.argsort(-said.confidence[wrong], kind="stable")].tolist()
    labels = said.labels[ranked].tolist()
    turns = [labels[:rank].count(label) for rank, label in enumerate(labels)]
    order = sorted(range(len(ranked)), key=lambda rank: (turns[rank], rank))
    return tuple(ranked[rank] for rank in order[:most])


def side_by_side(pictures: Sequence[AnyPicture]) -> Picture:
    """Return square images in a row; images larger than `SIDE` are reduced to it.

    >>> side_by_side([np.zeros((64, 64, 3), np.uint8)] * 3).shape
    (64, 192, 3)
    >>> side_by_side([np.zeros((224, 224, 3), np.uint8)] * 2).shape
    (128, 256, 3)
    """
    side = min(SIDE, len(pictures[0]))
    shown = [
        one if len(one) == side else np.asarray(Image.fromarray(one).resize((side, side)))
        for one in pictures
    ]
    row: Picture = np.concatenate(shown, axis=1)
    return row


def _read(run: Run, cells: Cells, severity: int) -> dict[tuple[str, str], list[Picture]]:
    """Return the images of the most confident mistakes in each condition, each read once."""
    corruptions = list(dict.fromkeys(name for _, name in cells))
    found: dict[tuple[str, str], list[Picture]] = {}
    with listing.once():  # an archive of millions of files is counted, and then read
        source = corrupted_sets.corrupted(run.profile, run.images, run.models, corruptions)
        geometry = next(iter((source.models or run.models).values()))[0].preprocessing
        for name in corruptions:
            images = source.cell(name, severity)
            places = {item: place for place, item in enumerate(images.ids)}
            wanted = {
                key: [said.ids[place] for place in surest(said)]
                for key, said in cells.items()
                if key[1] == name
            }
            every = dict.fromkeys(item for items in wanted.values() for item in items)
            read = {item: images.read(places[item], geometry) for item in every}
            found |= {key: [read[item] for item in items] for key, items in wanted.items() if items}
    return found


def _behind(
    key: tuple[str, str], said: Predictions, file: str | None, names: Sequence[str]
) -> Behind:
    network, corruption = key
    return Behind(
        file=file,
        title=f"{network_title(network)} under {corruption_words(corruption)}",
        told=f"wrong on {int((~said.correct).sum()):,} of {len(said):,} images",
        mistakes=tuple(
            Mistake(
                names[int(said.labels[place])],
                names[int(said.predicted[place])],
                float(said.confidence[place]),
            )
            for place in surest(said)
        ),
    )
