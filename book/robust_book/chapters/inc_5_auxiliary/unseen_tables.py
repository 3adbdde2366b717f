"""Unseen subtypes as the figure, the tables, the gallery and the prose of the chapter have them."""

import numpy as np
import pandas as pd

from robust_book.chapters.nae.galleries import Gallery, gallery
from robust_book.chapters.tables import cell_of
from robust_book.figures.bars import Interval
from robust_book.figures.image_grids import ARROW
from robust_book.figures.scatter import Both
from robust_lib.protocols import unseen_subtypes as protocol
from robust_lib.protocols.unseen_subtypes import SIDES, Answers, Subtype, by_class, of_subtypes
from robust_lib.results.key_number import KeyNumber, percent, points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.run import Run

ROLES = {"seen": "imagenet_22k_seen", "unseen": "imagenet_22k_unseen"}
WORST = 3  # unseen subtypes shown
EACH = 4  # pictures of each, beside one of a seen subtype of its class


def dots(results: Results, answers: Answers) -> dict[str, dict[str, Both]]:
    """Return side -> network -> its accuracy on ordinary pictures and on the side's, percent.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> found = dots(protocol.results(answers), answers)
    >>> [both["mine"][1][0] for both in found.values()]
    [75.0, 50.0]
    """
    return {
        f"{side} subtypes": {
            network_title(name): (
                _interval(_accuracy(results, answers.clean.dataset, name)),
                _interval(_accuracy(results, answers.of(side).dataset, name)),
            )
            for name in answers.networks
        }
        for side in SIDES
    }


def gap_frame(results: Results, answers: Answers) -> pd.DataFrame:
    """Return a row a network: its accuracies, and the gap with both intervals.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> gap_frame(protocol.results(answers), answers)["Unseen"][0].value
    50.0
    """
    lines = []
    for name in answers.networks:
        drops = results.select(item=protocol.ITEM, metric="drop", model=name)
        lines.append(
            {
                "Network": network_title(name),
                "Ordinary": 100 * _accuracy(results, answers.clean.dataset, name).value,
                "Seen": cell_of(_accuracy(results, answers.seen.dataset, name)),
                "Unseen": cell_of(_accuracy(results, answers.unseen.dataset, name)),
                "Gap, over classes": cell_of(drops.row(convention=protocol.OVER_CLASSES)),
                "Gap, over pictures": cell_of(drops.row(convention=protocol.OVER_PICTURES)),
            }
        )
    return pd.DataFrame(lines)


def class_frame(answers: Answers) -> pd.DataFrame:
    """Return a row a class that both sides have, the largest gap first.

    >>> class_frame(toys.subtype_answers({"mine": (12, 0)}))["Taken for"].tolist()
    ['key (100)', 'owl (100)', 'candle (100)']
    """
    seen, unseen = (by_class(answers, side) for side in SIDES)
    worst: dict[int, Subtype] = {}
    for one in of_subtypes(answers):
        worst.setdefault(one.label, one)
    known = [label for label in worst if np.isfinite(seen[label])]
    lines = []
    for label in sorted(known, key=lambda one: (unseen[one] - seen[one], one)):
        missed = worst[label]
        lines.append(
            {
                "Class": answers.class_names[label],
                "Seen": 100 * seen[label],
                "Unseen": 100 * unseen[label],
                "Gap": 100 * (seen[label] - unseen[label]),
                "Unseen subtype": missed.name if missed.taken_for else "–",
                "Taken for": _taken_for(missed, answers.class_names),
            }
        )
    return pd.DataFrame(lines)


def _taken_for(subtype: Subtype, names: tuple[str, ...]) -> str:
    if subtype.taken_for is None:
        return "–"
    label, share = subtype.taken_for
    return f"{names[label]} ({100 * share:.0f})"


def worst_gallery(tuned: Run, answers: Answers) -> Gallery:
    """Return the pictures that `worst` shows, each with its caption.

    >>> answers = toys.subtype_answers({"mine": (12, 0)}, images=30)
    >>> len(worst_gallery(run, answers).captions)
    15
    """
    network, _ = best(answers)
    first = answers.unseen.predictions[network][0]
    labels = answers.seen.predictions[network][0].labels
    images = {side: tuned.image_set(role) for side, role in ROLES.items()}
    found = Gallery((), ())
    for one in of_subtypes(answers)[:WORST]:
        name = answers.class_names[one.label]
        known = [int(np.flatnonzero(labels == one.label)[0])] if one.label in labels else []
        found += gallery(images["seen"], known, [f"{name}, seen"] * len(known), tuned.geometry)
        ranked = sorted(one.places, key=lambda place: bool(first.correct[place]))[:EACH]
        said = [
            name
            if first.correct[place]
            else f"{name}\n{ARROW} {answers.class_names[int(first.predicted[place])]}"
            for place in ranked
        ]
        found += gallery(images["unseen"], ranked, said, tuned.geometry)
    return found


def key_numbers(results: Results, answers: Answers) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    >>> answers = toys.subtype_answers({"mine": (9, 6), "other": (9, 9)})
    >>> numbers = key_numbers(protocol.results(answers), answers)
    >>> numbers["unseen_networks"].text, numbers["unseen_subtypes"].text
    ('1 of 2 networks (1 by the whole interval)', '6')
    """
    network, title = best(answers)
    mean = results.row(item=protocol.ITEM, metric="drop", convention=protocol.MEAN)
    drops = results.select(item=protocol.ITEM, metric="drop", convention=protocol.OVER_CLASSES).rows
    lower = sum(row.value > 0 for row in drops)
    whole = sum(row.low is not None and row.low > 0 for row in drops)
    sure = f" ({whole} by the whole interval)" if lower else ""
    return {
        "unseen_gap": points(mean),
        "unseen_networks": KeyNumber(
            f"{lower} of {len(drops)} networks{sure}",
            lower,
            "networks that are less accurate on unseen subtypes",
            len(drops),
        ),
        "unseen_network": KeyNumber(title, network, "most accurate on ordinary pictures"),
        "unseen_network_seen": percent(_accuracy(results, answers.seen.dataset, network)),
        "unseen_network_unseen": percent(_accuracy(results, answers.unseen.dataset, network)),
        **{
            f"{side}_subtypes": KeyNumber(
                f"{len(set(answers.subtypes[side])):,}",
                len(set(answers.subtypes[side])),
                f"distinct subtypes in {answers.of(side).dataset}",
            )
            for side in SIDES
        },
    }


def best(answers: Answers) -> tuple[str, str]:
    """Return the network that is best on ordinary pictures, and its title.

    >>> best(toys.subtype_answers({"mine": (9, 6), "other": (10, 6)}))
    ('other', 'other')
    """

    def accuracy(name: str) -> float:
        by_seed = answers.clean.predictions[answers.before[name]]
        return float(np.mean([one.correct.mean() for one in by_seed]))

    name = max(answers.networks, key=accuracy)
    return name, network_title(name)


def told(results: Results, answers: Answers) -> str:
    """Return both accuracies of each network, in words.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> told(protocol.results(answers), answers)
    'mine 75 % seen, 50 % unseen'
    """
    of_side = {side: answers.of(side).dataset for side in SIDES}
    return "; ".join(
        f"{network_title(name)} "
        + ", ".join(
            f"{100 * _accuracy(results, dataset, name).value:.0f} % {side}"
            for side, dataset in of_side.items()
        )
        for name in answers.networks
    )


def _accuracy(results: Results, dataset: str, network: str) -> Row:
    return results.row(item=protocol.ITEM, metric="accuracy", dataset=dataset, model=network)


def _interval(row: Row) -> Interval:
    ends = (row.value if end is None else end for end in (row.low, row.high))
    low, high = (100 * end for end in ends)
    return 100 * row.value, low, high
