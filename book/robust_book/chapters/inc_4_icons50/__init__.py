"""Surface variation on ICONS-50 [inc, sec. 4.2]: test icons differ from the training icons."""

from collections.abc import Iterable, Mapping, Sequence

from matplotlib.figure import Figure

from robust_book.chapters.inc_4_icons50 import numbers
from robust_book.chapters.learning import trained
from robust_book.chapters.view import Committed
from robust_book.figures import image_grids
from robust_book.figures.dot_plots import Dots, dot_plot, words
from robust_book.figures.shapes import Rows, on_one_axis
from robust_book.figures.style import SHARES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError, one_of
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation
from robust_lib.protocols.surface_variation import RANDOM, ByHoldOut
from robust_lib.results.notation import listed
from robust_lib.results.table import Results
from robust_lib.run import image_kinds, image_sets
from robust_lib.run.chapter import Chapter
from robust_lib.run.experiments import as_list
from robust_lib.run.network import Network
from robust_lib.run.run import Run

ROLE = "icons50"


def per_hold_out(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without each protocol's icons; the first model also by vendor.

    >>> from robust_lib.config.profiles import load_profile
    >>> str(per_hold_out(["resnet20"], load_profile("mini"))[0])
    'resnet20@style:microsoft'
    """
    icons = profile.data[ROLE]
    vendors = load_dataset(icons).options["styles"]
    in_turn = map(surface_variation.style_hold_out, vendors)
    every = [
        Network(model, hold_out=name)
        for model in models
        for name in surface_variation.protocols(match=surface_variation.rule(icons)).values()
    ]
    first = [Network(models[0], hold_out=name) for name in (RANDOM, *in_turn)]
    return tuple(dict.fromkeys([*every, *first]))


def icons(run: Run) -> Icons50:
    """Return the evaluated images, typed as icons."""
    return image_kinds.as_icons(run.images)


def model_names(run: Run) -> tuple[str, ...]:
    """Return the distinct models of the run's networks."""
    return tuple(dict.fromkeys(network.model for network in run.networks))


def rule(run: Run, match: str | None) -> str:
    """Return the rule that holds out icons: `match`, or else the rule of the run's icons."""
    return match or surface_variation.rule(run.images.name)


def held_out(run: Run, style: str, match: str) -> dict[str, str]:
    """Return protocol -> name of its hold-out, for hold-outs that the run's icons allow.

    Args:
        style: the vendor whose icons are held out.
        match: "exact" or "authors".

    Raises:
        InputError: the rule is another one, or the vendor has no icon.
    """
    found = surface_variation.protocols(style, match)
    for name in found.values():
        image_sets.held_out(run.images, name)
    return found


def vendors(run: Run, named: Sequence[str] | str | None = None) -> list[str]:
    """Return the vendors to hold out in turn.

    Args:
        named: names of vendors, or a list as text; None: all.

    Raises:
        InputError: a vendor has no icon.
    """
    known = sorted({icon.style for icon in icons(run).icons})
    wanted = known if named is None else as_list(named)
    for name in wanted:
        if name not in known:
            raise InputError(one_of("style", name, known))
    return list(wanted)


def label_of(run: Run, name: str) -> int:
    """Return the label of a class by its name.

    Raises:
        InputError: the class does not exist.
    """
    names = run.images.class_names
    if name not in names:
        raise InputError(one_of("a class", name, names))
    return names.index(name)


def predictions(
    run: Run, hold_outs: Iterable[str], models: Sequence[str] | None = None
) -> ByHoldOut:
    """Return each hold-out's predictions for its icons, by networks trained without them.

    Args:
        hold_outs: names accepted by `datasets.hold_outs.named`; all are looked up before the first
            network is trained.
        models: network names; None: the run's.
    """
    tested = {name: image_sets.held_out(run.images, name).test for name in hold_outs}
    found = {}
    for name, places in tested.items():
        wanted = [Network(model, hold_out=name) for model in models or model_names(run)]
        by_network = run.predict(
            Subset(run.images, tuple(places.tolist())), networks=wanted
        ).predictions
        found[name] = {Network.read(one).model: by_seed for one, by_seed in by_network.items()}
    return found


CHAPTER = Chapter(
    "inc_4_icons50",
    networks="icons50",
    role=ROLE,
    variants=per_hold_out,
    every_image=True,
    description="{title}: {images} icons of {classes} classes, {seeds}",
)
COMMITTED: Committed = {"surface": numbers.accuracies_frame}


def sample(page: Page, facts: Results) -> Html:
    """Return Figure 5: icons of some classes."""
    every = icons(page.run)
    places, side = sampled(every), facts.row(metric="image_size").value
    return page.item(
        "inc-fig5",
        facts,
        figure=_grid(every, places, every.names(places)),
        alt="Icons of twelve classes, four of each, drawn by different vendors.",
        convention=f"{every.name}, {len(every):,} icons at {side:.0f} pixels on white; only one of "
        "several drawings with the same pixels is kept.",
    )


def sampled(
    icons: Icons50, classes: int = surface_variation.SAMPLE_CLASSES, each: int = 4
) -> list[int]:
    """Return the positions of some icons of some classes.

    The classes are evenly spaced in the list, and each class shows as many vendors as possible.
    """
    labels = sorted(set(icons.labels.tolist()))
    chosen = [labels[place * len(labels) // classes] for place in range(min(classes, len(labels)))]
    places: list[int] = []
    for label in chosen:
        of_class = [place for place, icon in enumerate(icons.icons) if icon.label == label]
        by_style: dict[str, int] = {}
        for place in of_class:
            by_style.setdefault(icons.icons[place].style, place)
        first = list(by_style.values())
        places += (first + [place for place in of_class if place not in first])[:each]
    return places


def classes(page: Page, facts: Results) -> Html:
    """Return Appendix F: the classes of ICONS-50."""
    return page.item(
        "inc-appf",
        facts,
        table=table(
            numbers.class_frame(icons(page.run)),
            caption="The classes, with the number of icons, vendors and subtypes of each",
            decimals=0,
        ),
        alt="The fifty classes with their icons, vendors and subtypes.",
        convention="Subtypes that differ only in skin tone count as one.",
    )


def side_effects(run: Run, style: str) -> Html:
    """Return the table of the icons that the authors' rule unintentionally holds out.

    >>> block = side_effects(run, "google")
    >>> texts(block, "th")[4:], texts(block, "td")
    (['family_man_girl', 'family_man_boy'], ['1', '2', '–', '1', '1', '–'])
    """
    every = icons(run)
    subtypes = surface_variation.held_out_subtypes(every.name)
    effects = surface_variation.side_effects(every.icons, style, subtypes)
    return table(
        numbers.side_effect_frame(effects),
        caption="Icons that the authors' rule holds out in addition to those intended",
        decimals=0,
    )


def training(page: Page, hold_outs: Iterable[str]) -> Html:
    """Return the training curves of the run's models without the icons of some hold-outs.

    >>> texts(training(page, ["style:google", "version"]), "text")[:3]
    ['epoch', 'accuracy on training icons (%)', 'ResNet-20-like']
    """
    names = [*hold_outs]
    wanted = [Network(one, hold_out=name) for one in model_names(page.run) for name in names]
    return trained(page, page.run.training_curves(wanted), of="training icons")


def style(
    page: Page,
    results: Results,
    hold_outs: Iterable[str],
    match: str,
    left_out: Results | None = None,
) -> Html:
    """Return the accuracies on a new style next to those of the other protocols.

    Args:
        left_out: rows of `protocols.surface_variation.leave_one_out`, for a second panel.
    """
    dataset = page.run.images.name
    panels = numbers.panels(results, dataset, page.run.paper_names)
    by_vendor = (
        {} if left_out is None else numbers.vendor_dots(left_out, dataset, vendors(page.run))
    )
    return page.item(
        "inc-icons-style",
        results,
        figure=on_one_axis(
            [
                Rows(
                    {name: dots[numbers.RUN] for name, dots in panels.items()},
                    {
                        name: {title: value for title, (value, _, _) in dots[numbers.PAPER].items()}
                        for name, dots in panels.items()
                    },
                    numbers.gaps(results, dataset),
                    "Held-out icons by protocol",
                    "version − style (points)",
                ),
                Rows({"style": by_vendor}, title="Each vendor's style held out, first network"),
            ],
            xlabel="accuracy (%)",
            ends=SHARES,
        )
        if panels
        else None,
        rows=results.select(item="inc-icons-style") + (left_out or Results()),
        alt=(
            "Accuracy of each network on the icons that each protocol holds out, one shape per "
            f"protocol: {words(panels)}"
        )
        + (
            f"; and of the first network by vendor: {words({'': {'': by_vendor}})}."
            if by_vendor
            else "."
        ),
        convention=f"Accuracy in percent; {page.run.interval_words}. "
        f"Held out: {', '.join(hold_outs)}; {match} match; last epoch.",
        stand_ins=surface_variation.stand_ins(dataset),
    )


def version(page: Page, results: Results) -> Html:
    """Return the accuracies on new versions of known icons, an ordinary test set."""
    dataset = page.run.images.name
    panels = numbers.panels(results, dataset, page.run.paper_names, ["version"])
    return page.item(
        "inc-icons-version",
        results,
        figure=_figure(panels),
        table=table(
            numbers.protocol_frame(results, dataset),
            caption="Accuracy (%) on the held-out icons, with its interval",
            decimals={"Icons": 0},
        ),
        alt=f"Accuracy of each network on held-out versions: {words(panels)}.",
        convention="The held-out version is drawn at random for each icon; "
        f"{page.run.interval_words}.",
        stand_ins=surface_variation.stand_ins(dataset),
    )


def subtype(page: Page, results: Results, first: Mapping[str, Sequence[Predictions]]) -> Html:
    """Return the accuracies on new subtypes, and those of the first network by class.

    Args:
        first: protocol -> predictions of the first network, one per seed.
    """
    panels = numbers.panels(results, page.run.images.name, page.run.paper_names, ["subtype"])
    return page.item(
        "inc-icons-subtype",
        results,
        figure=_figure(panels),
        table=table(
            numbers.accuracy_by_class_frame(first, page.run.images.class_names),
            caption="Accuracy (%) of the first network by class, and the most frequent wrong "
            "prediction for the unseen style",
        ),
        alt=f"Accuracy of each network on held-out subtypes: {words(panels)}.",
        convention="Classes without icons in a protocol have no number; means over seeds.",
        stand_ins=surface_variation.stand_ins(page.run.images.name),
    )


def _figure(panels: Mapping[str, Dots]) -> Figure:
    rows = dict.fromkeys(
        name for source in numbers.SOURCES for dots in panels.values() for name in dots[source]
    )
    return dot_plot(
        panels,
        [*rows] or ["no network"],
        xlabel="accuracy (%)",
        others=numbers.PAPER,
        ends=SHARES,
    )


def predicted(page: Page, first: Sequence[Predictions], label: int) -> Html:
    """Return icons of one class in the held-out style, each with the first seed's prediction."""
    every = icons(page.run)
    places, captions = ranked(first[0], every, label)
    return page.figure(
        "fig-predicted",
        _grid(every, places, captions),
        caption=f"Icons of the class {every.class_names[label]} from the held-out vendor, each "
        "with "
        "the first network's prediction.",
        alt=f"Icons of the class {every.class_names[label]}, predicted as {listed(captions)}.",
    )


def ranked(
    predictions: Predictions, icons: Icons50, label: int, most: int = 24
) -> tuple[list[int], list[str]]:
    """Return the positions of a class's icons, mistakes first, and captions with their predictions.

    A tick precedes the caption of a correct prediction.

    Raises:
        InputError: no icon of the class was held out.
    """
    of_class = [place for place, true in enumerate(predictions.labels) if true == label]
    if not of_class:
        raise InputError(
            f"Expected icons of the class {icons.class_names[label]} among those held out, but "
            "there are none. Use a different class, or hold out a different style."
        )
    shown = sorted(of_class, key=lambda place: bool(predictions.correct[place]))[:most]
    names = [icons.class_names[int(predictions.predicted[place])] for place in shown]
    ticks = ["\N{CHECK MARK} " if predictions.correct[place] else "" for place in shown]
    position = {name: place for place, name in enumerate(icons.ids)}
    return (
        [position[predictions.ids[place]] for place in shown],
        [f"{tick}{name}" for tick, name in zip(ticks, names, strict=True)],
    )


def _grid(icons: Icons50, places: Sequence[int], captions: Sequence[str]) -> Figure:
    return image_grids.grid(icons.pictures(places), captions, columns=8, size=0.87)


def every_vendor(run: Run, left_out: Results, vendors: Sequence[str]) -> Html:
    """Return the table of accuracies with every vendor held out in turn.

    >>> part = surface_variation.vendor_part("icons50_open", "google")
    >>> rows = toys.rows("inc-icons-style", "accuracy", {"resnet20_mini": 0.5}, part)
    >>> texts(every_vendor(run, rows, ["google"]), "td")
    ['50.0', '9']
    """
    return table(
        numbers.vendor_frame(left_out, run.images.name, vendors),
        caption="Accuracy (%) of the first network on each vendor's icons after training on the "
        "icons of all others, with its interval",
        decimals={"Icons": 0},
    )
