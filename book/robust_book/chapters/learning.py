"""Training curves of a run's networks, with the length of training and the image size as text."""

from collections.abc import Iterable, Mapping, Sequence

from robust_book.figures import curves
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.config.manifests import load_model, model_names
from robust_lib.results.key_number import KeyNumber
from robust_lib.run.detectors import trained_detectors
from robust_lib.run.network import Network, network_title
from robust_lib.run.run import Run
from robust_lib.training import zoo


def trained(page: Page, by_epoch: Mapping[str, Sequence[Sequence[float]]], *, of: str) -> Html:
    """Return the figure of accuracy by epoch, one line per network.

    Args:
        by_epoch: title of a model -> for each of its networks, the accuracy (%) at each epoch.
        of: description of the images on which the accuracy is measured.
    """
    return _folded(
        page,
        by_epoch,
        ylabel=f"accuracy on {of} (%)",
        caption=f"How the networks learned: accuracy on {of} by epoch",
        alt=f"Accuracy on {of} by epoch, one line per network: {curves.training_words(by_epoch)}.",
    )


def detectors_trained(
    page: Page, losses: Mapping[str, Sequence[Sequence[float]]], *, of: str
) -> Html:
    """Return the figure of the loss by epoch, one line per detector.

    Args:
        of: description of the images on which the loss is measured.
    """
    return _folded(
        page,
        losses,
        ylabel=f"loss on {of}",
        caption="How the detectors learned: loss by epoch",
        alt=f"Loss on {of} by epoch, one line per detector.",
    )


def losses(run: Run) -> dict[str, list[list[float]]]:
    """Return title of a detector -> for each one trained in this run, the loss at each epoch."""
    found: dict[str, list[list[float]]] = {}
    for made in trained_detectors(run.profile, run.networks, run.store):
        title = Network.read(made.model.name).plain.title
        found.setdefault(title, []).append(list(made.curves.loss))
    return found


def sizes(names: Iterable[str]) -> dict[int, list[str]]:
    """Return image side in pixels -> titles of the networks with that input size, largest first.

    Networks without a manifest are left out.

    >>> sizes(["resnet34_mini", "alexnet_mini", "my_net.py:build"])
    {64: ['AlexNet-like'], 48: ['ResNet-34-like']}
    """
    found: dict[int, list[str]] = {}
    for name in _described(names):
        geometry = load_model(name).preprocessing
        if side := geometry.crop or geometry.frame:
            found.setdefault(side, []).append(network_title(name))
    return dict(sorted(found.items(), reverse=True))


def schedules(run: Run, names: Iterable[str] | None = None) -> KeyNumber:
    """Return a text on the image size and the number of epochs with which networks train here.

    For a network that starts from another network, the other's epochs come first.

    Args:
        names: network names; None: the run's.
    """
    groups: dict[tuple[int, str], list[str]] = {}
    for name in _described(map(str, run.networks) if names is None else names):
        model = load_model(name)
        if model.recipe is not None and model.preprocessing.crop:
            key = model.preprocessing.crop, _epochs(name, run.profile.epochs)
            groups.setdefault(key, []).append(network_title(name))
    if not groups:
        return KeyNumber("none is trained in this run")
    texts = [
        f"{epochs} epoch{'s' * (epochs != '1')} at {side} pixels ({'; '.join(titles)})"
        for (side, epochs), titles in sorted(groups.items(), reverse=True)
    ]
    return KeyNumber(", ".join(texts), convention="according to the networks' recipes")


def detector_schedules(run: Run) -> KeyNumber:
    """Return a text on the number of epochs for which each detector of the profile trains here.

    The networks that they start from are trained first.
    """
    groups: dict[int, list[str]] = {}
    for name in _described(run.profile.networks.get(run.chapter.networks, {}).values()):
        if load_model(name).recipe is not None:
            epochs = zoo.plan(name, run.profile.epochs)[1].epochs
            groups.setdefault(epochs, []).append(network_title(name))
    if not groups:
        return KeyNumber("none is trained in this run")
    texts = [
        f"{epochs} epoch{'s' * (epochs != 1)} ({'; '.join(titles)})"
        for epochs, titles in sorted(groups.items(), reverse=True)
    ]
    return KeyNumber(", ".join(texts), convention="according to the detectors' recipes")


def _described(names: Iterable[str]) -> list[str]:
    """Return the distinct models of the networks that are trained on all images."""
    networks = [Network.read(name) for name in names]
    plain = dict.fromkeys(one.model for one in networks if one.is_plain)
    return [name for name in plain if name in model_names()]


def _epochs(name: str, epochs: int | None) -> str:
    manifest, recipe = zoo.plan(name, epochs)
    before = f"{_epochs(manifest.starts_from, epochs)} + " if manifest.starts_from else ""
    return f"{before}{recipe.epochs}"


def _folded(
    page: Page,
    by_epoch: Mapping[str, Sequence[Sequence[float]]],
    *,
    ylabel: str,
    caption: str,
    alt: str,
) -> Html:
    if not any(by_epoch.values()):
        return Html("<p>No network was trained in this run: it uses public weights.</p>")
    return page.figure(
        "fig-training",
        curves.training(by_epoch, ylabel=ylabel),
        caption=caption,
        alt=alt,
        folded=True,
    )
