"""Checks of the errata of the paper on detectors (NAO): its table of mAPs against its words."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from robust_lib.results.errata.lines import Line, percent, row, rows, value
from robust_lib.results.reported import number, reported


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
        "efficientdet_val": efficientdet_val,
        "seven_models": seven_models,
        "drop_base": drop_base,
        "slight_increase": slight_increase,
        "still_worse": still_worse,
    }
)
