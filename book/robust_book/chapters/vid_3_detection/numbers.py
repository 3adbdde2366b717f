"""mAP as the chapter shows it, beside the paper's, and the settings of training."""

from collections.abc import Mapping

import pandas as pd

from robust_book.chapters import view
from robust_book.chapters.view import Names
from robust_lib.protocols.pm_k.detection import ITEM, TASKS, Scored
from robust_lib.results.interval import PercentInterval, in_percent
from robust_lib.results.key_number import KeyNumber, count, percent, points
from robust_lib.results.reported import printed
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.training import zoo

SETTINGS = "vid-tab5"


def map_frame(results: Results, names: Names, k: int) -> pd.DataFrame:
    """Return Table 2: mAP (%) at the anchor and at the worst frame, this run's and the paper's.

    Args:
        results: of `protocols.pm_k.detection`.
        k: farthest frame that counts; the paper's is 10.
    """
    lines = []
    for task, (metric, drop) in TASKS.items():
        for theirs, ours in names.items():
            rows = results.select(item=ITEM, model=ours)
            run = {
                "Anchor": view.cell(rows.row(metric=metric, k=0)),
                "Worst frame": view.cell(rows.row(metric=metric, k=k)),
                "Drop": view.cell(rows.row(metric=drop, k=k)),
            }
            found = {(row.metric, row.k): row.percent for row in printed(ITEM, model=theirs)}
            paper = {
                "Anchor": found.get((metric, 0)),
                "Worst frame": found.get((metric, 10)),
                "Drop": found.get((drop, 10)),
            }
            lines.append({"Detector": network_title(ours), "Task": task} | view.beside(run, paper))
    return pd.DataFrame(lines).astype(object)


def by_distance(scored: Mapping[str, Scored]) -> dict[str, dict[int, PercentInterval]]:
    """Return detector and task -> k -> mAP, percent; these numbers have no interval."""
    return {
        f"{network_title(network)}, {task}": {
            k: in_percent(sum(values) / len(by_seed))
            for k, values in enumerate(zip(*(seed.values for seed in by_seed), strict=True))
        }
        for network, found in scored.items()
        for task, by_seed in found.by_task.items()
    }


def in_words(lines: Mapping[str, Mapping[int, PercentInterval]]) -> str:
    """Return from where to where each line goes, for an alternative text."""
    return "; ".join(
        f"{title} from {values[min(values)][0]:.0f} to {values[max(values)][0]:.0f} %"
        for title, values in lines.items()
    )


def settings(names: Names, dataset: str, epochs: int | None = None) -> Results:
    """Return how the detectors were trained on a data set, as rows [vid, table 5].

    Args:
        dataset: name of the frames to train with.
        epochs: instead of the recipes' own; None leaves them.
    """
    recipes = {ours: zoo.plan(ours, epochs)[1] for ours in names.values()}
    return view.settings(
        SETTINGS,
        dataset,
        {
            detector: {
                "learning_rate": recipe.rate,
                "batch_size": recipe.batch,
                "iterations": recipe.iterations,
            }
            for detector, recipe in recipes.items()
        },
    )


def settings_frame(names: Names, epochs: int | None = None) -> pd.DataFrame:
    """Return the settings of training, this run's beside the paper's; arguments as above."""
    columns = {
        "Rate": "learning_rate",
        "Schedule": "schedule",
        "Batch": "batch_size",
        "Iterations": "iterations",
    }
    lines = []
    for theirs, ours in names.items():
        manifest, recipe = zoo.plan(ours, epochs)
        length = f"{recipe.iterations:,}" if recipe.iterations else f"{recipe.epochs} epochs"
        run = {
            "Rate": f"{recipe.rate:g}",
            "Schedule": recipe.schedule,
            "Batch": str(recipe.batch),
            "Iterations": length,
        }
        said = view.printed_settings(SETTINGS, theirs)
        paper = {column: said.get(metric, "–") for column, metric in columns.items()}
        lines.append({"Detector": network_title(manifest.name)} | view.beside(run, paper))
    return pd.DataFrame(lines)


def key_numbers(results: Results, scored: Mapping[str, Scored]) -> dict[str, KeyNumber]:
    """Return the mAPs and drops that the prose names: of the first detector, and over all."""
    first = next(iter(scored))
    rows, k = results.select(item=ITEM, model=first), scored[first].settings.k
    found = {
        "detector": KeyNumber(network_title(first)),
        "detectors": count(len(scored)),
        "sets": count(len(scored[first].sets)),
        "k": count(k),
    }
    for task, (metric, drop) in TASKS.items():
        found[f"{task}_anchor"] = percent(rows.row(metric=metric, k=0))
        found[f"{task}_worst"] = percent(rows.row(metric=metric, k=k))
        found[f"{task}_drop"] = points(rows.row(metric=drop, k=k))
    for name in ("smallest", "median", "largest"):
        found[f"{name}_drop"] = points(results.row(metric=f"{name}_map_drop"))
    return found
