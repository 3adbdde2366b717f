"""ImageNet-22K, Figure 8: seen and unseen subtypes of known classes [inc, app. E]."""

import numpy as np
import pandas as pd

from robust_book.chapters.galleries import Gallery, gallery
from robust_book.chapters.view import cell
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.figures.image_grids import ARROW
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets.imagenet_22k import ImageNet22K
from robust_lib.protocols import imagenet_22k_subtypes as protocol
from robust_lib.protocols.imagenet_22k_subtypes import (
    SIDES,
    Subtype,
    SubtypePredictions,
    by_class,
    of_subtypes,
)
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import KeyNumber, percent, points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import image_kinds
from robust_lib.run.chapter import Chapter, OnImages
from robust_lib.run.network import network_title
from robust_lib.run.run import Run

CLEAN = "imagenet_val"
ROLES = {"seen": "imagenet_22k_seen", "unseen": "imagenet_22k_unseen"}
TUNED = Chapter(
    "inc_5_auxiliary",
    networks="imagenet_22k",
    role=ROLES["unseen"],
    shows=(OnImages(tuple(ROLES.values()), ROLES["unseen"]),),
    every_image=True,
    description="{title}: {images} images of {classes} classes, {seeds}",
)
"""Networks that choose among the broad classes, shown seen and unseen subtypes of them."""

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


def predictions(tuned: Run, before: Run) -> SubtypePredictions:
    """Return predictions on seen and unseen subtypes, and on ordinary images before fine-tuning.

    Raises:
        InputError: the subtypes of the images are unknown.
    """
    both = [name for name in tuned.paper_names if name in before.paper_names]
    ours = {tuned.paper_names[name]: before.paper_names[name] for name in both}
    sets = {side: tuned.image_set(role) for side, role in ROLES.items()}
    shown = {side: image_kinds.subtypes(images, tuned.store) for side, images in sets.items()}
    networks = [tuned.network(name) for name in ours]
    unseen = sets["unseen"]
    return SubtypePredictions(
        seen=tuned.predict(sets["seen"], networks=networks),
        unseen=tuned.predict(unseen, networks=networks),
        clean=before.predict(CLEAN, networks=[before.network(name) for name in ours.values()]),
        subtypes={"seen": shown["seen"], "unseen": shown["unseen"]},
        before=ours,
        class_names=unseen.class_names,
        shared=len(unseen.shared) if isinstance(unseen, ImageNet22K) else 0,
        samples=tuned.profile.bootstrap,
    )


def gap(page: Page, tuned: Run, results: Results, answers: SubtypePredictions) -> Html:
    """Return Figure 8: the gap in accuracy between seen and unseen subtypes."""
    counts = {side: len(set(answers.subtypes[side])) for side in SIDES}
    gaps = dots(results, answers)
    mean = results.row(item=protocol.ITEM, metric="drop", convention=protocol.MEAN)
    many = (
        "subtypes that belong to two classes are"
        if answers.shared > 1
        else ("subtype that belongs to two classes is")
    )
    shared = f" {answers.shared} {many} left out." if answers.shared else ""
    return page.item(
        protocol.ITEM,
        results,
        figure=dot_plot(
            {"": {"this run": gaps}},
            list(gaps),
            xlabel="accuracy on seen minus accuracy on unseen subtypes (points)",
            lines={"no gap": 0.0},
        ),
        table=table(
            gap_frame(results, answers),
            caption="Accuracy (%) on ordinary images, on seen and on unseen subtypes, and the "
            "difference between seen and unseen in points",
        ),
        alt="Accuracy on seen subtypes minus accuracy on unseen subtypes for each network, with "
        f"the interval over classes: {words({'': {'': gaps}}, ' points')}; accuracies: "
        f"{accuracy_words(results, answers)}.",
        convention=(
            f"n = {answers.seen.n} images of {counts['seen']} seen subtypes and {answers.unseen.n} "
            f"of {counts['unseen']} unseen ones, in {len(answers.class_names)} classes. Intervals "
            "are over classes, each resampled with all its images, seen and unseen at once, "
            "because images of one subtype are correlated. Intervals over single images are given "
            f"for comparison; these are too narrow. Mean of the networks: {points(mean).text}."
        )
        + shared,
        stand_ins={ROLES[side]: answers.of(side).dataset for side in SIDES},
        description=tuned.described(*ROLES.values()),
        networks=tuned.paper_names,
    )


def class_by_class(answers: SubtypePredictions) -> Html:
    """Return the table of all classes, with the prediction for each class's worst unseen subtype.

    >>> texts(class_by_class(toys.subtype_answers({"mine": (12, 0)})), "td")[:3]
    ['100.0', '0.0', '100.0']
    """
    return table(
        class_frame(answers),
        caption="Accuracy (%) by class, averaged over the networks, the largest gap first; the "
        "unseen subtype that is misclassified most often, with its most frequent prediction and "
        "the share of this prediction (%)",
    )


def worst(page: Page, tuned: Run, answers: SubtypePredictions) -> Html:
    """Return images of the unseen subtypes that are misclassified most, one row each.

    A row begins with a seen subtype of the class. The captions of the other images give the
    prediction of the network that is most accurate on ordinary images.
    """
    shown = worst_gallery(tuned, answers)
    missed = of_subtypes(answers)[:WORST]
    words = "; ".join(
        f"{subtype.name} ({answers.class_names[subtype.label]}), correct for "
        f"{100 * subtype.accuracy:.0f} %"
        for subtype in missed
    )
    return page.figure(
        "fig-unseen-subtypes",
        shown.figure(columns=1 + EACH),
        caption="The unseen subtypes that the networks misclassify most often, one per row: "
        f"{words}. On the left is a seen subtype of the class; the other images show the "
        f"predictions of {best(answers)[1]}, mistakes first.",
        description=tuned.described(ROLES["unseen"]),
        alt=f"Images of unseen subtypes and their predicted classes: {shown.words(8)}.",
    )


def dots(results: Results, answers: SubtypePredictions) -> dict[str, PercentInterval]:
    """Return network -> gap in points, with the interval over classes; the mean comes last."""
    drops = results.select(item=protocol.ITEM, metric="drop")
    return {
        network_title(name): drops.row(model=name, convention=protocol.OVER_CLASSES).percent
        for name in answers.networks
    } | {"Mean of the networks": drops.row(convention=protocol.MEAN).percent}


def gap_frame(results: Results, answers: SubtypePredictions) -> pd.DataFrame:
    """Return one row per network: its accuracies, and the gap with both intervals."""
    lines = []
    for name in answers.networks:
        drops = results.select(item=protocol.ITEM, metric="drop", model=name)
        lines.append(
            {
                "Network": network_title(name),
                "Ordinary": 100 * _accuracy(results, answers.clean.dataset, name).value,
                "Seen": cell(_accuracy(results, answers.seen.dataset, name)),
                "Unseen": cell(_accuracy(results, answers.unseen.dataset, name)),
                "Gap, over classes": cell(drops.row(convention=protocol.OVER_CLASSES)),
                "Gap, over images": cell(drops.row(convention=protocol.OVER_PICTURES)),
            }
        )
    return pd.DataFrame(lines)


def class_frame(answers: SubtypePredictions) -> pd.DataFrame:
    """Return one row per class that occurs on both sides, the largest gap first."""
    seen, unseen = (by_class(answers, side) for side in SIDES)
    worst: dict[int, Subtype] = {}
    for subtype in of_subtypes(answers):
        worst.setdefault(subtype.label, subtype)
    known = [label for label in worst if np.isfinite(seen[label])]
    lines = []
    for label in sorted(known, key=lambda label: (unseen[label] - seen[label], label)):
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


def worst_gallery(tuned: Run, answers: SubtypePredictions) -> Gallery:
    """Return the images shown by `worst`, each with its caption."""
    network, _ = best(answers)
    first = answers.unseen.predictions[network][0]
    labels = answers.seen.predictions[network][0].labels
    images = {side: tuned.image_set(role) for side, role in ROLES.items()}
    found = Gallery((), ())
    for subtype in of_subtypes(answers)[:WORST]:
        name = answers.class_names[subtype.label]
        known = np.flatnonzero(labels == subtype.label)[:1].tolist()
        found += gallery(images["seen"], known, [f"{name}, seen"] * len(known), tuned.geometry)
        ranked = sorted(subtype.places, key=lambda place: bool(first.correct[place]))[:EACH]
        captions = [
            name
            if first.correct[place]
            else f"{name}\n{ARROW} {answers.class_names[int(first.predicted[place])]}"
            for place in ranked
        ]
        found += gallery(images["unseen"], ranked, captions, tuned.geometry)
    return found


def key_numbers(results: Results, answers: SubtypePredictions) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    >>> answers = toys.subtype_answers({"mine": (9, 6), "other": (9, 9)})
    >>> numbers = key_numbers(protocol.results(answers), answers)
    >>> numbers["unseen_networks"].text, numbers["unseen_subtypes"].text
    ('1 of 2 networks (1 with the whole interval)', '6')
    """
    network, title = best(answers)
    mean = results.row(item=protocol.ITEM, metric="drop", convention=protocol.MEAN)
    drops = results.select(item=protocol.ITEM, metric="drop", convention=protocol.OVER_CLASSES).rows
    lower = sum(row.value > 0 for row in drops)
    whole = sum(row.low is not None and row.low > 0 for row in drops)
    sure = f" ({whole} with the whole interval)" if lower else ""
    return {
        "unseen_gap": points(mean),
        "unseen_networks": KeyNumber(
            f"{lower} of {len(drops)} networks{sure}",
            lower,
            "networks that are less accurate on unseen subtypes",
            len(drops),
        ),
        "unseen_network": KeyNumber(title, network, "most accurate on ordinary images"),
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


def best(answers: SubtypePredictions) -> tuple[str, str]:
    """Return the network that is most accurate on ordinary images, and its title.

    >>> best(toys.subtype_answers({"mine": (9, 6), "other": (10, 6)}))
    ('other', 'other')
    """

    def accuracy(name: str) -> float:
        by_seed = answers.clean.predictions[answers.before[name]]
        return float(np.mean([one.correct.mean() for one in by_seed]))

    name = max(answers.networks, key=accuracy)
    return name, network_title(name)


def accuracy_words(results: Results, answers: SubtypePredictions) -> str:
    """Return a text with both accuracies of each network.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> accuracy_words(protocol.results(answers), answers)
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
