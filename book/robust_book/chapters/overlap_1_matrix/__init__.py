"""Overlapping scores of pairs of corruptions [overlap, sec. 3 and 4.1]."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

from robust_book.chapters import overlap
from robust_book.chapters.overlap import Architectures
from robust_book.chapters.overlap_1_matrix import numbers
from robust_book.chapters.view import Committed
from robust_book.figures import dot_plots, overlap_matrix, overlap_method, scatter
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.config.profiles import Profile
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import results as overlap_results
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid
from robust_lib.protocols.overlap.agreement import ITEM as AGREEMENT
from robust_lib.protocols.overlap.convention import Convention
from robust_lib.protocols.overlap.groups import possible
from robust_lib.protocols.overlap.longer import Longer, longer
from robust_lib.protocols.overlap.longer import results as longer_rows
from robust_lib.protocols.overlap.scores import complete, matrix, means, reasons
from robust_lib.results.notation import listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions, per_corruption
from robust_lib.run.network import Network, network_title, network_titles
from robust_lib.run.run import Run
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import COMMON, corruption_label


def networks(
    models: Sequence[str], profile: Profile, corruptions: Sequence[str]
) -> tuple[Network, ...]:
    """Return each model's networks by corruption; a control (longer training) has a single one.

    >>> from robust_lib.config.profiles import load_profile
    >>> found = networks(["resnet18", "resnet18_longer"], load_profile("mini"), ["fog"])
    >>> [str(one) for one in found]
    ['resnet18', 'resnet18+fog', 'resnet18_longer']
    """
    ours = {name: profile.networks["overlap"].get(name, name) for name in models}
    others = overlap.controls(ours.values()).values()
    found = (
        per_corruption([name], profile, () if ours[name] in others else corruptions)
        for name in models
    )
    return tuple(chain.from_iterable(found))


CHAPTER = Chapter(
    "overlap_1_matrix",
    networks="overlap",
    role="imagenet_100",
    shows=(OnCorruptions("imagenet_100"),),
    variants=networks,
    corruptions="training",
    checks=(Convention,),
)

COMMITTED: Committed = {"overlaps": numbers.groups_frame, "pairs": numbers.pairs_frame}

CORRUPTED_SHARE = 0.5  # of a batch
DROP = 0.1  # by which a step schedule multiplies the rate


def results(architectures: Architectures) -> Results:
    """Return the rows of all overlaps, and the ceiling of agreement between architectures."""
    return numbers.with_ceiling(overlap_results(architectures), architectures)


def method(page: Page) -> Html:
    """Return Figure 1, a drawing of how two corruptions and three networks give one score.

    >>> texts(method(page), "text")[4:9]
    ['standard', '+ motion blur', 'network 1', '+ defocus blur', 'network 2']
    """
    return page.item(
        "overlap-fig1",
        figure=overlap_method.method("motion blur", "defocus blur"),
        alt="Six steps from two corruptions and three networks to one overlapping score.",
        convention="The drawing explains the method and shows no measured number.",
    )


def trained_on(architectures: Architectures, grid: Grid, *, samples: int) -> dict[str, Longer]:
    """Return architecture -> the effect of equally many further epochs without a corruption.

    Architectures without such a control are left out.
    """
    found = {}
    for standard, control in overlap.controls(grid.models).items():
        if standard not in architectures:
            continue
        one = architectures[standard]
        trained = {name: str(Network(standard, name)) for name in one.table.corruptions}
        found[standard] = longer(
            one.table, from_grid(grid, control, trained), one.convention, one.judged.corruptions,
            samples=samples,
        )  # fmt: skip
    return found


def control_rows(control: Mapping[str, Longer], dataset: str) -> Results:
    """Return the effect of longer training as rows."""
    return longer_rows(control, dataset)


def gains(architectures: Architectures, control: Mapping[str, Longer] | None = None) -> Html:
    """Return the table of each network's gains.

    Args:
        control: architecture -> the effect of longer training without a corruption.

    >>> texts(gains(toys.judged("fog", "snow")), "td")[:3]  # trained with nothing
    ['nothing', '–', '90.0']
    """
    beside = (
        (
            "; the gain of the control, which was trained for as long without corrupted images, "
            "and the control's share of the network's gain, that is, the overlap that arises "
            "without training on any corruption"
        )
        if control
        else ""
    )
    return table(
        numbers.gains_frame(architectures, control or {}),
        caption=(
            "Accuracy (%) on clean images and on the training corruption, averaged over the "
            "severities; gain in robustness (points) with its interval; whether the network has "
            "scores"
        )
        + beside,
    )


def matrices(page: Page, results: Results, grid: Grid, architectures: Architectures) -> Html:
    """Return Figure 2: the score of each pair of corruptions, one matrix per architecture.

    >>> block = matrices(page, Results(), toys.grid("resnet18"), toys.judged("fog", "snow"))
    >>> texts(block, "text")[:7]
    ['Fog', 'Snow', 'Fog', 'Snow', 'ResNet-18', 'mean', 'overlap']
    """
    every = list(architectures.values())
    return page.item(
        "overlap-fig2",
        results,
        figure=overlap_matrix.matrices(
            [matrix(one) for one in every],
            [means(one) for one in every],
            list(network_titles(architectures).values()),
            [reasons(one) for one in every],
        ),
        alt="Overlapping scores of all pairs of corruptions, one matrix per architecture; pairs "
        "that cannot be judged are hatched.",
        convention=f"{overlap.counted(architectures)}. Hatched cells have no score; the hatching "
        f"gives the reason. Measured: {every[0].convention.words}; storage: {grid.convention()}; "
        f"{grid.images:,} images per condition, severities {page.run.severity_words}; "
        f"{page.run.interval_words}.",
    )


def blocks(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return the mean overlap within the paper's blocks of corruptions, and across two of them."""
    means = numbers.blocks(results, architectures)
    if not any(means.values()):
        return unjudged("means of blocks")
    return page.figure(
        "fig-blocks",
        dot_plots.dot_plot(
            {"": means},
            list(numbers.block_titles(architectures).values()),
            xlabel="mean overlap",
        ),
        caption="The mean overlap of each block's judged pairs, with its interval: the corruptions "
        "of a block far to the right are nearly equivalent.",
        alt="Mean overlap of each block of corruptions: "
        f"{dot_plots.words({'': means}, unit='', digits=2)}.",
    )


def unjudged(what: str) -> Html:
    """Return the sentence shown instead of an empty figure.

    >>> unjudged("dots").markup
    '<p class="rb-convention">No dots: no pair of corruptions can be judged in this run.</p>'
    """
    return Html(
        f'<p class="rb-convention">No {what}: no pair of corruptions can be judged in this run.</p>'
    )


def clusters(page: Page, architectures: Architectures) -> Html:
    """Return the clustered score matrix of the architecture with the most scores.

    If fewer than two corruptions are left, a sentence states it.
    """
    frames = {name: complete(matrix(one)) for name, one in architectures.items()}
    name = max(frames, key=lambda one: len(frames[one]))
    kept, every = frames[name], architectures[name].table.corruptions
    if len(kept) < 2:
        return Html(
            f'<p class="rb-convention">No tree: {text(network_title(name))} and the others have '
            f"fewer than two corruptions between which a score can be judged.</p>"
        )
    lost = [corruption_label(one).lower() for one in every if one not in kept.index]
    figure = page.figure(
        "fig-clusters",
        overlap_matrix.clusters(kept, network_title(name)),
        caption="The same scores in the order of a clustering: corruptions that join low in the "
        "tree are nearly equivalent for the network.",
        alt="Overlapping scores of one architecture in the order of a clustering, with its tree; "
        f"clustered: {listed(list(kept.index))}.",
    )
    left_out = (
        f"Left out, because a score with another corruption cannot be judged: {listed(lost)}."
    )
    return lines(figure, f'<p class="rb-convention">{text(left_out)}</p>' if lost else None)


def agreement(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return the figure of overlaps in two architectures, one dot per pair of corruptions."""
    dots = numbers.in_both(results, architectures)
    judged = sum(map(len, dots.values()))
    one, other, *_ = [*map(network_title, architectures), "another architecture"]
    words = next(iter(architectures.values())).convention.words
    return page.item(
        AGREEMENT,
        results,
        figure=scatter.agreement(
            dots,
            xlabel=f"overlap, {one}",
            ylabel=f"overlap, {other}",
            left_out=possible(COMMON) - judged,
        )
        if judged
        else None,
        table=None if judged else unjudged("dots"),
        alt="The overlapping score of each pair of common corruptions in two architectures, "
        "one dot per pair, with the line on which both are equal.",
        convention=f"{judged} of {possible(COMMON)} pairs of the fifteen are judged in both; "
        f"agreement is Spearman's rank correlation over these; {words}; "
        f"{page.run.interval_words}. {numbers.bound_words(results)}".strip(),
    )


def settings(run: Run, accuracies: Mapping[str, Accuracies]) -> Results:
    """Return the number of networks and their training settings, as rows."""
    manifest, recipe = run.recipe
    return overlap.counts(accuracies) + training_settings(
        recipe,
        dataset=run.images.name,
        classes=len(run.images.class_names),
        side=manifest.preprocessing.crop,
    )


def training_settings(recipe: Recipe, *, dataset: str, classes: int, side: int | None) -> Results:
    """Return the training settings of the networks, as rows.

    Args:
        side: side of the images in pixels; None if they keep their sizes.
    """
    values = {
        "momentum": recipe.momentum,
        "weight_decay": recipe.weight_decay,
        "epochs": recipe.epochs,
        "batch_size": recipe.batch,
        "learning_rate": recipe.rate,
        "image_size": side,
        "flip_probability": 0.5 if recipe.flip else 0.0,
        "classes": classes,
        "corrupted_share": CORRUPTED_SHARE,
        "rate_drop": DROP if recipe.schedule == "step" else None,
    }
    row = partial(Row, item="overlap-fig2", dataset=dataset)
    drops = recipe.drops if recipe.schedule == "step" else ()
    rows = [row(metric=name, value=float(one)) for name, one in values.items() if one is not None]
    # Told apart by their number, which the paper's rows have, too.
    rows += [
        row(metric="milestone", value=drop * recipe.epochs, severity=number)
        for number, drop in enumerate(drops, 1)
    ]
    return Results.of(rows)
