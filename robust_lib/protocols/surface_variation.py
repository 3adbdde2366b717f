"""Surface variation: accuracy on icons of held-out styles, versions and subtypes.

The protocols are those of [inc, sec. 4.2]: a network is trained on all icons except those of one
vendor, of one version, or of 50 subtypes, and tested on the excluded ones. The icons of one subtype
are correlated, so intervals are over subtypes, each resampled with all of its icons.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

from robust_lib.config.manifests import ModelManifest, load_dataset
from robust_lib.datasets import hold_outs
from robust_lib.datasets.hold_outs import Match, SideEffect
from robust_lib.datasets.icons50 import Icon, Icons50, parse
from robust_lib.errors import InputError, one_of
from robust_lib.metrics.intervals import Sample
from robust_lib.predict.predictions import Predictions
from robust_lib.results.estimate import Estimate
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.training.recipes import Recipe

ByHoldOut = Mapping[str, Mapping[str, tuple[Predictions, ...]]]
"""Name of a hold-out -> network trained without its icons -> predictions on them, one per seed."""

Field = Literal["style", "rendition", "subtype"]
PAPER = "icons50"  # the paper's name of its data set
RANDOM = "random"  # icons drawn by lot: protocol and hold-out, for the first network alone
SAMPLE_CLASSES = 12  # shown in the paper's figure 5

ITEMS: Mapping[str, str] = MappingProxyType(
    {
        "style": "inc-icons-style",
        "version": "inc-icons-version",
        "subtype": "inc-icons-subtype",
        RANDOM: "inc-icons-version",
    }
)
"""Protocol -> ledger item. Icons drawn at random are the other ordinary test set."""


def style_hold_out(vendor: str, match: str = "exact") -> str:
    """Return the name of the hold-out of one vendor's icons.

    Raises:
        InputError: a match other than "exact" and "authors".

    >>> style_hold_out("google"), style_hold_out("google", "authors")
    ('style:google', 'style:google:authors')
    """
    return f"style:{vendor}{_rule(match)}"


def protocols(style: str = "microsoft", match: str = "exact") -> dict[str, str]:
    """Return protocol -> name of its hold-out, for the paper's three protocols.

    Raises:
        InputError: a match other than "exact" and "authors".

    >>> protocols("google", "authors")["version"]
    'version:authors'
    """
    rule = _rule(match)
    return {
        "style": style_hold_out(style, match),
        "version": f"version{rule}",
        "subtype": f"subtypes{rule}",
    }


def _rule(match: str) -> str:
    if match not in get_args(Match):
        raise InputError(one_of("match", match, get_args(Match)))
    return "" if match == "exact" else f":{match}"


def rule(dataset: str) -> str:
    """Return the default rule for holding out icons: "exact" or "authors".

    The published numbers were computed with the authors' rule on their icons.

    >>> rule("icons50_open"), rule("icons50")
    ('exact', 'authors')
    """
    return str(load_dataset(dataset).options.get("match", "exact"))


def parts(dataset: str) -> dict[str, str]:
    """Return protocol -> name of the part of an icon data set that is used for testing.

    >>> parts("icons50_open")["style"]
    'icons50_open_style'
    """
    return {protocol: f"{dataset}_{protocol}" for protocol in ITEMS}


def vendor_part(dataset: str, vendor: str) -> str:
    """Return the name of the part with one vendor's icons, for holding out each vendor in turn.

    >>> vendor_part("icons50_open", "google")
    'icons50_open_style/google'
    """
    return f"{parts(dataset)['style']}/{vendor}"


def stand_ins(dataset: str) -> dict[str, str]:
    """Return the paper's name of each part of its icons -> our stand-in.

    >>> stand_ins("icons50_open")["icons50_style"]
    'icons50_open_style'
    """
    ours = parts(dataset)
    return {paper: ours[protocol] for protocol, paper in parts(PAPER).items()}


def results(
    predictions: ByHoldOut, held_out: Mapping[str, str], dataset: str, match: str
) -> Results:
    """Return every network's accuracy in every protocol, as rows, with intervals over subtypes.

    >>> import numpy as np
    >>> logits = np.array([[1, 0], [1, 0]], np.float32)
    >>> ids = ("bird/google_2_owl.png", "hat/google_2_cap.png")
    >>> one = Predictions.from_logits(logits, ids=ids, labels=np.array([0, 1]),
    ...                               model="net@version", dataset="icons")
    >>> results({"version": {"net": (one,)}}, {"version": "version"}, "icons", "exact").row().value
    0.5
    """
    rows = []
    for protocol, hold_out in held_out.items():
        rule = "drawn by icon" if protocol == RANDOM else f"{match} match"
        for model, by_seed in predictions[hold_out].items():
            rows.append(
                Row.of(
                    Estimate.of_rate(
                        [one.correct for one in by_seed],
                        images=_sample(dataset, hold_out, by_seed[0]),
                    ),
                    item=ITEMS[protocol],
                    dataset=parts(dataset)[protocol],
                    model=model,
                    metric="accuracy",
                    convention=f"{hold_out.removesuffix(':authors')}, {rule}, last epoch",
                )
            )
    return Results.of(rows)


def leave_one_out(
    predictions: ByHoldOut, vendors: Sequence[str], dataset: str, model: str
) -> Results:
    """Return a network's accuracy on each vendor's icons after training on all others, as rows.

    >>> import numpy as np
    >>> ids = ("bird/google_1_owl.png",)
    >>> one = Predictions.from_logits(np.array([[1, 0]], np.float32), ids=ids,
    ...     labels=np.array([0]), model="net@style:google", dataset="icons")
    >>> leave_one_out({"style:google": {"net": (one,)}}, ["google"], "icons", "net").row().dataset
    'icons_style/google'
    """
    return Results.of(
        Row.of(
            Estimate.of_rate(
                [one.correct for one in predictions[style_hold_out(vendor)][model]],
                images=_sample(
                    dataset,
                    style_hold_out(vendor),
                    predictions[style_hold_out(vendor)][model][0],
                ),
            ),
            item=ITEMS["style"],
            dataset=vendor_part(dataset, vendor),
            model=model,
            metric="accuracy",
            convention="every vendor held out in turn, exact match, last epoch",
        )
        for vendor in vendors
    )


def _sample(dataset: str, hold_out: str, answers: Predictions) -> Sample:
    """Return the icons of a hold-out as a sample for resampling, the same in every call."""
    return Sample(f"{dataset} {hold_out}", subtypes(answers))


def subtypes(answers: Predictions) -> tuple[str, ...]:
    """Return the subtype and class of each icon on which a network was evaluated.

    >>> import numpy as np
    >>> ids = ("bird/google_2_owl.png", "golfing/google_2_golfer_type_4.png")
    >>> subtypes(Predictions.from_logits(np.eye(2, dtype=np.float32), ids=ids,
    ...     labels=np.array([0, 1]), model="net", dataset="icons"))
    ('0 owl', '1 golfer')
    """
    named = zip(answers.ids, answers.labels.tolist(), strict=True)
    return tuple(f"{label} {parse(path, label).motif}" for path, label in named)


def facts(icons: Icons50, network: ModelManifest, recipe: Recipe) -> Results:
    """Return facts about the icons and the training, as rows for comparison with the paper's.

    >>> import numpy as np
    >>> from robust_lib.config.manifests import load_model
    >>> from robust_lib.datasets import derived, synthetic
    >>> from robust_lib.training.recipes import load_recipe
    >>> blobs, names = synthetic.Synthetic("icons50_open", "blobs", 6, 32, "", ()), ("bird", "hat")
    >>> icons = Icons50(derived.Relabelled(blobs, "icons50", names, np.repeat([0, 1], 3)))
    >>> rows = facts(icons, load_model("resnet20_mini"), load_recipe("icons_sgd")).rows
    >>> {row.metric: row.value for row in rows if row.item == "inc-fig5"}
    {'images': 6.0, 'classes': 2.0, 'images_per_class': 3.0, 'sample_classes': 2.0}
    """
    classes = len(set(icons.labels.tolist()))
    counted = {
        ("inc-fig5", "images"): len(icons),
        ("inc-fig5", "classes"): classes,
        ("inc-fig5", "images_per_class"): round(len(icons) / classes),
        ("inc-fig5", "sample_classes"): min(SAMPLE_CLASSES, classes),
        ("inc-appf", "classes"): classes,
        ("inc-icons-style", "epochs"): recipe.epochs,
        ("inc-icons-style", "image_size"): network.preprocessing.crop,
        ("inc-icons-subtype", "held_out_subtypes"): len(held_out_subtypes(icons.name)),
    }
    part = {"inc-icons-subtype": parts(icons.name)["subtype"]}
    return Results.of(
        Row(item=item, dataset=part.get(item, icons.name), metric=metric, value=float(value))
        for (item, metric), value in counted.items()
        if value is not None  # a network may take pictures of any size
    )


def held_out_subtypes(dataset: str) -> tuple[str, ...]:
    """Return the names of the authors' held-out subtypes that are in a data set of icons.

    >>> len(held_out_subtypes("icons50_open"))
    50
    """
    return tuple(load_dataset(dataset).options["held_out_subtypes"])


def side_effects(
    icons: Sequence[Icon], vendor: str, subtypes: Sequence[str]
) -> tuple[SideEffect, ...]:
    """Return the icons that the authors' rule unintentionally holds out, in all protocols.

    >>> icons = [Icon("books/google_0_ledger.png", 0, "google", "0", "ledger")]
    >>> [(one.word, one.besides) for one in side_effects(icons, "google", ["books"])]
    [('google', 0), ('_2', 0), ('books', 1)]
    """
    looked_for: dict[Field, Sequence[str]] = {
        "style": [vendor],
        "rendition": [hold_outs.VERSION],
        "subtype": subtypes,
    }
    return tuple(
        effect
        for field, words in looked_for.items()
        for effect in hold_outs.side_effects(icons, words, field)
    )
