"""mAP on natural adversarial objects, with and without OOD objects [nao, sec. 4.1, 4.2]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from robust_book.chapters import learning
from robust_book.chapters.nao_2_map import numbers
from robust_book.chapters.nao_2_map.numbers import OnBoth
from robust_book.chapters.view import Committed
from robust_book.figures.boxed_pictures import Box, boxed
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import source
from robust_lib.datasets.layouts import Layouts
from robust_lib.metrics.detection_errors import KINDS
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.objects import confusions, error_kinds, scored_boxes
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.detectors import LEAST_SCORE
from robust_lib.run.network import network_title
from robust_lib.run.papers import nao
from robust_lib.run.papers.nao import Kinds
from robust_lib.types import AnyPicture

CHAPTER = nao.MAP
COMMITTED: Committed = {"detectors": numbers.committed_frame}

_PANELS = 4  # detectors whose kinds of error are drawn


@dataclass(frozen=True, eq=False)
class Shown:
    """One image per confusion, with the predicted box and the true object."""

    pictures: tuple[AnyPicture, ...]
    boxes: tuple[tuple[Box, ...], ...]
    captions: tuple[str, ...]


def training(page: Page) -> Html:
    """Return the detectors' training loss by epoch, as a folded block."""
    return learning.detectors_trained(page, learning.losses(page.run), of="training images")


def detectors(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return Table 2: mAP on ordinary and adversarial images, with and without OOD objects.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> texts(detectors(page, results(on_both), on_both), "caption")[0]
    'mAP and mAR (%), this run and the paper'
    """
    names = page.run.paper_names
    return page.item(
        "nao-tab2",
        results,
        table=table(
            numbers.map_frame(results, on_both, names),
            caption="mAP and mAR (%), this run and the paper",
        ),
        alt="One row per detector: its weights, its mAP on ordinary and on adversarial images, "
        "and its mAR and its mAP without out-of-distribution (OOD) objects on the latter; "
        "this run's and the paper's.",
        convention=_convention(on_both),
        stand_ins=_stand_ins(on_both),
    )


def comparison(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return Figure 1: mAP on ordinary and adversarial images, the paper's and this run's.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> texts(comparison(page, results(on_both), on_both), "text")[:2]
    ['mAP (%)', 'Faster R-CNN']
    """
    panels = numbers.dots(results, on_both, page.run.paper_names)
    look: dict[str, Any] = {"others": numbers.PAPER, "ends": numbers.ends(panels)}
    figure = dot_plot(panels, numbers.rows(panels), xlabel="mAP (%)", **look)
    figure.axes[-1].set_xlabel("mAP (points)")
    return page.item(
        "nao-fig1",
        results,
        figure=figure,
        alt="mAP of each detector on ordinary and on adversarial images, and the drop: "
        f"{words({**panels, numbers.DROP: {}})}; "
        f"{words({numbers.DROP: panels[numbers.DROP]}, ' points')}.",
        convention=f"{_convention(on_both)} Each row is a detector of the paper and, in this run, "
        "its stand-in. The paper does not print YOLOv3's mAP on the validation set. Intervals of "
        "drops resample the images of both sets. The claims in the paper's caption are judged with "
        "Table 2.",
        rows=results.select(metric=["map", "map_drop"]),
        stand_ins=_stand_ins(on_both),
    )


def drops(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return each detector's drop in mAP; the paper's is relative to val and to test-dev.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> "71.5" in texts(drops(page, results(on_both), on_both), "td")[0]
    True
    """
    return table(
        numbers.drop_frame(results, on_both, page.run.paper_names),
        caption="Drop in mAP from ordinary to adversarial images, in points and in percent of the "
        "mAP on ordinary images",
    )


def foreign_rules(page: Page, results: Results, on_both: OnBoth, images: ImageSet) -> Html:
    """Return the mAP on adversarial images by the rule for ignored boxes.

    Args:
        images: the adversarial images. In those of OpenImages, some OOD objects have wide labels.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> block = foreign_rules(page, results(on_both), on_both, toys.pictures()[1])
    >>> texts(block, "td")[-1]
    '6'
    """
    rules = table(
        numbers.rule_frame(results, on_both, page.run.paper_names),
        caption="mAP (%) on adversarial images by the rule for ignored boxes, with 95 % intervals; "
        "mAP if as many false positives as the first rule ignores are left out at random (mean and "
        "95 % of the draws); number of boxes that the first rule ignores, at the lowest IoU",
    )
    return lines(rules, Html(_on_wide_words(page, on_both, images)))


def _on_wide_words(page: Page, on_both: OnBoth, images: ImageSet) -> str:
    """Return the effect of wide labels among the OOD objects; empty if there are none."""
    chose = page.run.paper_names.get(nao.FILTER, "")
    name = chose if chose in on_both else next(iter(on_both))
    one = on_both[name][1]
    if isinstance(source(images), Layouts) or "overlap" not in one.by_rule:
        return ""
    why = (
        "The out-of-distribution (OOD) objects are OpenImages' boxes. Some have a wider label than "
        "a class of COCO (vehicle, clothing) or are a part of one (human face). False positives on "
        "most cars and people are therefore ignored, and the mAP without OOD objects is too high. "
    )
    if "unrelated" not in one.by_rule:
        return (
            f"<p>{why}The hierarchy of OpenImages' labels, bbox_labels_600_hierarchy.json, "
            "distinguishes them. The folder openimages_boxes does not contain it, so no second mAP "
            "without these objects is given.</p>"
        )
    first, second = (100 * one.map(rule).value for rule in ("overlap", "unrelated"))
    return (
        f"<p>{why}The second rule counts none of them as out-of-distribution, by the "
        f"hierarchy of OpenImages' labels: {network_title(name)} has an mAP of {second:.1f} "
        f"% instead of {first:.1f} %.</p>"
    )


def errors(page: Page, kinds: Kinds) -> Html:
    """Return the cost of each kind of error on ordinary and on adversarial images.

    The figure shows the detector that selected the images, if available, and the first others.

    >>> block = errors(page, toys.kinds_of_error({"mine": (12, 0)}))
    >>> texts(block, "td")[1]
    '0.0 (0)'
    """
    chose = page.run.paper_names.get(nao.FILTER, "")
    ranked = sorted(kinds, key=lambda name: name != chose)[:_PANELS]
    titles = numbers.short_titles(ranked)
    panels = {
        titles[name]: {
            word: {kind: (100 * one.costs[kind],) * 3 for kind in KINDS}
            for word, one in zip((numbers.ORDINARY, numbers.ADVERSARIAL), kinds[name], strict=True)
        }
        for name in ranked
    }
    figure = page.figure(
        "fig-errors",
        dot_plot(panels, KINDS, xlabel="cost (points)"),
        caption="Cost of each kind of error: how much mAP at an IoU of 0.5 would rise without it",
        alt=f"Cost of each kind of error, in points of mAP: {words(panels, ' points')}.",
    )
    frame = numbers.kind_frame(kinds, page.run.paper_names)
    told = table(
        frame,
        caption="Cost of each kind of error in points of mAP, and number of errors",
    )
    note = (
        f'<p class="rb-convention">{error_kinds.WORDS}. A wrong box is of the first kind that '
        "fits; costs do not add up, because one error can hide another.</p>"
    )
    return lines(figure, told, Html(note))


def failure_modes(
    page: Page,
    shown: Shown,
    found: Sequence[Confusion],
    detector: str,
    dataset: str,
    pairs: Sequence[tuple[str, str]] = (),
) -> Html:
    """Return Figure 4: predicted and true classes, the most frequent pairs first.

    Args:
        pairs: planted pairs of a composed world; empty for photographs.

    >>> images = toys.Shapes()
    >>> from robust_lib.run.papers import nao
    >>> found = toys.object_boxes({"mine": 12}, images)
    >>> told = nao.confused(images, found, "mine")
    >>> shown = shown(told, found["mine"][0], images)
    >>> block = failure_modes(page, shown, told, "mine", "nao", [("ring", "disc")])
    >>> "1 of the 1 planted pairs is among these, and 3 of the 6 mistakes" in str(block)
    True
    """
    told = "; ".join(shown.captions) or "no confusion"
    hit, of_pairs, known = confusions.planted(found, pairs)
    is_are = "is" if hit == 1 else "are"
    compared = (
        f" The images are composed: {hit} of the {len(pairs)} planted pairs {is_are} among "
        f"these, and {of_pairs} of the {known} mistakes on known objects belong to planted pairs."
        if pairs
        else ""
    )
    return page.item(
        "nao-fig4",
        confusion_rows(found, dataset, detector),
        figure=boxed(shown.pictures, shown.boxes, shown.captions, columns=4)
        if shown.captions
        else None,
        table=table(confusion_frame(found, pairs), caption="Confusions, counted in images"),
        paper=table(paper_frame(), caption="The paper's eight pairs"),
        alt=f"Images, each with a misclassified box and the true object: {told}.",
        convention=("" if shown.captions else "The detector confuses no classes. ")
        + f"{network_title(detector)}; boxes with a score above {confusions.SURE:g} that match no "
        "object, each with the object that it overlaps most, with an IoU of at least "
        f"{confusions.IOU:g}; each of the most frequent pairs is shown in its most confident "
        f"image. The true object is white, the detection red.{compared}",
        stand_ins={nao.ADVERSARIAL: dataset},
    )


def _convention(on_both: OnBoth) -> str:
    ordinary, adversarial = next(iter(on_both.values()))
    foreign = scored_boxes.rule_words(adversarial)
    return (
        f"n = {ordinary.images:,} ordinary and {adversarial.images:,} adversarial images; "
        f"{adversarial.settings.words}; boxes with a score of {LEAST_SCORE:g} or more, or of the "
        "detector's own minimum score if that is higher. Without out-of-distribution (OOD) "
        f"objects: {foreign}. Intervals come from {adversarial.settings.samples:,} resamples of "
        "the images, the same for all detectors; drops compare two sets of images, each resampled "
        "separately. The boxes of COCO's test-dev are not public: claims about test-dev are judged "
        "on the ordinary images."
    )


def _stand_ins(on_both: OnBoth) -> dict[str, str]:
    ordinary, adversarial = next(iter(on_both.values()))
    test = {"coco_test_dev": ordinary.dataset}
    return {"coco_val": ordinary.dataset, nao.ADVERSARIAL: adversarial.dataset} | test


ITEM = "nao-fig4"
PAIRS = 8  # shown, as in the paper
LISTED = 20
AS_IS = Preprocessing(None, None)


def shown(
    confusions: Sequence[Confusion], found: FoundBoxes, images: ImageSet, *, most: int = PAIRS
) -> Shown:
    """Return the most confident image of each of the most frequent confusions.

    >>> from robust_lib.protocols.objects.confusions import confusions, mistakes
    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> shown(told, found, images).captions
    ('wedge, predicted as box', 'ring, predicted as disc')
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
    captions = tuple(f"{one.truth}, predicted as {one.predicted}" for one in chosen)
    return Shown(tuple(pictures), tuple(boxes), captions)


def confusion_frame(
    confusions: Sequence[Confusion], pairs: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Return the most frequent confusions, counted in images.

    Args:
        pairs: planted pairs, each an object and the class that it resembles; empty for photographs.

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
            "True object": one.truth or "nothing known",
            "Predicted as": one.predicted,
            "Images": one.pictures,
            "In the label set": "" if not one.truth else "no" if one.is_foreign else "yes",
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
    return pd.DataFrame(_printed(), columns=["True object", "Predicted as"])


_SAME: Mapping[str, str] = {"donut": "doughnut", "elephants": "elephant", "moth": "butterfly"}


def of_the_paper() -> tuple[tuple[str, str], ...]:
    """Return the paper's eight pairs of true and predicted class.

    >>> of_the_paper()[:2]
    (('butterfly', 'umbrella'), ('fish', 'bird'))
    """
    return tuple((_ours(truth), _ours(called)) for truth, called in _printed())


def confusion_rows(confusions: Sequence[Confusion], dataset: str, network: str) -> Results:
    """Return the number of images with each confusion, as rows.

    Args:
        network: name of the detector.

    >>> from robust_lib.protocols.objects.confusions import confusions, mistakes
    >>> images = toys.Shapes()
    >>> (found,) = toys.object_boxes({"mine": 12}, images)["mine"]
    >>> told = confusions(mistakes(found, images.ids, images.annotations, images.class_names))
    >>> [(row.dataset, row.value) for row in confusion_rows(told, "nao", "mine").rows]
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
    """Return the planted pairs of a composed world; empty for photographs."""
    made = source(images)
    return made.world.pairs if isinstance(made, Layouts) else ()


def _printed() -> list[tuple[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for row in reported(ITEM):
        told.setdefault(str(row.dataset), {})[row.metric] = str(row.value)
    return [(pair["ground_truth"], pair["prediction"]) for pair in told.values()]


def _ours(name: str) -> str:
    return _SAME.get(name.lower(), name.lower())
