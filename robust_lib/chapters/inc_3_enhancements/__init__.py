"""What may make a network more robust, and whether it does [inc, sec. 3.4, 3.5 and app. D]."""

from collections.abc import Mapping
from types import MappingProxyType

from robust_lib.chapters import inc
from robust_lib.chapters.inc_3_enhancements import inputs as galleries
from robust_lib.chapters.inc_3_enhancements import key_numbers as numbers
from robust_lib.chapters.inc_3_enhancements import settings, tables
from robust_lib.chapters.learning import trained
from robust_lib.chapters.tables import Committed
from robust_lib.figures import arrows, heatmaps, image_grids
from robust_lib.figures.dot_plots import dot_plot, words
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.network import network_title
from robust_lib.run.page import Page
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

_REPLACED = (
    (enhancements.ALIKE, "densenet121"),
    (enhancements.ALIKE, "resnext50_32x4d"),
    ("densenet121", "densenet161"),
    ("resnext50_32x4d", "resnext101"),
)
"""The arrows of Figure 4, by the paper's names."""


key_numbers = numbers.key_numbers


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here.

    >>> texts(training(page), "text")[2:4]
    ['AlexNet-like', 'ResNet-18-like']
    """
    return trained(page, page.run.training_curves(), of="training images")


def inputs(page: Page) -> Html:
    """Return a picture, clean and noisy, as networks behind a wrapper see it.

    >>> texts(inputs(page), "text")[:3]
    ['clean', 'clean, denoised', 'clean, equalised']
    """
    pictures, captions = galleries.seen(page.run)
    return page.figure(
        "fig-inputs",
        image_grids.grid(pictures, captions, columns=galleries.COLUMNS, size=1.5),
        caption="Left as it is, then denoised, then equalised. What is smoothed follows from the "
        "noise that is found in the picture; a clean one should stay as it is.",
        alt=f"Pictures as they are, denoised and equalised: {', '.join(captions)}.",
    )


def stability(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return mCE after stability training, of every noise and weight, beside the standard's.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> block = stability(page, rows, grid, normaliser)
    >>> texts(block, "td")[:4]  # noise, weight, clean error and mCE of the network without it
    ['–', '–', '10.0 [1.2, 31.7]', '133.3 [104.5, 195.5]']
    """
    item, names = enhancements.STABILITY, page.run.paper_names
    members = enhancements.members(item, names, grid.models)
    base = enhancements.standard(item, names, grid.models)
    frame = tables.stability_frame(results, members, base)
    found, beside = tables.stability_map(results, members)
    first = next((ours for paper, ours in members.items() if "stability" in paper), None)
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=heatmaps.tuned(
            found,
            beside,
            xlabel="largest noise",
            ylabel="weight",
            unit="mCE (%)",
            centre=tables.value_of(results, item, base),
        )
        if len(found) or beside
        else None,
        rows=results.select(item=item),
        table=table(
            frame,
            caption="Clean error and mCE (%), and how many points mCE and the CE of noises lie "
            "above the standard network's",
        ),
        alt="mCE of a network for every noise and weight of stability training, and beside it "
        f"that of the networks without: {tables.map_words(found, beside)}.",
        convention=_convention(page, grid, normaliser)
        + " The network called tuned was trained as long, with nothing added. Red is worse than "
        "the standard network, blue better.",
        networks={} if first is None else {"resnet50_stability": first},
    )


def denoising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what denoising does to the error under each corruption.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> denoised = denoising(page, rows, grid, normaliser)
    >>> "No network of this item is asked in this run." in texts(denoised, "p")
    True
    """
    return _changes(
        page,
        results,
        grid,
        normaliser,
        "inc-claim-denoise",
        f" {galleries.denoiser_words(page.run)}",
    )


def equalising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what histogram equalisation does to the error under each corruption.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> texts(equalising(page, rows, grid, normaliser), "text")[:2]
    ['no change', 'corruption error less that of the standard network (points)']
    """
    return _changes(
        page,
        results,
        grid,
        normaliser,
        "inc-claim-clahe",
        f" {galleries.equaliser_words(page.run)} Tuned: trained five epochs longer, as in the "
        "paper, on equalised pictures where they are shown.",
    )


def small(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return clean error and mCE of small networks and of larger ones.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> "Not asked: condensenet_4, condensenet_8." in str(small(page, rows, grid, normaliser))
    True
    """
    item, names = "inc-claim-small", page.run.paper_names
    members = enhancements.members(item, names, grid.models)
    panels = tables.both_panels(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            panels, list(panels["clean error"]["this run"]), xlabel="%", others="the paper"
        )
        if members
        else None,
        table=_nothing(
            members,
            tables.size_frame(results, item, members),
            "Parameters, clean error and mCE (%)",
        ),
        alt=f"Clean error and mCE of small and of larger networks: {words(panels)}.",
        convention=_convention(page, grid, normaliser)
        + " Like CondenseNet: its connections are pruned from the start, not learnt."
        + _absent(page, ("condensenet_4", "condensenet_8")),
    )


def noises(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Figure 3: corruption errors of four networks under noise.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> texts(noises(page, rows, grid, normaliser), "text")[1:4]
    ['Gaussian noise', 'Shot noise', 'Impulse noise']
    """
    item = "inc-fig3"
    members = enhancements.members(item, page.run.paper_names, grid.models)
    dots = tables.noise_dots(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            {"": dots}, list(tables.NOISES.values()), xlabel="corruption error (%, AlexNet = 100)"
        )
        if dots
        else None,
        table=_nothing(
            members,
            tables.changes_frame(results, item, members, _base(page, grid, item)),
            "Clean error and mCE (%), and how many points they lie above the standard network's",
        ),
        alt=f"Corruption error under the three noises, a colour a network: {words({'': dots})}.",
        convention=_convention(page, grid, normaliser)
        + _alike(page)
        + _absent(page, ("msdnet", "multigrid")),
        networks=_roles(page),
    )


def aggregation(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Figure 4: clean error against mCE, and arrows to what takes a network's place.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> texts(aggregation(page, rows, grid, normaliser), "text")[-2:]
    ['This run', 'toys']
    """
    item, names = "inc-fig4", page.run.paper_names
    members = enhancements.members(item, names, grid.models)
    others = [model for model in grid.models if model not in names.values()]
    ours = tables.both(results, item, [*members.values(), *others])
    return page.item(
        item,
        results,
        figure=arrows.replacements(
            {"The paper": tables.printed_both(item), "This run": ours},
            [*_titled(_REPLACED, members), *_titled(_REPLACED, {})],
            xlabel="clean error (%)",
            ylabel="mCE (%)",
        ),
        table=_nothing(
            members,
            tables.changes_frame(results, item, members, _base(page, grid, item)),
            "Clean error and mCE (%), and how many points they lie above the standard network's",
        ),
        alt="mCE against clean error, the paper's on the left and this run's on the right, with "
        f"arrows from a network to what takes its place: {tables.both_words(ours)}.",
        convention=_convention(page, grid, normaliser)
        + " Dotted: where both fall by as many points."
        + _alike(page),
        networks=_roles(page),
    )


def ten_crops(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what ten crops do to clean error and to mCE.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> cropped = ten_crops(page, rows, grid, normaliser)
    >>> "No network of this item is asked in this run." in texts(cropped, "p")
    True
    """
    item = "inc-claim-tencrop"
    members = enhancements.members(item, page.run.paper_names, grid.models)
    base = _base(page, grid, item)
    panels = tables.both_panels(results, item, members)
    rows = list(panels["clean error"]["this run"])
    enough = len(members) > 1
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=dot_plot(
            {name: {"this run": dots["this run"]} for name, dots in panels.items()},
            rows,
            xlabel="%",
        )
        if enough
        else None,
        rows=results.select(item=item),
        table=_nothing(
            members if enough else {},
            tables.changes_frame(results, item, members, base),
            "Clean error and mCE (%), and how many points they lie above the standard network's",
        ),
        alt=f"Clean error and mCE with one view and with ten crops: {words(panels)}.",
        convention=_convention(page, grid, normaliser)
        + " Ten crops: the class probabilities of four corners, the centre, and their mirror "
        f"images are averaged. {galleries.crop_words(page.run)}",
    )


def _changes(
    page: Page, results: Results, grid: Grid, normaliser: Normaliser, item: str, more: str
) -> Html:
    members = enhancements.members(item, page.run.paper_names, grid.models)
    base = _base(page, grid, item)
    dots = tables.change_dots(results, item, members, base)
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=dot_plot(
            {"": dots},
            tables.rows_of(dots),
            xlabel="corruption error less that of the standard network (points)",
            even=0.0,
            even_words="no change",
        )
        if dots
        else None,
        rows=results.select(item=item),
        table=_nothing(
            members if len(members) > 1 else {},
            tables.changes_frame(results, item, members, base),
            "Clean error and mCE (%), how many points they lie above the standard network's, and "
            "of how many of the fifteen corruptions the error is lower",
        ),
        alt="By how many points the error under each corruption lies above the standard "
        f"network's: {words({'': dots}, ' points')}.",
        convention=_convention(page, grid, normaliser) + more,
    )


def _convention(page: Page, grid: Grid, normaliser: Normaliser) -> str:
    return (
        f"Normaliser: {normaliser.words}; storage: {grid.convention()}; {grid.images:,} images a "
        f"cell, severities {page.run.severity_words}; {page.run.interval_words}; differences are "
        "paired, image by image."
    )


def _base(page: Page, grid: Grid, item: str) -> str | None:
    return enhancements.standard(item, page.run.paper_names, grid.models)


def _roles(page: Page) -> Mapping[str, str]:
    """Return who plays the standard network in the figures, if not the run's own."""
    alike = page.run.paper_names.get(enhancements.ALIKE)
    return MappingProxyType({} if alike is None else {enhancements.STANDARD: alike})


def _alike(page: Page) -> str:
    alike = page.run.paper_names.get(enhancements.ALIKE)
    if alike is None:
        return ""
    return (
        f" {network_title(alike)} plays ResNet-50: its recipe and picture size are those of the "
        "others."
    )


def _absent(page: Page, papers: tuple[str, ...]) -> str:
    """Return which of the paper's networks nobody plays, and why, in a sentence."""
    lacking = [name for name in papers if name not in page.run.paper_names]
    if not lacking:
        return ""
    return (
        f" Not asked: {', '.join(lacking)}. Where a profile has no network for them, none is to be "
        "had from torchvision or timm: a network of your own takes the part if the profile names "
        "it."
    )


def _titled(
    pairs: tuple[tuple[str, str], ...], members: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return arrows by titles, of our networks or, where there are none, of the paper's."""
    plain = {enhancements.ALIKE: members.get(enhancements.STANDARD, enhancements.STANDARD)}
    names = plain | dict(members)
    return [
        (network_title(names.get(one, one)), network_title(names.get(other, other)))
        for one, other in pairs
    ]


def _nothing(members: Mapping[str, str], frame: object, caption: str) -> Html:
    if not members:
        return Html('<p class="rb-convention">No network of this item is asked in this run.</p>')
    return table(frame, caption=caption)  # type: ignore[arg-type]
