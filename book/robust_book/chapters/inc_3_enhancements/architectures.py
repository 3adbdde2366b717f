"""Smaller, multiscale, aggregating and larger networks, side by side as in Figures 3 and 4."""

from collections.abc import Mapping
from types import MappingProxyType

from robust_book.chapters.inc_3_enhancements import dots, shared, tables
from robust_book.figures import arrows
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

_REPLACED = (
    (enhancements.ALIKE, "densenet121"),
    (enhancements.ALIKE, "resnext50_32x4d"),
    ("densenet121", "densenet161"),
    ("resnext50_32x4d", "resnext101"),
)
"""The arrows of Figure 4, by the paper's names."""


def small(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return clean error and mCE of small networks and of larger ones.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> "Not asked: condensenet_4, condensenet_8." in str(small(page, rows, grid, normaliser))
    True
    """
    item, names = "inc-claim-small", page.run.paper_names
    members = enhancements.members(item, names, grid.models)
    panels = dots.both_panels(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            panels, list(panels["clean error"]["this run"]), xlabel="%", others="the paper"
        )
        if members
        else None,
        table=shared.some(tables.size_frame(results, item, members), "Clean error and mCE (%)"),
        alt=f"Clean error and mCE of small and of larger networks: {words(panels)}.",
        convention=shared.convention(page, grid, normaliser)
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
    found = dots.noise_dots(results, item, members)
    return page.item(
        item,
        results,
        figure=dot_plot(
            {"": found}, list(tables.NOISES.values()), xlabel="corruption error (%, AlexNet = 100)"
        )
        if found
        else None,
        table=shared.some(
            tables.changes_frame(results, item, members, shared.base(page, grid, item)),
            shared.DIFFERENCES,
        ),
        alt=f"Corruption error under the three noises, a colour a network: {words({'': found})}.",
        convention=shared.convention(page, grid, normaliser)
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
    ours = dots.both(results, item, [*members.values(), *others])
    return page.item(
        item,
        results,
        figure=arrows.replacements(
            {"The paper": dots.printed_both(item), "This run": ours},
            list(dict.fromkeys([*_titled(_REPLACED, members), *_titled(_REPLACED, {})])),
            xlabel="clean error (%)",
            ylabel="mCE (%)",
        ),
        table=shared.some(
            tables.changes_frame(results, item, members, shared.base(page, grid, item)),
            shared.DIFFERENCES,
        ),
        alt="mCE against clean error, the paper's on the left and this run's on the right, with "
        f"arrows from a network to what takes its place: {dots.both_words(ours)}.",
        convention=shared.convention(page, grid, normaliser)
        + " Dotted: where both fall by as many points."
        + _alike(page),
        networks=_roles(page),
    )


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
        (dots.paper_title(names.get(one, one)), dots.paper_title(names.get(other, other)))
        for one, other in pairs
    ]
