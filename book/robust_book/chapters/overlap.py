"""Functions shared by both chapters on overlaps: training, accuracies by architecture, counts."""

from collections.abc import Iterable, Mapping

from robust_book.chapters.learning import trained
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.config.manifests import load_model, model_names
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid
from robust_lib.protocols.overlap.groups import HALVES, possible
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network, network_title
from robust_lib.vocabulary import COMMON

Architectures = Mapping[str, ArchitectureOverlaps]
"""Name of an architecture -> the overlaps of its networks."""


def training(page: Page) -> Html:
    """Return the training curves of all networks.

    >>> texts(training(page), "text")[2:5]
    ['AlexNet-like', 'VGG-11-like', 'ResNet-18-like']
    """
    return trained(page, page.run.training_curves(), of="augmented training images")


def controls(names: Iterable[str]) -> dict[str, str]:
    """Return standard network -> its control, which trains on without a corruption.

    >>> controls(["resnet18_small", "resnet18_small_longer", "densenet121_small"])
    {'resnet18_small': 'resnet18_small_longer'}
    """
    plain = [one.model for one in map(Network.read, names) if one.is_plain]
    begun = {name: load_model(name).starts_from for name in plain if name in model_names()}
    return {start: name for name, start in begun.items() if start in plain}


def by_architecture(grid: Grid) -> dict[str, Accuracies]:
    """Return the accuracies of each architecture in a grid, by architecture name.

    The standard network of an architecture is the one that was trained without a corruption.

    Raises:
        InputError: an architecture lacks the network trained with one of the grid's corruptions.
    """
    networks = [Network.read(name, grid.models) for name in grid.models]
    others = controls(grid.models).values()
    return {
        standard.model: from_grid(
            grid,
            str(standard),
            {name: str(Network(standard.model, name)) for name in grid.corruptions},
        )
        for standard in networks
        if standard.is_plain and standard.model not in others
    }


def counts(accuracies: Mapping[str, Accuracies], *, corrupted: str = "imagenet_c") -> Results:
    """Return the number of corruptions, also in set1, and of the networks that they require."""
    one = next(iter(accuracies.values()))
    trained = [name for name in one.corruptions if name in COMMON]
    # With each corruption, and one standard network.
    networks = len(accuracies) * (len(trained) + 1)
    half = len(HALVES["set1"])
    found = (
        ("overlap-fig2", corrupted, None, "corruption_types", len(trained), len(COMMON)),
        ("overlap-fig2", one.dataset, None, "models", networks, networks),
        ("overlap-claim-balance", corrupted, "set1", "corruption_types", half, half),
    )
    # A run with some of the fifteen is smaller than the paper's; that is no finding.
    return Results.of(
        Row(
            item=item,
            dataset=dataset,
            corruption=name,
            metric=metric,
            value=float(count),
            n=count,
            n_full=of,
        )
        for item, dataset, name, metric, count, of in found
    )


def counted(architectures: Architectures) -> str:
    """Return a text on how many corruptions and pairs of each architecture can be judged.

    >>> counted(toys.judged("fog", "snow", "border"))
    'ResNet-18: 3 of 3 corruptions can be judged, 1 of 105 pairs of the fifteen'
    """
    return "; ".join(
        f"{network_title(name)}: {int(one.judged.corruptions.sum())} of "
        f"{len(one.table.corruptions)} corruptions can be judged, "
        f"{one.judged.count(one.places(COMMON))} of {possible(COMMON)} pairs of the fifteen"
        for name, one in architectures.items()
    )


def scored(row: Row | None) -> str:
    """Return a score with its interval, as text for the prose.

    >>> row = Row(item="overlap-fig2", dataset="toys", metric="overlap", value=0.5, low=0.25,
    ...           high=0.6, n=9, n_full=9)
    >>> scored(row), scored(None)
    ('0.50 [0.25, 0.60]', 'not measured')
    """
    if row is None:
        return NOT_MEASURED.text
    ends = "" if row.low is None else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{row.value:.2f}{ends}"


def by_network(results: Results, metric: str, corruption: str) -> KeyNumber:
    """Return, as text, every architecture's score with its interval, and their mean."""
    rows = [r for r in results.select(metric=metric, corruption=corruption).rows if r.model]
    if not rows:
        return KeyNumber("not judged", convention="no pair can be judged in this run")
    texts = [f"{scored(row)} ({network_title(str(row.model))})" for row in rows]
    return KeyNumber(
        " and ".join(texts),
        value=sum(row.value for row in rows) / len(rows),
        convention="; ".join(dict.fromkeys(str(row.convention) for row in rows)),
        n=rows[0].n,
    )
