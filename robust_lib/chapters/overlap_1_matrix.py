"""Which corruptions are the same to a network [overlap, sec. 3 and 4.1]."""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from robust_lib.chapters import overlap, tables
from robust_lib.errors import InputError
from robust_lib.figures import overlap_matrix, overlap_method
from robust_lib.figures.style import corruption_label
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.metrics.overlap import robustness_score
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.agreement import ITEM as AGREEMENT
from robust_lib.protocols.overlap.scores import PAPER, Convention, matrix, means, undefined
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

CORRUPTED_SHARE = 0.5  # of a batch
DROP = 0.1  # by which a step schedule multiplies the rate


def method(page: Page) -> Html:
    """Return Figure 1, drawn: how two corruptions and three networks make one score."""
    return page.item(
        "overlap-fig1",
        figure=overlap_method.method("motion blur", "defocus blur"),
        alt="Six steps from two corruptions and three networks to one overlapping score.",
        convention="A drawing of the method; it shows no measured number.",
    )


def gains(accuracies: Mapping[str, Accuracies]) -> Html:
    """Return the table of what each network learned."""
    return table(
        gains_frame(accuracies),
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
    """Return Figure 2: the score of each pair of corruptions, a matrix an architecture."""
    return page.item(
        "overlap-fig2",
        results,
        figure=overlap_matrix.matrices(
            [matrix(one, convention) for one in accuracies.values()],
            [means(one, convention) for one in accuracies.values()],
            list(network_titles(accuracies).values()),
        ),
        alt="Overlapping scores of all pairs of corruptions, one matrix an architecture.",
        convention=f"{convention.words}; storage: {grid.convention()}; {grid.images:,} images a "
        f"cell, severities {page.run.severity_words}.",
    )


def clusters(page: Page, accuracies: Mapping[str, Accuracies], convention: Convention) -> Html:
    """Return the first architecture's matrix with neighbours side by side."""
    first, one = next(iter(accuracies.items()))
    return page.figure(
        "fig-clusters",
        overlap_matrix.clusters(defined(one, convention), network_title(first)),
        alt="Overlapping scores of the first architecture in the order of a clustering, "
        "with its tree.",
    )


def agreement(page: Page, results: Results, convention: Convention) -> Html:
    """Return whether architectures have the same overlaps."""
    made = dict.fromkeys(str(row.convention) for row in results.select(item=AGREEMENT).rows)
    return page.item(
        AGREEMENT,
        results,
        alt="Rank correlation of the two architectures' overlapping scores.",
        convention="Spearman's rank correlation of the pairs of common corruptions; "
        f"{next(iter(made), convention.words)}.",
    )


def settings(run: Run, accuracies: Mapping[str, Accuracies]) -> Results:
    """Return how many networks there are and how they were trained, beside the paper's settings."""
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


def gains_frame(accuracies: Mapping[str, Accuracies]) -> pd.DataFrame:
    """Return how well each network learned: its clean accuracy and what its corruption gained it.

    A row a network, accuracies in percent, means over seeds. A network that is far less accurate
    than the standard one, or gains little against its own corruption, did not learn enough to
    speak of overlaps.

    >>> import numpy as np
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> gains_frame({"resnet18": one})["Gain in robustness"].round().tolist()
    [nan, 75.0, 75.0]
    """
    rows = []
    for name, one in accuracies.items():
        accuracy, clean = one.accuracy.mean(0), one.clean.mean(0)
        scores = robustness_score(accuracy, clean[:, None])
        rows.append(
            {"Network": network_title(name), "Trained with": "nothing", "Clean": 100 * clean[0]}
        )
        for place, corruption in enumerate(one.corruptions):
            rows.append(
                {
                    "Network": network_title(name),
                    "Trained with": corruption_label(corruption),
                    "Clean": 100 * clean[place + 1],
                    "Standard on it": 100 * accuracy[0, place],
                    "Itself on it": 100 * accuracy[place + 1, place],
                    "Gain in robustness": 100 * (scores[place + 1, place] - scores[0, place]),
                }
            )
    return pd.DataFrame(rows)


def defined(table: Accuracies, convention: Convention = PAPER) -> pd.DataFrame:
    """Return the matrix without the corruptions that have no overlaps.

    Raises:
        InputError: fewer than two are left.

    >>> import numpy as np
    >>> accuracy = np.array([[[0.2, 0.2], [0.8, 0.4], [0.4, 0.8]]])
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=accuracy,
    ...     clean=np.full((1, 3), 0.8), n=9, n_full=9, words="memory")
    >>> defined(one).loc["fog", "snow"].round(2)
    np.float64(0.33)
    """
    without = undefined(table, convention)
    frame = matrix(table, convention).drop(index=list(without), columns=list(without))
    if len(frame) < 2:
        raise InputError(
            f"Expected at least two corruptions with overlaps, but {', '.join(without)} have none: "
            "training with them hardly helped. Train longer, or with other corruptions."
        )
    return frame


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


def groups_frame(results: Results) -> pd.DataFrame:
    """Return a row an architecture and group of corruptions: their overlap, times 100.

    >>> row = Row(item="overlap-fig2", dataset="toys", model="resnet18", metric="group_overlap",
    ...           corruption="noise", value=0.9, n=9, n_full=9)
    >>> groups_frame(Results.of([row])).to_dict("records")
    [{'Network': 'ResNet-18', 'What': 'group overlap', 'Corruptions': 'Noise', 'score': 90.0}]
    """
    metrics = ("group_overlap", "mean_overlap", "largest_overlap", "rank_correlation")
    return pd.DataFrame(
        {
            "Network": "all" if row.model is None else network_title(row.model),
            "What": metric.replace("_", " "),
            "Corruptions": "all" if row.corruption is None else corruption_label(row.corruption),
            "score": 100 * row.value,
            **tables.ends(row),
        }
        for metric in metrics
        for row in results.select(metric=metric).rows
    )


def pairs_frame(results: Results) -> pd.DataFrame:
    """Return a row an architecture and pair of corruptions: their overlap, times 100.

    >>> row = Row(item="overlap-fig2", dataset="toys", model="resnet18", metric="overlap",
    ...           corruption="fog+snow", value=0.25, n=9, n_full=9)
    >>> pairs_frame(Results.of([row])).to_dict("records")
    [{'Network': 'ResNet-18', 'One': 'Fog', 'Other': 'Snow', 'score': 25.0}]
    """
    rows = []
    for row in results.select(metric="overlap").rows:
        one, _, other = str(row.corruption).partition("+")
        names = {"One": corruption_label(one), "Other": corruption_label(other)}
        score = {"score": 100 * row.value, **tables.ends(row)}
        rows.append({"Network": network_title(str(row.model)), **names, **score})
    return pd.DataFrame(rows)


COMMITTED: tables.Committed = {"overlaps": groups_frame, "pairs": pairs_frame}
