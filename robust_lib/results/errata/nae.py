"""Checks of the errata of Natural Adversarial Examples: networks, numbers and classes."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import pandas as pd

from robust_lib import paths
from robust_lib.results.errata.lines import Line, row, rows, value
from robust_lib.results.reported import number, reference, reported


def overlapping_classes() -> tuple[Line, ...]:
    """Look up, in the appendix's list, the classes that the paper calls overlapping."""
    classes = pd.read_csv(paths.manifests() / "classes" / "imagenet_a.csv")
    found = [name for name in _OVERLAPPING if name in set(classes["name"])]
    what = f"of {len(_OVERLAPPING)} classes named in sec. 3, those in App. A"
    return (Line(what, "none", ", ".join(found)),)


# Named in sec. 3 as avoided, in the spelling of the class lists: bee house, pencil case, sink and
# medicine cabinet are apiary, pencil box, washbasin and medicine chest there.
_OVERLAPPING = (
    "honeycomb",
    "bee",
    "apiary",
    "bee eater",
    "rubber eraser",
    "pencil sharpener",
    "pencil box",
    "washbasin",
    "medicine chest",
    "pill bottle",
    "Band Aid",
)


def resnext50() -> tuple[Line, ...]:
    """Compare the ResNeXt-50 of the paragraph on size with that of Figure 8 and a different run."""
    trained = row(reported("nae-fig8"), "accuracy", model="resnext50_32x4d_200")
    text = row(reported("nae-fig10"), "accuracy", model="resnext50_32x4d").value
    others = [str(line.model) for line in rows(reported("nae-fig10"), "accuracy")]
    others.remove("resnext50_32x4d")
    same = Line(
        "ImageNet-A accuracy of Figure 8's network", f"{text} %", f"{100 * number(trained):.1f} %"
    )
    return (same, *_elsewhere("resnext50_32x4d", *others))


def dpn98() -> tuple[Line, ...]:
    """Compare the printed accuracies with an independent evaluation of both networks."""
    return _elsewhere("resnext101_64x4d", "dpn98")


def _elsewhere(*models: str) -> tuple[Line, ...]:
    """Compare printed accuracies with an independent evaluation of public weights."""
    table = reported("nae-fig10")
    known = reference("testbed_reference").query("dataset == 'imagenet_a'")
    elsewhere = dict(zip(known["model"], known["value"].astype(float), strict=True))
    return tuple(
        Line(
            f"ImageNet-A accuracy of {model}, elsewhere",
            f"{row(table, 'accuracy', model=model).value} %",
            f"{elsewhere[model]:.2f} %",
        )
        for model in models
    )


def self_attention() -> tuple[Line, ...]:
    """Compute the gain of squeeze-and-excitation on both sets, from independent evaluations."""
    lines = []
    for dataset, what, text in (
        ("imagenet_val_a", "the 200 classes of ImageNet-1K", "less than 1 %"),
        ("imagenet_a", "ImageNet-A", "approximately 10 %"),
    ):
        found = reference("testbed_reference")
        known = found[found["dataset"] == dataset].set_index("model")["value"].astype(float)
        gain = known["resnext101_32x4d_se"] - known["resnext101_32x4d"]
        lines.append(Line(f"gain of ResNeXt-101 (32x4d) on {what}", text, f"{gain:+.2f} points"))
    return tuple(lines)


def other_answers() -> tuple[Line, ...]:
    """Look up the predictions named in section 4 among the 200 classes and among all classes."""
    lines = []
    for answer in ("bicycle", "keyboard", "calculator"):
        for name, what in (("imagenet_a", "App. A"), ("imagenet_1k", "ImageNet-1K")):
            names = pd.read_csv(paths.manifests() / "classes" / f"{name}.csv")["name"]
            found = [str(one) for one in names if answer in str(one)]
            lines.append(Line(f"classes of {what} named {answer}", "–", ", ".join(found) or "none"))
    return tuple(lines)


def resnet152_aupr() -> tuple[Line, ...]:
    """Compute the gain from self-attention with either printed value."""
    table = reported("nae-fig11")
    attention = value(table, "aupr", model="resnet152_se")
    return tuple(
        Line(
            f"gain over the {line.value} % of {line.locator}",
            "an increase",
            f"{100 * (attention - number(line)):+.1f} points",
        )
        for line in rows(table, "aupr", model="resnet152")
    )


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "overlapping_classes": overlapping_classes,
        "resnext50": resnext50,
        "dpn98": dpn98,
        "self_attention": self_attention,
        "other_answers": other_answers,
        "resnet152_aupr": resnet152_aupr,
    }
)
