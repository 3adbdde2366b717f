"""Checks of the errata of Common Corruptions: its formula, and its tables against its words."""

from collections.abc import Callable, Mapping
from itertools import combinations
from statistics import mean
from types import MappingProxyType

from robust_lib.results.errata.lines import Line, percent, row, rows, value
from robust_lib.results.reported import alexnet_errors, number, reference, reported


def relative_formula() -> tuple[Line, ...]:
    """Compute a ResNet-50's relative mCE under both readings, and Table 2 from Table 1."""
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
    """Return Table 2's entries minus the values that follow from Table 1 and AlexNet's errors."""
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


def monotone() -> tuple[Line, ...]:
    """Find the pairs of networks in Table 1 in which lower clean error comes with a higher mCE."""
    table = reported("inc-tab1")
    models = [str(line.model) for line in rows(table, "mce")]
    pairs = [
        sorted(pair, key=lambda model: value(table, "error", model=model))
        for pair in combinations(models, 2)
    ]
    mce = {model: value(table, "mce", model=model) for model in models}
    against = [(better, worse) for better, worse in pairs if mce[better] > mce[worse]]
    return (
        Line(f"pairs of {len(pairs)} against the sentence", "0", f"{len(against)}"),
        *(
            Line(f"mCE of {better} and of {worse}", "lower", _both(mce[better], mce[worse]))
            for better, worse in against
        ),
    )


def similar_errors() -> tuple[Line, ...]:
    """Return the errors of VGG-11 and ResNet-18, and the corruptions that differ most."""
    table, pair = reported("inc-tab1"), ("vgg11", "resnet18")
    lines = [("clean error", [value(table, "error", model=model) for model in pair])]
    lines += [("mCE", [value(table, "mce", model=model) for model in pair])]
    names = [str(line.corruption) for line in rows(table, "ce", model=pair[0])]
    ces = {
        name: [value(table, "ce", model=model, corruption=name) for model in pair] for name in names
    }
    apart = sorted(names, key=lambda name: abs(ces[name][0] - ces[name][1]), reverse=True)
    lines += [(f"CE of {name}", ces[name]) for name in apart[:2]]
    return tuple(
        Line(f"{what} of {' and '.join(pair)}", "similar", _both(*found)) for what, found in lines
    )


def condensenet() -> tuple[Line, ...]:
    """Compare each CondenseNet with the larger networks of similar accuracy."""
    small = reported("inc-claim-small")
    larger = [
        (line, value(reported(item), "mce", model=line.model))
        for item in ("inc-tab1", "inc-fig4")
        for line in rows(reported(item), "error")
        if item == "inc-tab1" or line.model == "densenet121"
    ]
    lines = []
    for line in rows(small, "error"):
        own = value(small, "mce", model=line.model)
        for other, mce in larger:
            if abs(number(other) - number(line)) < _SIMILAR - 1e-9:
                what = f"mCE of {line.model} and of {other.model}"
                lines.append(Line(what, "higher", _both(own, mce)))
    return tuple(lines)


_SIMILAR = 0.05  # of clean error, as in the claims


def downtick() -> tuple[Line, ...]:
    """Compare the clean errors of ResNet-50 and DenseNet-121, and their mCEs."""
    table, pair = reported("inc-fig4"), ("resnet50", "densenet121")
    error = [value(reported("inc-tab1"), "error", model=pair[0])]
    error.append(value(table, "error", model=pair[1]))
    mce = [value(reported("inc-tab1"), "mce", model=pair[0]), value(table, "mce", model=pair[1])]
    names = " and ".join(pair)
    return (
        Line(f"clean error of {names}", "a downtick", _both(*error)),
        Line(f"mCE of {names}", "a decrease", _both(*mce)),
    )


def negligible() -> tuple[Line, ...]:
    """Show how far the relative mCEs of Table 2 are from AlexNet's."""
    found = {str(line.model): number(line) for line in rows(reported("inc-tab2"), "relative_mce")}
    del found["alexnet"]
    least, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    return tuple(
        Line(
            f"relative mCE of {model} against AlexNet's 100", "negligible", f"{change:+.1f} points"
        )
        for model in (least, most)
        for change in (100 * (found[model] - 1),)
    )


def _both(one: float, other: float) -> str:
    return f"{100 * one:.1f} and {100 * other:.1f} %"


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "relative_formula": relative_formula,
        "monotone": monotone,
        "similar_errors": similar_errors,
        "condensenet": condensenet,
        "downtick": downtick,
        "negligible": negligible,
    }
)
