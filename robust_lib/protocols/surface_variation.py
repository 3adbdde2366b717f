"""Surface variation: how often networks are right about icons they were not trained on.

The protocols of [inc, sec. 4.2]: icons of one vendor, of one version, or of 50 subtypes are held
out, a network is trained on all others and tested on them.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

import yaml

from robust_lib.config.manifests import ModelManifest, load_dataset
from robust_lib.datasets import hold_outs
from robust_lib.datasets.hold_outs import Match
from robust_lib.datasets.icons50 import Icons50
from robust_lib.errors import InputError, one_of
from robust_lib.predict.predictions import Predictions
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.training.recipes import Recipe

Answers = Mapping[str, Mapping[str, tuple[Predictions, ...]]]
"""Hold-out -> network -> predictions on the icons held out, one a seed."""

Field = Literal["style", "rendition", "subtype"]
RANDOM = "random"  # the hold-out of icons drawn by lot, for the first network alone
SAMPLE_CLASSES = 12  # shown in the paper's figure 5

ITEMS: Mapping[str, str] = MappingProxyType(
    {
        "style": "inc-icons-style",
        "version": "inc-icons-version",
        "subtype": "inc-icons-subtype",
        "random": "inc-icons-version",
    }
)
"""Protocol -> ledger item. Icons drawn at random are the other ordinary test set."""


def protocols(style: str = "microsoft", match: str = "exact") -> dict[str, str]:
    """Return protocol -> name of its hold-out.

    Raises:
        InputError: another match than "exact" and "authors".

    >>> protocols("google", "authors")["style"]
    'style:google:authors'
    """
    if match not in get_args(Match):
        raise InputError(one_of("match", match, get_args(Match)))
    rule = "" if match == "exact" else f":{match}"
    return {
        "style": f"style:{style}{rule}",
        "version": f"version{rule}",
        "subtype": f"subtypes{rule}",
    }


def results(answers: Answers, shown: Mapping[str, str], icons: Icons50, match: str) -> Results:
    """Return every network's accuracy in every protocol, as rows; intervals are exact.

    Args:
        answers: predictions on the icons held out.
        shown: protocol -> name of its hold-out, as `protocols` returns them.
        icons: all icons.
        match: whose rule holds out, for the convention.
    """
    rows = []
    for protocol, hold_out in shown.items():
        rule = "drawn by icon" if protocol == "random" else f"{match} match"
        for model, runs in answers[hold_out].items():
            rows.append(
                Row.of(
                    Estimate.of_rate([run.correct for run in runs]),
                    item=ITEMS[protocol],
                    dataset=f"{icons.name}_{protocol}",
                    model=model,
                    metric="accuracy",
                    convention=f"{hold_out.partition(':authors')[0]}, {rule}, last epoch",
                )
            )
    return Results.of(rows)


def facts(icons: Icons50, network: ModelManifest, recipe: Recipe) -> Results:
    """Return what the icons and the training are, as rows beside what the paper says of its own."""
    classes = len(set(icons.labels.tolist()))
    counted = {
        ("inc-fig5", "images"): len(icons),
        ("inc-fig5", "classes"): classes,
        ("inc-fig5", "images_per_class"): round(len(icons) / classes),
        ("inc-fig5", "sample_classes"): min(SAMPLE_CLASSES, classes),
        ("inc-appf", "classes"): classes,
        ("inc-icons-style", "epochs"): recipe.epochs,
        ("inc-icons-style", "image_size"): network.preprocessing.crop,
        ("inc-icons-subtype", "held_out_subtypes"): len(held_out_subtypes(icons)),
    }
    part = {"inc-icons-subtype": f"{icons.name}_subtype"}
    return Results.of(
        Row(item=item, dataset=part.get(item, icons.name), metric=metric, value=float(value))
        for (item, metric), value in counted.items()
        if value is not None  # a network may take pictures of any size
    )


def held_out_subtypes(icons: Icons50) -> tuple[str, ...]:
    """Return the names of the subtypes that the authors held out, as these icons have them."""
    return tuple(load_dataset(icons.name).options["held_out_subtypes"])


def side_effects(icons: Icons50, style: str) -> tuple[hold_outs.SideEffect, ...]:
    """Return what the authors' rule takes besides what was meant, in all their protocols."""
    words: dict[Field, Sequence[str]] = {
        "style": [style],
        "rendition": [hold_outs.VERSION],
        "subtype": held_out_subtypes(icons),
    }
    return tuple(
        effect
        for field, looked_for in words.items()
        for effect in hold_outs.side_effects(icons.icons, looked_for, field)
    )


def every_style(icons: Icons50, styles: Sequence[str] | str | None = None) -> list[str]:
    """Return the names of the hold-outs of some vendors, of all if None are named.

    Args:
        icons: all icons.
        styles: vendors, or the text of a list, as papermill's -p hands it over.

    Raises:
        InputError: a vendor that no icon is of.
    """
    known = sorted({icon.style for icon in icons.icons})
    named = yaml.safe_load(styles) if isinstance(styles, str) else styles
    for name in named or ():
        if name not in known:
            raise InputError(one_of("style", name, known))
    return [f"style:{name}" for name in (known if named is None else named)]


def label_of(icons: Icons50, name: str) -> int:
    """Return the label of a class by its name.

    Raises:
        InputError: no such class.
    """
    if name not in icons.class_names:
        raise InputError(one_of("a class", name, icons.class_names))
    return icons.class_names.index(name)


def networks(answers: Answers) -> tuple[str, ...]:
    """Return the names of the networks that were asked."""
    return tuple(next(iter(answers.values())))


def of(
    answers: Answers, shown: Mapping[str, str], model: str
) -> dict[str, tuple[Predictions, ...]]:
    """Return protocol -> what one network said, one a seed."""
    return {protocol: answers[hold_out][model] for protocol, hold_out in shown.items()}


def leave_one_out(answers: Answers, styles: Sequence[str], icons: Icons50, model: str) -> Results:
    """Return one network's accuracy on each vendor's icons, trained on all the others', as rows."""
    return Results.of(
        Row.of(
            Estimate.of_rate([run.correct for run in answers[name][model]]),
            item=ITEMS["style"],
            dataset=f"{icons.name}_style/{name.split(':')[1]}",
            model=model,
            metric="accuracy",
            convention="every vendor held out in turn, exact match, last epoch",
        )
        for name in styles
    )
