"""Style transfer: restyled images, and their errors next to ImageNet-C's [inc, app. E]."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters import inc_2_mce
from robust_book.chapters.view import cell
from robust_book.figures import image_grids
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.corruption_error import style_transfer as protocol
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.corruption_error.style_transfer import CORRUPTION, ITEM
from robust_lib.protocols.grid import Grid
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run import stylised_sets
from robust_lib.run.network import network_title
from robust_lib.run.papers import inc
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, corruption_label

CORRUPTED = inc_2_mce.CHAPTER
"""The chapter whose networks and corrupted images these are."""

PRINTED = "The paper (ResNet-50)"
SHOWN = 4  # pictures, each of another class

_PAPERS = "resnet50"
_LARGEST, _MEAN = ("largest_ce", None), ("mce", None)
_KINDS = {"style_ce": ("ce", CORRUPTION), "style_largest": _LARGEST, "style_mce": _MEAN}
_KEYS = ("style_network", *_KINDS, "style_harder")


def ready(run: Run) -> Run:
    """Return a run of the chapter on corruption errors if styles and their networks are available.

    Raises:
        DataError: the style images are missing.
        ModelError: the style-transfer networks are missing.
    """
    run.image_set(stylised_sets.ROLE)
    stylised_sets.transfer(run.profile)
    return run


def corrupted(run: Run) -> tuple[Grid, Normaliser]:
    """Return predictions under corruptions and style transfer, and the normaliser.

    >>> grid, base = corrupted(toys.corrupting())
    >>> grid.corruptions[-1], base.words
    ('style_transfer', 'alexnet_mini, measured on the same images')
    """
    grid = stylised_sets.grid(run)
    return grid, inc.normaliser(run, grid)


def restyled(page: Page, run: Run) -> Html:
    """Return the figure of some images, their style images, and all severities."""
    severities = run.profile.severities
    sets = [stylised_sets.shown(run, severity) for severity in severities]
    classes = np.unique(run.images.labels)[:: max(1, len(run.images.class_names) // SHOWN)]
    places = [int(np.argmax(run.images.labels == label)) for label in classes[:SHOWN]]
    pictures, captions = [], []
    for place in places:
        style = sets[0].styles.read(sets[0].style_of(place), run.geometry)
        pictures += [run.images.read(place, run.geometry), style]
        pictures += [images.read(place, run.geometry) for images in sets]
        captions += ["clean", "style", *(f"severity {severity}" for severity in severities)]
    return page.figure(
        "fig-styles",
        image_grids.grid(pictures, captions, columns=2 + len(sets), size=1.0),
        caption="Each row shows its first image in the style of its second image. Up to which "
        "severity do you recognise the first image?",
        alt=f"{len(places)} images, clean and in the style of another one: with increasing "
        "severity, they adopt more of its colours and contrasts.",
        description=run.description,
    )


def errors(page: Page, run: Run, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return the corruption error of style transfer next to those of ImageNet-C's fifteen."""
    found = dots(results, network(run.paper_names, grid.models))
    return page.item(
        ITEM,
        results,
        figure=dot_plot(
            {"": found},
            ranked(found),
            xlabel="corruption error (%, AlexNet = 100)",
            others=PRINTED,
            lines={"AlexNet": 100.0},
        ),
        table=table(
            errors_frame(results, grid.models),
            caption=f"Error (%) on {grid.images:,} clean images, and mean error over the "
            "severities of style transfer; corruption errors (%) of style transfer and of "
            "ImageNet-C",
        ),
        alt="Corruption errors of one network, including that of style transfer: "
        f"{words({'': found})}.",
        convention=f"Restyling: {stylised_sets.transfer(run.profile).words}. Normaliser: "
        f"{normaliser.words}; storage: {grid.convention()}; {grid.images:,} images per condition; "
        f"{run.interval_words}; all comparisons resample the same images.",
        description=run.description,
        stand_ins=protocol.stand_ins(grid),
        networks=run.paper_names,
    )


def network(names: Mapping[str, str], among: Sequence[str]) -> str:
    """Return the stand-in for the paper's ResNet-50, or the last network if there is none.

    >>> network({"resnet50": "resnet50_mini"}, ["alexnet_mini", "resnet50_mini", "vgg11_mini"])
    'resnet50_mini'
    >>> network({}, ["alexnet_mini", "resnet18_mini"])
    'resnet18_mini'
    """
    ours = names.get(_PAPERS, "")
    return ours if ours in among else among[-1]


def dots(results: Results, model: str) -> dict[str, dict[str, PercentInterval]]:
    """Return source -> corruption -> CE (%), for one network and for the paper's."""
    ours = {
        corruption_label(str(row.corruption)): row.percent
        for row in results.select(item=ITEM, metric="ce", model=model).rows
    }
    paper = {
        corruption_label(str(row.corruption)): point(row.percent)
        for item in ("inc-tab1", ITEM)
        for row in printed(item, metric="ce", model=_PAPERS, corruption=(*COMMON, CORRUPTION))
    }
    return {f"This run ({network_title(model)})": ours, PRINTED: paper}


def ranked(found: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the corruptions in `dots` of this run, or else the paper's, largest CE first.

    >>> one, two = (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)
    >>> ranked({"This run": {"Fog": one, "Style transfer": two}, PRINTED: {}})
    ['Style transfer', 'Fog']
    """
    ours = next(iter(found.values())) or found[PRINTED]
    return sorted(ours, key=lambda name: -ours[name][0])


def errors_frame(results: Results, models: Sequence[str]) -> pd.DataFrame:
    """Return one row per network: errors, and the CEs of style transfer and of ImageNet-C."""
    rows = []
    for model in models:
        line: dict[str, object] = {"Network": network_title(model)}
        mine = results.select(item=ITEM, model=model)
        clean, *restyled = mine.select(metric="error").rows
        line["Clean"] = 100 * clean.value
        line["Mean error"] = 100 * sum(row.value for row in restyled) / len(restyled)
        for name, kind in zip(("CE, style", "Largest CE", "mCE"), _KINDS.values(), strict=True):
            own = _select(mine, kind)
            # The mean's interval has no room in the column; it is in the CSV.
            whole = 100 * own[0].value if own and kind == _MEAN else None
            line[name] = cell(own[0]) if own and whole is None else whole
        rows.append(line)
    return pd.DataFrame(rows)


def key_numbers(results: Results, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return the numbers in the prose."""
    of_item = results.select(item=ITEM)
    models = [str(row.model) for row in _select(of_item, ("ce", CORRUPTION))]
    if not models:
        return dict.fromkeys(_KEYS, NOT_MEASURED)
    model = network(names, models)
    found = {"style_network": KeyNumber(network_title(model), model)}
    for key, kind in _KINDS.items():
        rows = _select(of_item.select(model=model), kind)
        found[key] = percent(rows[0]) if rows else NOT_MEASURED
    ces, most = (
        {str(row.model): row.value for row in _select(of_item, kind)}
        for kind in (("ce", CORRUPTION), _LARGEST)
    )
    others = [name for name in most if name != next(iter(ces))]
    harder = sum(ces[name] > most[name] for name in others)
    found["style_harder"] = KeyNumber(
        f"{harder} of {len(others)} networks",
        harder,
        (
            "networks other than the baseline whose CE of style transfer exceeds all fifteen "
            "of ImageNet-C"
        ),
        len(others),
    )
    return found


def _select(results: Results, kind: tuple[str, str | None]) -> tuple[Row, ...]:
    metric, corruption = kind
    return results.select(metric=metric, corruption=corruption).rows
