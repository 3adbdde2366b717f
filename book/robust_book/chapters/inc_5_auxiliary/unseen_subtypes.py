"""Figure 8 [inc, app. E]: known classes, seen and unseen kinds of them."""

from robust_book.chapters.inc_5_auxiliary.unseen_tables import (
    EACH,
    ROLES,
    WORST,
    best,
    class_frame,
    dots,
    gap_frame,
    told,
    worst_gallery,
)
from robust_book.figures import scatter
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets.imagenet_22k import ImageNet22K
from robust_lib.protocols import unseen_subtypes as protocol
from robust_lib.protocols.unseen_subtypes import SIDES, Answers, of_subtypes
from robust_lib.results.key_number import points
from robust_lib.results.table import Results
from robust_lib.run import image_kinds
from robust_lib.run.chapter import Chapter, OnImages
from robust_lib.run.run import Run

CLEAN = "imagenet_val"
TUNED = Chapter(
    "inc_5_auxiliary",
    networks="imagenet_22k",
    role=ROLES["unseen"],
    shows=(OnImages(tuple(ROLES.values()), ROLES["unseen"]),),
    every_image=True,
    description="{title}: {images} pictures of {classes} classes, {seeds}",
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


def answers(tuned: Run, before: Run) -> Answers:
    """Return what networks said of seen and unseen subtypes, and of ordinary pictures before.

    Args:
        tuned: run of `TUNED`.
        before: run of `BEFORE`; networks that it has under no name of the paper's are left out.

    Raises:
        InputError: pictures of which nobody knows the subtype.

    >>> answers(run, run)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    InputError: the toys are no scenes
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


def gap(page: Page, tuned: Run, results: Results, answers: Answers) -> Html:
    """Return Figure 8: accuracy on seen and on unseen subtypes against that on ordinary pictures.

    Args:
        page: the chapter's.
        tuned: run of `TUNED`.
        results: of `protocols.unseen_subtypes`.
        answers: behind them.

    >>> answers = toys.subtype_answers({"mine": (9, 6)})
    >>> texts(gap(page, run, protocol.results(answers), answers), "text")[-2:]
    ['seen subtypes', 'unseen subtypes']
    """
    groups = dots(results, answers)
    counts = {side: len(set(answers.subtypes[side])) for side in SIDES}
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
        figure=scatter.against(
            groups, xlabel="accuracy on ordinary pictures (%)", ylabel="accuracy on subtypes (%)"
        ),
        table=table(
            gap_frame(results, answers),
            caption="Accuracy (%) on ordinary pictures, on seen and on unseen subtypes, and what "
            "lies between the two, in points",
        ),
        alt="Accuracy on subtypes against accuracy on ordinary pictures, two dots a network: "
        f"{told(results, answers)}. Dotted is where both are equal.",
        convention=f"n = {answers.seen.n} pictures of {counts['seen']} seen subtypes and "
        f"{answers.unseen.n} of {counts['unseen']} unseen ones, in {len(answers.class_names)} "
        "classes. Intervals are over classes, each resampled with all its pictures and on both "
        "sides at once: pictures of one subtype hang together. Those over single pictures stand "
        f"beside; they take too much for granted. Mean of the networks: {points(mean).text}."
        + shared,
        stand_ins={ROLES[side]: answers.of(side).dataset for side in SIDES},
        description=tuned.described(*ROLES.values()),
        networks=tuned.paper_names,
    )


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


def worst(page: Page, tuned: Run, answers: Answers) -> Html:
    """Return pictures of the unseen subtypes that are missed most, a row each.

    A row begins with a seen subtype of the class. Above the others stands what the network says
    that is best on ordinary pictures.

    Args:
        page: the chapter's.
        tuned: run of `TUNED`.
        answers: of its networks.

    >>> answers = toys.subtype_answers({"mine": (12, 0)}, images=30)
    >>> texts(worst(page, run, answers), "text")[:3]
    ['candle, seen', 'candle', '→ key']
    """
    shown = worst_gallery(tuned, answers)
    missed = of_subtypes(answers)[:WORST]
    words = "; ".join(
        f"{one.name} ({answers.class_names[one.label]}), right in {100 * one.accuracy:.0f} %"
        for one in missed
    )
    return page.figure(
        "fig-unseen-subtypes",
        shown.figure(columns=1 + EACH),
        caption=f"The unseen subtypes that all networks together miss most, a row each: {words}. "
        f"On the left a seen subtype of the class; the others are answers of {best(answers)[1]}, "
        "its mistakes first.",
        description=tuned.described(ROLES["unseen"]),
        alt=f"Pictures of unseen subtypes and what they are taken for: {shown.words(8)}.",
    )
