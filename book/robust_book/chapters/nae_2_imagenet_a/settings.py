"""How the networks on the classes of ImageNet-A were trained, beside the paper's settings."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from robust_book.chapters.view import Names
from robust_lib.config.manifests import ModelManifest
from robust_lib.protocols.nae.networks import PLAIN
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run
from robust_lib.training import zoo
from robust_lib.training.adversarial import STEPS
from robust_lib.training.recipes import Recipe

ATTACK_STEPS: Mapping[str, int] = MappingProxyType(
    {f"{PLAIN}_noise": 0, f"{PLAIN}_fgsm": 1, f"{PLAIN}_pgd10": STEPS}
)
"""The paper's name of a network -> steps of its adversary."""

STYLIZED = f"{PLAIN}_sin"

DROP = 0.1  # by which a step schedule multiplies the rate


def results(run: Run) -> Results:
    """Return how the run's networks from scratch were trained, as rows; none where it has none.

    >>> results(run).row(metric="epochs").value  # of the smallest profile
    1.0
    """
    names = run.paper_names
    if PLAIN not in names:
        return Results()
    return settings(names, *zoo.plan(names[PLAIN], run.profile.epochs))


def textures(names: Names) -> str:
    """Return what stands for Stylized ImageNet, in a sentence; empty where it is itself.

    >>> from robust_lib.config.profiles import load_profile
    >>> textures(load_profile("full_trained").networks["nae"])
    ''
    """
    ours = names.get(STYLIZED)
    if ours is None or zoo.plan(ours)[1].augmentation != "texture_only":
        return ""
    return (
        " The paper's bars are of Stylized ImageNet (SIN), which takes textures from paintings; "
        "this run's are of random convolutions in its place."
    )


def settings(names: Names, network: ModelManifest, recipe: Recipe) -> Results:
    """Return how networks from scratch were trained, as rows.

    Args:
        network: the one that sees ordinary pictures.
        recipe: its recipe.

    >>> from robust_lib.config.profiles import load_profile
    >>> names = load_profile("full_trained").networks["nae"]
    >>> rows = settings(names, *zoo.plan(names[PLAIN]))
    >>> rows.row(metric="batch_size").value, rows.row(metric="epochs").value
    (256.0, 90.0)
    """
    values: dict[str, float | None] = {
        "epochs": recipe.epochs,
        "warmup_epochs": recipe.warmup * recipe.epochs,
        "batch_size": recipe.batch,
        "learning_rate": recipe.rate,
        "momentum": recipe.momentum,
        "weight_decay": recipe.weight_decay,
        "image_size": network.preprocessing.crop,
        "epsilon": recipe.epsilon,
    }
    row = partial(_row, network.trained_on, names[PLAIN])
    rows = [row(metric, value) for metric, value in values.items() if value is not None]
    if recipe.schedule == "step":
        rows.append(row("rate_drop", DROP))
        rows += [
            replace(row("milestone", drop * recipe.epochs), severity=number)
            for number, drop in enumerate(recipe.drops, 1)
        ]
    rows += [
        _row(network.trained_on, names[paper], "attack_steps", steps)
        for paper, steps in ATTACK_STEPS.items()
        if paper in names
    ]
    return Results.of(rows)


def _row(dataset: str, model: str, metric: str, value: float | int) -> Row:
    return Row(item="nae-fig8", dataset=dataset, model=model, metric=metric, value=float(value))
