"""Accuracies as the figures and tables of the chapter show them, and those that the prose names."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from robust_book.chapters.nae.pairs import printed_by_network
from robust_book.chapters.view import Names, cell_of, ends, percents
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.networks import FILTER, PLAIN, TUNED
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.reported import reference
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

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


def accuracy_frame(results: Results, datasets: Mapping[str, str]) -> pd.DataFrame:
    """Return accuracy (%) by network and data set, each with its interval.

    Args:
        results: of `protocols.nae.accuracy`.
        datasets: title of a column -> data set.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="nae-fig2", dataset="toy", model="vgg19", metric="accuracy",
    ...                        value=0.5, low=0.25, high=0.75, n=8, n_full=8)])
    >>> accuracy_frame(rows, {"Toy": "toy"}).to_dict("records")
    [{'Network': 'VGG-19', 'Toy': Cell(value=50.0, low=25.0, high=75.0)}]
    """
    by_set = {
        title: percents(results.select(item="nae-fig2", dataset=name, metric="accuracy"))
        for title, name in datasets.items()
    }
    models = list(next(iter(by_set.values())))
    frame = pd.DataFrame({"Network": [network_title(name) for name in models]})
    for title, found in by_set.items():
        frame[title] = [cell_of(found[model]) for model in models]
    return frame


PUBLIC = "public weights, ImageNet-A"


def committed_frame(results: Results) -> pd.DataFrame:
    """Return each network's accuracy on hard and on ordinary pictures, percent, for committing.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="nae-fig2", dataset="toy", model="vgg19", metric="accuracy",
    ...     value=0.5, low=0.25, high=0.75, n=8, n_full=8)])
    >>> committed_frame(rows).to_dict("records")
    [{'Network': 'VGG-19', 'Pictures': 'toy', 'accuracy': 50.0, 'low': 25.0, 'high': 75.0}]
    """
    return pd.DataFrame(
        {
            "Network": network_title(str(row.model)),
            "Pictures": row.dataset.replace("_", " "),
            "accuracy": 100 * row.value,
            **ends(row),
        }
        for row in results.select(item="nae-fig2", metric="accuracy").rows
    )


def all_dots(
    results: Results, datasets: Mapping[str, str], names: Names
) -> dict[str, dict[str, PercentInterval]]:
    """Return source -> network -> (accuracy, low, high), percent: this run's and public weights'.

    Networks stand in the order of their accuracy on the first set; those that chose the pictures
    say so in their names.

    Args:
        results: of `protocols.nae.accuracy`.
        datasets: title of a source -> data set.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="nae-fig2", dataset="toy", model="mine", metric="accuracy",
    ...                        value=0.5, low=0.25, high=0.75, n=8, n_full=8)])
    >>> all_dots(rows, {"hard": "toy"}, {"resnet34": "mine"})["hard"]
    {'mine': (50.0, 25.0, 75.0)}
    >>> all_dots(rows, {"hard": "toy"}, {"resnet50": "mine"})["hard"]
    {'mine (chose the pictures)': (50.0, 25.0, 75.0)}
    """
    paper = {ours: theirs for theirs, ours in names.items()}
    by_set = {
        title: percents(results.select(item="nae-fig2", dataset=name, metric="accuracy"))
        for title, name in datasets.items()
    }
    first = next(iter(by_set.values()))
    ranked = sorted(first, key=lambda model: first[model][0])
    chose = {names.get(one, one) for one in (FILTER, TUNED)}
    title = {
        model: f"{network_title(model)}{' (chose the pictures)' if model in chose else ''}"
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


def robust_panels(
    results: Results, datasets: Mapping[str, str], names: Names
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return title of a data set -> source -> training -> (accuracy, low, high), percent.

    Args:
        results: of `protocols.nae.accuracy`.
        datasets: title -> data set of this run; the paper's are `imagenet_a` and `imagenet_val_a`.

    >>> found = robust_panels(Results(), {"hard": "toy"}, {})["hard"]
    >>> found["this run"], round(found["the paper"]["Stylized ImageNet"][0], 2)
    ({}, 2.09)
    """
    paper = {"hard": "imagenet_a", "ordinary": "imagenet_val_a"}
    ours = robust(results, datasets, names)
    theirs = printed_robust({title: paper[title] for title in datasets})
    return {
        title: {
            "this run": ours[title],
            "the paper": {name: point(one) for name, one in theirs[title].items()},
        }
        for title in datasets
    }


def mask_frame(effect: Mapping[str, tuple[float, float]]) -> pd.DataFrame:
    """Return accuracy (%) with the other classes masked and with nothing masked, by network.

    Args:
        effect: of `protocols.nae.accuracy.mask_effect`.

    >>> mask_frame({"vgg19": (0.5, 0.25)})["Difference"].tolist()
    [25.0]
    """
    return pd.DataFrame(
        {
            "Network": [network_title(name) for name in effect],
            "Masked": [100 * masked for masked, _ in effect.values()],
            "Nothing masked": [100 * unmasked for _, unmasked in effect.values()],
            "Difference": [100 * (masked - unmasked) for masked, unmasked in effect.values()],
        }
    )


def robust(
    results: Results, datasets: Mapping[str, str], names: Names
) -> dict[str, dict[str, PercentInterval]]:
    """Return title of a data set -> training -> (accuracy, low, high), percent.

    Args:
        results: of `protocols.nae.accuracy`.
        datasets: title -> data set.

    >>> from robust_lib.results.row import Row
    >>> rows = Results.of([Row(item="nae-fig8", dataset="toy", model="mine", metric="accuracy",
    ...                        value=0.5, n=8, n_full=8)])
    >>> robust(rows, {"hard": "toy"}, {"resnext50_32x4d_200_fgsm": "mine"})
    {'hard': {'FGSM': (50.0, 50.0, 50.0)}}
    """
    found = {
        title: percents(results.select(item="nae-fig8", dataset=name, metric="accuracy"))
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


def printed_robust(datasets: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return title of a data set -> training -> accuracy as the paper prints it, percent.

    Args:
        datasets: title -> the paper's data set.

    >>> list(printed_robust({"hard": "imagenet_a"})["hard"])[:3]
    ['ordinary', 'uniform noise', 'FGSM']
    """
    found = {
        title: printed_by_network("nae-fig8", "accuracy", name) for title, name in datasets.items()
    }
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
    """Return the accuracies that the prose names, ready for the `{result}` role.

    The network that chose the pictures is left out.

    Args:
        results: of `protocols.nae.accuracy`.
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.

    >>> rows, hard, ordinary = toys.on_both(run, {"vgg19_mini": 3, "resnet18_mini": 6})
    >>> numbers = key_numbers(rows, hard, ordinary, run.paper_names)
    >>> [numbers[key].text for key in ("worst", "best", "ordinary_low", "chance")]
    ['10.0 %', '20.0 %', '80.0 %', '33.3 %']
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
