"""Construction of ImageNet-A and ImageNet-O [nae, sec. 3 and 4]."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from robust_book.chapters.galleries import Gallery
from robust_book.chapters.nae_1_construction import funnel
from robust_book.figures.bars import funnels
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.curation.decisions import Filtration
from robust_lib.datasets import ImageSet
from robust_lib.errors import InputError, one_of
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.networks import is_filter
from robust_lib.results.key_number import KeyNumber, count
from robust_lib.results.reported import data_title, printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.papers import nae
from robust_lib.run.roles import label_space


def require(confidence: float, most: int) -> None:
    """Raise InputError unless the values are valid thresholds of ImageNet-A's rule.

    Args:
        confidence: a candidate is rejected if a filter gives its true class a higher probability.
        most: maximum number of candidates kept per pair of true and predicted class.

    >>> require(0.15, 15)
    """
    if not 0 <= confidence <= 1 or most < 1:
        raise InputError(
            f"Expected `confidence` from 0 to 1 and `most` of at least 1, but got {confidence} "
            f"and {most}. A confidence is a fraction: 15 % is 0.15."
        )


def require_class(wanted: str, names: Sequence[str]) -> None:
    """Raise InputError unless `wanted` is one of the class names, or "total".

    >>> require_class("total", ("key", "owl"))
    """
    if wanted != funnel.TOTAL and wanted not in names:
        raise InputError(one_of("a class", wanted, (funnel.TOTAL, *names)))


CHAPTER = replace(
    nae.record(
        "nae_1_construction",
        nae.IMAGENET_A,
        nae.IMAGENET_O,
        evaluates=is_filter,
        settings={"network": "models"},
    ),
    checks=(require,),
)

SUREST = 3  # mistakes that the prose names


def steps(page: Page, results: Results, filtration: Filtration | None, wanted: str) -> Html:
    """Return the number of candidates left after each step, the paper's and this run's.

    Args:
        wanted: name of a class, or "total".

    >>> rows = funnel.results(toys.FILTRATION, run.images, "total", 0.15, 15)
    >>> block = steps(page, rows, toys.FILTRATION, "total")
    >>> dict(zip(texts(block, "th")[1:6], texts(block, "td")[10:15], strict=True))  # total
    {'Pool': '7', 'All wrong': '4', 'Truth unlikely': '3', 'Shortlist': '2', 'Kept': '1'}
    """
    return page.item(
        "nae-funnel",
        results,
        figure=funnels(
            {"The paper: dragonfly": funnel.printed(), **funnel.titled(filtration, wanted)}
        ),
        table=table(
            funnel.step_frame(filtration),
            caption="Candidates left after each step, by class",
            decimals=0,
        ),
        alt=f"The share of the candidates that each step keeps: {funnel.seen(filtration, wanted)}.",
        convention="Ten crops; a confidence is the mean of a filter's probabilities over the "
        "crops; the first candidates of each confusion are kept. The paper's own count after its "
        "'basic filter' is compared with the number of candidates that fool both networks.",
        stand_ins=funnel.stand_ins(filtration),
    )


def sizes(page: Page, results: Results) -> Html:
    """Return Table 1: tasks, sizes and sources of both data sets.

    >>> rows = counted(run.images, run.image_set("imagenet_o"), run.profile)
    >>> texts(sizes(page, rows), "td")[:3]  # task, images, classes
    ['Classification', '30', '3']
    """
    run = page.run
    return page.item(
        "nae-tab1",
        results,
        table=table(
            size_frame(results, run.images, run.image_set("imagenet_o"), run.profile.data),
            caption="Purpose, size and source of both data sets",
            decimals=0,
        ),
        paper=table(printed_size_frame(), caption="Table 1 as the paper prints it", decimals=0),
        alt="Task, images, classes and source of both data sets.",
        convention="Classes are those among which a network may choose; ImageNet-O's own images "
        "belong to none of them.",
        stand_ins={"imagenet_val": run.profile.data["imagenet_val"]},
    )


def examples(page: Page, mistakes: Gallery, out_of_distribution: Gallery) -> Html:
    """Return Figure 1: images of both data sets with the network's predictions.

    >>> (picture,) = run.pictures(1)
    >>> mistakes, unknown = Gallery((picture,), ("owl → bee",)), Gallery((picture,), ("cup → owl",))
    >>> texts(examples(page, mistakes, unknown), "text")[:2]
    ['owl', '→ bee']
    """
    run = page.run
    both = mistakes.part(0, 5) + out_of_distribution.part(0, 5)
    return page.item(
        "nae-fig1",
        figure=both.figure(),
        alt="Above, images that the network misclassifies; below, objects for which it has no "
        f"class: {both.words(3)}.",
        convention=f"Upper row: {data_title(run.images.name)}; lower row: "
        f"{data_title(run.image_set('imagenet_o').name)}. The most confident mistakes, no "
        "class twice; predictions are restricted to the set's classes.",
        description=run.described("imagenet_a", "imagenet_o"),
    )


def more_mistakes(page: Page, mistakes: Gallery) -> Html:
    """Return Figure 5: more images of ImageNet-A.

    >>> mistakes = Gallery(tuple(run.pictures(2)), ("owl → bee", "bee → owl"))
    >>> texts(more_mistakes(page, mistakes), "text")
    ['owl', '→ bee', 'bee', '→ owl']
    """
    return page.item(
        "nae-fig5",
        figure=mistakes.part(5, 30).figure(),
        alt=(
            f"Images with their true class and the network's wrong prediction: {mistakes.words(3)}."
        ),
        convention=f"{data_title(page.run.images.name)}, the next most confident mistakes, one per "
        "class before a second of any class.",
    )


def more_out_of_distribution(page: Page, out_of_distribution: Gallery) -> Html:
    """Return Figure 6: more images of ImageNet-O.

    >>> unknown = Gallery(tuple(run.pictures(2)), ("owl → bee", "bee → owl"))
    >>> texts(more_out_of_distribution(page, unknown), "text")
    ['owl', '→ bee', 'bee', '→ owl']
    """
    return page.item(
        "nae-fig6",
        figure=out_of_distribution.part(5, 30).figure(),
        alt="Out-of-distribution objects with the network's confident prediction: "
        f"{out_of_distribution.words(3)}.",
        convention=f"{page.run.image_set('imagenet_o').name}, the most confident "
        "predictions, one per predicted class before a second of any class.",
        description=page.run.described("imagenet_o"),
    )


def classes(page: Page, results: Results) -> Html:
    """Return Appendix A: the classes of ImageNet-A, with their numbers of images.

    >>> rows = counted(run.images, run.image_set("imagenet_o"), run.profile)
    >>> texts(classes(page, rows), "td")[:3]  # red, green and blue pictures
    ['10', '10', '10']
    """
    return page.item(
        "nae-appa",
        results,
        table=table(
            class_frame(page.run.images),
            caption="The classes of the hard images, with the number of images of each",
            decimals=0,
        ),
        paper=table(paper_class_frame("imagenet_a"), caption="ImageNet-A's classes"),
        alt="The classes of ImageNet-A and of this run.",
        convention="Classes are in the order of the outputs.",
    )


def in_distribution_classes(page: Page, results: Results, imagenet_o: MaskedPredictions) -> Html:
    """Return Appendix B: the classes of ImageNet-O's in-distribution side.

    >>> rows = counted(run.images, run.image_set("imagenet_o"), run.profile)
    >>> block = in_distribution_classes(page, rows, toys.masked("foreign", {"brightest": 3}, 4))
    >>> texts(block, "td")[:3]  # taken for red, green, blue
    ['1', '2', '1']
    """
    run = page.run
    return page.item(
        "nae-appb",
        results,
        table=table(
            predicted_class_frame(imagenet_o, run.image_set("imagenet_o"), run.first),
            caption="The classes on the in-distribution side, and the number of "
            "out-of-distribution images predicted as each",
            decimals=0,
        ),
        paper=table(paper_class_frame("imagenet_o"), caption="ImageNet-O's classes"),
        alt="The classes of ImageNet-O's in-distribution side and of this run.",
        convention="Classes are in the order of the outputs; the predictions are those of the "
        "network named above.",
        description=run.described("imagenet_o"),
    )


def key_numbers(
    filtration: Filtration | None,
    imagenet_a: ImageSet,
    imagenet_o: ImageSet,
    mistakes: Gallery,
) -> dict[str, KeyNumber]:
    r"""Return the numbers in the prose, ready for the `{result}` role.

    Args:
        filtration: filtration of ImageNet-A's candidates; None if others chose the images.

    >>> surest = Gallery((), ("bee\n→ owl 73 %",))
    >>> numbers = key_numbers(toys.FILTRATION, run.images, run.image_set("imagenet_o"), surest)
    >>> {key: number.text for key, number in numbers.items() if key != "surest"}
    {'candidates': '7', 'fooled': '4', 'shortlisted': '2', 'selected': '30', 'foreign': '30'}
    >>> numbers["surest"].text
    'bee → owl 73 %'
    """
    left = {} if filtration is None else funnel.candidates_left(filtration, funnel.TOTAL)
    counts = {
        "candidates": left.get("downloaded"),
        "fooled": left.get("filtered"),
        "shortlisted": left.get("shortlisted"),
        "selected": len(imagenet_a),
        "foreign": len(imagenet_o),
    }
    said = ["".join(one).replace("\n", " ") for one in mistakes.captions[:SUREST]]
    surest = KeyNumber("; ".join(said) or "none", convention="one of each true class; first seed")
    return {"surest": surest} | {
        key: KeyNumber("an unknown number of")
        if images is None
        else count(images, "images, all classes", images)
        for key, images in counts.items()
    }


TASKS = ("Classification", "Out-of-distribution detection")
"""What ImageNet-A and ImageNet-O are for."""
SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "imagenet_a": "iNaturalist, Flickr, DuckDuckGo",
        "imagenet_o": "ImageNet-22K excluding ImageNet-1K",
    }
)
"""Where their images come from, as the paper's Table 1 prints it."""


def counted(imagenet_a: ImageSet, imagenet_o: ImageSet, profile: Profile) -> Results:
    """Return the numbers of images and classes of the data sets, as rows.

    Args:
        profile: profile whose ordinary images have all classes; no image is read.
    """
    every, space = profile.data["imagenet_val"], label_space(profile, "imagenet_val")
    return Results.of(
        Row(item=item, dataset=dataset, metric=metric, value=float(value))
        for item, dataset, metric, value in (
            ("nae-tab1", imagenet_a.name, "images", len(imagenet_a)),
            ("nae-tab1", imagenet_o.name, "images", len(imagenet_o)),
            ("nae-tab1", imagenet_a.name, "classes", len(imagenet_a.class_names)),
            ("nae-tab1", imagenet_o.name, "classes", len(imagenet_o.class_names)),
            ("nae-tab1", every, "classes", len(space)),
            ("nae-appa", imagenet_a.name, "classes", len(imagenet_a.class_names)),
            ("nae-appb", imagenet_o.name, "classes", len(imagenet_o.class_names)),
        )
    )


def size_frame(
    results: Results, imagenet_a: ImageSet, imagenet_o: ImageSet, roles: Mapping[str, str]
) -> pd.DataFrame:
    """Return one row per data set: task, numbers of images and classes, and sources of the images.

    Args:
        roles: the profile's role of a data set -> its name.

    >>> sets = [run.image_set(role) for role in ("imagenet_a", "imagenet_o")]
    >>> frame = size_frame(counted(*sets, run.profile), *sets, run.profile.data)
    >>> frame[["Images", "Data sources"]].to_numpy().tolist()[1]
    [30.0, "Scenes of things outside the label set, the candidates for the miniature's ImageNet-O"]
    """
    counted = {(row.dataset, row.metric): row.value for row in results.select(item="nae-tab1").rows}
    names = [images.name for images in (imagenet_a, imagenet_o)]
    return pd.DataFrame(
        {
            "Data set": [load_dataset(name).title for name in names],
            "Task": list(TASKS),
            "Images": [counted[name, "images"] for name in names],
            "Classes": [counted[name, "classes"] for name in names],
            "Data sources": [_sources(name, roles) for name in names],
        }
    )


def _sources(name: str, roles: Mapping[str, str]) -> str:
    """Return a text on the source of a data set's images; for a filtered set, its candidates."""
    candidates = load_dataset(name).options.get("candidates")
    return SOURCES.get(name, "") if candidates is None else load_dataset(roles[candidates]).title


def printed_size_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it."""
    images = {row.dataset: row.number for row in printed("nae-tab1", metric="images")}
    return pd.DataFrame(
        {
            "Data set": [load_dataset(name).title for name in SOURCES],
            "Task": list(TASKS),
            "Images": [images[name] for name in SOURCES],
            "Data sources": list(SOURCES.values()),
        }
    )


def class_frame(images: ImageSet) -> pd.DataFrame:
    """Return the classes of a data set and the number of images of each."""
    counted = np.bincount(images.labels, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Images": counted})


def predicted_class_frame(
    masked: MaskedPredictions, images: ImageSet, network: str
) -> pd.DataFrame:
    """Return the classes predicted by a network's first seed, and the number of images for each."""
    predicted = masked.predictions[network][0].predicted
    counted = np.bincount(predicted, minlength=len(images.class_names))
    return pd.DataFrame({"Class": list(images.class_names), "Taken for": counted})


def paper_class_frame(name: str) -> pd.DataFrame:
    """Return one of the paper's two lists of 200 classes: names and WordNet ids.

    >>> paper_class_frame("imagenet_o").iloc[0].to_dict()
    {'Class': 'goldfish', 'WordNet id': 'n01443537'}
    """
    entries = load_classes(name).entries
    return pd.DataFrame(
        {"Class": [one.name for one in entries], "WordNet id": [one.wnid for one in entries]}
    )
