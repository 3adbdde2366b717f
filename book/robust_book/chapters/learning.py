"""How the networks that are trained here learned, folded: a reader comes for what they found."""

from collections.abc import Mapping, Sequence

from robust_book.figures import curves
from robust_book.html.markup import Html
from robust_book.page import Page


def trained(page: Page, by_epoch: Mapping[str, Sequence[Sequence[float]]], *, of: str) -> Html:
    """Return training accuracy by epoch, a line a network.

    Args:
        page: of the run.
        by_epoch: title of a model -> for each of its networks the accuracy (%) of each epoch.
        of: what the accuracy is on.

    >>> texts(trained(page, {"VGG-11": [[10.0, 20.0]]}, of="training images"), "summary")
    ['How the networks learned: accuracy on training images by epoch']
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
    """Return the loss in training by epoch, a line a detector.

    Args:
        page: of the run.
        losses: title of a detector -> for each of those trained here the loss of each epoch.
        of: what the loss is on.

    >>> texts(detectors_trained(page, {"mine": [[2.0, 1.0]]}, of="training frames"), "summary")
    ['How the detectors learned: loss by epoch']
    >>> texts(detectors_trained(page, {}, of="training frames"), "p")
    ['No network was trained here: weights are taken as they are.']
    """
    return _folded(
        page,
        losses,
        ylabel=f"loss on {of}",
        caption="How the detectors learned: loss by epoch",
        alt=f"Loss on {of} by epoch, a line a detector.",
    )


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
