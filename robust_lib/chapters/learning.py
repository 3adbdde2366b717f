"""How the networks that are trained here learned, folded: a reader comes for what they found."""

from collections.abc import Mapping, Sequence

from robust_lib.figures import curves
from robust_lib.html.markup import Html
from robust_lib.run.page import Page


def trained(page: Page, by_epoch: Mapping[str, Sequence[Sequence[float]]], *, of: str) -> Html:
    """Return training accuracy by epoch, a line a network.

    Args:
        page: of the run.
        by_epoch: title of a model -> for each of its networks the accuracy (%) of each epoch.
        of: what the accuracy is on.

    >>> texts(trained(page, {"VGG-11": [[10.0, 20.0]]}, of="training images"), "summary")
    ['How the networks learned: accuracy on training images by epoch']
    """
    return page.figure(
        "fig-training",
        curves.training(by_epoch, ylabel=f"accuracy on {of} (%)"),
        caption=f"How the networks learned: accuracy on {of} by epoch",
        alt=f"Accuracy on {of} by epoch, a line a network: {curves.training_words(by_epoch)}.",
        folded=True,
    )
