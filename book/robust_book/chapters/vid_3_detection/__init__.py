"""pm-k mAP of detectors on ImageNet-Vid-Robust: detection and localisation [vid, sec. 4.2]."""

from collections.abc import Mapping

from robust_book.chapters import learning
from robust_book.chapters.vid_3_detection import numbers
from robust_book.chapters.vid_3_detection.failures import SURE, Failures
from robust_book.figures import curves
from robust_book.figures.boxed_pictures import boxed
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.pm_k import detection
from robust_lib.protocols.pm_k.detection import Scored, Settings
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.detectors import FoundBySeed
from robust_lib.run.image_kinds import as_annotations, as_frame_sets
from robust_lib.run.network import network_title
from robust_lib.run.papers import vid
from robust_lib.run.run import Run

CHAPTER = vid.DETECTION

_NOTHING = "On no set does the detector lose what it found on the anchor."


def scored(run: Run, found: FoundBySeed, how: Settings) -> dict[str, Scored]:
    """Return the mAP by distance of detectors, from what they found in the run's frames."""
    frames = run.image_set(vid.BOXES)
    sets, truth = as_frame_sets(frames), detection.truth_of(as_annotations(frames))
    return {name: detection.scored(by_seed, sets, truth, how) for name, by_seed in found.items()}


def training(page: Page) -> Html:
    """Return how the detectors learned, folded: the loss by epoch."""
    return learning.detectors_trained(page, learning.losses(page.run), of="training frames")


def detectors(page: Page, results: Results, scored: Mapping[str, Scored]) -> Html:
    """Return Table 2: mAP of detection and of localisation, at the anchor and at the worst frame.

    Args:
        results: of `protocols.pm_k.detection`.
        scored: detector -> its mAP by distance.
    """
    first = next(iter(scored.values()))
    lines = numbers.by_distance(scored)
    names = {theirs: ours for theirs, ours in page.run.paper_names.items() if ours in scored} or {
        one: one for one in scored
    }
    return page.item(
        "vid-tab2",
        results,
        figure=curves.by_distance(
            lines, ylabel="mAP (%)", of={title: title.rpartition(", ")[0] for title in lines}
        ),
        table=table(
            numbers.map_frame(results, names, first.settings.k),
            caption="mAP (%) on the anchors and on the worst frames, with 95 % intervals, and what "
            "is lost",
        ),
        alt=f"mAP against the distance k, a line a detector and task: {numbers.in_words(lines)}.",
        convention=f"n = {len(first.sets):,} sets of frames, k = {first.settings.k}; "
        f"{first.settings.words}. Localisation forgets classes: all boxes are of one. Intervals "
        f"are of {first.settings.samples:,} resamples of the sets, the same for all; drops are "
        "paired. The paper's R-FCN has a third party's weights, and is scored on some of the "
        "videos.",
        stand_ins=vid.versions(first.dataset),
    )


def worst_frames(page: Page, shown: Failures, network: str, how: Settings) -> Html:
    """Return Figure 6: anchors, and below each the frame on which the detector is worst.

    Args:
        shown: of `failures.failures`.
        network: whose failures they are.
        how: settings by which the worst frame was found.
    """
    dataset = page.run.profile.data[vid.BOXES]
    row = Row(item="vid-fig6", dataset=dataset, metric="threshold", value=SURE)
    told = "; ".join(
        f"{caption}: {', '.join(box.words for box in boxes if box.words) or 'no sure box'}"
        for caption, boxes in zip(shown.captions, shown.boxes, strict=True)
    )
    return page.item(
        "vid-fig6",
        Results.of([row]),
        figure=boxed(shown.pictures, shown.boxes, shown.captions, columns=shown.count)
        if shown.count
        else None,
        alt=f"Above, anchors; below each, its worst frame, with the boxes found. {told}.",
        convention=("" if shown.count else f"{_NOTHING} ")
        + f"{network_title(network)}; boxes surer than {100 * SURE:.0f} %, right if their "
        "class and at least half of the overlap with an object are. Chosen by rule: of the sets on "
        "whose anchor such boxes find every object and nothing else, those whose average precision "
        f"falls deepest, one a kind of failure and none of a class twice. {how.words}.",
        stand_ins=vid.versions(dataset),
    )


def recipes(page: Page, results: Results) -> Html:
    """Return Table 5: how the detectors were trained."""
    return page.item(
        "vid-tab5",
        results,
        table=table(
            numbers.settings_frame(page.run.paper_names, page.run.profile.epochs),
            caption="Rate, schedule, batch and length, of this run and of the paper",
        ),
        alt="A row a detector: settings of this run and of the paper.",
        convention="The paper's R-FCN was taken from a third party and has no row there. The "
        "paper's iterations are steps of one batch.",
        stand_ins={"imagenet_vid_train": page.run.profile.data.get("imagenet_vid_train_boxes", "")},
    )
