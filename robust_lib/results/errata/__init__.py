"""The papers' errata, and for each that can be computed the computation that shows it."""

from collections.abc import Callable, Mapping
from statistics import mean
from types import MappingProxyType

from robust_lib import paths
from robust_lib.config.strict_yaml import Record, parse_record, read_yaml
from robust_lib.errors import InputError, one_of
from robust_lib.results.errata.lines import Line, number, percent, row, rows, value
from robust_lib.results.errata.vid import VID_CHECKS
from robust_lib.results.reported import Paper, alexnet_errors, reference, reported


class Erratum(Record):
    """Something a paper prints and cannot mean; `check` names the computation that shows it."""

    id: str
    paper: Paper
    items: tuple[str, ...]
    printed: str
    should_be: str
    explanation: str
    check: str | None


def errata() -> tuple[Erratum, ...]:
    """Return all errata, in the papers' order."""
    path = paths.manifests() / "reported" / "errata.yaml"
    return tuple(
        parse_record(raw, Erratum, path, position) for position, raw in enumerate(read_yaml(path))
    )


def check(name: str) -> tuple[Line, ...]:
    """Return the lines of a check, computed from the printed numbers.

    Raises:
        InputError: there is no check of this name.
    """
    if name not in CHECKS:
        raise InputError(one_of("check", name, CHECKS))
    return CHECKS[name]()


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


def thirty_models() -> tuple[Line, ...]:
    """Count the networks that two matrices of fifteen corruptions need."""
    table = reported("overlap-fig2")
    corruptions, text = value(table, "corruption_types"), row(table, "models").value
    return (
        Line("one network a corruption, two architectures", text, f"{2 * corruptions:.0f}"),
        Line("and a standard one for each", text, f"{2 * (corruptions + 1):.0f}"),
    )


def set1() -> tuple[Line, ...]:
    """Compute the standard ResNet-50's mean CE on set1 from rounded and from exact parts."""
    text = row(reported("overlap-tab1"), "mean_ce", model="resnet50", corruption="set1").value
    exact = reference("resnet50_reference").dropna().set_index("corruption")["ce"]
    # Noises, blurs and pixelate: the eight that the paper puts into its first half.
    members = [
        str(name) for name in exact.index if str(name).endswith(("noise", "blur", "pixelate"))
    ]
    table = reported("inc-tab1")
    rounded = [value(table, "ce", model="resnet50", corruption=name) for name in members]
    return (
        Line("mean of the rounded entries", f"{text} %", f"{100 * mean(rounded):.2f} %"),
        Line("mean of the exact entries", f"{text} %", f"{exact[members].mean():.2f} %"),
    )


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


def efficientdet_val() -> tuple[Line, ...]:
    """Set the two printed values for one detector side by side."""
    lines = rows(reported("nao-tab2"), "map", model="efficientdet_d7", dataset="coco_val")
    table = next(line for line in lines if line.locator == "Table 2")
    return tuple(
        Line(f"mAP in {line.locator} and in Table 2", f"{line.value} %", f"{table.value} %")
        for line in lines
        if line is not table
    )


def seven_models() -> tuple[Line, ...]:
    """Count the detectors of Table 2."""
    table = reported("nao-tab2")
    count = len(rows(table, "map", dataset="nao"))
    return (Line("rows of Table 2", row(table, "models").value, f"{count}"),)


def drop_base() -> tuple[Line, ...]:
    """Compute the two relative drops from either column of COCO."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "relative_drop"):
        ours = value(table, "map", model=line.model, dataset="nao")
        for base in ("coco_val", "coco_test_dev"):
            drop = 1 - ours / value(table, "map", model=line.model, dataset=base)
            lines.append(Line(f"{line.model} from {base}", f"{line.value} %", percent(drop)))
    return tuple(lines)


def slight_increase() -> tuple[Line, ...]:
    """Compute how much each detector gains when foreign objects are left out."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "map_without_ood"):
        before = value(table, "map", model=line.model, dataset="nao")
        gain = number(line) - before
        text = f"{100 * gain:+.1f} points, {100 * gain / before:+.0f} %"
        lines.append(Line(f"gain of {line.model}", "slight", text))
    return tuple(lines)


def still_worse() -> tuple[Line, ...]:
    """Compute each detector's mAP on NAO without foreign objects minus that on COCO."""
    table = reported("nao-tab2")
    lines = []
    for line in rows(table, "map_without_ood"):
        # Where val is not printed, test-dev is; both stand before NAO in the table.
        on_coco = rows(table, "map", model=line.model)[0]
        gap = number(line) - number(on_coco)
        what = f"{line.model} against {on_coco.dataset}"
        lines.append(Line(what, "worse", f"{100 * gap:+.1f} points"))
    return tuple(lines)


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "relative_formula": relative_formula,
        "thirty_models": thirty_models,
        "set1": set1,
        "dpn98": dpn98,
        "resnet152_aupr": resnet152_aupr,
        **VID_CHECKS,
        "efficientdet_val": efficientdet_val,
        "seven_models": seven_models,
        "drop_base": drop_base,
        "slight_increase": slight_increase,
        "still_worse": still_worse,
    }
)
