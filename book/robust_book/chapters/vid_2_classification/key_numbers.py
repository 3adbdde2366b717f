"""The numbers that the prose of the chapter names, ready for the `{result}` role."""

from collections.abc import Mapping

from robust_lib.protocols.pm_k.answers import Answers
from robust_lib.protocols.pm_k.networks import STILLS, paper_name, type_of
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent, points
from robust_lib.results.notation import with_interval
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def key_numbers(
    results: Results, answers: Answers, names: Mapping[str, str]
) -> dict[str, KeyNumber]:
    """Return accuracies, drops and counts that the prose names.

    Args:
        results: of `protocols.pm_k.classification` and `by_class`.
        answers: of the networks.
        names: the paper's name of a network -> ours.

    >>> rows = toys.pm_k_rows({"mine": [3, 5]}, {"resnet50": "mine"})
    >>> found = key_numbers(rows, toys.answers({"mine": [3, 5]}), {"resnet50": "mine"})
    >>> found["anchor"].text, found["average"].text, found["worst"].text, found["gap"].text
    ('50.0 %', '96.5 %', '30.0 %', '20.0 [2.5, 55.6] points')
    """
    every = results.select(item="vid-tab3")
    drops = sorted(every.select(metric="drop").rows, key=lambda row: row.value)
    plain = names.get(STILLS, next(iter(answers.by_network)))
    plain = plain if plain in answers.by_network else next(iter(answers.by_network))
    mine = every.select(model=plain)
    average = answers.neighbours(plain)
    best = max(every.select(metric="pm_accuracy", k=0).rows, key=lambda row: row.value)
    stills = [
        row for row in drops
        if type_of(paper_name(str(row.model), names)) == type_of(STILLS)
    ]  # fmt: skip
    return {
        "network": KeyNumber(network_title(plain)),
        "networks": KeyNumber(str(len(answers.by_network)), len(answers.by_network)),
        "sets": KeyNumber(f"{answers.n:,}", answers.n, "sets of frames"),
        "k": KeyNumber(str(answers.k), answers.k),
        "anchor": percent(mine.row(metric="pm_accuracy", k=0)),
        "average": NOT_MEASURED
        if average is None
        else KeyNumber(f"{100 * average:.1f} %", average, "mean over sets of each set's mean"),
        "worst": percent(mine.row(metric="pm_accuracy", k=answers.k)),
        "gap": points(mine.row(metric="drop", k=answers.k)),
        "smallest_drop": points(drops[0]),
        "largest_drop": points(drops[-1]),
        "smallest_of_stills": points(stills[0]) if stills else NOT_MEASURED,
        "largest_of_stills": points(stills[-1]) if stills else NOT_MEASURED,
        "median_drop": points(_first(every, "median_drop")),
        "best": KeyNumber(network_title(str(best.model))),
        "r_squared": _score(_first(results, "r_squared")),
        "slope": _score(_first(results, "slope")),
        "median_class_drop": points(_first(results, "median_class_drop")),
        "classes_with_drop": percent(_first(results, "classes_with_drop")),
    }


def _score(row: Row | None) -> KeyNumber:
    if row is None:
        return NOT_MEASURED
    return KeyNumber(
        with_interval(row.value, row.low, row.high, 2), row.value, str(row.convention), row.n
    )


def _first(results: Results, metric: str) -> Row | None:
    return next(iter(results.select(metric=metric).rows), None)
