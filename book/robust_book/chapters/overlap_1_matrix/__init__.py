"""Which corruptions are the same to a network [overlap, sec. 3 and 4.1]."""

from collections.abc import Mapping
from functools import partial

from robust_book.chapters import overlap
from robust_book.chapters.overlap_1_matrix import tables
from robust_book.chapters.overlap_1_matrix.ceiling import with_ceiling
from robust_book.chapters.view import Committed
from robust_book.figures import dot_plots, overlap_matrix, overlap_method, scatter
from robust_book.html.markup import Html, lines, text
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import results as overlap_results
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.agreement import ITEM as AGREEMENT
from robust_lib.protocols.overlap.frames import complete, matrix, means, reasons
from robust_lib.protocols.overlap.groups import possible
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.notation import listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions, per_corruption
from robust_lib.run.network import network_title, network_titles
from robust_lib.run.run import Run
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import COMMON, corruption_label

Architectures = Mapping[str, ArchitectureOverlaps]

CHAPTER = Chapter(
    "overlap_1_matrix",
    networks="overlap",
    role="imagenet_100",
    shows=(OnCorruptions("imagenet_100"),),
    variants=per_corruption,
    corruptions="training",
)

COMMITTED: Committed = {"overlaps": tables.groups_frame, "pairs": tables.pairs_frame}

CORRUPTED_SHARE = 0.5  # of a batch
DROP = 0.1  # by which a step schedule multiplies the rate


def results(architectures: Architectures) -> Results:
    """Return the rows of all overlaps, and how far the architectures could agree at all.

    >>> rows = results(toys.judged("fog", "snow"))
    >>> {row.corruption for row in rows.select(metric="overlap").rows}
    {'snow+fog'}
    """
    return with_ceiling(overlap_results(architectures), architectures)


def method(page: Page) -> Html:
    """Return Figure 1, drawn: how two corruptions and three networks make one score.

    >>> texts(method(page), "text")[4:9]
    ['standard', '+ motion blur', 'network 1', '+ defocus blur', 'network 2']
    """
    return page.item(
        "overlap-fig1",
        figure=overlap_method.method("motion blur", "defocus blur"),
        alt="Six steps from two corruptions and three networks to one overlapping score.",
        convention="A drawing of the method; it shows no measured number.",
    )


def gains(architectures: Architectures) -> Html:
    """Return the table of what each network learned.

    >>> texts(gains(toys.judged("fog", "snow")), "td")[:3]  # trained with nothing
    ['nothing', '–', '90.0']
    """
    return table(
        tables.gains_frame(architectures),
        caption="Accuracy (%) on clean images and on the corruption trained with, mean of the "
        "severities; gain in robustness (points) with its interval; whether it has scores",
    )


def matrices(page: Page, results: Results, grid: Grid, architectures: Architectures) -> Html:
    """Return Figure 2: the score of each pair of corruptions, a matrix an architecture.

    >>> block = matrices(page, Results(), toys.grid("resnet18"), toys.judged("fog", "snow"))
    >>> texts(block, "text")
    ['Fog', 'Snow', 'Fog', 'Snow', 'ResNet-18', 'mean', 'overlap', 'toys']
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
        alt="Overlapping scores of all pairs of corruptions, one matrix an architecture; pairs "
        "that cannot be judged are hatched.",
        convention=f"{overlap.counted(architectures)}. Hatched: no score, by its reason. Measured: "
        f"{every[0].convention.words}; storage: {grid.convention()}; {grid.images:,} images a "
        f"cell, severities {page.run.severity_words}; {page.run.interval_words}.",
    )


def blocks(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return the mean overlap of the blocks that the paper speaks of, and across two of them.

    >>> architectures = toys.judged("gaussian_noise", "shot_noise", "fog")
    >>> texts(blocks(page, Results(), architectures), "text")[1:3]
    ['Noises: 1 of 3 pairs', 'Blurs, pixelate: 0 of 10 pairs']
    """
    means = tables.blocks(results, architectures)
    return page.figure(
        "fig-blocks",
        dot_plots.dot_plot(
            {"": means},
            list(tables.block_titles(architectures).values()),
            xlabel="mean overlap",
        ),
        caption="The mean overlap of each block's judged pairs, with its interval: a block far to "
        "the right is one corruption under several names.",
        alt="Mean overlap of each block of corruptions: "
        f"{dot_plots.words({'': means}, unit='', digits=2) or 'no pair is judged'}.",
    )


def clusters(page: Page, architectures: Architectures) -> Html:
    """Return a matrix with neighbours side by side, of the architecture that has most to show.

    Where fewer than two corruptions are left, it says so.

    >>> texts(clusters(page, toys.judged("fog", "snow", "gaussian_noise")), "text")[1:5]
    ['ResNet-18', 'Gaussian noise', 'Snow', 'Fog']
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
        "tree are the same to the network.",
        alt="Overlapping scores of one architecture in the order of a clustering, with its tree; "
        f"clustered: {listed(list(kept.index))}.",
    )
    left_out = f"Left out, because a score with another cannot be judged: {listed(lost)}."
    return lines(figure, f'<p class="rb-convention">{text(left_out)}</p>' if lost else None)


def agreement(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return whether architectures have the same overlaps: a dot a pair of corruptions.

    >>> rows = toys.rows("overlap-claim-arch", "rank_correlation", {None: 0.9}, "scenes_small_val")
    >>> key = "rank_correlation_between_seeds"
    >>> rows += toys.rows("overlap-claim-arch", key, {None: 0.6}, "scenes_small_val")
    >>> block = agreement(page, rows, toys.judged("fog", "snow"))
    >>> "0.90" in block.markup and "holds" in block.markup
    True
    """
    dots = tables.in_both(results, architectures)
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
        ),
        alt="The overlapping score of each pair of common corruptions in two architectures, a "
        "dot a pair, with the line where both are the same.",
        convention=f"{judged} of {possible(COMMON)} pairs of the fifteen are judged in both; "
        f"agreement is Spearman's rank correlation over these; {words}; "
        f"{page.run.interval_words}.",
    )


def settings(run: Run, accuracies: Mapping[str, Accuracies]) -> Results:
    """Return how many networks there are and how they were trained, beside the paper's settings.

    >>> rows = settings(run, toys.overlaps("fog", "snow"))
    >>> rows.row(metric="models").value, rows.row(metric="classes").value
    (3.0, 3.0)
    """
    manifest, recipe = run.recipe
    return overlap.counts(accuracies) + training_settings(
        recipe,
        dataset=run.images.name,
        classes=len(run.images.class_names),
        side=manifest.preprocessing.crop,
    )


def training_settings(recipe: Recipe, *, dataset: str, classes: int, side: int | None) -> Results:
    """Return how the networks were trained, as rows.

    Args:
        recipe: of the networks.
        dataset: what they were trained on.
        classes: how many it has.
        side: of its pictures, pixels; None where they keep their sizes.

    >>> recipe = Recipe(epochs=40, batch=256, rate=0.1)
    >>> training_settings(recipe, dataset="toys", classes=9, side=48).row(metric="batch_size").value
    256.0
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
    return Results.of(
        [
            *(
                row(metric=name, value=float(value))
                for name, value in values.items()
                if value is not None
            ),
            # Told apart by their number, which the paper's rows have, too.
            *(
                row(metric="milestone", value=drop * recipe.epochs, severity=number)
                for number, drop in enumerate(drops, 1)
            ),
        ]
    )
