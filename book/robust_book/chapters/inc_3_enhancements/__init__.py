"""Methods that aim to improve robustness, and their effects [inc, sec. 3.4, 3.5 and app. D]."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
import torch

from robust_book.chapters import inc
from robust_book.chapters.inc_3_enhancements import changes, numbers, replaced
from robust_book.chapters.learning import trained
from robust_book.chapters.view import Committed
from robust_book.figures import arrows, heatmaps, image_grids
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.enhancements import Wrapper
from robust_lib.config.manifests import load_model
from robust_lib.corruptions import corrupt
from robust_lib.models.enhance import changed
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import Normaliser, published
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.network import network_title
from robust_lib.run.run import Run
from robust_lib.types import Picture
from robust_lib.vocabulary import COMMON

CHAPTER = Chapter(
    "inc_3_enhancements",
    networks="enhancements",
    role="enhancements",
    shows=(OnCorruptions("enhancements"),),
    corruptions=COMMON,
    baseline=True,
)
COMMITTED: Committed = {"enhancements": inc.networks_frame}

_DIFFERENCES = "Clean error and mCE (%), and differences from the standard network's, in points"
_UNDIVIDED = (
    "Clean error, unnormalised mean error under the fifteen corruptions, and mCE (%), each with "
    "its difference from the first network's, in points"
)
_COUNTED = " Lower CEs: the number that are lower simultaneously, to the number that may be lower."


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained in this run.

    >>> texts(training(page), "text")[2:4]
    ['AlexNet-like', 'ResNet-18-like']
    """
    return trained(page, page.run.training_curves(), of="training images")


def wrapped_pictures(page: Page) -> Html:
    """Return a clean and a noisy image as they are preprocessed for wrapped networks.

    >>> texts(wrapped_pictures(page), "text")[:3]
    ['clean', 'clean, denoised', 'clean, equalised']
    """
    pictures, captions = seen(page.run)
    return page.figure(
        "fig-inputs",
        image_grids.grid(pictures, captions, columns=COLUMNS, size=1.5),
        caption="Each image unchanged, denoised and equalised. The strength of the filter is "
        "estimated from the noise in the image, so a clean image should stay unchanged.",
        alt=f"Images unchanged, denoised and equalised: {', '.join(captions)}.",
    )


def remedies(page: Page, results: Results, grid: Grid) -> Html:
    """Return the figure of each remedy's change in mCE against the standard network, in points."""
    found = replaced.remedies(results, page.run.paper_names, grid.models)
    ours = found["this run"]
    if not ours:
        return Html('<p class="rb-convention">This run has no network to compare.</p>')
    return page.figure(
        "fig-remedies",
        dot_plot(
            {"": found},
            list(ours),
            xlabel="mCE minus that of the standard network (points; left of 0 is more robust)",
            others="the paper",
            lines={"no change": 0.0},
        ),
        caption="Change in mCE by remedy; lower is better. Intervals are paired, image by image. "
        "For stability training, the setting with the lowest mCE is shown.",
        alt=f"Change in mCE by remedy: {words({'': found}, ' points')}.",
    )


def stability(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return mCE after stability training by noise and weight, next to the standard network's."""
    item = enhancements.STABILITY
    members, base = _compared(page, grid, item)
    frame = numbers.stability_frame(results, members, base)
    noises = [f"± {label}" for label in changes.NOISES.values()]
    found, beside = numbers.stability_map(results, members)
    standard = changes.mce_row(results, item, base)
    return page.item(
        item,
        results + numbers.settings(page.run, grid.dataset),
        figure=heatmaps.tuned(
            found,
            beside,
            xlabel="largest noise",
            ylabel="weight",
            unit="mCE (%)",
            centre=None if standard is None else 100 * standard.value,
        )
        if len(found) or beside
        else None,
        rows=results.select(item=item),
        table=lines(
            table(
                frame.drop(columns=noises),
                caption="Clean error (%), and change in mCE from the standard network's, in points",
            ),
            table(
                frame[["Network", *noises]],
                caption="Change in the corruption errors (CE) under the three noises from the "
                "standard network's, in points",
            ),
        ),
        alt="mCE of a network for every noise level and weight of stability training, next to that "
        f"of the networks without this training: {numbers.map_words(found, beside)}.",
        convention=_convention(page, grid, normaliser, item)
        + " The fine-tuned control was trained for as long, but without stability training. Red is "
        "worse than the standard network, blue is better.",
    )


def denoising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return the effect of denoising on the error under each corruption."""
    more = f" {denoiser_words(page.run)}"
    return _changes(page, results, grid, normaliser, "inc-claim-denoise", more)


def small(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return clean error and mCE of small and larger networks."""
    item = "inc-claim-small"
    members, _ = _compared(page, grid, item)
    panels = numbers.both_panels(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            panels, list(panels["clean error"]["this run"]), xlabel="%", others="the paper"
        )
        if members
        else None,
        table=_some(numbers.size_frame(results, item, members), "Clean error and mCE (%)"),
        alt=f"Clean error and mCE of small and of larger networks: {words(panels)}.",
        convention=_convention(page, grid, normaliser, item)
        + " The network is like CondenseNet, but its sparse connections are fixed from the start, "
        "not learnt." + _absent(page, ("condensenet_4", "condensenet_8")),
    )


def equalising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return the effect of histogram equalisation on the error under each corruption."""
    more = (
        f" {equaliser_words(page.run)} Fine-tuned: trained for five more epochs, as in the paper, "
        "on equalised images if the network is evaluated on these."
    )
    return _changes(page, results, grid, normaliser, "inc-claim-clahe", more)


def noises(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Figure 3: corruption errors of four networks under noise."""
    item = "inc-fig3"
    members, base = _compared(page, grid, item)
    found = numbers.noise_dots(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            {"": found},
            list(changes.NOISES.values()),
            xlabel="corruption error (%, AlexNet = 100)",
        )
        if found
        else None,
        table=_some(numbers.changes_frame(results, item, members, base), _DIFFERENCES),
        alt=f"Corruption error of each network under the three noises: {words({'': found})}.",
        convention=_convention(page, grid, normaliser, item)
        + _alike(page)
        + _absent(page, ("msdnet", "multigrid")),
        networks=_roles(page),
    )


def aggregation(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Figure 4: clean error against mCE, with arrows from a network to its replacement."""
    item = "inc-fig4"
    members, base = _compared(page, grid, item)
    slopes = [numbers.mce_points(divisor) for divisor in (published(), normaliser)]
    others = [model for model in grid.models if model not in page.run.paper_names.values()]
    ours = numbers.both(results, item, [*members.values(), *others])
    pairs = replaced.pairs(members) + [(base, other) for other in others if base is not None]
    ours_changed = replaced.both_changes(results, item, pairs)
    return page.item(
        item,
        results,
        figure=arrows.changes(
            ours_changed,
            replaced.printed_changes(item, members),
            xlabel="change in clean error (points)",
            ylabel="change in mCE (points)",
            slopes=dict(zip(("the paper", "this run"), slopes, strict=True)),
        ),
        table=_some(numbers.changes_frame(results, item, members, base), _UNDIVIDED),
        alt="Changes in clean error and mCE when one network replaces another: one arrow per "
        "network from a common origin, the paper's in grey; this run's: "
        f"{numbers.both_words(ours)}.",
        convention=_convention(page, grid, normaliser, item)
        + " On the dotted line, the error on corrupted images (not normalised) falls by as many "
        f"points as the clean error; one point of this error equals {slopes[1]:.1f} points of mCE "
        f"here and {slopes[0]:.1f} in the paper." + _alike(page),
        networks=_roles(page),
    )


def ten_crops(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return the effect of ten crops on clean error and mCE."""
    item = "inc-claim-tencrop"
    members, base = _compared(page, grid, item)
    panels = numbers.both_panels(results, item, members)
    rows = list(panels["clean error"]["this run"])
    return page.item(
        item,
        results + numbers.settings(page.run, grid.dataset),
        figure=dot_plot(
            {name: {"this run": found["this run"]} for name, found in panels.items()},
            rows,
            xlabel="%",
        )
        if len(members) > 1
        else None,
        rows=results.select(item=item),
        table=_some(
            numbers.changes_frame(results, item, members, base),
            _UNDIVIDED,
            least=2,
        ),
        alt=f"Clean error and mCE with one view and with ten crops: {words(panels)}.",
        networks={} if base is None else {enhancements.STANDARD: base},
        convention=_convention(page, grid, normaliser, item)
        + " Ten crops: the class probabilities of the four corners, the centre, and their mirror "
        f"images are averaged. {crop_words(page.run)} The ten crops are compared with the central "
        "crop alone, which shows as much of the image as each of the ten.",
    )


def _changes(
    page: Page, results: Results, grid: Grid, normaliser: Normaliser, item: str, more: str
) -> Html:
    members, base = _compared(page, grid, item)
    found = numbers.change_dots(results, item, members, base)
    return page.item(
        item,
        results + numbers.settings(page.run, grid.dataset),
        figure=dot_plot(
            {"": found},
            numbers.rows_of(found),
            xlabel="corruption error minus that of the standard network (points)",
            lines={"no change": 0.0},
        )
        if found
        else None,
        rows=results.select(item=item),
        table=_some(
            numbers.changes_frame(results, item, members, base),
            "Clean error and mCE (%), their differences from the standard network's, in points, "
            "and the number of the fifteen corruptions with a lower error",
            least=2,
        ),
        alt="Difference between the error under each corruption and the standard network's: "
        f"{words({'': found}, ' points')}.",
        convention=_convention(page, grid, normaliser, item) + more + _COUNTED,
    )


def _compared(page: Page, grid: Grid, item: str) -> tuple[dict[str, str], str | None]:
    """Return the networks of an item, and our network that the others are compared with."""
    names = page.run.paper_names
    return (
        enhancements.members(item, names, grid.models),
        enhancements.standard(item, names, grid.models),
    )


def _convention(page: Page, grid: Grid, normaliser: Normaliser, item: str) -> str:
    members, _ = _compared(page, grid, item)
    return (
        f"Normaliser: {normaliser.words}; storage: {grid.convention()}; {grid.images:,} images "
        f"per condition, severities {page.run.severity_words}; {page.run.interval_words}; "
        f"differences are paired, image by image.{numbers.size_words(page.run, grid, members)}"
    )


def _some(frame: pd.DataFrame, caption: str, *, least: int = 1) -> Html:
    """Return a table, or a sentence if the run has fewer networks than `least` for it."""
    if len(frame) < least:
        return Html('<p class="rb-convention">This run evaluates no network of this item.</p>')
    return table(frame, caption=caption)


def _roles(page: Page) -> Mapping[str, str]:
    """Return the stand-in for the standard network in the figures, if it is not the run's own."""
    alike = page.run.paper_names.get(enhancements.ALIKE)
    return MappingProxyType({} if alike is None else {enhancements.STANDARD: alike})


def _alike(page: Page) -> str:
    alike = page.run.paper_names.get(enhancements.ALIKE)
    if alike is None:
        return ""
    name = network_title(alike)
    return f" {name} is the stand-in for ResNet-50, with the recipe and image size of the others."


def _absent(page: Page, papers: tuple[str, ...]) -> str:
    """Return a sentence on the paper's networks without a stand-in, and the reason."""
    lacking = [name for name in papers if name not in page.run.paper_names]
    if not lacking:
        return ""
    return (
        f" Not evaluated: {', '.join(lacking)}. If a profile has no network for one of them, "
        "torchvision and timm offer none; you can use a network of your own instead if the profile "
        "names it."
    )


COLUMNS = 3
SEVERITY = 3  # of the noise that is shown
_DENOISER, _EQUALISER, _CROPS = "resnet50_nlm", "resnet50_equalised", "resnet50_tencrop"


def seen(run: Run) -> tuple[list[Picture], list[str]]:
    """Return images and captions: a clean and a noisy image, unchanged, denoised and equalised."""
    picture = run.pictures(1)[0]
    clean = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    noisy = corrupt(clean, "gaussian_noise", SEVERITY, keys=["shown"])
    pictures, captions = [], []
    for name, images in (("clean", clean), ("Gaussian noise", noisy)):
        for what, shown in (
            ("", images),
            ("denoised", changed(images, _wrapper(run, _DENOISER, "nlm_denoise"))),
            ("equalised", changed(images, _wrapper(run, _EQUALISER, "clahe"))),
        ):
            levels = (shown[0].permute(1, 2, 0).numpy() * 255).round().clip(0, 255)
            pictures.append(np.ascontiguousarray(levels.astype(np.uint8)))
            captions.append(", ".join(filter(None, [name, what])))
    return pictures, captions


def denoiser_words(run: Run) -> str:
    """Return a sentence on the denoising of images."""
    chosen = _arguments(run, _DENOISER, {"strength": 0.8, "patch": 5, "distance": 6})
    return (
        f"Non-local means: strength {chosen['strength']:g} times the noise that is estimated from "
        f"the finest wavelet coefficients, patches of {chosen['patch']} pixels, at most "
        f"{chosen['distance']} pixels apart; the paper specifies none of these."
    )


def equaliser_words(run: Run) -> str:
    """Return a sentence on the equalisation of images."""
    chosen = _arguments(run, _EQUALISER, {"limit": 2.0, "tiles": 8})
    return (
        f"Equalised: the lightness (L of Lab), on {chosen['tiles']} x {chosen['tiles']} tiles, "
        f"with a contrast limit of {chosen['limit']:g}; the paper specifies none of these."
    )


def crop_words(run: Run) -> str:
    """Return a sentence on the size of the ten crops; empty if no network uses them."""
    chosen = _arguments(run, _CROPS, {})
    if "crop" not in chosen:
        return ""
    within = f" of the central {chosen['within']}" if "within" in chosen else ""
    return f"A crop has {chosen['crop']} pixels{within}."


def _wrapper(run: Run, paper: str, name: str) -> Wrapper:
    ours = run.paper_names.get(paper)
    found = None if ours is None else load_model(ours).wrapper
    return Wrapper.model_validate({"name": name}) if found is None else found


def _arguments(run: Run, paper: str, usual: dict[str, float | int]) -> dict[str, float | int]:
    ours = run.paper_names.get(paper)
    wrapper = None if ours is None else load_model(ours).wrapper
    return usual | ({} if wrapper is None else wrapper.arguments)
