"""mAP by object size (small, medium, large) and by class: blocks and numbers of the chapter."""

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.nao_2_map.numbers import (
    ADVERSARIAL,
    ORDINARY,
    OnBoth,
    short_titles,
    title,
)
from robust_book.chapters.view import Names
from robust_book.html.markup import Html, lines
from robust_book.html.table import NONE, table
from robust_book.page import Page
from robust_lib.datasets import ImageSet
from robust_lib.datasets.objects import truth_of
from robust_lib.metrics.box_matching import SIZES
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.size_and_class import area_words
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.papers.nao import FILTER, Sets


def by_size(page: Page, results: Results, on_both: OnBoth, images: Sets) -> Html:
    """Return mAP by the size of objects, on ordinary and on adversarial images.

    Args:
        results: results that include those of `size_and_class.results`.
        images: ordinary and adversarial images.

    >>> from robust_lib.protocols.objects import size_and_class
    >>> on_both, sized = toys.coco_maps({"mine": (12, 6)}), toys.by_size({"mine": (12, 6)})
    >>> images = toys.pictures()
    >>> results = size_and_class.results(sized, on_both, images[0].class_names)
    >>> texts(by_size(page, results, on_both, images), "td")[0]
    'ordinary'
    """
    areas = "; ".join(f"{size}: {area_words(size)}" for size in SIZES)
    told = table(
        size_frame(results, on_both, page.run.paper_names),
        caption="mAP (%) by the size of objects, with 95 % intervals; the paper does not report "
        "this",
    )
    counts = (
        f"{word.capitalize()} images: "
        f"{', '.join(_objects(results, one.dataset, size) for size in SIZES)} objects, by the area "
        f"of {_sized_by(of)}"
        for word, one, of in zip(
            (ORDINARY, ADVERSARIAL), next(iter(on_both.values())), images, strict=True
        )
    )
    by = {_sized_by(of) for of in images}
    differ = (
        (
            " A box is larger than the outline inside it, so the sizes in the two sets of images "
            "are not comparable."
        )
        if len(by) > 1
        else ""
    )
    note = (
        f"<p class=\"rb-convention\">An object's area: {areas}. In COCO's evaluation, objects "
        "of other sizes need not be found, and a box of a different size that matches no "
        f"object does not count. {'. '.join(counts)}.{differ}</p>"
    )
    return lines(told, Html(note))


def by_class(page: Page, results: Results, on_both: OnBoth) -> Html:
    """Return average precision by class on adversarial images.

    >>> from robust_lib.protocols.objects import size_and_class
    >>> on_both, sized = toys.coco_maps({"mine": (12, 6)}), toys.by_size({"mine": (12, 6)})
    >>> results = size_and_class.results(sized, on_both, toys.pictures()[0].class_names)
    >>> texts(by_class(page, results, on_both), "th")[:3]
    ['Class', 'Objects', 'mine']
    """
    return table(
        class_frame(results, on_both),
        caption="Average precision (%) by class on adversarial images, the most frequent class "
        "first; classes without an object are left out, and those with few objects are not "
        "informative",
        decimals={"Objects": 0},
    )


def size_frame(results: Results, on_both: OnBoth, names: Names) -> pd.DataFrame:
    """Return one row per detector and kind of images."""
    found = []
    for network, both in on_both.items():
        for word, one in zip((ORDINARY, ADVERSARIAL), both, strict=True):
            line: dict[str, object] = {"Detector": title(network, names), "Images": word}
            for size in SIZES:
                row = results.first(
                    item=ITEM, model=network, metric="map", dataset=f"{one.dataset}/{size}"
                )
                line[size.capitalize()] = NONE if row is None else view.cell(row)
            found.append(line)
    return pd.DataFrame(found).astype(object)


def class_frame(results: Results, on_both: OnBoth) -> pd.DataFrame:
    """Return one row per class that has an object."""
    name = _adversarial(on_both)
    titles = short_titles(list(on_both))
    found: dict[str, dict[str, object]] = {}
    for row in results.select(item=ITEM, metric="objects").rows:
        dataset, _, part = row.dataset.partition("/")
        if dataset == name and part not in SIZES and row.value:
            found[part] = {"Class": part, "Objects": int(row.value)}
    for part, line in found.items():
        for network in on_both:
            row = results.row(item=ITEM, model=network, metric="map", dataset=f"{name}/{part}")
            line[titles[network]] = 100 * row.value
    frame = pd.DataFrame(list(found.values()))
    return frame.sort_values("Objects", ascending=False, kind="stable")


def key_numbers(results: Results, on_both: OnBoth, names: Names) -> dict[str, KeyNumber]:
    """Return the prose's numbers on sizes: mAP of the detector that selected the images."""
    chose = names.get(FILTER, "")
    chose = chose if chose in on_both else next(iter(on_both))
    return {
        f"{size}_{word}": percent(
            results.first(item=ITEM, model=chose, metric="map", dataset=f"{one.dataset}/{size}"),
            missing="no object",
        )
        for size in ("small", "medium")
        for word, one in zip((ORDINARY, ADVERSARIAL), on_both[chose], strict=True)
    }


def _adversarial(on_both: OnBoth) -> str:
    return next(iter(on_both.values()))[1].dataset


def _objects(results: Results, dataset: str, size: str) -> str:
    row = results.row(item=ITEM, metric="objects", dataset=f"{dataset}/{size}")
    return f"{row.value:,.0f} {size}"


def _sized_by(images: ImageSet) -> str:
    outlined = truth_of(list(as_objects(images))).areas is not None
    return "their outlines" if outlined else "their boxes, since outlines are not known"
