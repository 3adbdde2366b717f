"""Surface variation on ICONS-50 [inc, sec. 4.2]: networks meet icons unlike those they learnt."""

from collections.abc import Iterable, Mapping, Sequence

from robust_lib.chapters.inc_4_icons50 import galleries, tables
from robust_lib.chapters.tables import Committed
from robust_lib.config.manifests import load_dataset
from robust_lib.config.profiles import Profile
from robust_lib.datasets.icons50 import Icons50
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError, one_of
from robust_lib.figures import bars, curves, image_grids
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import surface_variation
from robust_lib.protocols.surface_variation import RANDOM, ByHoldOut
from robust_lib.results.table import Results
from robust_lib.run import image_sets
from robust_lib.run.chapter import Chapter
from robust_lib.run.network import Network
from robust_lib.run.page import Page
from robust_lib.run.run import Run
from robust_lib.run.start import as_list

ROLE = "icons50"


def per_hold_out(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str] = ()
) -> tuple[Network, ...]:
    """Return each model trained without each protocol's icons; the first also vendor by vendor.

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


CHAPTER = Chapter(
    "inc_4_icons50",
    networks="icons50",
    role=ROLE,
    variants=per_hold_out,
    every_image=True,
    description="{title}: {images} icons of {classes} classes, {seeds}",
)
COMMITTED: Committed = {"surface": tables.accuracies_frame}


def icons(run: Run) -> Icons50:
    """Return the evaluated images as the icons that they are."""
    return image_sets.as_icons(run.images)


def model_names(run: Run) -> tuple[str, ...]:
    """Return the models of the run's networks, each once."""
    return tuple(dict.fromkeys(network.model for network in run.networks))


def rule(run: Run, match: str | None) -> str:
    """Return the rule that holds out icons: the one named, else that of the run's icons."""
    return match or surface_variation.rule(run.images.name)


def held_out(run: Run, style: str, match: str) -> dict[str, str]:
    """Return protocol -> name of its hold-out, each of which the run's icons allow.

    Args:
        run: has the icons.
        style: the vendor whose icons are held out.
        match: "exact" or "authors".

    Raises:
        InputError: another match, or a vendor that no icon is of.
    """
    found = surface_variation.protocols(style, match)
    for name in found.values():
        image_sets.held_out(run.images, name)
    return found


def vendors(run: Run, named: Sequence[str] | str | None = None) -> list[str]:
    """Return the vendors to leave out in turn, all if none are named.

    Args:
        run: has the icons.
        named: names of vendors, or the text of a list.

    Raises:
        InputError: a vendor that no icon is of.
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
        InputError: no such class.
    """
    names = run.images.class_names
    if name not in names:
        raise InputError(one_of("a class", name, names))
    return names.index(name)


def predictions(
    run: Run, hold_outs: Iterable[str], models: Sequence[str] | None = None
) -> ByHoldOut:
    """Return the predictions of networks trained without the icons of each hold-out on them.

    Args:
        run: has the icons and the networks.
        hold_outs: names as `datasets.hold_outs.named` takes them; all are looked up before the
            first network is trained.
        models: names of networks; None: the run's.
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


def sample(page: Page, facts: Results) -> Html:
    """Return Figure 5: icons of some classes."""
    every = icons(page.run)
    found, side = galleries.sample(every), facts.row(metric="image_size").value
    return page.item(
        "inc-fig5",
        facts,
        figure=image_grids.grid(every.pictures(found.places), found.captions, columns=8, size=0.95),
        alt="Icons of twelve classes, four of each, drawn by different vendors.",
        convention=f"{every.name}, {len(every):,} icons at {side:.0f} pixels on white; "
        "of drawings with the same pixels one is kept.",
    )


def classes(page: Page, facts: Results) -> Html:
    """Return Appendix F: the classes."""
    return page.item(
        "inc-appf",
        facts,
        table=table(
            tables.class_frame(icons(page.run)),
            caption="The classes, and how many icons, vendors and subtypes each has",
            decimals=0,
        ),
        alt="The fifty classes with their icons, vendors and subtypes.",
        convention="Skin tones of one subtype count once.",
    )


def side_effects(run: Run, style: str) -> Html:
    """Return the table of what the authors' rule takes besides what was meant."""
    every = icons(run)
    subtypes = surface_variation.held_out_subtypes(every.name)
    effects = surface_variation.side_effects(every.icons, style, subtypes)
    return table(
        tables.side_effect_frame(effects),
        caption="What the authors' rule takes besides what was meant, on these icons",
        decimals=0,
    )


def training(page: Page, hold_outs: Iterable[str]) -> Html:
    """Return the training curves of the run's models without the icons of some hold-outs."""
    names = [*hold_outs]
    wanted = [Network(one, hold_out=name) for one in model_names(page.run) for name in names]
    return page.figure(
        "fig-training",
        curves.training(page.run.training_curves(wanted), ylabel="accuracy on training icons (%)"),
        alt="Training accuracy by epoch, a line a network and protocol.",
    )


def style(page: Page, results: Results, hold_outs: Iterable[str], match: str) -> Html:
    """Return the accuracies on a new style beside those of the other protocols."""
    dataset = page.run.images.name
    return page.item(
        "inc-icons-style",
        results,
        figure=bars.architectures(
            tables.intervals(results, dataset),
            tables.printed(),
            words=("The paper: ICONS-50", f"This run: {dataset}"),
            ylabel="accuracy on what was held out (%)",
            even=None,
        ),
        alt="Accuracy of each network on icons held out by style, version and subtype, and of one "
        "at random: the paper's and this run's.",
        convention=f"Accuracy in percent; {page.run.interval_words}. "
        f"Held out: {', '.join(hold_outs)}; {match} match; last epoch.",
        stand_ins=surface_variation.stand_ins(dataset),
    )


def version(page: Page, results: Results) -> Html:
    """Return the accuracies on new versions of known icons, an ordinary test set."""
    dataset = page.run.images.name
    return page.item(
        "inc-icons-version",
        results,
        table=table(
            tables.protocol_frame(results, dataset),
            caption="Accuracy (%) on the icons held out, with the ends of its interval",
            decimals={"Icons": 0},
        ),
        alt="Accuracy of each network in each protocol with its interval.",
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
    """
    return page.item(
        "inc-icons-subtype",
        results,
        table=table(
            tables.accuracy_by_class_frame(first, page.run.images.class_names),
            caption="Accuracy (%) of the first network by class, and what the class was taken for "
            "most when the style was new",
        ),
        alt="Accuracy of the first network by class in each protocol.",
        convention="Classes without an icon in a protocol have no number; means over seeds.",
        stand_ins=surface_variation.stand_ins(page.run.images.name),
    )


def predicted(page: Page, first: Sequence[Predictions], label: int) -> Html:
    """Return icons of one class in the style held out, each with what the first seed predicts."""
    every = icons(page.run)
    found = galleries.predicted(first[0], every, label)
    return page.figure(
        "fig-predicted",
        image_grids.grid(every.pictures(found.places), found.captions, columns=8, size=0.95),
        alt=f"Icons of the class {every.class_names[label]} in the style held out, each with what "
        "the first network said.",
    )


def every_vendor(run: Run, left_out: Results, vendors: Sequence[str]) -> Html:
    """Return the table of accuracies with every vendor held out in turn."""
    return table(
        tables.vendor_frame(left_out, run.images.name, vendors),
        caption="Accuracy (%) of the first network on each vendor's icons after training on all "
        "others', with the ends of its interval",
        decimals={"Icons": 0},
    )
