"""What the chapter on ICONS-50 shows beside the rows: samples, mistakes, and key numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols.surface_variation import SAMPLE_CLASSES
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results


def sample(icons: Icons50, classes: int = SAMPLE_CLASSES, each: int = 4) -> list[int]:
    """Return places of icons for a picture of the data: some of each of some classes.

    The classes lie evenly in the list, and a class shows as many vendors as it can.
    """
    labels = sorted(set(icons.labels.tolist()))
    chosen = [labels[place * len(labels) // classes] for place in range(min(classes, len(labels)))]
    places: list[int] = []
    for label in chosen:
        of_class = [place for place, icon in enumerate(icons.icons) if icon.label == label]
        by_style: dict[str, int] = {}
        for place in of_class:
            by_style.setdefault(icons.icons[place].style, place)
        first = list(by_style.values())
        places += (first + [place for place in of_class if place not in first])[:each]
    return places


@dataclass(frozen=True)
class Said:
    """What a network said of some icons.

    Attributes:
        places: which icons.
        words: its word for each; with a tick where it is right.
    """

    places: tuple[int, ...]
    words: tuple[str, ...]


def said(runs: Sequence[Predictions], icons: Icons50, label: int, most: int = 24) -> Said:
    """Return what the first seed of a network said of the icons of a class, mistakes first."""
    first = runs[0]
    where = {name: place for place, name in enumerate(icons.ids)}
    of_class = [place for place in range(len(first.ids)) if first.labels[place] == label]
    if not of_class:
        raise InputError(
            f"Expected icons of the class {icons.class_names[label]} among those held out, but "
            "there are none. Name another class, or hold out another style."
        )
    ranked = sorted(of_class, key=lambda place: bool(first.correct[place]))[:most]
    words = [icons.class_names[int(first.predicted[place])] for place in ranked]
    ticks = ["\N{CHECK MARK} " if first.correct[place] else "" for place in ranked]
    return Said(
        tuple(where[first.ids[place]] for place in ranked),
        tuple(f"{tick}{word}" for tick, word in zip(ticks, words, strict=True)),
    )


def key_numbers(results: Results, left_out: Results, first: str) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `results`.
        left_out: of `leave_one_out`.
        first: the network that the prose speaks of.
    """
    numbers: dict[str, KeyNumber] = {
        "first": KeyNumber(first, value=first, convention="first network")
    }
    for row in results.select(metric="accuracy", model=first).rows:
        numbers[row.dataset.rpartition("_")[2]] = percent(row)
    ranked = sorted(left_out.rows, key=lambda row: row.value)
    for key, row in (("worst_style", ranked[0]), ("best_style", ranked[-1])):
        vendor, named = row.dataset.rpartition("/")[2], percent(row)
        numbers[key] = replace(named, text=f"{vendor}, {named.text}")
    return numbers
