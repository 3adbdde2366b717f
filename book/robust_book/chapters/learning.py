"""How the networks of a run learned, as folded figures."""

from collections.abc import Mapping, Sequence

from robust_book.figures import curves
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.run.detectors import trained_detectors
from robust_lib.run.network import Network
from robust_lib.run.run import Run


def trained(page: Page, by_epoch: Mapping[str, Sequence[Sequence[float]]], *, of: str) -> Html:
    """Return accuracy by epoch, one line per network.

    Args:
        by_epoch: title of a model -> for each of its networks the accuracy (%) of each epoch.
        of: what the accuracy is on.
    """
    return _folded(
        page,
        by_epoch,
        ylabel=f"accuracy on {of} (%)",
        caption=f"How the networks learned: accuracy on {of} by epoch",
        alt=f"Accuracy on {of} by epoch, a line a network: {curves.training_words(by_epoch)}.",
    )


def detectors_trained(
    page: Page, losses: Mapping[str, Sequence[Sequence[float]]], *, of: str
) -> Html:
    """Return the loss by epoch, one line per detector.

    Args:
        of: what the loss is on.
    """
    return _folded(
        page,
        losses,
        ylabel=f"loss on {of}",
        caption="How the detectors learned: loss by epoch",
        alt=f"Loss on {of} by epoch, a line a detector.",
    )


def losses(run: Run) -> dict[str, list[list[float]]]:
    """Return title of a detector -> for each one trained in this run the loss of each epoch."""
    found: dict[str, list[list[float]]] = {}
    for made in trained_detectors(run.profile, run.networks, run.store):
        title = Network.read(made.model.name).plain.title
        found.setdefault(title, []).append(list(made.curves.loss))
    return found


def _folded(
    page: Page,
    by_epoch: Mapping[str, Sequence[Sequence[float]]],
    *,
    ylabel: str,
    caption: str,
    alt: str,
) -> Html:
    if not any(by_epoch.values()):
        return Html("<p>No network was trained here: weights are taken as they are.</p>")
    return page.figure(
        "fig-training",
        curves.training(by_epoch, ylabel=ylabel),
        caption=caption,
        alt=alt,
        folded=True,
    )
