"""Checks of the errata of Natural adversarial examples: numbers that stand under two networks."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from robust_lib.results.errata.lines import Line, row, rows, value
from robust_lib.results.reported import number, reference, reported


def dpn98() -> tuple[Line, ...]:
    """Compare the printed accuracies with an independent evaluation of both networks."""
    table = reported("nae-fig10")
    known = reference("testbed_reference").query("dataset == 'imagenet_a'")
    elsewhere = dict(zip(known["model"], known["value"].astype(float), strict=True))
    return tuple(
        Line(
            f"ImageNet-A accuracy of {model}",
            f"{row(table, 'accuracy', model=model).value} %",
            f"{elsewhere[model]:.2f} %",
        )
        for model in ("resnext101_64x4d", "dpn98")
    )


def resnet152_aupr() -> tuple[Line, ...]:
    """Compute the gain from self-attention by either printed value."""
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
        "dpn98": dpn98,
        "resnet152_aupr": resnet152_aupr,
    }
)
