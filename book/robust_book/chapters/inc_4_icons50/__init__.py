"""Surface variation on ICONS-50 [inc, sec. 4.2]: networks meet icons unlike those they learnt."""

from collections.abc import Iterable, Mapping, Sequence

from matplotlib.figure import Figure

from robust_book.chapters.inc_4_icons50 import galleries, networks, tables
from robust_book.chapters.learning import trained
from robust_book.chapters.view import Committed
from robust_book.figures import image_grids
from robust_book.figures.dot_plots import Dots, dot_plot, words
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation
from robust_lib.results.notation import listed
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.run.run import Run

CHAPTER = Chapter(
    "inc_4_icons50",
    networks="icons50",
    role=networks.ROLE,
    variants=networks.per_hold_out,
    every_image=True,
    description="{title}: {images} icons of {classes} classes, {seeds}",
)
COMMITTED: Committed = {"surface": tables.accuracies_frame}


def sample(page: Page, facts: Results) -> Html:
    """Return Figure 5: icons of some classes.

    >>> facts = surface_variation.facts(networks.icons(run), *run.recipe)
    >>> texts(sample(page, facts), "text")[:4]
    ['Bird', 'Bird', 'Bird', 'Bird']
    """
    every = networks.icons(page.run)
    found, side = galleries.sample(every), facts.row(metric="image_size").value
    return page.item(
        "inc-fig5",
        facts,
        figure=image_grids.grid(every.pictures(found.places), found.captions, columns=8, size=0.87),
        alt="Icons of twelve classes, four of each, drawn by different vendors.",
        convention=f"{every.name}, {len(every):,} icons at {side:.0f} pixels on white; "
        "of drawings with the same pixels one is kept.",
    )


def classes(page: Page, facts: Results) -> Html:
    """Return Appendix F: the classes.

    >>> facts = surface_variation.facts(networks.icons(run), *run.recipe)
    >>> block, bird = classes(page, facts), networks.label_of(run, "Bird")
    >>> texts(block, "td")[3 * bird : 3 * bird + 3]  # icons, vendors, subtypes
    ['15', '3', '3']
    """
    return page.item(
        "inc-appf",
        facts,
        table=table(
            tables.class_frame(networks.icons(page.run)),
            caption="The classes, and how many icons, vendors and subtypes each has",
            decimals=0,
        ),
        alt="The fifty classes with their icons, vendors and subtypes.",
        convention="Skin tones of one subtype count once.",
    )


def side_effects(run: Run, style: str) -> Html:
    """Return the table of what the authors' rule takes besides what was meant.

    >>> block = side_effects(run, "google")
    >>> texts(block, "th")[4:], texts(block, "td")
    (['family_man_girl', 'family_man_boy'], ['1', '2', '–', '1', '1', '–'])
    """
    every = networks.icons(run)
    subtypes = surface_variation.held_out_subtypes(every.name)
    effects = surface_variation.side_effects(every.icons, style, subtypes)
    return table(
        tables.side_effect_frame(effects),
        caption="What the authors' rule takes besides what was meant, on these icons",
        decimals=0,
    )


def training(page: Page, hold_outs: Iterable[str]) -> Html:
    """Return the training curves of the run's models without the icons of some hold-outs.

    >>> texts(training(page, ["style:google", "version"]), "text")
    ['epoch', 'accuracy on training icons (%)', 'ResNet-20-like', 'toys']
    """
    names = [*hold_outs]
    wanted = [
        Network(one, hold_out=name) for one in networks.model_names(page.run) for name in names
    ]
    return trained(page, page.run.training_curves(wanted), of="training icons")


def style(page: Page, results: Results, hold_outs: Iterable[str], match: str) -> Html:
    """Return the accuracies on a new style beside those of the other protocols.

    >>> rows = toys.rows("inc-icons-style", "accuracy", {"resnet20": 0.5}, "icons50_open_style")
    >>> texts(style(page, rows, ["style:google"], "exact"), "text")[-3:]
    ['toys', 'this run', 'the paper']
    """
    dataset = page.run.images.name
    panels = tables.panels(results, dataset, page.run.paper_names)
    return page.item(
        "inc-icons-style",
        results,
        figure=_figure(panels),
        alt="Accuracy of each network on icons held out by each protocol in turn: "
        f"{words(panels)}.",
        convention=f"Accuracy in percent; {page.run.interval_words}. "
        f"Held out: {', '.join(hold_outs)}; {match} match; last epoch.",
        stand_ins=surface_variation.stand_ins(dataset),
    )


def version(page: Page, results: Results) -> Html:
    """Return the accuracies on new versions of known icons, an ordinary test set.

    >>> rows = toys.rows("inc-icons-style", "accuracy", {"resnet20": 0.5}, "icons50_open_style")
    >>> texts(version(page, rows), "td")[:3]
    ['style', '50.0', '9']
    """
    dataset = page.run.images.name
    panels = tables.panels(results, dataset, page.run.paper_names, ["version"])
    return page.item(
        "inc-icons-version",
        results,
        figure=_figure(panels),
        table=table(
            tables.protocol_frame(results, dataset),
            caption="Accuracy (%) on the icons held out, with its interval",
            decimals={"Icons": 0},
        ),
        alt=f"Accuracy of each network on versions held out: {words(panels)}.",
        convention="Which version of an icon is held out is drawn by the icon; "
        f"{page.run.interval_words}.",
        stand_ins=surface_variation.stand_ins(dataset),
    )


def subtype(page: Page, results: Results, first: Mapping[str, Sequence[Predictions]]) -> Html:
    """Return the accuracies on new subtypes, and those of the first network by class.

    Args:
        page: of the run.
        results: all rows.
        first: protocol -> predictions of the first network, one a seed.

    >>> rows = toys.rows("inc-icons-style", "accuracy", {"resnet20": 0.5}, "icons50_open_style")
    >>> block = subtype(page, rows, {"style": (toys.predicted_on("style:google", 2),)})
    >>> texts(block, "td")[8:10]  # of birds
    ['66.7', 'Hat']
    """
    panels = tables.panels(results, page.run.images.name, page.run.paper_names, ["subtype"])
    return page.item(
        "inc-icons-subtype",
        results,
        figure=_figure(panels),
        table=table(
            tables.accuracy_by_class_frame(first, page.run.images.class_names),
            caption="Accuracy (%) of the first network by class, and what the class was taken for "
            "most when the style was new",
        ),
        alt=f"Accuracy of each network on subtypes held out: {words(panels)}.",
        convention="Classes without an icon in a protocol have no number; means over seeds.",
        stand_ins=surface_variation.stand_ins(page.run.images.name),
    )


def _figure(panels: Mapping[str, Dots]) -> Figure:
    rows = dict.fromkeys(
        name for source in tables.SOURCES for dots in panels.values() for name in dots[source]
    )
    return dot_plot(panels, [*rows] or ["no network"], xlabel="accuracy (%)", others=tables.PAPER)


def predicted(page: Page, first: Sequence[Predictions], label: int) -> Html:
    """Return icons of one class in the style held out, each with what the first seed predicts.

    >>> first = toys.predicted_on("style:google", 2)
    >>> texts(predicted(page, (first,), networks.label_of(run, "Bird")), "text")
    ['Hat', 'Hat', '✓ Bird', '✓ Bird', '✓ Bird', '✓ Bird', 'toys']
    """
    every = networks.icons(page.run)
    found = galleries.predicted(first[0], every, label)
    return page.figure(
        "fig-predicted",
        image_grids.grid(every.pictures(found.places), found.captions, columns=8, size=0.87),
        caption=f"Icons of the class {every.class_names[label]} by the vendor held out, each with "
        "what the first network said.",
        alt=f"Icons of the class {every.class_names[label]}, taken for {listed(found.captions)}.",
    )


def every_vendor(run: Run, left_out: Results, vendors: Sequence[str]) -> Html:
    """Return the table of accuracies with every vendor held out in turn.

    >>> part = surface_variation.vendor_part("icons50_open", "google")
    >>> rows = toys.rows("inc-icons-style", "accuracy", {"resnet20_mini": 0.5}, part)
    >>> texts(every_vendor(run, rows, ["google"]), "td")
    ['50.0', '9']
    """
    return table(
        tables.vendor_frame(left_out, run.images.name, vendors),
        caption="Accuracy (%) of the first network on each vendor's icons after training on all "
        "others', with its interval",
        decimals={"Icons": 0},
    )
