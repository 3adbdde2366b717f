"""pm-k accuracies in the chapter's form, next to the paper's, and the settings of training."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd

from robust_book.chapters import view, worked
from robust_book.chapters.view import Names
from robust_book.figures.scatter import Both
from robust_lib.config.manifests import load_model
from robust_lib.protocols.pm_k.classification import accuracy
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.networks import (
    FINE_TUNED,
    STILLS,
    TYPES,
    paper_name,
    type_of,
    typical,
)
from robust_lib.results.interval import PercentInterval, point
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, count, percent, points, score
from robust_lib.results.reported import printed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.training import zoo

PAPER = "the paper, table 3"
ANCHOR, WORST = "anchor", "worst frame"
COLUMNS = ("Anchor", "Worst frame", "Drop")
SETTINGS = "vid-tab4"

_SCHEDULES = {"plateau": "reduce on plateau", "cosine": "cosine", "step": "steps"}
_OPTIMISERS = {"sgd": "SGD", "adamw": "AdamW"}


def printed_accuracies(item: str) -> dict[str, dict[str, float]]:
    """Return the paper's name of a network -> column -> printed number, percent."""
    columns = {("pm_accuracy", 0): "Anchor", ("pm_accuracy", 10): "Worst frame"}
    found: dict[str, dict[str, float]] = {}
    for row in printed(item, metric=["pm_accuracy", "drop"], k=[None, 0, 10]):
        column = "Drop" if row.metric == "drop" else columns[row.metric, row.k or 0]
        if row.model is not None and "sec." not in row.locator:
            found.setdefault(row.model, {})[column] = row.percent
    return found


def accuracies(results: Results, item: str, network: str, k: int) -> dict[str, object]:
    """Return a network's accuracy at the anchor and at the worst frame, and its drop, as cells."""
    rows = results.select(item=item, model=network)
    return {
        "Anchor": view.cell(rows.row(metric="pm_accuracy", k=0)),
        "Worst frame": view.cell(rows.row(metric="pm_accuracy", k=k)),
        "Drop": view.cell(rows.row(metric="drop", k=k)),
    }


def types_frame(results: Results, answers: FramePredictions, names: Names) -> pd.DataFrame:
    """Return Table 1 of this run in percent, one line per type of training."""
    lines = []
    for theirs, words in TYPES.items():
        ours = names.get(theirs)
        line: dict[str, object] = {"Type": f"{words}: not evaluated in this run"}
        if ours is not None and ours in answers.by_network:
            line = {"Type": f"{words}: {network_title(ours)}"}
            line |= accuracies(results, "vid-tab1", ours, answers.k)
            average = answers.neighbours(ours)
            line["Average neighbour"] = None if average is None else 100 * average
        lines.append(line)
    for ours in typical(names, answers.by_network):
        if ours not in {names.get(theirs) for theirs in TYPES}:
            average = answers.neighbours(ours)
            lines.append(
                {"Type": f"of this run alone: {network_title(ours)}"}
                | accuracies(results, "vid-tab1", ours, answers.k)
                | {"Average neighbour": None if average is None else 100 * average}
            )
    columns = ["Type", "Anchor", "Average neighbour", "Worst frame", "Drop"]
    return pd.DataFrame(lines).reindex(columns=columns).astype(object)


def printed_types_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it, percent."""
    paper = printed_accuracies("vid-tab1")
    return pd.DataFrame({"Type": words} | paper[name] for name, words in TYPES.items())


def all_frame(results: Results, answers: FramePredictions, names: Names) -> pd.DataFrame:
    """Return Table 3 in percent: this run's networks and the paper's, those without ours last.

    This run's networks are sorted by their accuracy on the worst frame, the highest first.
    """
    paper = printed_accuracies("vid-tab3")
    rows = results.select(item="vid-tab3", metric="pm_accuracy", k=answers.k)
    ranked = sorted(answers.by_network, key=lambda network: -rows.row(model=network).value)
    played = {network: paper_name(network, names) for network in ranked}
    lines = [
        {"Network": network_title(network), "Type": type_of(played[network])}
        | view.beside(
            accuracies(results, "vid-tab3", network, answers.k), paper.get(played[network], {})
        )
        for network in ranked
    ]
    lines += [
        {"Network": theirs, "Type": type_of(theirs)} | view.beside({}, numbers)
        for theirs, numbers in paper.items()
        if theirs not in played.values()
    ]
    columns = view.beside(*(dict.fromkeys(COLUMNS) for _ in range(2)))
    return pd.DataFrame(lines).reindex(columns=["Network", "Type", *columns]).astype(object)


def committed_frame(results: Results) -> pd.DataFrame:
    """Return the table to commit: both accuracies and the drop of Table 1's networks, percent."""
    rows = [
        row
        for row in results.select(item="vid-tab1").rows
        if row.model is not None and "/" not in row.dataset
    ]
    columns = {
        "Network": view.title,
        "k": lambda row: row.k,
        "Metric": lambda row: row.metric.replace("_", " "),
    }
    return view.values_frame(rows, columns)


def dots(results: Results, answers: FramePredictions, names: Names) -> dict[str, dict[str, Both]]:
    """Return type -> network -> its accuracy at the anchor and at the worst frame, percent.

    The paper's networks are a group of their own.
    """
    groups: dict[str, dict[str, Both]] = {}
    for network in answers.by_network:
        rows = results.select(item="vid-tab3", model=network, metric="pm_accuracy")
        both = (rows.row(k=0).percent, rows.row(k=answers.k).percent)
        kind = type_of(paper_name(network, names))
        groups.setdefault(kind, {})[network_title(network)] = both
    paper = {
        network: (point(numbers["Anchor"]), point(numbers["Worst frame"]))
        for network, numbers in printed_accuracies("vid-tab3").items()
    }
    return {kind: groups[kind] for kind in TYPES.values() if kind in groups} | {PAPER: paper}


def by_distance(results: Results, networks: Iterable[str]) -> dict[str, dict[int, PercentInterval]]:
    """Return title of a network -> k -> its accuracy, percent."""
    rows = results.select(item="vid-fig4", metric="pm_accuracy")
    return {
        network_title(network): {
            int(row.k or 0): row.percent for row in rows.select(model=network).rows
        }
        for network in networks
    }


def printed_ends() -> dict[str, dict[int, float]]:
    """Return the paper's name of each network of its Table 1 -> k -> its accuracy, percent.

    >>> printed_ends()["resnet152_finetune"]
    {0: 84.7, 10: 70.5}
    """
    return {
        name: {0: found["Anchor"], 10: found["Worst frame"]}
        for name, found in printed_accuracies("vid-tab1").items()
    }


def of_classes(results: Results, dataset: str, k: int) -> dict[str, dict[str, Row]]:
    """Return class -> "anchor" and "worst frame" -> row, sorted by the latter, the lowest first."""
    found: dict[str, dict[str, Row]] = {}
    for row in results.select(metric="pm_accuracy", k=[0, k]).rows:
        name, _, group = row.dataset.partition("/")
        if name == dataset and group:
            found.setdefault(group, {})[ANCHOR if row.k == 0 else WORST] = row
    ranked = sorted(found, key=lambda name: (found[name][WORST].value, found[name][ANCHOR].value))
    return {name: found[name] for name in ranked}


def class_dots(
    of_each: Mapping[str, Mapping[str, Row]],
) -> dict[str, dict[str, PercentInterval]]:
    """Return "anchor" and "worst frame" -> class -> its accuracy, percent."""
    return {
        source: {name: rows[source].percent for name, rows in of_each.items()}
        for source in (ANCHOR, WORST)
    }


def class_frame(of_each: Mapping[str, Mapping[str, Row]]) -> pd.DataFrame:
    """Return one row per class: accuracy (%) with interval, drop and number of sets."""
    return pd.DataFrame(
        {
            "Class": name,
            "Sets": rows[ANCHOR].n,
            "Anchor": view.cell(rows[ANCHOR]),
            "Worst frame": view.cell(rows[WORST]),
            "Drop": round(100 * (rows[ANCHOR].value - rows[WORST].value), 6),
        }
        for name, rows in of_each.items()
    )


def readings_frame(
    answers: FramePredictions, summed: FramePredictions, networks: Iterable[str]
) -> pd.DataFrame:
    """Return accuracy at the worst frame (%) by network, under each convention.

    Args:
        answers: predictions; a class's score is the largest logit of its outputs.
        summed: likewise; the score is the sum of the outputs' probabilities.
        networks: networks to show, if they have predictions.
    """
    readings = {
        "As the authors' code": replace(answers, anchor=True, reading="frame"),
        "Anchor left out": replace(answers, anchor=False, reading="frame"),
        "Equation 2": replace(answers, anchor=False, reading="anchor"),
        "Probabilities summed": replace(summed, anchor=True, reading="frame"),
    }
    chosen = [network for network in networks if network in answers.by_network]
    frame = pd.DataFrame({"Network": [network_title(network) for network in chosen]})
    for name, read in readings.items():
        frame[name] = [
            100 * accuracy(read, network, read.k).value if network in read.by_network else None
            for network in chosen
        ]
    return frame


def settings(names: Names, dataset: str, epochs: int | None = None) -> Results:
    """Return the settings of fine-tuning on a data set, as rows [vid, table 4].

    Args:
        epochs: number of epochs that replaces the recipes' own; None keeps theirs.
    """
    recipes = {names[one]: zoo.plan(names[one], epochs)[1] for one in FINE_TUNED if one in names}
    return view.settings(
        SETTINGS,
        dataset,
        {
            network: {
                "learning_rate": recipe.rate,
                "batch_size": recipe.batch,
                "epochs": recipe.epochs,
            }
            for network, recipe in recipes.items()
        },
    )


def settings_frame(names: Names, epochs: int | None = None) -> pd.DataFrame:
    """Return the settings of fine-tuning, this run's next to the paper's; arguments as above."""
    columns = {
        "Rate": "learning_rate",
        "Schedule": "schedule",
        "Batch": "batch_size",
        "Epochs": "epochs",
    }
    lines = []
    for theirs in FINE_TUNED:
        said = view.printed_settings(SETTINGS, theirs)
        paper = {column: said[metric] for column, metric in columns.items()}
        title, run = theirs, dict.fromkeys([*columns, "Optimiser"], "–")
        if theirs in names:
            manifest, recipe = zoo.plan(names[theirs], epochs)
            title = network_title(manifest.name)
            run = {
                "Rate": f"{recipe.rate:g}",
                "Schedule": _SCHEDULES[recipe.schedule],
                "Batch": str(recipe.batch),
                "Epochs": str(recipe.epochs),
                "Optimiser": _OPTIMISERS[recipe.optimiser],
            }
        lines.append({"Network": title} | view.beside(run, paper | {"Optimiser": "not said"}))
    return pd.DataFrame(lines).astype(object)


ROBUST = "feature_denoise"


def started(results: Results, names: Names, k: int) -> KeyNumber:
    """Return the adversarially trained network's numbers next to those of its starting network.

    >>> started(Results.of([]), {}, 10).text
    'not measured'
    """
    ours = names.get(ROBUST)
    if ours is None or not results.select(model=ours).rows:
        return NOT_MEASURED
    start = load_model(ours).starts_from
    if start is None or not results.select(model=start).rows:
        return NOT_MEASURED

    def told(network: str) -> str:
        rows = results.select(item="vid-tab3", model=network)
        both = (percent(rows.row(metric="pm_accuracy", k=at)).text for at in (0, k))
        lost = points(rows.row(metric="drop", k=k)).text
        return f"{network_title(network)}: {', '.join(both)} and {lost}"

    return KeyNumber(f"{told(ours)}; {told(start)}")


def key_numbers(results: Results, answers: FramePredictions, names: Names) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    Args:
        answers: predictions of the networks; the first is used if the paper's standard one is
            missing.
    """
    every = results.select(item="vid-tab3")
    drops = sorted(every.select(metric="drop").rows, key=lambda row: row.value)
    stills = [row for row in drops if type_of(paper_name(str(row.model), names)) == type_of(STILLS)]
    first = next(iter(answers.by_network))
    standard = names[STILLS] if names.get(STILLS) in answers.by_network else first
    rows, average = every.select(model=standard), answers.neighbours(standard)
    best = max(every.select(metric="pm_accuracy", k=0).rows, key=lambda row: row.value)
    return {
        "network": KeyNumber(network_title(standard)),
        "networks": count(len(answers.by_network)),
        "sets": count(answers.n, "sets of frames"),
        "k": count(answers.k),
        "anchor": percent(rows.row(metric="pm_accuracy", k=0)),
        "average": NOT_MEASURED
        if average is None
        else KeyNumber(f"{100 * average:.1f} %", average, "mean over sets of each set's mean"),
        "worst": percent(rows.row(metric="pm_accuracy", k=answers.k)),
        "gap": points(rows.row(metric="drop", k=answers.k)),
        "smallest_drop": points(drops[0]),
        "largest_drop": points(drops[-1]),
        "smallest_of_stills": points(stills[0] if stills else None),
        "largest_of_stills": points(stills[-1] if stills else None),
        "median_drop": points(every.first(metric="median_drop")),
        "best": KeyNumber(network_title(str(best.model))),
        "r_squared": score(results.first(metric="r_squared")),
        "slope": score(results.first(metric="slope")),
        "rank_correlation": score(results.first(metric="rank_correlation")),
        "worst_third": percent(results.first(metric="worst_third_share")),
        "worst_third_by_lot": percent(results.first(metric="worst_third_by_lot")),
        "started": started(every, names, answers.k),
        "median_class_drop": points(results.first(metric="median_class_drop")),
        "classes_with_drop": percent(results.first(metric="classes_with_drop")),
        **worked.pm_k(every, standard, answers.k),
    }
