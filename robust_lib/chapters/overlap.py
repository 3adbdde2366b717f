"""What both chapters on overlaps share: training curves, accuracies by architecture, counts."""

from collections.abc import Mapping

from robust_lib.figures import curves
from robust_lib.html.markup import Html
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network
from robust_lib.run.page import Page
from robust_lib.vocabulary import COMMON


def training(page: Page) -> Html:
    """Return the training curves of all networks.

    >>> texts(training(page), "text")[2:5]
    ['AlexNet-like', 'VGG-11-like', 'ResNet-18-like']
    """
    return page.figure(
        "fig-training",
        curves.training(
            page.run.training_curves(), ylabel="accuracy on augmented training images (%)"
        ),
        alt="Training accuracy by epoch, a line a network.",
    )


def by_architecture(grid: Grid) -> dict[str, Accuracies]:
    """Return the accuracies of each architecture in a grid, by its name.

    The standard network of an architecture is the one that was trained without a corruption.

    Raises:
        InputError: an architecture lacks the network trained with one of the grid's corruptions.

    >>> import numpy as np
    >>> from robust_lib.predict.predictions import Predictions
    >>> logits = np.eye(2, dtype=np.float32)
    >>> right = Predictions.from_logits(logits, ids=("a", "b"), labels=np.array([0, 1]),
    ...     model="net", dataset="toys")
    >>> names = ("net", "net+fog", "net+snow")
    >>> grid = Grid("toys", "toys_c", 2, {name: (right,) for name in names}, {(name, c, 5): (right,)
    ...     for name in names for c in ("fog", "snow")}, (5,), "memory")
    >>> by_architecture(grid)["net"].corruptions
    ('fog', 'snow')
    """
    networks = [Network.read(name, grid.models) for name in grid.models]
    return {
        standard.model: from_grid(
            grid,
            str(standard),
            {name: str(Network(standard.model, name)) for name in grid.corruptions},
        )
        for standard in networks
        if standard.is_plain
    }


def counts(accuracies: Mapping[str, Accuracies], *, corrupted: str = "imagenet_c") -> Results:
    """Return how many corruptions there are, in set1, too, and how many networks they need.

    Args:
        accuracies: architecture -> the accuracies of its networks.
        corrupted: name of the benchmark whose corruptions they are.

    >>> import numpy as np
    >>> one = Accuracies(dataset="toys", corruptions=("fog", "snow"), accuracy=np.ones((1, 3, 2)),
    ...     clean=np.ones((1, 3)), n=9, n_full=9, words="memory")
    >>> counts({"resnet18": one, "densenet121": one}).row(metric="models").value
    6.0
    """
    one = next(iter(accuracies.values()))
    trained = [name for name in one.corruptions if name in COMMON]
    # With each corruption, and one standard network.
    networks = len(accuracies) * (len(trained) + 1)
    found = (
        ("overlap-fig2", corrupted, None, "corruption_types", len(trained)),
        ("overlap-fig2", one.dataset, None, "models", networks),
        ("overlap-claim-balance", corrupted, "set1", "corruption_types", len(HALVES["set1"])),
    )
    return Results.of(
        Row(item=item, dataset=dataset, corruption=name, metric=metric, value=float(count))
        for item, dataset, name, metric, count in found
    )
