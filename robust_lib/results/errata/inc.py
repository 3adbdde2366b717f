"""Checks of the errata of Common corruptions: its formula, and its tables against each other."""

from collections.abc import Callable, Mapping
from statistics import mean
from types import MappingProxyType

from robust_lib.results.errata.lines import Line, percent, row, rows, value
from robust_lib.results.reported import alexnet_errors, number, reference, reported


def relative_formula() -> tuple[Line, ...]:
    """Compute a ResNet-50's relative mCE by both readings, and Table 2 from Table 1."""
    alexnet = {name: float(error.mean()) for name, error in alexnet_errors().items()}
    resnet = reference("resnet50_reference").dropna().set_index("corruption")["accuracy"]
    errors = {str(name): 1 - float(accuracy) / 100 for name, accuracy in resnet.items()}
    base = alexnet["clean"]
    clean = value(reported("inc-claim-clahe"), "error", model="resnet50")
    # Five times the mean is the sum over the severities.
    literal = [(5 * errors[name] - clean) / (5 * alexnet[name] - base) for name in errors]
    bracketed = [(errors[name] - clean) / (alexnet[name] - base) for name in errors]
    text = f"{row(reported('inc-tab2'), 'relative_mce', model='resnet50').value} %"
    gaps = table_2_gaps()
    return (
        Line("relative mCE of ResNet-50, formula as printed", text, percent(mean(literal))),
        Line("the same with the bracket", text, percent(mean(bracketed))),
        Line(
            f"largest distance of Table 2's {len(gaps)} entries from Table 1",
            "rounding",
            f"{100 * max(map(abs, gaps)):.1f} points",
        ),
    )


def table_2_gaps() -> tuple[float, ...]:
    """Return Table 2's entries minus those that follow from Table 1 and AlexNet's errors."""
    table, means = reported("inc-tab1"), reported("inc-alexnet")
    divisors = {line.corruption: number(line) for line in rows(means, "mean_error")}
    base = value(table, "error", model="alexnet")
    gaps = []
    for line in rows(reported("inc-tab2"), "relative_ce"):
        if line.model == "alexnet":  # the normaliser itself: 100 by definition
            continue
        divisor = divisors[line.corruption]
        error = divisor * value(table, "ce", model=line.model, corruption=line.corruption)
        clean = value(table, "error", model=line.model)
        gaps.append(number(line) - (error - clean) / (divisor - base))
    return tuple(gaps)


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "relative_formula": relative_formula,
    }
)
