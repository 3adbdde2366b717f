"""pm-k accuracies as the figures and tables of the chapter show them, beside the paper's."""

from collections.abc import Iterable, Mapping

import pandas as pd

from robust_book.chapters.tables import cell_of, ends
from robust_book.figures.bars import Interval
from robust_book.figures.scatter import Both
from robust_lib.protocols.pm_k.answers import Answers
from robust_lib.protocols.pm_k.networks import TYPES, paper_name, type_of
from robust_lib.results import notation
from robust_lib.results.reported import reported
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

PAPER = "the paper, table 3"

Printed = dict[str, dict[str, float]]


def printed(item: str) -> Printed:
    """Return model -> original, perturbed and drop as the paper prints them, percent.

    >>> printed("vid-tab1")["resnet50"]
    {'original': 67.5, 'perturbed': 52.7, 'drop': 14.9}
    """
    found: Printed = {}
    for row in reported(item):
        if row.model is None or row.number is None or "sec." in row.locator:
            continue
        name = {
            ("pm_accuracy", 0): "original",
            ("pm_accuracy", 10): "perturbed",
            ("drop", 10): "drop",
        }.get((row.metric, row.k or 0))
        if name is not None:
            found.setdefault(row.model, {})[name] = round(100 * row.number, 4)
    return found


def three(results: Results, item: str, network: str, k: int) -> dict[str, notation.Interval]:
    """Return a network's original and perturbed accuracy and its drop, as cells, percent.

    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> [cell.value for cell in three(rows, "vid-tab1", "mine", 10).values()]
    [50.0, 30.0, 20.0]
    """
    rows = results.select(item=item, model=network)
    return {
        "Anchor": cell_of(rows.row(metric="pm_accuracy", k=0)),
        "Worst frame": cell_of(rows.row(metric="pm_accuracy", k=k)),
        "Drop": cell_of(rows.row(metric="drop", k=k)),
    }


def types_frame(results: Results, answers: Answers, names: Mapping[str, str]) -> pd.DataFrame:
    """Return Table 1 of this run: the six types, percent.

    Args:
        results: of `protocols.pm_k.classification`.
        answers: of the networks.
        names: the paper's name of a network -> ours.

    >>> answers = toys.answers({"mine": [3, 5]})
    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> frame = types_frame(rows, answers, {"resnet50": "mine"})
    >>> round(frame["Average neighbour"][0], 1), frame["Type"][0]
    (96.5, 'trained on stills: mine')
    """
    rows = []
    for theirs, words in TYPES.items():
        ours = names.get(theirs)
        line: dict[str, object] = {"Type": f"{words}: not asked in this run"}
        if ours is not None and ours in answers.by_network:
            found = three(results, "vid-tab1", ours, answers.k)
            average = answers.neighbours(ours)
            line["Type"] = f"{words}: {network_title(ours)}"
            line["Anchor"] = found["Anchor"]
            line["Average neighbour"] = None if average is None else 100 * average
            line["Worst frame"] = found["Worst frame"]
            line["Drop"] = found["Drop"]
        rows.append(line)
    columns = ["Type", "Anchor", "Average neighbour", "Worst frame", "Drop"]
    return pd.DataFrame(rows).reindex(columns=columns).astype(object)


def printed_types_frame() -> pd.DataFrame:
    """Return Table 1 as the paper prints it, percent.

    >>> printed_types_frame()["Drop"].tolist()[:3]
    [14.9, 15.1, 12.4]
    """
    paper = printed("vid-tab1")
    return pd.DataFrame(
        {
            "Type": list(TYPES.values()),
            "Anchor": [paper[name]["original"] for name in TYPES],
            "Worst frame": [paper[name]["perturbed"] for name in TYPES],
            "Drop": [paper[name]["drop"] for name in TYPES],
        }
    )


def all_frame(results: Results, answers: Answers, names: Mapping[str, str]) -> pd.DataFrame:
    """Return Table 3: every network of this run and every one of the paper's, percent.

    Networks stand by their accuracy on the worst frame, this run's first; those of the paper that
    this run does not have come after them.

    Args:
        results: of `protocols.pm_k.classification`.
        answers: of the networks.
        names: the paper's name of a network -> ours.

    >>> answers = toys.answers({"mine": [3, 5]})
    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> frame = all_frame(rows, answers, {"resnet50": "mine"})
    >>> len(frame), frame["Network"][0], frame["The paper|Drop"][0]
    (50, 'mine', 14.9)
    """
    paper, rows = printed("vid-tab3"), []
    ranked = sorted(
        answers.by_network,
        key=lambda one: (
            -results.row(item="vid-tab3", metric="pm_accuracy", model=one, k=answers.k).value
        ),
    )
    played = {one: paper_name(one, names) for one in ranked}
    for ours in ranked:
        found = three(results, "vid-tab3", ours, answers.k)
        line: dict[str, object] = {"Network": network_title(ours), "Type": type_of(played[ours])}
        line |= {f"This run|{name}": one for name, one in found.items()}
        rows.append(line | _theirs(paper.get(played[ours])))
    for theirs, numbers in paper.items():
        if theirs not in played.values():
            rows.append({"Network": theirs, "Type": type_of(theirs)} | _theirs(numbers))
    columns = ["Network", "Type", *_columns("This run"), *_columns("The paper")]
    return pd.DataFrame(rows).reindex(columns=columns).astype(object)


def committed_frame(results: Results) -> pd.DataFrame:
    """Return both accuracies and the drop of Table 1's networks, percent, for committing.

    >>> frame = committed_frame(toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"}))
    >>> frame["Network"][0], frame["Metric"].tolist(), frame["Value"].tolist()
    ('mine', ['pm accuracy', 'pm accuracy', 'drop'], [50.0, 30.0, 20.0])
    """
    rows = [row for row in results.select(item="vid-tab1").rows if row.model is not None]
    return pd.DataFrame(
        {
            "Network": network_title(str(row.model)),
            "k": row.k,
            "Metric": row.metric.replace("_", " "),
            "Value": 100 * row.value,
            **{end.capitalize(): value for end, value in ends(row).items()},
        }
        for row in rows
    )


def dots(
    results: Results, answers: Answers, names: Mapping[str, str]
) -> dict[str, dict[str, Both]]:
    """Return type -> network -> its accuracy at the anchor and at the worst frame, percent.

    The paper's fifty are a group of their own.

    Args:
        results: of `protocols.pm_k.classification`.
        answers: of the networks.
        names: the paper's name of a network -> ours.

    >>> answers = toys.answers({"mine": [3, 5]})
    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> found = dots(rows, answers, {"resnet50": "mine"})
    >>> list(found), found["trained on stills"]["mine"][0][0]
    (['trained on stills', 'the paper, table 3'], 50.0)
    """
    groups: dict[str, dict[str, Both]] = {}
    for ours in answers.by_network:
        kind = type_of(paper_name(ours, names))
        rows = results.select(item="vid-tab3", model=ours, metric="pm_accuracy")
        both = (interval(rows.row(k=0)), interval(rows.row(k=answers.k)))
        groups.setdefault(kind, {})[network_title(ours)] = both
    ordered = {kind: groups[kind] for kind in TYPES.values() if kind in groups}
    return ordered | {
        PAPER: {
            model: (_alone(numbers["original"]), _alone(numbers["perturbed"]))
            for model, numbers in printed("vid-tab3").items()
        }
    }


def by_distance(results: Results, networks: Iterable[str]) -> dict[str, dict[int, Interval]]:
    """Return title of a network -> k -> its accuracy with its interval, percent.

    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> [values[0] for values in by_distance(rows, ["mine"])["mine"].values()][2:5]
    [50.0, 30.0, 30.0]
    """
    return {
        network_title(network): {
            int(row.k or 0): interval(row)
            for row in results.select(item="vid-fig4", model=network, metric="pm_accuracy").rows
        }
        for network in networks
    }


def interval(row: Row) -> Interval:
    """Return a row's number and the ends of its interval, percent.

    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> interval(rows.row(item="vid-tab1", metric="pm_accuracy", k=0))[0]
    50.0
    """
    ends = (row.value if end is None else end for end in (row.low, row.high))
    low, high = (100 * end for end in ends)
    return 100 * row.value, low, high


def _alone(value: float) -> Interval:
    return value, value, value


def _theirs(numbers: Mapping[str, float] | None) -> dict[str, object]:
    if numbers is None:
        return {}
    return {
        "The paper|Anchor": numbers["original"],
        "The paper|Worst frame": numbers["perturbed"],
        "The paper|Drop": numbers["drop"],
    }


def _columns(family: str) -> list[str]:
    return [f"{family}|{name}" for name in ("Anchor", "Worst frame", "Drop")]
