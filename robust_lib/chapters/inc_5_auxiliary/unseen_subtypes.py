"""Figure 8 [inc, app. E]: known classes, seen and unseen kinds of them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from robust_lib.chapters.nae.galleries import Gallery, gallery
from robust_lib.chapters.tables import cell_of
from robust_lib.datasets.imagenet_22k import ImageNet22K
from robust_lib.figures import scatter
from robust_lib.figures.bars import Interval
from robust_lib.figures.image_grids import ARROW
from robust_lib.figures.scatter import Both
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.protocols.unseen_subtypes import (
    ITEM,
    MEAN,
    OVER_CLASSES,
    OVER_PICTURES,
    SIDES,
    Answers,
    Subtype,
    by_class,
    of_subtypes,
)
from robust_lib.results.key_number import KeyNumber, percent, points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import image_kinds
from robust_lib.run.chapter import Chapter, OnImages
from robust_lib.run.network import network_title
from robust_lib.run.page import Page
from robust_lib.run.run import Run

ROLES = {"seen": "imagenet_22k_seen", "unseen": "imagenet_22k_unseen"}
CLEAN = "imagenet_val"
TUNED = Chapter(
    "inc_5_auxiliary",
    networks="imagenet_22k",
    role=ROLES["unseen"],
    shows=(OnImages(tuple(ROLES.values()), ROLES["unseen"]),),
    every_image=True,
)
"""Networks that choose among the broad classes, shown seen and unseen kinds of them."""

BEFORE = Chapter(
    "inc_5_auxiliary",
    networks="imagenet_c",
    role=CLEAN,
    shows=(OnImages((CLEAN,), CLEAN),),
    every_image=True,
)
"""The networks that those were, on the ordinary test set."""

WORST = 3  # unseen subtypes shown
EACH = 4  # pictures of each, beside one of a seen subtype of its class


def answers(tuned: Run, before: Run) -> Answers:
    """Return what the networks said of seen and of unseen subtypes, and before of ordinary pictures.

    Args:
        tuned: run of `TUNED`.
        before: run of `BEFORE`; networks that it has under no name of the paper's are left out.

    Raises:
        InputError: pictures of which nobody knows the subtype.

    >>> answers(run, run)
    Traceback (most recent call last):
    robust_lib.errors.InputError: Expected a role, one of ...
    """
    both = [name for name in tuned.paper_names if name in before.paper_names]
    ours = {tuned.paper_names[name]: before.paper_names[name] for name in both}
    sets = {side: tuned.image_set(role) for side, role in ROLES.items()}
    shown = {side: image_kinds.subtypes(images, tuned.store) for side, images in sets.items()}
    asked = [tuned.network(name) for name in ours]
    unseen = sets["unseen"]
    return Answers(
        seen=tuned.predict(sets["seen"], networks=asked),
        unseen=tuned.predict(unseen, networks=asked),
        clean=before.predict(CLEAN, networks=[before.network(name) for name in ours.values()]),
        subtypes={"seen": shown["seen"], "unseen": shown["unseen"]},
        before=ours,
        class_names=unseen.class_names,
        shared=len(unseen.shared) if isinstance(unseen, ImageNet22K) else 0,
        samples=tuned.profile.bootstrap,
    )


def gap(page: Page, results: Results, answers: Answers, description: str | None = None) -> Html:
    """Return Figure 8: accuracy on seen and on unseen subtypes against that on ordinary pictures.

    Args:
        page: the chapter's.
        results: of `protocols.unseen_subtypes`.
        answers: behind them.
        description: of the pictures, in words.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> texts(gap(page, unseen_subtypes_rows(answers), answers), "text")[-2:]
    ['seen subtypes', 'unseen subtypes']
    """
    groups = dots(results, answers)
    counts = {side: len(set(answers.subtypes[side])) for side in SIDES}
    mean = results.row(item=ITEM, metric="drop", convention=MEAN)
    shared = (
        f" {answers.shared} subtypes that belong to two classes are left out."
        if answers.shared
        else ""
    )
    return page.item(
        ITEM,
        results,
        figure=scatter.against(
            groups, xlabel="accuracy on ordinary pictures (%)", ylabel="accuracy on subtypes (%)"
        ),
        table=table(
            gap_frame(results, answers),
            caption="Accuracy (%) on ordinary pictures, on seen and on unseen subtypes, and what "
            "lies between the two, in points",
        ),
        alt="Accuracy on subtypes against accuracy on ordinary pictures, two dots a network: "
        f"{_told(results, answers)}. Dotted is where both are equal.",
        convention=f"n = {answers.seen.n} pictures of {counts['seen']} seen subtypes and "
        f"{answers.unseen.n} of {counts['unseen']} unseen ones, in {len(answers.class_names)} "
        "classes. Intervals are over classes, each resampled with all its pictures and on both "
        "sides at once: pictures of one subtype hang together. Those over single pictures stand "
        f"beside; they take too much for granted. Mean of the networks: {points(mean).text}."
        + shared,
        stand_ins={ROLES[side]: answers.of(side).dataset for side in SIDES},
        description=description,
    )


def dots(results: Results, answers: Answers) -> dict[str, dict[str, Both]]:
    """Return side -> network -> its accuracy on ordinary pictures and on the side's, percent.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> found = dots(unseen_subtypes_rows(answers), answers)
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
    >>> gap_frame(unseen_subtypes_rows(answers), answers)["Unseen"][0].value
    50.0
    """
    lines = []
    for name in answers.networks:
        drops = results.select(item=ITEM, metric="drop", model=name)
        lines.append(
            {
                "Network": network_title(name),
                "Ordinary": cell_of(_accuracy(results, answers.clean.dataset, name)),
                "Seen": cell_of(_accuracy(results, answers.seen.dataset, name)),
                "Unseen": cell_of(_accuracy(results, answers.unseen.dataset, name)),
                "Gap, over classes": cell_of(drops.row(convention=OVER_CLASSES)),
                "Gap, over pictures": cell_of(drops.row(convention=OVER_PICTURES)),
            }
        )
    return pd.DataFrame(lines)


def class_by_class(answers: Answers) -> Html:
    """Return the table of all classes, and of what the worst unseen subtype of each is taken for.

    >>> texts(class_by_class(toys.subtype_answers({"mine": (12, 0)})), "td")[:3]
    ['100.0', '0.0', '100.0']
    """
    return table(
        class_frame(answers),
        caption="Accuracy (%) by class, mean over the networks, the largest gap first; and the "
        "unseen subtype that is missed most, with what it is taken for and how often (%)",
    )


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
                "Unseen subtype": missed.name if missed.taken_for else "-",
                "Taken for": _taken_for(missed, answers.class_names),
            }
        )
    return pd.DataFrame(lines)


def _taken_for(subtype: Subtype, names: tuple[str, ...]) -> str:
    if subtype.taken_for is None:
        return "-"
    label, share = subtype.taken_for
    return f"{names[label]} ({100 * share:.0f})"


def worst(page: Page, tuned: Run, answers: Answers) -> Html:
    """Return pictures of the unseen subtypes that are missed most, a row each.

    A row begins with a seen subtype of the class. Above the others stands what the network says
    that is best on ordinary pictures.

    Args:
        page: the chapter's.
        tuned: run of `TUNED`.
        answers: of its networks.

    >>> answers = toys.subtype_answers({"mine": (12, 0)}, images=30)
    >>> texts(worst(page, toys.subtype_run(run), answers), "text")[:3]
    ['candle, seen', 'candle', '→ key']
    """
    shown = worst_gallery(tuned, answers)
    missed = of_subtypes(answers)[:WORST]
    told = "; ".join(
        f"{one.name} ({answers.class_names[one.label]}), right in {100 * one.accuracy:.0f} %"
        for one in missed
    )
    return page.figure(
        "fig-unseen-subtypes",
        shown.figure(columns=1 + EACH),
        caption=f"The unseen subtypes that all networks together miss most, a row each: {told}. "
        f"On the left a seen subtype of the class; the others are answers of {_best(answers)[1]}, "
        "its mistakes first.",
        alt=f"Pictures of unseen subtypes and what they are taken for: {shown.words(8)}.",
    )


def worst_gallery(tuned: Run, answers: Answers) -> Gallery:
    """Return the pictures that `worst` shows, each with its caption.

    >>> answers = toys.subtype_answers({"mine": (12, 0)}, images=30)
    >>> len(worst_gallery(toys.subtype_run(run), answers).captions)
    15
    """
    network, _ = _best(answers)
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
    >>> numbers = key_numbers(unseen_subtypes_rows(answers), answers)
    >>> numbers["subtype_networks_lower"].text, numbers["unseen_subtypes"].text
    ('1 of 2 networks', '6')
    """
    best, title = _best(answers)
    drops = results.select(item=ITEM, metric="drop", convention=OVER_CLASSES).rows
    lower = sum(row.value > 0 for row in drops)
    whole = sum(row.low is not None and row.low > 0 for row in drops)
    sure = f" ({whole} by the whole interval)" if lower else ""
    return {
        "subtype_gap": points(results.row(item=ITEM, metric="drop", convention=MEAN)),
        "subtype_networks_lower": KeyNumber(
            f"{lower} of {len(drops)} networks{sure}",
            lower,
            "networks that are less accurate on unseen subtypes",
            len(drops),
        ),
        "subtype_network": KeyNumber(title, best, "most accurate on ordinary pictures"),
        "subtype_seen": percent(_accuracy(results, answers.seen.dataset, best)),
        "subtype_unseen": percent(_accuracy(results, answers.unseen.dataset, best)),
        **{
            f"{side}_subtypes": KeyNumber(
                f"{len(set(answers.subtypes[side])):,}",
                len(set(answers.subtypes[side])),
                f"distinct subtypes in {answers.of(side).dataset}",
            )
            for side in SIDES
        },
    }


def _best(answers: Answers) -> tuple[str, str]:
    """Return the network that is best on ordinary pictures, and its title."""

    def accuracy(name: str) -> float:
        by_seed = answers.clean.predictions[answers.before[name]]
        return float(np.mean([one.correct.mean() for one in by_seed]))

    best = max(answers.networks, key=accuracy)
    return best, network_title(best)


def _told(results: Results, answers: Answers) -> str:
    of_side: Mapping[str, str] = {side: answers.of(side).dataset for side in SIDES}
    return "; ".join(
        f"{network_title(name)} "
        + ", ".join(
            f"{100 * _accuracy(results, dataset, name).value:.0f} % {side}"
            for side, dataset in of_side.items()
        )
        for name in answers.networks
    )


def _accuracy(results: Results, dataset: str, network: str) -> Row:
    return results.row(item=ITEM, metric="accuracy", dataset=dataset, model=network)


def _interval(row: Row) -> Interval:
    ends = (row.value if end is None else end for end in (row.low, row.high))
    low, high = (100 * end for end in ends)
    return 100 * row.value, low, high
