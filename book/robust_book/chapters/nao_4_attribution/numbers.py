"""Rows of the three studies, and their tables, dots and texts."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.nao_4_attribution.studies import MOST, Ground, Study
from robust_lib.protocols.attribution import changes as protocol
from robust_lib.protocols.attribution import shares as share_rows
from robust_lib.protocols.attribution.changes import ABSOLUTE, LOST_SHARE, SIGNED
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

CHANGE, SHARE, SWAPS = "nao-fig6", share_rows.ITEM, "nao-fig8"


def background_rows(
    network: str, studies: Mapping[str, Study], places: Sequence[Ground]
) -> Results:
    """Return Figure 6 as rows: over all classes, by class, by background, and the control.

    Args:
        places: the backgrounds that were used.
    """
    made = []
    for study in studies.values():
        made += protocol.rows(CHANGE, network, study.found, study.controls)
        made += protocol.by_version(CHANGE, network, study.found, "backgrounds")
    if not studies:
        return Results()
    settings = {"backgrounds": float(len(places)), "threshold": MOST}
    return Results.of(made) + view.settings(CHANGE, _first(studies), {network: settings})


def inside_rows(network: str, shares: Mapping[str, Shares]) -> Results:
    """Return Figure 7 as rows: over all classes, by class, and how many are mostly inside."""
    made = [row for one in shares.values() for row in share_rows.rows(network, one)]
    first = next(iter(shares.values()))  # the paper does not say of which set its images are
    images = {"images": float(len(np.unique(first.of.images)))}
    return Results.of(made) + view.settings(SHARE, first.dataset, {network: images})


def swap_rows(network: str, studies: Mapping[str, Study], *, swaps: int, repeats: int) -> Results:
    """Return Figure 8 as rows: over all classes, by class, and the controls."""
    made = []
    for study in studies.values():
        made += protocol.rows(SWAPS, network, study.found, study.controls)
    settings = {"swaps": float(swaps), "repeats": float(repeats)}
    return Results.of(made) + view.settings(SWAPS, _first(studies), {network: settings})


def _first(studies: Mapping[str, Study]) -> str:
    return next(iter(studies.values())).found.dataset


CONTROLS = {"shuffle": "all patches shuffled", "noise": "the box under grey noise"}
"""What a control is called here -> in words."""

Dots = dict[str, dict[str, PercentInterval]]


HARDLY = 20.0
"""Points of probability below which the ledger calls a change of the background small."""
MEAN, HALF = "mean over classes", "half of that: the bound"
HIDDEN = "object hidden by grey noise"
CHANGED = {"shuffle": "all patches shuffled", "noise": HIDDEN}
"""What a control is called here -> its row in a figure."""


def change_dots(
    results: Results, item: str, studies: Mapping[str, Study]
) -> tuple[Dots, dict[str, list[str]]]:
    """Return source -> row -> change (points), and the rows by section, the overall ones first.

    The overall rows are the mean over the classes and the controls; for swaps, also half of the
    change by grey noise, which is the paper's upper bound for the mean. A class's row contains its
    predictions from each source.
    """
    dots: Dots = {name: {} for name in studies}
    by_class: Dots = {name: {} for name in studies}
    counts: dict[str, list[int]] = {}
    for name, study in studies.items():
        of = results.select(item=item, metric=ABSOLUTE)
        found = {row.dataset.removeprefix(study.found.dataset).lstrip("/"): row for row in of.rows}
        for key, title in {"": MEAN, **CHANGED}.items():
            if key in found:
                dots[name][title] = found[key].percent
        if item == SWAPS and "noise" in found:
            dots[name][HALF] = PercentInterval((50 * found["noise"].value,) * 3)
        for one in study.found.classes:
            if one in found:
                by_class[name][one] = found[one].percent
                counts.setdefault(one, []).append(found[one].n or 0)
    titles = {one: f"{one}, n = {' + '.join(map(str, counts[one]))}" for one in ranked(by_class)}
    for name, values in by_class.items():
        dots[name] |= {titles[one]: value for one, value in values.items()}
    whole = [MEAN, CHANGED["shuffle"], HIDDEN, HALF]
    there = {row for of_source in dots.values() for row in of_source}
    return dots, {
        "over all": [row for row in whole if row in there],
        "by class": list(titles.values()),
    }


def scale(
    results: Results, studies: Mapping[str, Mapping[str, Study]]
) -> tuple[Dots, dict[str, list[str]]]:
    """Return source -> row -> change in probability (points), and the rows of each experiment.

    The experiments may have different detectors, so each is shown next to its own hidden object.

    Args:
        studies: ledger item -> source -> the study.
    """
    titles = {CHANGE: ("another background", "backgrounds"), SWAPS: ("swapped patches", "patches")}
    dots: Dots = {}
    sections: dict[str, list[str]] = {}
    for item, by_source in studies.items():
        change, experiment = titles[item]
        for name, study in by_source.items():
            rows = results.select(item=item, metric=ABSOLUTE)
            controls = {**CHANGED, "noise": f"{HIDDEN} ({experiment})"}
            named = {study.found.dataset: change}
            named |= {one: controls[one.rpartition("/")[2]] for one in study.controls}
            for dataset, title in named.items():
                row = rows.first(dataset=dataset)
                if row is not None:
                    dots.setdefault(name, {})[title] = row.percent
                    sections.setdefault(experiment, []).append(title)
    return dots, {name: list(dict.fromkeys(rows)) for name, rows in sections.items()}


def ranked(dots: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the classes of all sources, in descending order of their means."""
    values: dict[str, list[float]] = {}
    for of_source in dots.values():
        for name, (value, _, _) in of_source.items():
            values.setdefault(name, []).append(value)
    return sorted(values, key=lambda name: (-float(np.mean(values[name])), name))


def change_frame(
    results: Results, item: str, studies: Mapping[str, Study], what: str
) -> pd.DataFrame:
    """Return the effects of a change and its controls, one row per set and change.

    Args:
        what: the change in words, such as "three swaps".
    """
    lines = []
    for name, study in studies.items():
        named = {study.found.dataset: what}
        named |= {one: CONTROLS[one.rpartition("/")[2]] for one in study.controls}
        for dataset, words in named.items():
            rows = {row.metric: row for row in results.select(item=item, dataset=dataset).rows}
            if ABSOLUTE in rows:
                lines.append(
                    {
                        "Images": name,
                        "Change": words,
                        "Absolute": view.cell(rows[ABSOLUTE]),
                        "Signed": view.cell(rows[SIGNED]) if SIGNED in rows else None,
                        "No longer detected": view.cell(rows[LOST_SHARE]),
                        "n": f"{rows[ABSOLUTE].n:,}",
                    }
                )
    columns = ["Images", "Change", "Absolute", "Signed", "No longer detected", "n"]
    return pd.DataFrame(lines, columns=columns)


def ground_frame(
    results: Results, found: Sequence[Ground], studies: Mapping[str, Study]
) -> pd.DataFrame:
    """Return for each background the detections in it alone, and its effect."""
    lines = []
    for ground in found:
        line: dict[str, object] = {
            "Background": ground.name,
            "Most confident prediction on it alone": 100 * ground.surest,
            "Passed over": ground.passed_over,
        }
        for name, study in studies.items():
            wanted = f"{study.found.dataset}/backgrounds/{ground.name}"
            row = results.first(dataset=wanted, metric=ABSOLUTE)
            line[f"Change|{name}"] = view.cell(row) if row else "left out"
        lines.append(line)
    return pd.DataFrame(lines, columns=None if lines else ["Background"])


SHARES = {
    "in the box": "attribution_inside",
    "signed": "signed_inside",
    "random box": "random_inside",
}
"""What a share is called in the figure -> in results."""


def share_dots(results: Results, shares: Mapping[str, Shares]) -> dict[str, Dots]:
    """Return set -> kind of share -> class -> share (%).

    Signed shares may be far outside 0 to 100 % if evidence for and against a class nearly cancels
    out; they are cut off at the edges of the figure.
    """
    panels: dict[str, Dots] = {}
    for name, found in shares.items():
        panels[name] = {}
        for title, metric in SHARES.items():
            of = results.select(metric=metric).rows
            rows = {row.dataset.removeprefix(f"{found.dataset}/"): row for row in of}
            panels[name][title] = {
                one: _within(rows[one].percent) for one in found.classes if one in rows
            }
    return panels


def share_frame(results: Results, shares: Mapping[str, Shares]) -> pd.DataFrame:
    """Return the shares over all classes, one row per set, next to those of boxes elsewhere."""
    lines = []
    for name, found in shares.items():
        rows = {row.metric: row for row in results.select(dataset=found.dataset).rows}
        if "attribution_inside" not in rows:
            continue
        lines.append(
            {
                "Images": name,
                "Inside|Absolute": view.cell(rows["attribution_inside"]),
                "Inside|Signed": view.cell(rows["signed_inside"]),
                "By chance|Random box": view.cell(rows["random_inside"]),
                "By chance|Area": view.cell(rows["area_inside"]),
                "Classes mostly inside|Absolute": view.cell(rows["classes_mostly_inside"]),
                "Classes mostly inside|Signed": view.cell(rows["classes_mostly_inside_signed"]),
                "Left out": f"{int((~found.kept).sum())} of {len(found.kept):,}",
            }
        )
    return pd.DataFrame(lines)


def key_numbers(
    results: Results,
    replaced: Mapping[str, Study],
    swapped: Mapping[str, Study],
    shares: Mapping[str, Shares],
    networks: tuple[str, str, str],
) -> dict[str, KeyNumber]:
    """Return the numbers in the prose; "not measured" replaces a missing one.

    Args:
        networks: our names of their detectors, in the order backgrounds, attributions, patches.
    """
    titles = ("background_detector", "attribution_detector", "swap_detector")
    found = {
        title: KeyNumber(network_title(name)) for title, name in zip(titles, networks, strict=True)
    }
    for name in ("ordinary", "adversarial"):
        for title, item, studies in (
            ("backgrounds", CHANGE, replaced),
            ("swaps", SWAPS, swapped),
        ):
            dataset = studies[name].found.dataset if name in studies else ""
            rows = results.select(item=item)
            found[f"{name}_{title}"] = percent(rows.first(dataset=dataset, metric=ABSOLUTE))
            found[f"{name}_{title}_lost"] = percent(rows.first(dataset=dataset, metric=LOST_SHARE))
            for control in CONTROLS:
                row = rows.first(dataset=f"{dataset}/{control}", metric=ABSOLUTE)
                found[f"{name}_{title}_{control}"] = percent(row)
        dataset = shares[name].dataset if name in shares else ""
        for title, metric in (
            ("inside", "attribution_inside"),
            ("random", "random_inside"),
            ("area", "area_inside"),
            ("mostly", "classes_mostly_inside"),
            ("mostly_signed", "classes_mostly_inside_signed"),
            ("signed", "signed_inside"),
        ):
            row = results.first(item=SHARE, dataset=dataset, metric=metric)
            found[f"{name}_{title}"] = percent(row)
    return found


def _within(found: PercentInterval) -> PercentInterval:
    value, low, high = (float(np.clip(one, -5, 105)) for one in found)
    return PercentInterval((value, low, high))
