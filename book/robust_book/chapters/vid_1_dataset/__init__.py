"""The data set: similar frames with different predictions [vid, sec. 1 and 2]."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from robust_book.chapters.galleries import Gallery
from robust_book.chapters.vid_1_dataset import falls, numbers
from robust_book.chapters.vid_1_dataset.falls import Fall, Watched, offset_words
from robust_book.chapters.vid_1_dataset.reels import Reel, scrubber
from robust_book.figures.bars import funnels
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib import seeds
from robust_lib.config.class_lists import ClassList
from robust_lib.datasets import ImageSet
from robust_lib.datasets.clip_frames import ClipFrames
from robust_lib.datasets.clips import Clips
from robust_lib.miniworld.clip_motion import LARGEST
from robust_lib.miniworld.clip_review import REASONS, Counts, Pair
from robust_lib.miniworld.similarity import Similarity, Truth
from robust_lib.protocols.pm_k import counts
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_frame_sets, subjects
from robust_lib.run.network import network_title
from robust_lib.run.networks import lacking
from robust_lib.run.papers import vid
from robust_lib.run.roles import label_space
from robust_lib.run.run import Run

CHAPTER = vid.record("vid_1_dataset", evaluates=lambda model: model in vid.FEW)

NOT_PUBLISHED = (
    "The released data contain only the frames that were kept: neither the rejected pairs nor the "
    "reasons were published, so neither can be shown. Profile mini shows those of its own review."
)


def within_reach(run: Run) -> tuple[Run, str]:
    """Return a run of the available networks, and a text on why others are left out.

    The chapter is about the data set, which needs no network. Networks that a user named are used.

    >>> within_reach(run)[1]
    ''
    """
    if "models" in run.parameters and run.networks:
        return run, ""
    missing = lacking(run.profile, run.networks, run.images, run.store)
    left = tuple(one for one in run.networks if one not in missing)
    told = [f"{network_title(str(one))} is left out. {why}" for one, why in missing.items()]
    return replace(run, networks=left), " ".join(told) or ("" if left else "No network was run.")


def looked_at(run: Run, network: str | None) -> str | None:
    """Return our name of the network examined in detail; None without networks.

    >>> looked_at(replace(run, networks=()), None)
    """
    return run.evaluated(network, *vid.FEW) if run.networks or network else None


def watched(run: Run) -> dict[str, Watched]:
    """Return the evaluated predictions of a run's networks for the frames, one seed each.

    >>> list(watched(run))
    ['brightest']
    """
    if not run.networks:
        return {}
    sets = as_frame_sets(run.images)
    every, shared = run.predict(vid.FRAMES).predictions, subjects(run.images)
    return {name: falls.watched(first, sets, shared) for name, (first, *_) in every.items()}


def confidences(
    page: Page,
    results: Results,
    seen: Watched | None,
    shown: Sequence[Fall],
    network: str | None,
    without: str = "",
) -> Html:
    """Return Figure 1: strips of frames with the confidence in the true class.

    Args:
        seen: the network's evaluated predictions; None without a network.
        without: text on the networks left out, and the reason.

    >>> seen = toys.watched({0: 1}, sets=run.images.sets)
    >>> shown = falls.examples(falls.falls(seen), seen.sets)
    >>> block = confidences(page, falls.results(seen, shown, "toys", "mine"), seen, shown, "mine")
    >>> texts(block, "text")[1:4]
    ['anchor: red 58 %', '+1: red 21 %', '→ green 58 %']
    """
    run = page.run
    left_out = f'<p class="rb-convention">{text(without)}</p>' if without else ""
    if seen is None or network is None:
        return page.item(
            falls.ITEM,
            table=Html(left_out),
            alt="There are no strips, because no network was run.",
            convention="Without a network, frames have no predictions.",
        )
    strips = falls.strips(shown, seen, run.images, run.geometry)
    told = strips.words(falls.STRIP) or "the network's confidence drops nowhere"
    return page.item(
        falls.ITEM,
        results,
        figure=strips.figure() if shown else None,
        table=Html(left_out) if without else None,
        alt=f"Frames of the same clips, one clip per row, with the network's confidence: {told}.",
        convention=f"{network_title(network)}, n = {len(seen.sets):,} sets. The candidates are the "
        "sets whose anchor the network classifies correctly and at least one of whose kept "
        f"neighbours it misclassifies. The figure shows the {falls.EXAMPLES} sets with the largest "
        "drop in the confidence for the frame's own class, one per class, each with the anchor, "
        "its worst neighbour, and the kept frames farthest from both. A confidence is a softmax "
        f"probability over the {seen.sets.classes} classes; red is a wrong prediction with its "
        "confidence. Frames are counted from the anchor.",
        stand_ins=vid.versions(run.images.name),
    )


def frame_by_frame(page: Page, shown: Sequence[Reel]) -> Html:
    """Return a clip frame by frame, with each network's predictions; empty without networks.

    >>> from robust_book.chapters.vid_1_dataset import reels
    >>> seen = {"mine": toys.watched({0: 1}, sets=run.images.sets)}
    >>> made = reels.reels([0], seen, run.images.class_names)
    >>> texts(frame_by_frame(page, made), "b")
    ['red 58 %', 'red 58 %', '→ green 58 %']
    """
    if not shown:
        return Html("")
    run = page.run
    side = max(run.images.read(0, run.geometry).shape[:2])
    return scrubber(
        shown,
        side=side,
        convention=f"Frames have {side} pixels and are shown as WebP files. Frames that the review "
        "rejected are left out. Each confidence is that of the prediction. The worst frame (▼) is "
        "one with a wrong prediction, if there is any, and among those the one with the lowest "
        "confidence in the frame's own class.",
    )


def dissimilar(page: Page, clips: Clips | None) -> Html:
    """Return Figure 2: pairs that the review rejected, and the review's errors.

    >>> NOT_PUBLISHED in texts(dissimilar(page, None), "p")
    True
    """
    if clips is None:
        return page.item(
            "vid-fig2",
            table=Html(f"<p>{NOT_PUBLISHED}</p>"),
            alt="There are no pairs, because none were published.",
            convention="The released data contain no record of the paper's review.",
        )
    review = clips.review
    pairs = examples([pair for pair in review.pairs if pair.reason])
    shown = gallery(clips, pairs)
    faults = table(
        fault_frame(review.counts),
        caption="Pairs with a fault planted by the generator, and the number that the review "
        "missed",
        decimals=0,
    )
    reasons = table(
        reason_frame(review.counts),
        caption="Pairs that the review rejected, and the number of them without a planted fault",
        decimals=0,
    )
    return page.item(
        "vid-fig2",
        pairs_shown(clips.name, len(pairs)),
        figure=shown.figure(columns=4, size=1.7) if pairs else None,
        table=lines(faults, reasons),
        alt=f"An anchor and a rejected neighbour for each reason: {shown.words(2 * len(pairs))}.",
        convention=f"{review.counts.pairs:,} pairs of an anchor and a neighbour; if there "
        "are several reasons, the first counts. One pair per reason that occurs, "
        "drawn at random; red is a wrong label.",
        stand_ins={"imagenet_vid_val": clips.name},
    )


def pairs_shown(dataset: str, number: int) -> Results:
    """Return the number of rejected pairs in Figure 2 as a row.

    >>> pairs_shown("toys", 4).row(metric="pairs").value
    4.0
    """
    return Results.of([Row(item="vid-fig2", dataset=dataset, metric="pairs", value=float(number))])


def review_of(clips: Clips | None) -> tuple[Counts | None, Similarity | None]:
    """Return the counts of a review and its rule; None for both if people reviewed.

    >>> review_of(None)
    (None, None)
    """
    return (None, None) if clips is None else (clips.review.counts, clips.rule)


def review_steps(page: Page, clips: Clips | None) -> Html:
    """Return the number of pairs left after each reason for rejection.

    >>> texts(review_steps(page, None), "p")
    ["The numbers of pairs that the paper's annotators rejected for each reason were not ..."]
    """
    if clips is None:
        return Html(
            '<p class="rb-convention">The numbers of pairs that the paper\'s annotators '
            "rejected for each reason were not published.</p>"
        )
    left = steps(clips.review.counts)
    first, *_, last = left.values()
    return page.figure(
        "fig-review",
        funnels({"This run": left}),
        caption="Pairs left after each reason for rejection; if a pair has several reasons, "
        "the first counts",
        alt=f"{last:,} of {first:,} candidates are kept: "
        + ", ".join(f"{name} {count:,}" for name, count in left.items()),
    )


def counted(run: Run, clips: Clips | None) -> Results:
    """Return the sizes of a run's data set, as rows.

    >>> counted(run, None).row(metric="anchors").value
    10.0
    """
    images, ordinary = run.images, "imagenet_val"
    space: ClassList = label_space(run.profile, ordinary)
    found = counts.counts(as_frame_sets(images), images.name, narrow=numbers.narrow_classes(images))
    every = Row(
        item=counts.ITEM,
        dataset=run.profile.data[ordinary],
        metric="imagenet_classes",
        value=float(len(space)),
    )
    found = found + Results.of([every])
    if clips is None:
        return found
    training = run.image_set("imagenet_vid_train")
    found = found + counts.before_review(clips.review.counts, images.name)
    if isinstance(training, ClipFrames):
        shown = counts.of_videos(training.footage.clips, training.name, shown=len(training))
        found = found + shown
    return found


def in_numbers(page: Page, results: Results) -> Html:
    """Return the sizes of the data set, next to those of the paper's two versions.

    >>> block = in_numbers(page, counted(run, None))
    >>> texts(block, "caption")[:2]
    ['Numbers of videos, anchors, frames and classes', 'Neighbours at most k frames ...']
    """
    name = page.run.images.name
    return page.item(
        counts.ITEM,
        results,
        table=lines(
            table(
                numbers.count_frame(results, name, page.run.profile.data["imagenet_vid_train"]),
                caption="Numbers of videos, anchors, frames and classes",
                decimals=0,
            ),
            table(
                numbers.distance_frame(results),
                caption="Neighbours at most k frames away, and share of all possible neighbours "
                "(%)",
            ),
        ),
        alt="Counts of videos, anchors, frames, neighbours and classes.",
        convention="The paper gives numbers for two versions of the data: 1,109 anchors in its "
        "abstract and introduction, 1,145 in its sections. A frame of several sets counts once; a "
        "median is the lower of the two middle values. An anchor can have 2k neighbours; at the "
        "ends of a video there are fewer.",
        stand_ins={
            **vid.versions(name),
            "imagenet_vid_val": f"{name}/{counts.BEFORE}",
            "imagenet_val": page.run.profile.data["imagenet_val"],
        },
    )


def intervals(page: Page) -> Html:
    """Return the printed intervals of Table 1 next to those for each number of anchors.

    >>> texts(intervals(page), "td")[1:5]
    ['67.5 [64.7, 70.2]', '[64.7, 70.3]', '[64.7, 70.2] ✓', '[64.9, 70.1]']
    """
    return table(
        numbers.interval_frame(),
        caption="95 % Clopper-Pearson intervals (%) of Table 1's accuracies. " + numbers.words(),
        filterable=False,
    )


FAULTS = {
    "jump": "the subject jumps",
    "cut": "another clip",
    "blur": "blur",
    "label": "wrong label",
}
STEPS = {
    "significant background change": "same scene",
    "wrong label": "right label",
    "significant motion": "little motion",
    "significant blur change": "as sharp",
    "other": "nothing else",
}
"""Why a pair is dropped -> what is left after those with it are gone."""


def reviewed_clips(images: ImageSet) -> Clips | None:
    """Return the images as clips with a known review; None for released sets."""
    return images if isinstance(images, Clips) else None


def examples(pairs: Sequence[Pair], seed: int = 0) -> tuple[Pair, ...]:
    """Return one rejected pair for each reason that occurs, drawn by (seed, clip, offset)."""
    drawn = sorted(pairs, key=lambda one: seeds.key(seed, one.clip, one.offset, "dropped"))
    first = {one.reason: one for one in reversed(drawn)}
    return tuple(first[reason] for reason in REASONS if reason in first)


def gallery(clips: Clips, pairs: Sequence[Pair]) -> Gallery:
    """Return each pair's anchor and neighbour, with the reason for its rejection."""
    pictures, captions = [], []
    for one in pairs:
        frames, clip = clips.candidates(one.clip), clips.clips[one.clip]
        pictures += [frames[LARGEST], frames[LARGEST + one.offset]]
        captions += [f"anchor: {_said(clip.at(0))}", caption(one, clip.at(one.offset))]
    return Gallery(tuple(pictures), tuple(captions))


def caption(pair: Pair, frame: Truth) -> str:
    r"""Return a rejected neighbour's offset and the reason; a wrong label is red.

    >>> from robust_lib.miniworld.similarity import Target
    >>> bell = Target("bell", (0.2, 0.2, 0.8, 0.8), 1.0, 0.0, 0.6, 0.0)
    >>> caption(Pair("val/a", 3, ("labels",)), Truth((bell,), 0.0, 0.0, ("cat",)))
    '+3: wrong label\n→ cat'
    """
    words = f"{offset_words(pair.offset)}: {pair.reason}"
    if pair.reason != "wrong label":
        return words
    return f"{words}\n\N{RIGHTWARDS ARROW} {_said(frame)}"


def fault_frame(counts: Counts) -> pd.DataFrame:
    """Return the number of pairs with each kind of fault, and of those that the review missed."""
    return pd.DataFrame(
        [
            {
                "Fault": FAULTS[kind],
                "Affected pairs": faulty,
                "Dropped": faulty - counts.missed[kind],
                "Missed": counts.missed[kind],
            }
            for kind, faulty in counts.faulty.items()
        ],
        columns=["Fault", "Affected pairs", "Dropped", "Missed"],
    )


def reason_frame(counts: Counts) -> pd.DataFrame:
    """Return the number of pairs rejected for each reason, and how many of them have no fault."""
    return pd.DataFrame(
        [
            {"Reason": reason, "Dropped": dropped, "Without a fault": counts.harsh[reason]}
            for reason, dropped in counts.dropped.items()
        ]
    )


def steps(counts: Counts) -> dict[str, int]:
    """Return reason -> number of pairs left after it, for the reasons that occur.

    >>> steps(toys.REVIEW.counts)
    {'candidates': 40, 'fair anchor': 20, 'little motion': 19, 'as sharp': 18}
    """
    left = counts.pairs
    found = {"candidates": 2 * LARGEST * counts.videos, "fair anchor": left}
    for reason in REASONS:
        if counts.dropped[reason]:
            left -= counts.dropped[reason]
            found[STEPS[reason]] = left
    return found


def _said(frame: Truth) -> str:
    return " and ".join(frame.said)
