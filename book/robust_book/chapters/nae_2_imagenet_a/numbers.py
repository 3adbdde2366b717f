"""Accuracies in the chapter's form, next to the paper's, and the settings of training."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.nae import printed_by_network
from robust_book.chapters.view import Names
from robust_lib.config.manifests import ModelManifest
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.networks import FILTER, PLAIN, TUNED
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.reported import reference
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.run import Run
from robust_lib.training import zoo
from robust_lib.training.adversarial import STEPS
from robust_lib.training.recipes import Recipe

TRAININGS: Mapping[str, str] = MappingProxyType(
    {
        PLAIN: "ordinary",
        f"{PLAIN}_noise": "uniform noise",
        f"{PLAIN}_fgsm": "FGSM",
        f"{PLAIN}_pgd10": "PGD, 10 steps",
        f"{PLAIN}_sin": "Stylized ImageNet",
        f"{PLAIN}_sin_in": "SIN+IN",
        f"{PLAIN}_texture": "random textures",
        f"{PLAIN}_texture_in": "random textures, half",
    }
)
"""Networks trained from scratch on the classes of ImageNet-A -> what their training is called."""

ATTACK_STEPS: Mapping[str, int] = MappingProxyType(
    {f"{PLAIN}_noise": 0, f"{PLAIN}_fgsm": 1, f"{PLAIN}_pgd10": STEPS}
)
"""The paper's name of a network -> steps of its adversary."""

STYLIZED = f"{PLAIN}_sin"
ITEM = "nae-fig8"
DROP = 0.1  # by which a step schedule multiplies the rate
PUBLIC = "public weights, ImageNet-A"


def accuracy_frame(results: Results, datasets: Mapping[str, str]) -> pd.DataFrame:
    """Return accuracy (%) by network and data set, each with its interval."""
    by_set = {
        title: view.percents(results.select(item="nae-fig2", dataset=name, metric="accuracy"))
        for title, name in datasets.items()
    }
    models = list(next(iter(by_set.values())))
    frame = pd.DataFrame({"Network": [network_title(name) for name in models]})
    for title, found in by_set.items():
        frame[title] = [view.cell_of(found[model]) for model in models]
    return frame


def committed_frame(results: Results) -> pd.DataFrame:
    """Return the table to commit: each network's accuracy (%) on hard and on ordinary images."""
    rows = results.select(item="nae-fig2", metric="accuracy").rows
    columns = {"Network": view.title, "Images": lambda row: row.dataset.replace("_", " ")}
    return view.values_frame(rows, columns, ("accuracy", "low", "high"))


def spread_rows(
    results: Results, datasets: Mapping[str, str], names: Names
) -> dict[str, dict[str, float]]:
    """Return set -> title of a network not used to select the images -> accuracy, percent."""
    chose = {names.get(one, one) for one in (FILTER, TUNED)}
    return {
        title: {
            network_title(model): interval[0]
            for model, interval in view.percents(
                results.select(item="nae-fig2", dataset=name, metric="accuracy")
            ).items()
            if model not in chose
        }
        for title, name in datasets.items()
    }


def spread_words(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Return a text on the range of accuracies on each set.

    >>> spread_words({"hard": {"A": 9.0, "B": 4.0}, "ordinary": {}})
    'hard from 4.0 to 9.0 %'
    """
    return "; ".join(
        f"{name} from {min(values.values()):.1f} to {max(values.values()):.1f} %"
        for name, values in rows.items()
        if values
    )


def all_dots(
    results: Results, datasets: Mapping[str, str], names: Names
) -> dict[str, dict[str, PercentInterval]]:
    """Return source -> network -> (accuracy, low, high), percent: this run's and public weights'.

    Networks are ordered by their accuracy on the first set; titles mark those used to select the
    images.
    """
    paper = {ours: theirs for theirs, ours in names.items()}
    by_set = {
        title: view.percents(results.select(item="nae-fig2", dataset=name, metric="accuracy"))
        for title, name in datasets.items()
    }
    first = next(iter(by_set.values()))
    ranked = sorted(first, key=lambda model: first[model][0])
    chose = {names.get(one, one) for one in (FILTER, TUNED)}
    title = {
        model: f"{network_title(model)}{' (selected the images)' if model in chose else ''}"
        for model in ranked
    }
    found = reference("testbed_reference")
    found = found[(found["dataset"] == "imagenet_a") & (found["metric"] == "accuracy")]
    known = dict(zip(found["model"], found["value"].astype(float), strict=True))
    dots = {
        source: {title[model]: values[model] for model in ranked if model in values}
        for source, values in by_set.items()
    }
    others = {title[model]: known.get(paper.get(model, model)) for model in ranked}
    dots[PUBLIC] = {name: point(one) for name, one in others.items() if one is not None}
    return dots


def mask_frame(effect: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """Return accuracy (%) by network, with the other classes masked and without a mask."""
    return pd.DataFrame(
        {
            "Network": [network_title(name) for name in effect],
            "Masked": [100 * masked for masked, _ in effect.values()],
            "Nothing masked": [100 * unmasked for _, unmasked in effect.values()],
            "Difference": [100 * (masked - unmasked) for masked, unmasked in effect.values()],
        }
    )


def robust(
    results: Results, datasets: Mapping[str, str], names: Names, metric: str = "accuracy"
) -> dict[str, dict[str, PercentInterval]]:
    """Return title of a data set -> training -> (value, low, high) of a metric, percent."""
    found = {
        title: view.percents(results.select(item=ITEM, dataset=name, metric=metric))
        for title, name in datasets.items()
    }
    return {
        title: {
            training: by_model[names[paper]]
            for paper, training in TRAININGS.items()
            if names.get(paper) in by_model
        }
        for title, by_model in found.items()
    }


def robust_frame(results: Results, datasets: Mapping[str, str], names: Names) -> pd.DataFrame:
    """Return accuracy (%) by training and set of images: this run's and the paper's."""
    ours, theirs = robust(results, datasets, names), printed_robust(PRINTED)
    lines = []
    for training in TRAININGS.values():
        run = {
            title.capitalize(): view.cell_of(by_training[training])
            for title, by_training in ours.items()
            if training in by_training
        }
        paper = {title.capitalize(): theirs[title].get(training) for title in datasets}
        if run:
            lines.append({"Training": training} | view.beside(run, paper))
    return pd.DataFrame(lines).astype(object)


PRINTED = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
"""What images are called -> the paper's data set."""


def printed_gains() -> dict[str, dict[str, float]]:
    """Return title of a data set -> training -> change of the paper's accuracy, in points.

    >>> round(printed_gains()["hard"]["PGD, 10 steps"], 2)
    1.38
    """
    found = printed_robust(PRINTED)
    plain = TRAININGS[PLAIN]
    return {
        title: {name: value - values[plain] for name, value in values.items() if name != plain}
        for title, values in found.items()
    }


def printed_robust(datasets: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return title of a data set -> training -> accuracy as the paper prints it, percent.

    Args:
        datasets: title -> the paper's data set.
    """
    found = {title: printed_by_network(ITEM, "accuracy", name) for title, name in datasets.items()}
    return {
        title: {name: values[paper] for paper, name in TRAININGS.items() if paper in values}
        for title, values in found.items()
    }


def key_numbers(
    results: Results,
    imagenet_a: MaskedPredictions,
    imagenet_val: MaskedPredictions,
    names: Names,
) -> dict[str, KeyNumber]:
    """Return the accuracies in the prose, ready for the `{result}` role.

    The network used to select the images is left out.
    """
    found = results.select(item="nae-fig2", metric="accuracy").rows
    rows = [row for row in found if row.model != names.get(FILTER)] or list(found)
    ranked = {
        masked.dataset: sorted(
            (row for row in rows if row.dataset == masked.dataset), key=lambda row: row.value
        )
        for masked in (imagenet_a, imagenet_val)
    }
    ends = {
        "best": ranked[imagenet_a.dataset][-1],
        "worst": ranked[imagenet_a.dataset][0],
        "ordinary_low": ranked[imagenet_val.dataset][0],
        "ordinary_high": ranked[imagenet_val.dataset][-1],
    }
    chance = 1 / imagenet_a.classes
    return {
        **{key: percent(row) for key, row in ends.items()},
        "chance": KeyNumber(
            f"{100 * chance:.1f} %", chance, f"one of {imagenet_a.classes} classes"
        ),
    }


def setting_rows(run: Run) -> Results:
    """Return the training settings of the run's networks from scratch as rows; none without any."""
    names = run.paper_names
    if PLAIN not in names:
        return Results()
    return settings(names, *zoo.plan(names[PLAIN], run.profile.epochs))


def textures(names: Names) -> str:
    """Return a sentence on the stand-in for Stylized ImageNet; empty if there is none."""
    ours = names.get(STYLIZED)
    if ours is None or zoo.plan(ours)[1].augmentation != "texture_only":
        return ""
    return (
        " The paper's bars show training on Stylized ImageNet (SIN), which takes textures from "
        "paintings; this run's bars show training with random convolutions instead."
    )


def settings(names: Names, network: ModelManifest, recipe: Recipe) -> Results:
    """Return the training settings of networks from scratch, as rows.

    Args:
        network: network that is trained on ordinary images.
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
    standard = names[PLAIN]
    rows = view.settings(ITEM, network.trained_on, {standard: values})
    if recipe.schedule == "step":
        rows += view.settings(ITEM, network.trained_on, {standard: {"rate_drop": DROP}})
        rows += Results.of(
            Row(item=ITEM, dataset=network.trained_on, model=standard, metric="milestone",
                severity=number, value=drop * recipe.epochs)
            for number, drop in enumerate(recipe.drops, 1)
        )  # fmt: skip
    attacks = {
        names[paper]: {"attack_steps": steps}
        for paper, steps in ATTACK_STEPS.items()
        if paper in names
    }
    return rows + view.settings(ITEM, network.trained_on, attacks)
