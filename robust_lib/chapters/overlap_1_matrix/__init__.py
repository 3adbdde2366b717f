"""Which corruptions are the same to a network [overlap, sec. 3 and 4.1]."""

from collections.abc import Mapping
from functools import partial

from robust_lib.chapters import overlap
from robust_lib.chapters.overlap_1_matrix import tables
from robust_lib.chapters.tables import Committed
from robust_lib.figures import overlap_matrix, overlap_method
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.scores import Convention, matrix, means
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, mean
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions, per_corruption
from robust_lib.run.network import network_title, network_titles
from robust_lib.run.page import Page
from robust_lib.run.run import Run
from robust_lib.training.recipes import Recipe

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


def gains(accuracies: Mapping[str, Accuracies]) -> Html:
    """Return the table of what each network learned.

    >>> texts(gains(toys.overlaps("fog", "snow")), "td")[5:10]  # trained with fog
    ['Fog', '90.0', '18.0', '63.0', '50.0']
    """
    return table(
        tables.gains_frame(accuracies),
        caption="Accuracy (%) on clean images and on the corruption trained with, "
        "mean of the severities",
    )


def matrices(
    page: Page,
    results: Results,
    grid: Grid,
    accuracies: Mapping[str, Accuracies],
    convention: Convention,
) -> Html:
    """Return Figure 2: the score of each pair of corruptions, a matrix an architecture.

    >>> accuracies = toys.overlaps("fog", "snow")
    >>> block = matrices(page, Results(), toys.grid("resnet18"), accuracies, Convention())
    >>> texts(block, "text")
    ['Fog', 'Snow', 'Fog', 'Snow', 'ResNet-18', 'mean', 'overlap', 'toys']
    """
    return page.item(
        "overlap-fig2",
        results,
        figure=overlap_matrix.matrices(
            [matrix(one, convention) for one in accuracies.values()],
            [means(one, convention) for one in accuracies.values()],
            list(network_titles(accuracies).values()),
        ),
        alt="Overlapping scores of all pairs of corruptions, one matrix an architecture.",
        convention=f"{convention.words}; storage: {grid.storage}; {grid.images:,} images a cell, "
        f"severities {page.run.severity_words}.",
    )


def clusters(page: Page, accuracies: Mapping[str, Accuracies], convention: Convention) -> Html:
    """Return the first architecture's matrix with neighbours side by side.

    >>> accuracies = toys.overlaps("fog", "snow", "gaussian_noise")
    >>> texts(clusters(page, accuracies, Convention()), "text")[1:5]
    ['ResNet-18', 'Gaussian noise', 'Snow', 'Fog']
    """
    first, one = next(iter(accuracies.items()))
    return page.figure(
        "fig-clusters",
        overlap_matrix.clusters(tables.defined(one, convention), network_title(first)),
        alt="Overlapping scores of the first architecture in the order of a clustering, "
        "with its tree.",
    )


def agreement(page: Page, results: Results, convention: Convention) -> Html:
    """Return whether architectures have the same overlaps.

    >>> rows = toys.rows("overlap-claim-arch", "rank_correlation", {None: 0.9}, "scenes_small_val")
    >>> texts(agreement(page, rows, Convention()), "td")
    ['claimed', '–', '–', '✓ holds', '0.9 > 0.5: holds']
    """
    return page.item(
        "overlap-claim-arch",
        results,
        alt="Rank correlation of the two architectures' overlapping scores.",
        convention="Spearman's rank correlation of the pairs of common corruptions; "
        f"{convention.words}.",
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


def key_numbers(results: Results, accuracies: Mapping[str, Accuracies]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    A number that this run does not have is there in words.

    Args:
        results: the rows of all overlaps.
        accuracies: architecture -> those of its networks.

    >>> import numpy as np
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> numbers = key_numbers(Results(), {"resnet18": one})
    >>> numbers["clean"].text, numbers["agreement"].text
    ('80.0 to 80.0 %', 'not measured')
    """
    first = next(iter(accuracies.values()))
    least = min(one.clean.min() for one in accuracies.values())
    most = max(one.clean.max() for one in accuracies.values())
    agreement = results.select(metric="rank_correlation", model=None).rows
    numbers: dict[str, KeyNumber] = {
        "clean": KeyNumber(
            f"{100 * least:.1f} to {100 * most:.1f} %",
            convention="least and greatest clean accuracy of all networks",
            n=first.n,
        ),
        "agreement": NOT_MEASURED,
    }
    if agreement:
        value, words = agreement[0].value, agreement[0].convention or ""
        numbers["agreement"] = KeyNumber(
            f"{value:.2f}", value=value, convention=words, n=agreement[0].n
        )
    for group in ("noise", "blur_pixelate", "texture", "all"):
        rows = results.select(metric="group_overlap", corruption=group).rows
        numbers[f"{group}_overlap"] = mean([row.value for row in rows], "pairs and architectures")
    return numbers
