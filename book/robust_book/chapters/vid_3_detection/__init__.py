"""pm-k mAP of detectors on ImageNet-Vid-Robust: detection and localisation [vid, sec. 4.2]."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters import learning, view
from robust_book.chapters.vid_3_detection.failures import SURE, Failures
from robust_book.chapters.view import Names
from robust_book.figures import curves
from robust_book.figures.boxed_pictures import boxed
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.errors import DataError
from robust_lib.protocols.pm_k import detection
from robust_lib.protocols.pm_k.detection import ITEM, TASKS, Scored, Settings
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import KeyNumber, count, percent, points
from robust_lib.results.notation import written
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.detectors import FoundBySeed
from robust_lib.run.image_kinds import as_annotations, as_frame_sets, subjects
from robust_lib.run.network import network_title
from robust_lib.run.papers import vid
from robust_lib.run.run import Run
from robust_lib.training import zoo

CHAPTER = vid.DETECTION

_NOTHING = "In every set, the detector still finds what it found on the anchor."


def scored(run: Run, found: FoundBySeed, how: Settings) -> dict[str, Scored]:
    """Return the detectors' mAP by distance, from their boxes in the run's frames."""
    frames = run.image_set(vid.BOXES)
    sets, truth = as_frame_sets(frames), detection.truth_of(as_annotations(frames))
    of = sets, truth, how, subjects(frames)
    return {name: detection.scored(by_seed, *of) for name, by_seed in found.items()}


def training(page: Page) -> Html:
    """Return the detectors' training loss by epoch, as a folded block."""
    return learning.detectors_trained(page, learning.losses(page.run), of="training frames")


def detectors(page: Page, results: Results, scored: Mapping[str, Scored]) -> Html:
    """Return Table 2: mAP of detection and localisation, at the anchor and at the worst frame."""
    first = next(iter(scored.values()))
    lines = by_distance(results)
    names = {theirs: ours for theirs, ours in page.run.paper_names.items() if ours in scored} or {
        one: one for one in scored
    }
    return page.item(
        "vid-tab2",
        results,
        figure=curves.by_distance(lines, ylabel="mAP (%)", printed=printed_ends(names)),
        table=table(
            map_frame(results, names, first.settings.k),
            caption=(
                "mAP (%) on the anchors and on the worst frames, with 95 % intervals, and the drop"
            ),
        ),
        alt="mAP against the distance k, for detection on the left and localisation on the right: "
        f"{in_words(lines)}.",
        convention=f"n = {len(first.sets):,} sets of frames, k = {first.settings.k}; "
        f"{first.settings.words}. Localisation ignores classes: all boxes count as one class. "
        f"Intervals come from {first.settings.samples:,} resamples of the sets, the same for all "
        "detectors; drops are paired. The paper's R-FCN has third-party weights and is evaluated "
        "on only some of the videos.",
        stand_ins=vid.versions(first.dataset),
    )


def worst_frames(page: Page, shown: Failures, network: str, how: Settings) -> Html:
    """Return Figure 6: anchors, and the detector's worst frame below each."""
    dataset = page.run.profile.data[vid.BOXES]
    row = Row(item="vid-fig6", dataset=dataset, metric="threshold", value=SURE)
    told = "; ".join(
        f"{caption}: {', '.join(box.words for box in boxes if box.words) or 'no confident box'}"
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
        + f"{network_title(network)}; boxes with a confidence above {100 * SURE:.0f} %, correct if "
        "the class is right and the overlap with an object is at least one half. Only sets whose "
        "anchor these boxes fit exactly are considered: every object is found, and nothing else. "
        "The sets shown have the largest drops in average precision, one per kind of failure and "
        f"no class twice. {how.words}.",
        stand_ins=vid.versions(dataset),
    )


def recipes(page: Page, results: Results) -> Html:
    """Return Table 5: the training settings of the detectors."""
    return page.item(
        "vid-tab5",
        results,
        table=table(
            settings_frame(results, page.run.paper_names, page.run.profile.epochs),
            caption="Learning rate, schedule, batch size and length of training, of this run and "
            "of the paper",
        ),
        alt="One row per detector: settings of this run and of the paper.",
        convention="The paper's R-FCN has third-party weights and no row in the paper's table. The "
        "paper's iterations are steps of one batch; for this run, its actual steps are given.",
        stand_ins={"imagenet_vid_train": page.run.profile.data.get("imagenet_vid_train_boxes", "")},
    )


SETTINGS = "vid-tab5"
TRAINED_ON = "imagenet_vid_train_boxes"


def map_frame(results: Results, names: Names, k: int) -> pd.DataFrame:
    """Return Table 2: mAP (%) at the anchor and at the worst frame, this run's and the paper's.

    Args:
        k: farthest frame that counts; the paper's is 10.
    """
    lines = []
    for task, (metric, drop) in TASKS.items():
        for theirs, ours in names.items():
            rows = results.select(item=ITEM, model=ours)
            run = {
                "Anchor": view.cell(rows.row(metric=metric, k=0)),
                "Worst frame": view.cell(rows.row(metric=metric, k=k)),
                "Drop": view.cell(rows.row(metric=drop, k=k)),
            }
            found = {(row.metric, row.k): row.percent for row in printed(ITEM, model=theirs)}
            paper = {
                "Anchor": found.get((metric, 0)),
                "Worst frame": found.get((metric, 10)),
                "Drop": found.get((drop, 10)),
            }
            lines.append({"Detector": network_title(ours), "Task": task} | view.beside(run, paper))
    return pd.DataFrame(lines).astype(object)


Lines = dict[str, dict[str, dict[int, PercentInterval]]]
"""Task -> detector -> k -> mAP, percent."""


def by_distance(results: Results) -> Lines:
    """Return the mAP at every distance, with its interval."""
    lines: Lines = {}
    for task, (metric, _) in TASKS.items():
        for row in results.select(item=ITEM, metric=metric).rows:
            of_task = lines.setdefault(task, {})
            of_task.setdefault(network_title(str(row.model)), {})[int(row.k or 0)] = row.percent
    return lines


def printed_ends(names: Names) -> dict[str, dict[str, dict[int, float]]]:
    """Return task -> detector -> k -> mAP as the paper prints it, percent.

    >>> printed_ends({"fasterrcnn_resnet50": "mine"})["detection"]["mine"]
    {0: 62.8, 10: 48.8}
    """
    found: dict[str, dict[str, dict[int, float]]] = {}
    for task, (metric, _) in TASKS.items():
        for row in printed(ITEM, metric=metric):
            if row.model is not None and row.k is not None:
                title = network_title(names.get(row.model, row.model))
                found.setdefault(task, {}).setdefault(title, {})[row.k] = row.percent
    return found


def in_words(lines: Lines) -> str:
    """Return a text on the first and last value of each line, for an alternative text."""
    return "; ".join(
        f"{title}, {task}, from {by_k[min(by_k)][0]:.0f} to {by_k[max(by_k)][0]:.0f} %"
        for task, of_task in lines.items()
        for title, by_k in of_task.items()
    )


def trained(run: Run) -> Results:
    """Return the training settings of a run's detectors, as rows [vid, table 5]."""
    names, data = run.paper_names, run.profile.data[TRAINED_ON]
    try:
        images = len(run.image_set(TRAINED_ON)) if names else 0
    except DataError:  # nothing was trained here: boxes may come from a file
        images = 0
    return settings(names, data, images, run.profile.epochs)


def settings(names: Names, dataset: str, images: int, epochs: int | None = None) -> Results:
    """Return the training settings of the detectors on a data set, as rows [vid, table 5].

    Args:
        images: number of training images, which determines the number of steps per epoch; 0 if they
            are not available, so that the steps are unknown.
        epochs: number of epochs that replaces the recipes' own; None keeps theirs.
    """
    recipes = {ours: zoo.plan(ours, epochs)[1] for ours in names.values()}
    return view.settings(
        SETTINGS,
        dataset,
        {
            detector: {
                "learning_rate": recipe.rate,
                "batch_size": recipe.batch,
            }
            | ({"iterations": recipe.steps(images)} if images else {})
            for detector, recipe in recipes.items()
        },
    )


def settings_frame(results: Results, names: Names, epochs: int | None = None) -> pd.DataFrame:
    """Return the settings of training, this run's next to the paper's.

    Args:
        results: rows of `settings`, which include the iterations.
        epochs: number of epochs that replaces the recipes' own; None keeps theirs.
    """
    columns = {
        "Rate": "learning_rate",
        "Schedule": "schedule",
        "Batch": "batch_size",
        "Iterations": "iterations",
    }
    lines = []
    for theirs, ours in names.items():
        manifest, recipe = zoo.plan(ours, epochs)
        steps = results.select(item=SETTINGS, model=ours, metric="iterations").rows
        run = {
            "Rate": f"{recipe.rate:g}",
            "Schedule": recipe.schedule,
            "Batch": str(recipe.batch),
            "Iterations": written(steps[0].value, 0) if steps else "–",
        }
        said = view.printed_settings(SETTINGS, theirs)
        paper = {column: said.get(metric, "–") for column, metric in columns.items()}
        lines.append({"Detector": network_title(manifest.name)} | view.beside(run, paper))
    return pd.DataFrame(lines)


def key_numbers(results: Results, scored: Mapping[str, Scored]) -> dict[str, KeyNumber]:
    """Return the prose's mAPs and drops: of the first detector, and over all."""
    first = next(iter(scored))
    rows, k = results.select(item=ITEM, model=first), scored[first].settings.k
    found = {
        "detector": KeyNumber(network_title(first)),
        "detectors": count(len(scored)),
        "sets": count(len(scored[first].sets)),
        "k": count(k),
    }
    for task, (metric, drop) in TASKS.items():
        found[f"{task}_anchor"] = percent(rows.row(metric=metric, k=0))
        found[f"{task}_worst"] = percent(rows.row(metric=metric, k=k))
        found[f"{task}_drop"] = points(rows.row(metric=drop, k=k))
    for name in ("smallest", "median", "largest"):
        found[f"{name}_drop"] = points(results.row(metric=f"{name}_map_drop"))
    return found
