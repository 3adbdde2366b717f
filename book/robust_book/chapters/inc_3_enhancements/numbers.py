"""Tables, dots, settings and numbers on enhanced networks and the standard network.

In all functions, `members` are the networks of an item, the paper's name -> ours, and `base` is our
network that the others are compared with; None if the run has none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.inc_3_enhancements.changes import (
    NOISES,
    change,
    mce_row,
    of_stability,
    stability_of,
)
from robust_book.chapters.learning import sizes
from robust_book.figures.scatter import Both
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.enhancements import STABILITY
from robust_lib.protocols.corruption_error.normaliser import Normaliser, published
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, paired_points
from robust_lib.results.notation import Cell, listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.corrupted_sets import OWN_SIZE
from robust_lib.run.network import network_title
from robust_lib.run.papers import inc
from robust_lib.run.run import Run
from robust_lib.training import zoo
from robust_lib.vocabulary import COMMON, corruption_label

MEAN = "mCE"
"""What the row of the mean over the fifteen corruptions is called."""

Members = Mapping[str, str]
_BOTH = {"error": "Clean error", "mce": MEAN}
_UNDIVIDED = {"error": "Clean error", "mean_error": "Corrupted error", "mce": MEAN}
_TRAINING, _TUNED, _CROPPED = "resnet50_stability", "resnet50_clahe", "resnet50_tencrop"
_STRENGTHS = (0.01, 0.05, 0.1)  # the paper's, of noise and of weight alike
_CHANGES = {
    "denoise": ("inc-claim-denoise", "resnet50_nlm"),
    "equalise": ("inc-claim-clahe", "resnet50_equalised"),
    "clahe": ("inc-claim-clahe", "resnet50_clahe"),
    "tuned": (STABILITY, "resnet50_tuned"),
    "crops": ("inc-claim-tencrop", "resnet50_tencrop"),
}
"""Stem of a key number -> the item and the network, by the paper's name, whose change it is."""


def stability_frame(results: Results, members: Members, base: str | None) -> pd.DataFrame:
    """Return one row per network with stability training, after those without it.

    >>> list(stability_frame(Results.of([]), {}, None))[:3]  # of own networks alone there is none
    ['Network', 'Clean error', '± mCE']
    """
    lines = []
    for ours in members.values():
        line = _line(results, STABILITY, ours, base, {"error": "Clean error"}, {"mce": MEAN})
        for name, label in NOISES.items():
            line[f"± {label}"] = _cell(change(results, STABILITY, ours, base, "ce", name))
        lines.append(line)
    heads = ["Network", "Clean error", *(f"± {label}" for label in (MEAN, *NOISES.values()))]
    return pd.DataFrame(lines, columns=heads, dtype=object)


def stability_map(results: Results, members: Members) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return mCE (%) by weight and noise, and mCE (%) of the other networks by title."""
    by_noise: dict[float, dict[float, float]] = {}
    beside: dict[str, float] = {}
    for ours in members.values():
        row, stability = mce_row(results, STABILITY, ours), stability_of(ours)
        if row is None:
            continue
        if stability is None:
            beside[network_title(ours)] = row.percent[0]
        else:
            by_noise.setdefault(stability.noise, {})[stability.weight] = row.percent[0]
    frame = pd.DataFrame(by_noise).sort_index().sort_index(axis=1)
    return frame.rename(index="{:g}".format, columns="{:g}".format), beside


def map_words(frame: pd.DataFrame, beside: Mapping[str, float]) -> str:
    """Return a text on the range of a map of mCEs and on the values next to it.

    >>> map_words(pd.DataFrame({"0.1": {"0.01": 99.0, "0.05": 101.5}}), {"VGG-11": 98.0})
    'from 99.0 to 101.5 %; VGG-11 98.0 %'
    """
    values = frame.to_numpy(dtype=float)
    parts = [f"from {values.min():.1f} to {values.max():.1f} %"] if values.size else []
    parts += [f"{name} {value:.1f} %" for name, value in beside.items()]
    return "; ".join(parts) or "none in this run"


def changes_frame(results: Results, item: str, members: Members, base: str | None) -> pd.DataFrame:
    """Return one row per network of an item: clean error, mCE and changes from the standard one."""
    is_counted = bool(results.select(item=item, metric="lower_ces").rows)
    heads = _UNDIVIDED if item in enhancements.UNDIVIDED else _BOTH
    changes = {metric: head[0].lower() + head[1:] for metric, head in heads.items()}
    lines = []
    for ours in members.values():
        line = _line(results, item, ours, base, heads, changes)
        if is_counted:
            row = results.first(item=item, model=ours, metric="lower_ces")
            line["Lower CEs"] = None if row is None else _count(row)
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def size_frame(results: Results, item: str, members: Members) -> pd.DataFrame:
    """Return one row per network of an item: clean error and mCE."""
    lines = [_line(results, item, ours, None, _BOTH, {}) for ours in members.values()]
    return pd.DataFrame(lines, dtype=object)


def _line(
    results: Results,
    item: str,
    model: str,
    base: str | None,
    metrics: Mapping[str, str],
    changes: Mapping[str, str],
) -> dict[str, object]:
    """Return a network's row of a table; `metrics` and `changes` are metric -> column."""
    line: dict[str, object] = {"Network": network_title(model)}
    for metric, head in metrics.items():
        row = results.first(item=item, model=model, corruption=None, metric=metric)
        line[head] = None if row is None else view.cell(row)
    for metric, head in changes.items():
        line[f"± {head}"] = _cell(change(results, item, model, base, metric))
    return line


def _cell(change: Estimate | None) -> Cell | None:
    return None if change is None else view.cell_of(change.percent)


def _count(row: Row) -> str:
    ends = "" if row.low is None or row.high is None else f" [{row.low:.0f}, {row.high:.0f}]"
    return f"{row.value:.0f}{ends}"


def change_dots(
    results: Results, item: str, members: Members, base: str | None
) -> dict[str, dict[str, PercentInterval]]:
    """Return title -> corruption -> CE minus the standard network's, in points; the mean last."""
    kinds = {corruption_label(name): ("ce", name) for name in COMMON} | {MEAN: ("mce", None)}
    found = {
        network_title(ours): {
            label: one.percent
            for label, kind in kinds.items()
            if (one := change(results, item, ours, base, *kind)) is not None
        }
        for ours in members.values()
    }
    return {title: dots for title, dots in found.items() if dots}


def rows_of(dots: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the row labels of `change_dots`, in the benchmark's order.

    >>> rows_of({"a": {"Fog": (1.0, 1.0, 1.0)}, "b": {"Fog": (1.0,) * 3, "mCE": (1.0,) * 3}})
    ['Fog', 'mCE']
    """
    return list(dict.fromkeys(name for values in dots.values() for name in values))


def noise_dots(
    results: Results, item: str, members: Members
) -> dict[str, dict[str, PercentInterval]]:
    """Return title of a network -> noise -> CE."""
    found = {
        network_title(ours): {
            NOISES[str(row.corruption)]: row.percent
            for row in results.select(item=item, model=ours, metric="ce", corruption=[*NOISES]).rows
        }
        for ours in members.values()
    }
    return {title: dots for title, dots in found.items() if dots}


def both(results: Results, item: str, models: Sequence[str]) -> dict[str, Both]:
    """Return title of a network -> its clean error and its mCE, percent."""
    found: dict[str, Both] = {}
    for model in models:
        of_model = results.select(item=item, model=model, corruption=None)
        rows = [of_model.select(metric=metric).rows for metric in ("error", "mce")]
        if all(rows):
            found[network_title(model)] = (rows[0][0].percent, rows[1][0].percent)
    return found


def both_words(dots: Mapping[str, Both]) -> str:
    """Return a text on the networks' errors and mCEs.

    >>> both_words({"VGG-11": ((25.0,) * 3, (90.0,) * 3)})
    'VGG-11 error 25.0 and mCE 90.0 %'
    """
    return "; ".join(
        f"{name} error {error[0]:.1f} and mCE {mce[0]:.1f} %" for name, (error, mce) in dots.items()
    )


def both_panels(
    results: Results, item: str, members: Members
) -> dict[str, dict[str, dict[str, PercentInterval]]]:
    """Return panel -> source -> title of a network -> number; the paper's number if it prints one.

    The paper's number for a network is next to that of our stand-in.
    """
    ours = both(results, item, list(members.values()))
    panels = {}
    for place, (title, metric) in enumerate((("clean error", "error"), (MEAN, "mce"))):
        printed = view.printed_by_network(item, metric=metric, corruption=None)
        panels[title] = {
            "this run": {name: dots[place] for name, dots in ours.items()},
            "the paper": {
                network_title(own): point(printed[paper])
                for paper, own in members.items()
                if paper in printed
            },
        }
    return panels


def settings(run: Run, dataset: str) -> Results:
    """Return epochs of fine-tuning, noises, weights and crops as rows.

    Noises and weights have the paper's values, in ascending order; the paper has no others.
    """
    names, rows = run.paper_names, []
    stable = [ours for paper, ours in names.items() if paper.startswith(_TRAINING)]
    if stable:
        found = [one for one in map(stability_of, stable) if one is not None]
        values = {
            "uniform_noise": {one.noise for one in found},
            "stability_weight": {one.weight for one in found},
        }
        rows.append(_epochs(run, STABILITY, dataset, _TRAINING, stable[0]))
        setting = partial(Row, item=STABILITY, dataset=dataset, model=_TRAINING)
        rows += [
            setting(metric=metric, severity=place, value=value)
            for metric, listed in values.items()
            for place, value in enumerate(_STRENGTHS, 1)
            if value in listed
        ]
    if _TUNED in names:
        rows.append(_epochs(run, "inc-claim-clahe", dataset, names[_TUNED], names[_TUNED]))
    crops = {names[_CROPPED]: {"crops": 10.0}} if _CROPPED in names else {}
    return Results.of(rows) + view.settings("inc-claim-tencrop", dataset, crops)


def _epochs(run: Run, item: str, dataset: str, model: str, name: str) -> Row:
    """Return the epochs of this run and the recipe's; fewer epochs make the result no finding."""
    done, whole = (zoo.plan(name, epochs)[1].epochs for epochs in (run.profile.epochs, None))
    (row,) = view.settings(item, dataset, {model: {"epochs": done}}).rows
    return replace(row, n=done, n_full=whole)


def size_words(run: Run, grid: Grid, members: Members) -> str:
    """Return a text on the image sizes of an item's networks and of the baseline, if they differ.

    Images that are stored first, as in the archive, are corrupted at one size for all networks.
    """
    found = sizes(dict.fromkeys([inc.baseline(run), *members.values()]))
    if len(found) < 2 or not grid.storage.endswith(OWN_SIZE):
        return ""
    texts = "; ".join(f"{side} pixels, {listed(titles)}" for side, titles in found.items())
    return f" The same scenes, corrupted at each network's own size: {texts}."


def mce_points(normaliser: Normaliser) -> float:
    """Return the change in mCE, in points, for one point of error under all corruptions.

    It follows from the normaliser's errors: the paper's AlexNet misclassifies four of five images.

    >>> from robust_lib.protocols.corruption_error.normaliser import published
    >>> round(mce_points(published()), 2)
    1.27
    """
    known = [errors.mean() for name, errors in normaliser.errors.items() if name in COMMON]
    mean = float(np.mean(known)) if known else 0.0
    return 1 / mean if mean else 1.0


def convention_numbers(run: Run, normaliser: Normaliser) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the unit of mCE and on image sizes."""
    here, paper = mce_points(normaliser), mce_points(published())
    found = sizes(map(str, run.networks))
    texts = [f"{side} pixels for {len(titles)} networks" for side, titles in found.items()]
    return {
        "mce_points": KeyNumber(
            f"{here:.1f} points here and {paper:.1f} with the paper's AlexNet",
            here,
            f"100 % divided by the mean error under the fifteen corruptions; {normaliser.words}",
        ),
        "sizes": KeyNumber(" and ".join(texts), convention="according to the networks' manifests"),
    }


def key_numbers(results: Results, grid: Grid, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    For each enhancement, they are clean error and mCE minus the standard network's, in points. For
    ten crops, they are the differences to the central crop, and by how much more the error falls on
    corrupted images than on clean ones.
    """
    numbers = {"standard": NOT_MEASURED, "standard_mce": NOT_MEASURED}
    base = enhancements.standard(STABILITY, names, grid.models)
    if base is not None:
        numbers["standard"] = KeyNumber(network_title(base), base, "the stand-in for ResNet-50")
        if (row := mce_row(results, STABILITY, base)) is not None:
            convention = f"mCE of {base}; {row.convention}"
            numbers["standard_mce"] = KeyNumber(
                f"{100 * row.value:.1f} %", row.value, convention, row.n
            )
    numbers |= of_stability(results, grid, names, base)
    for stem, (item, paper) in _CHANGES.items():
        ours = enhancements.members(item, names, grid.models).get(paper)
        base = enhancements.standard(item, names, grid.models)
        error, mce, corrupted = (
            change(results, item, ours, base, metric) for metric in ("error", "mce", "mean_error")
        )
        than = f"of {ours} minus that of {base}"
        numbers[f"{stem}_error"] = paired_points(error, f"clean error {than}")
        numbers[f"{stem}_mce"] = paired_points(mce, f"mCE {than}")
        if item in enhancements.UNDIVIDED:
            numbers[f"{stem}_corrupted"] = paired_points(
                corrupted, f"mean error under the fifteen corruptions, not normalised, {than}"
            )
            numbers[f"{stem}_beyond"] = paired_points(
                None if error is None or corrupted is None else difference(error, corrupted),
                "by how many more points that error falls than the clean error",
            )
    numbers["clahe_over_tuned"] = _over_tuned(results, grid, names)
    return numbers


def _over_tuned(results: Results, grid: Grid, names: Mapping[str, str]) -> KeyNumber:
    """Return the effect of equalisation: networks trained for as long with as without it."""
    item = "inc-claim-clahe"
    members = enhancements.members(item, names, grid.models)
    equalised, tuned = members.get(_TUNED), members.get("resnet50_tuned")
    found = change(results, item, equalised, tuned, "mce")
    return paired_points(found, f"mCE of {equalised} minus that of {tuned}")
