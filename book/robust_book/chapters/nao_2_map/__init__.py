"""mAP on natural adversarial objects, with and without foreign objects [nao, sec. 4.1, 4.2]."""

from collections.abc import Sequence

from robust_book.chapters import learning
from robust_book.chapters.nao_2_map import failures, numbers
from robust_book.chapters.nao_2_map.failures import Shown
from robust_book.chapters.nao_2_map.numbers import OnBoth
from robust_book.chapters.view import Committed
from robust_book.figures.boxed_pictures import boxed
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.metrics.detection_errors import KINDS
from robust_lib.protocols.objects import confusions, error_kinds, scored_boxes
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers import nao
from robust_lib.run.papers.nao import Kinds

CHAPTER = nao.MAP
COMMITTED: Committed = {"detectors": numbers.committed_frame}

_PANELS = 4  # detectors whose kinds of error are drawn


def training(page: Page) -> Html:
    """Return how the detectors learned, folded: the loss by epoch."""
    return learning.detectors_trained(page, learning.losses(page.run), of="training pictures")


def detectors(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return Table 2: mAP on ordinary and adversarial pictures, with and without foreign objects.

    Args:
        results: of `protocols.objects.coco_map`.

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
        alt="A row a detector: its weights, its mAP on ordinary and on adversarial pictures, and "
        "there its mAR and its mAP without foreign objects; this run's and the paper's.",
        convention=_convention(on_both),
        stand_ins=_stand_ins(on_both),
    )


def comparison(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return Figure 1: mAP on ordinary and on adversarial pictures, the paper's beside this run's.

    Args:
        results: of `protocols.objects.coco_map`.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> texts(comparison(page, results(on_both), on_both), "text")[:2]
    ['mAP (%)', 'Faster R-CNN']
    """
    panels = numbers.dots(results, on_both, page.run.paper_names)
    rows = dict.fromkeys(name for panel in panels.values() for name in panel[numbers.ADVERSARIAL])
    return page.item(
        "nao-fig1",
        results,
        figure=dot_plot(panels, list(rows), xlabel="mAP (%)", alike=True),
        alt=f"mAP of each detector on ordinary and on adversarial pictures. {words(panels)}.",
        convention=f"{_convention(on_both)} A row is a detector of the paper, and in this run the "
        "one that plays its part. YOLOv3's mAP on val is not printed.",
        rows=results.select(metric="map"),
        stand_ins=_stand_ins(on_both),
    )


def drops(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return how much each detector loses; what the paper says is from val and from test-dev.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> "71.5" in texts(drops(page, results(on_both), on_both), "td")[0]
    True
    """
    return table(
        numbers.drop_frame(results, on_both, page.run.paper_names),
        caption="What is lost from ordinary to adversarial pictures: in points of mAP, and in "
        "percent of the mAP on ordinary ones",
    )


def foreign_rules(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return the mAP on adversarial pictures by what is left out.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> on_both = toys.coco_maps({"mine": (12, 6)})
    >>> texts(foreign_rules(page, results(on_both), on_both), "td")[-1]
    '6 of 16'
    """
    return table(
        numbers.rule_frame(results, on_both, page.run.paper_names),
        caption="mAP (%) on adversarial pictures by what does not count, 95 % intervals; boxes "
        "left out by the first rule, at the lowest IoU",
    )


def errors(page: Page, kinds: Kinds) -> Html:
    """Return what each kind of error costs on ordinary and on adversarial pictures.

    The figure shows the detector that chose the pictures, if it is there, and the first others.

    Args:
        kinds: of `nao.kinds_of_error`.

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
        dot_plot(panels, KINDS, xlabel="cost (points)", alike=True),
        caption="What each kind of error costs: how far mAP at IoU .5 would rise without it",
        alt=f"Cost of each kind of error, in points of mAP: {words(panels, ' points')}.",
    )
    frame = numbers.kind_frame(kinds, page.run.paper_names)
    told = table(
        frame,
        caption="Points of mAP that each kind of error costs, and how many errors there are",
    )
    note = (
        f'<p class="rb-convention">{error_kinds.WORDS}. A wrong box is of the first kind that '
        "fits; costs do not add up, for one error hides another.</p>"
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
    """Return Figure 4: what was predicted and what was there, the most frequent first.

    Args:
        shown: of `failures.shown`.
        found: of `nao.confused`.
        detector: our name of it.
        dataset: name of the adversarial pictures.
        pairs: what a composed world planted; none where the pictures are photographs.

    >>> images = toys.Shapes()
    >>> from robust_lib.run.papers import nao
    >>> found = toys.object_boxes({"mine": 12}, images)
    >>> told = nao.confused(images, found, "mine")
    >>> shown = failures.shown(told, found["mine"][0], images)
    >>> block = failure_modes(page, shown, told, "mine", "nao", [("ring", "disc")])
    >>> "1 of the 1 planted pairs is among them, and 3 of the 6 mistakes" in str(block)
    True
    """
    told = "; ".join(shown.captions) or "no confusion"
    hit, of_pairs, known = confusions.planted(found, pairs)
    is_are = "is" if hit == 1 else "are"
    compared = (
        f" The pictures are composed: {hit} of the {len(pairs)} planted pairs {is_are} among them, "
        f"and {of_pairs} of the {known} mistakes on something known are of planted pairs."
        if pairs
        else ""
    )
    return page.item(
        "nao-fig4",
        failures.results(found, dataset, detector),
        figure=boxed(shown.pictures, shown.boxes, shown.captions, columns=4)
        if shown.captions
        else None,
        table=table(
            failures.confusion_frame(found, pairs),
            caption="Confusions, counted in pictures",
        ),
        paper=table(failures.paper_frame(), caption="The paper's eight pairs"),
        alt=f"Pictures, each with a box that is called wrongly and what lies there: {told}.",
        convention=("" if shown.captions else "The detector takes nothing for anything else. ")
        + f"{network_title(detector)}; boxes surer than {100 * confusions.SURE:.0f} % "
        "that find no object, each with what it overlaps most, by an IoU of at least "
        f"{confusions.IOU:g}; the most frequent pairs in their surest picture. White: what is "
        f"there, red: what was found.{compared}",
        stand_ins={nao.ADVERSARIAL: dataset},
    )


def _convention(on_both: OnBoth) -> str:
    ordinary, adversarial = next(iter(on_both.values()))
    foreign = scored_boxes.rule_words(adversarial)
    return (
        f"n = {ordinary.images:,} ordinary and {adversarial.images:,} adversarial pictures; "
        f"{adversarial.settings.words}. Without foreign objects: {foreign}. Intervals are of "
        f"{adversarial.settings.samples:,} resamples of the pictures, the same for all detectors; "
        "drops are of two sets of pictures, each resampled for itself. The boxes of COCO's "
        "test-dev are not public: what is said of it is judged by the ordinary pictures."
    )


def _stand_ins(on_both: OnBoth) -> dict[str, str]:
    ordinary, adversarial = next(iter(on_both.values()))
    test = {"coco_test_dev": ordinary.dataset}
    return {"coco_val": ordinary.dataset, nao.ADVERSARIAL: adversarial.dataset} | test
