"""What was set and counted: how the networks of the overlaps were trained, and on what."""

from collections.abc import Sequence
from dataclasses import replace

from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.training.recipes import Recipe
from robust_lib.vocabulary import COMMON

SHARE = 0.5  # of a batch that is corrupted
PAPERS_SIDE = 224


def counts(
    architectures: int, corruptions: Sequence[str], *, dataset: str, corrupted: str = "imagenet_c"
) -> Results:
    """Return how many corruptions there are, in set1, too, and how many networks they need.

    Args:
        architectures: how many.
        corruptions: those that a network was trained with.
        dataset: name of the images.
        corrupted: name of the benchmark whose corruptions they are.

    >>> counts(2, COMMON, dataset="imagenet_100").row(metric="models").value
    32.0
    """
    trained = [name for name in corruptions if name in COMMON]
    return Results.of(
        [
            _row("overlap-fig2", corrupted, "corruption_types", len(trained)),
            # With each corruption, and one standard network.
            _row("overlap-fig2", dataset, "models", architectures * (len(trained) + 1)),
            Row(
                item="overlap-claim-balance",
                dataset=corrupted,
                corruption="set1",
                metric="corruption_types",
                value=float(len(HALVES["set1"])),
            ),
        ]
    )


def training(recipe: Recipe, *, dataset: str, classes: int, side: int) -> Results:
    """Return how the networks were trained, as rows beside the paper's settings.

    Args:
        recipe: of the networks.
        dataset: what they were trained on.
        classes: how many it has.
        side: of its pictures, pixels.
    """
    drops = recipe.drops if recipe.schedule == "step" else ()
    settings: dict[str, float] = {
        "momentum": recipe.momentum,
        "weight_decay": recipe.weight_decay,
        "epochs": recipe.epochs,
        "batch_size": recipe.batch,
        "learning_rate": recipe.rate,
        "image_size": side,
        "flip_probability": 0.5 if recipe.flip else 0.0,
        "classes": classes,
        "corrupted_share": SHARE,
    }
    rows = [_row("overlap-fig2", dataset, name, value) for name, value in settings.items()]
    rows += [
        # The drops of the rate are told apart by their number, which the paper's rows have, too.
        replace(_row("overlap-fig2", dataset, "milestone", drop * recipe.epochs), severity=number)
        for number, drop in enumerate(drops, 1)
    ]
    return Results.of(rows)


def occlusions(dataset: str = "imagenet_100") -> Results:
    """Return the sizes of border and obstruction, pixels of a picture of the paper's side.

    Pictures of other sides get sizes in proportion.

    Args:
        dataset: name of the images that they are laid over.
    """
    from robust_lib.corruptions.occlusion import BORDER_THICKNESS, OBSTRUCTION_SIDE

    sizes = {"border": ("thickness", BORDER_THICKNESS), "obstruction": ("side", OBSTRUCTION_SIDE)}
    words = f"pixels of {PAPERS_SIDE}"
    return Results.of(
        Row(
            item="overlap-claim-cover",
            dataset=dataset,
            corruption=name,
            metric=f"{end}_{what}",
            convention=words,
            value=float(value),
        )
        for name, (what, ends) in sizes.items()
        for end, value in zip(("smallest", "largest"), ends, strict=True)
    )


def _row(item: str, dataset: str, metric: str, value: float | int) -> Row:
    return Row(item=item, dataset=dataset, metric=metric, value=float(value))
