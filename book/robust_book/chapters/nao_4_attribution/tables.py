"""The chapter's numbers as tables, dots and words."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robust_book.chapters.nao_4_attribution.grounds import Ground
from robust_book.chapters.nao_4_attribution.studies import Study
from robust_book.chapters.view import cell
from robust_lib.protocols.attribution.changes import ABSOLUTE, LOST_SHARE, SIGNED
from robust_lib.protocols.attribution.shares import Shares
from robust_lib.results.interval import PercentInterval
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

CONTROLS = {"shuffle": "all patches in another order", "noise": "the box under grey noise"}
"""What a control is called here -> in words."""

Dots = dict[str, dict[str, PercentInterval]]


def change_dots(
    results: Results, item: str, studies: Mapping[str, Study]
) -> tuple[Dots, dict[str, float]]:
    """Return source -> class -> change (points), and source -> the mean over its classes.

    Args:
        results: the rows.
        item: ledger id.
        studies: of `studies`.

    >>> from robust_lib.protocols.attribution.changes import rows
    >>> one = toys.changes([0.75], [[0.5, 0.25]])
    >>> found = Results.of(rows("nao-fig8", "mine", one, {}))
    >>> dots, means = change_dots(found, "nao-fig8", {"ordinary": toys.study(one)})
    >>> dots["ordinary"]["cat"][0], means
    (37.5, {'ordinary': 37.5})
    """
    dots: Dots = {}
    means: dict[str, float] = {}
    for name, study in studies.items():
        dataset, classes = study.found.dataset, study.found.classes
        of = results.select(item=item, metric=ABSOLUTE)
        by_class = {row.dataset.removeprefix(f"{dataset}/"): row for row in of.rows}
        dots[name] = {one: by_class[one].percent for one in classes if one in by_class}
        for row in of.rows:
            if row.dataset == dataset:
                means[name] = 100 * row.value
    return dots, means


def ranked(dots: Mapping[str, Mapping[str, PercentInterval]]) -> list[str]:
    """Return the classes of all sources, those with the highest mean first.

    >>> ranked({"a": {"cat": (1.0, 1.0, 1.0)}, "b": {"cat": (3.0, 3.0, 3.0), "dog": (5.0,) * 3}})
    ['dog', 'cat']
    """
    values: dict[str, list[float]] = {}
    for of_source in dots.values():
        for name, (value, _, _) in of_source.items():
            values.setdefault(name, []).append(value)
    return sorted(values, key=lambda name: (-float(np.mean(values[name])), name))


def change_frame(
    results: Results, item: str, studies: Mapping[str, Study], what: str
) -> pd.DataFrame:
    """Return what a change and its controls do in each set: a row a set and change.

    Args:
        results: the rows.
        item: ledger id.
        studies: of `studies`.
        what: the change in words, such as "three swaps".

    >>> from robust_lib.protocols.attribution.changes import rows
    >>> one, noise = toys.changes([0.75], [[0.5, 0.25]]), toys.changes([0.75], [[0.0]])
    >>> controls = {"toys/noise": noise}
    >>> found = Results.of(rows("nao-fig8", "mine", one, controls))
    >>> frame = change_frame(found, "nao-fig8", {"ordinary": toys.study(one, controls)}, "swaps")
    >>> frame["Change"].tolist(), [cell.value for cell in frame["Not found again"]]
    (['swaps', 'the box under grey noise'], [0.0, 100.0])
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
                        "Pictures": name,
                        "Change": words,
                        "Absolute": cell(rows[ABSOLUTE]),
                        "With signs": cell(rows[SIGNED]) if SIGNED in rows else None,
                        "Not found again": cell(rows[LOST_SHARE]),
                        "n": f"{rows[ABSOLUTE].n:,}",
                    }
                )
    columns = ["Pictures", "Change", "Absolute", "With signs", "Not found again", "n"]
    return pd.DataFrame(lines, columns=columns)


def ground_frame(
    results: Results, found: Sequence[Ground], studies: Mapping[str, Study]
) -> pd.DataFrame:
    """Return background by background what is seen in it alone, and what it changes.

    Args:
        results: the rows.
        found: all backgrounds.
        studies: of `studies.replaced`.

    >>> from robust_book.chapters.nao_4_attribution.grounds import grounds
    >>> frame = ground_frame(Results(), grounds(run, "mine"), {})
    >>> frame["Background"][0], float(frame["Surest thing in it alone"][0])
    ('underwater', 0.0)
    """
    lines = []
    for ground in found:
        line: dict[str, object] = {
            "Background": ground.name,
            "Surest thing in it alone": 100 * ground.surest,
            "Passed over": ground.passed_over,
        }
        for name, study in studies.items():
            wanted = f"{study.found.dataset}/backgrounds/{ground.name}"
            rows = results.select(dataset=wanted, metric=ABSOLUTE).rows
            line[f"Change|{name}"] = cell(rows[0]) if rows else "left out"
        lines.append(line)
    return pd.DataFrame(lines)


SHARES = {
    "in the box": "attribution_inside",
    "with signs": "signed_inside",
    "random box": "random_inside",
}
"""What a share is called in the figure -> in results."""


def share_dots(results: Results, shares: Mapping[str, Shares]) -> dict[str, Dots]:
    """Return set -> kind of share -> class -> share (%).

    Shares with signs may be far outside of 0 to 100 % where what speaks for and against a class
    nearly cancels out; these are cut off at the edges of the figure.

    >>> from robust_lib.protocols.attribution.share_rows import rows
    >>> one = toys.shares([0.75, 0.25], classes=[0, 1])
    >>> dots = share_dots(Results.of(rows("mine", one)), {"ordinary": one})["ordinary"]
    >>> dots["in the box"]["cat"][0], dots["with signs"]["cat"][0], dots["random box"]["dog"][0]
    (75.0, 105.0, 25.0)
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
    """Return the shares over all classes, a row a set, beside those of boxes elsewhere.

    >>> from robust_lib.protocols.attribution.share_rows import rows
    >>> one = toys.shares([0.75, 0.25], classes=[0, 1])
    >>> frame = share_frame(Results.of(rows("mine", one)), {"ordinary": one})
    >>> frame["Classes mostly inside|Absolute"][0].value, frame["Left out"][0]
    (50.0, '0 of 2')
    """
    lines = []
    for name, found in shares.items():
        rows = {row.metric: row for row in results.select(dataset=found.dataset).rows}
        if "attribution_inside" not in rows:
            continue
        lines.append(
            {
                "Pictures": name,
                "Inside|Absolute": cell(rows["attribution_inside"]),
                "Inside|With signs": cell(rows["signed_inside"]),
                "By chance|Random box": cell(rows["random_inside"]),
                "By chance|Area": cell(rows["area_inside"]),
                "Classes mostly inside|Absolute": cell(rows["classes_mostly_inside"]),
                "Classes mostly inside|With signs": cell(rows["classes_mostly_inside_signed"]),
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
    """Return the numbers that the prose names; "not measured" where there is none.

    Args:
        results: all rows.
        replaced: the study of backgrounds.
        swapped: that of patches.
        shares: that of attributions.
        networks: our names of their detectors, in the order backgrounds, attributions, patches.

    >>> numbers = key_numbers(Results(), {}, {}, {}, ("mine", "yours", "mine"))
    >>> numbers["ordinary_swaps"].text, numbers["attribution_detector"].text
    ('not measured', 'yours')
    """
    titles = ("background_detector", "attribution_detector", "swap_detector")
    found = {
        title: KeyNumber(network_title(name)) for title, name in zip(titles, networks, strict=True)
    }
    for name in ("ordinary", "adversarial"):
        for title, item, studies in (
            ("backgrounds", "nao-fig6", replaced),
            ("swaps", "nao-fig8", swapped),
        ):
            dataset = studies[name].found.dataset if name in studies else ""
            found[f"{name}_{title}"] = _percent(results, item, dataset, ABSOLUTE)
            found[f"{name}_{title}_lost"] = _percent(results, item, dataset, LOST_SHARE)
            for control in CONTROLS:
                control_name = f"{name}_{title}_{control}"
                found[control_name] = _percent(results, item, f"{dataset}/{control}", ABSOLUTE)
        dataset = shares[name].dataset if name in shares else ""
        for title, metric in (
            ("inside", "attribution_inside"),
            ("random", "random_inside"),
            ("area", "area_inside"),
            ("mostly", "classes_mostly_inside"),
            ("mostly_signed", "classes_mostly_inside_signed"),
            ("signed", "signed_inside"),
        ):
            found[f"{name}_{title}"] = _percent(results, "nao-fig7", dataset, metric)
    return found


def _percent(results: Results, item: str, dataset: str, metric: str) -> KeyNumber:
    rows = results.select(item=item, dataset=dataset, metric=metric).rows
    return percent(rows[0]) if rows else NOT_MEASURED


def _within(found: PercentInterval) -> PercentInterval:
    value, low, high = (float(np.clip(one, -5, 105)) for one in found)
    return PercentInterval((value, low, high))
