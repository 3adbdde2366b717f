"""Checks of the errata of the video paper: the version of the data behind each table."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from scipy.special import betaincinv

from robust_lib.results.errata.lines import Line, row, rows, value
from robust_lib.results.reported import Reported, number, reference, reported

_HALF_A_TENTH = 0.05 + 1e-9
_NEAR = range(900, 1401)  # how many anchors there might have been


def anchor_counts() -> tuple[Line, ...]:
    """Count the models whose two accuracies and drop fit whole counts of a number of anchors."""
    lines = []
    for item, title in (("vid-tab1", "Table 1"), ("vid-tab3", "Table 3")):
        triples = _triples(reported(item))
        for anchors in (1109, 1145):
            fitting = sum(fits(*triple, anchors) for triple in triples)
            what = f"models of {title} that fit {anchors:,} anchors"
            lines.append(Line(what, f"{len(triples)}", f"{fitting}"))
    only = [n for n in _NEAR if all(fits(*triple, n) for triple in triples)]
    what = f"numbers of anchors from {_NEAR[0]} to {_NEAR[-1]:,} that fit all of Table 3"
    return (*lines, Line(what, "–", ", ".join(f"{n:,}" for n in only)))


def fits(original: float, perturbed: float, drop: float, anchors: int) -> bool:
    """Return whether two counts of anchors round to these percentages with one decimal.

    >>> fits(67.5, 52.7, 14.9, 1109), fits(67.5, 52.7, 14.9, 1145)
    (True, False)
    """
    return any(
        abs(100 * (first - second) / anchors - drop) <= _HALF_A_TENTH
        for first in counts_of(original, anchors)
        for second in counts_of(perturbed, anchors)
    )


def interval_counts() -> tuple[Line, ...]:
    """Count the intervals of Table 1 that are Clopper-Pearson intervals for a number of anchors."""
    table = reported("vid-tab1")
    accuracies = rows(table, "pm_accuracy")
    lines = []
    for anchors in (1109, 1145):
        agreeing = 0
        for line in accuracies:
            # The share itself is a count of the 1,109 anchors that Table 1 is about.
            share = counts_of(100 * number(line), 1109)[0] / 1109
            ours = exact_interval(share * anchors, anchors)
            printed = (
                value(table, f"pm_accuracy_{end}", model=line.model, k=line.k)
                for end in ("low", "high")
            )
            agreeing += all(
                abs(100 * (mine - theirs)) <= _HALF_A_TENTH
                for mine, theirs in zip(ours, printed, strict=True)
            )
        what = f"intervals of Table 1 that are exact for n = {anchors:,}"
        lines.append(Line(what, f"{len(accuracies)}", f"{agreeing}"))
    return tuple(lines)


def total_drop() -> tuple[Line, ...]:
    """Compare the text's drop of the best model with that in both tables."""
    best = "resnet152_finetune"
    text = row(reported("vid-fig5"), "drop", model=best).value
    return tuple(
        Line(f"drop in {title}", text, row(reported(item), "drop", model=best).value)
        for item, title in (("vid-tab1", "Table 1"), ("vid-tab3", "Table 3"))
    )


def window() -> tuple[Line, ...]:
    """Compute how long ten frames take at the frame rates of the videos."""
    table = reported("vid-dataset")
    text = row(reported("vid-fig4"), "window").value
    frames = value(table, "neighbours_each_side")
    return tuple(
        Line(f"seconds at the {which} frame rate", f"at most {text}", f"{frames / rate:.2f}")
        for which in ("highest", "median", "lowest")
        for rate in (value(table, f"{which}_frame_rate"),)
    )


def augmentations() -> tuple[Line, ...]:
    """Count the augmented networks of Table 3."""
    table, start = reported("vid-tab3"), "resnet50_imagenet_augment_"
    text = row(table, "augmentations").value
    names = [
        str(line.model).removeprefix(start)
        for line in rows(table, "pm_accuracy", k=0, locator="Table 3")
        if str(line.model).startswith(start)
    ]
    return (
        Line("augmented networks in Table 3", text, f"{len(names)}"),
        Line("one of them", "not named", next(name for name in names if "defocus" in name)),
    )


def detection_accuracy() -> tuple[Line, ...]:
    """Look up the two accuracies of the detection paragraph in both tables."""
    paragraph = "sec. 4.1, fine-tuned on detection"
    lines = []
    for line in rows(reported("vid-tab3"), "pm_accuracy", k=0, locator=paragraph):
        model = _printed_name(str(line.model), ["resnet50_finetune"])
        for item, title in (("vid-tab1", "Table 1"), ("vid-tab3", "Table 3")):
            found = [
                other.value
                for other in rows(reported(item), "pm_accuracy", k=0, locator=title)
                if str(other.model).startswith(model) and "152" not in str(other.model)
            ]
            lines.append(Line(f"{model} in {title}", line.value, ", ".join(found)))
    return tuple(lines)


def finetune_gain() -> tuple[Line, ...]:
    """Compute a ResNet-50's gain from fine-tuning, for each pair of rows that may be meant."""
    text = row(reported("vid-tab3"), "gain", model="resnet50_finetune").value
    lines = []
    for item, title in (("vid-tab1", "Table 1"), ("vid-tab3", "Table 3")):
        table = reported(item)
        before = value(table, "pm_accuracy", model="resnet50", k=0)
        for line in rows(table, "pm_accuracy", k=0, locator=title):
            if str(line.model).startswith("resnet50_finetune"):
                gain = 100 * (number(line) - before)
                lines.append(Line(f"{line.model} in {title}", text, f"{gain:.1f}"))
    before = value(reported("vid-tab1"), "pm_accuracy", model="resnet50", k=0)
    after = value(reported("vid-tab3"), "pm_accuracy", model="resnet50_finetune_2", k=0)
    mixed = Line(
        "resnet50_finetune_2 of Table 3 from Table 1", text, f"{100 * (after - before):.1f}"
    )
    return (*lines, mixed)


def map_drop_range() -> tuple[Line, ...]:
    """Compute the smallest and the largest drop in detection in Table 2."""
    table = reported("vid-tab2")
    drops = [100 * number(line) for line in rows(table, "map_drop")]
    return tuple(
        Line(f"{end} drop", row(table, f"{end}_map_drop").value, f"{pick(drops):.1f}")
        for end, pick in (("smallest", min), ("largest", max))
    )


def localization_drop() -> tuple[Line, ...]:
    """Compute how much smaller each detector's drop is without classes."""
    table = reported("vid-tab2")
    lines = []
    for line in rows(table, "map_drop"):
        less = number(line) - value(table, "localization_map_drop", model=line.model)
        text = f"{100 * less:.1f} points smaller"
        lines.append(Line(f"drop of {line.model}", "no smaller", text))
    return tuple(lines)


def repeated_names() -> tuple[Line, ...]:
    """Count the names and the different rows of Table 3, and assign them by public weights."""
    table = reported("vid-tab3")
    models = [line for line in rows(table, "pm_accuracy", k=0) if line.locator == "Table 3"]
    keys = [str(line.model) for line in models]
    names = [_printed_as(line) or _printed_name(str(line.model), keys) for line in models]
    different = set(zip(names, _triples(table), strict=True))
    text = row(table, "models").value
    twice = [name for name, count in Counter(names).items() if count > 1]
    return (
        Line("different names", text, f"{len(set(names))}"),
        Line("names that occur more than once", "0", f"{len(twice)}"),
        Line("different rows", text, f"{len(different)}"),
        *_whose_rows(),
    )


def augmented_row() -> tuple[Line, ...]:
    """Count the further sets that each augmented network gets right if it is the one in Table 1."""
    table, start = reported("vid-tab3"), "resnet50_imagenet_augment_"
    names = [
        str(line.model)
        for line in rows(table, "pm_accuracy", k=0, locator="Table 3")
        if str(line.model).startswith(start)
    ]
    lines = []
    for model, released in (("resnet50", "resnet50"), *((n, "resnet50_augmented") for n in names)):
        anchor, worst = (
            round(1145 * value(table, "pm_accuracy", model=model, k=k))
            - round(1109 * value(reported("vid-tab1"), "pm_accuracy", model=released, k=k))
            for k in (0, 10)
        )
        what = f"right of {FURTHER_SETS} further sets, {model.removeprefix(start)}"
        lines.append(Line(what, f"0 to {FURTHER_SETS}", f"{anchor} and {worst}"))
    return tuple(lines)


def backbones() -> tuple[Line, ...]:
    """Count the networks of Table 2."""
    found = [str(line.model) for line in rows(reported("vid-tab2"), "map_drop")]
    return (Line("networks of Table 2", "two Faster R-CNNs", ", ".join(found)),)


FURTHER_SETS = 1145 - 1109
"""The number of sets behind Table 3 that were not released: rows and public predictions differ by
it."""


def further_right(model: str, weights: str) -> tuple[int, int]:
    """Count the further sets with correct anchor and worst frame if `weights` produced the row.

    Args:
        model: the row of Table 3, about 1,145 sets.
        weights: name of the public weights, which others evaluated on the released 1,109 sets.

    >>> further_right("vgg11", "vgg11"), further_right("vgg11_bn", "vgg11")
    ((16, 11), (52, 32))
    """
    known = reference("testbed_reference").query("dataset == 'imagenet_vid_robust'")
    of_weights = known[known["model"] == weights]
    accuracies = dict(zip(of_weights["k"], of_weights["value"], strict=True))
    anchor, worst = (
        round(1145 * value(reported("vid-tab3"), "pm_accuracy", model=model, k=k))
        - round(1109 * float(accuracies[k]) / 100)
        for k in (0, 10)
    )
    return anchor, worst


def _whose_rows() -> Iterator[Line]:
    """Yield the further sets that networks would get right, by row of a repeated name."""
    for model, others in MAY_BE.items():
        for weights in (model, *others):
            what = f"right of {FURTHER_SETS} further sets if the row {model} is of {weights}"
            found = " and ".join(map(str, further_right(model, weights)))
            yield Line(what, f"0 to {FURTHER_SETS}", found)


MAY_BE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vgg11_bn": ("vgg11",),
        "vgg11": (),
        "densenet161": ("densenet169",),
        "densenet169": (),
        "vgg19": ("vgg19_bn",),
        "resnext101_32x4d": ("resnext101_64x4d",),
        "resnext101_64x4d": ("resnext101_32x4d",),
    }
)
"""A row of Table 3 under a repeated name, by what we take it to be -> what else it may be."""


def counts_of(percentage: float, anchors: int) -> list[int]:
    """Return the counts of anchors that round to a percentage with one decimal.

    >>> counts_of(67.5, 1109)
    [749]
    """
    near = round(percentage * anchors / 100)
    return [
        count
        for count in range(near - 1, near + 2)
        if abs(100 * count / anchors - percentage) <= _HALF_A_TENTH
    ]


def _triples(table: Sequence[Reported]) -> list[tuple[float, float, float]]:
    """Return original accuracy, perturbed accuracy and drop of each model, in percent."""
    return [
        (
            100 * number(line),
            100 * value(table, "pm_accuracy", model=line.model, k=10),
            100 * value(table, "drop", model=line.model),
        )
        for line in rows(table, "pm_accuracy", k=0)
        if line.locator.startswith("Table")
    ]


def exact_interval(successes: float, n: int) -> tuple[float, float]:
    """Return the 95 % Clopper-Pearson interval; a share of n need not be a whole number.

    >>> [round(end, 4) for end in exact_interval(749 / 1109 * 1145, 1145)]
    [0.6474, 0.7025]
    """
    low = betaincinv(successes, n - successes + 1, 0.025)
    high = betaincinv(successes + 1, n - successes, 0.975)
    return float(low), float(high)


def _printed_name(model: str, models: Sequence[str]) -> str:
    """Return the printed name of a model, without the number that marks its repetitions."""
    numbered = re.fullmatch(r"(.+)_\d", model)
    return numbered[1] if numbered and numbered[1] in models else model


def _printed_as(line: Reported) -> str | None:
    """Return the paper's name of a row whose name is that of its network."""
    found = re.search(r"printed as (\w+);", line.note)
    return found[1] if found else None


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "anchor_counts": anchor_counts,
        "interval_counts": interval_counts,
        "window": window,
        "augmentations": augmentations,
        "detection_accuracy": detection_accuracy,
        "total_drop": total_drop,
        "finetune_gain": finetune_gain,
        "map_drop_range": map_drop_range,
        "localization_drop": localization_drop,
        "repeated_names": repeated_names,
        "augmented_row": augmented_row,
        "backbones": backbones,
    }
)
