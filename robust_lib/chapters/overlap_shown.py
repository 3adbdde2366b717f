"""What the overlap chapters show beside the rows: accuracies by architecture, and key numbers."""

from collections.abc import Mapping

import pandas as pd

from robust_lib.errors import InputError
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap.accuracies import Accuracies, from_grid
from robust_lib.protocols.overlap.scores import PAPER, Convention, matrix, undefined
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, mean
from robust_lib.results.table import Results


def by_architecture(grid: Grid) -> dict[str, Accuracies]:
    """Return the accuracies of each architecture in a grid, by its name.

    A network called `<architecture>+fog` was trained with fog; one without a plus is standard.

    Raises:
        InputError: an architecture lacks the network trained with one of the grid's corruptions.
    """
    standard = [name for name in grid.models if "+" not in name]
    return {
        name: from_grid(grid, name, {one: f"{name}+{one}" for one in grid.corruptions})
        for name in standard
    }


def defined(table: Accuracies, convention: Convention = PAPER) -> pd.DataFrame:
    """Return the matrix without the corruptions that have no overlaps.

    Raises:
        InputError: fewer than two are left.
    """
    without = undefined(table, convention)
    frame = matrix(table, convention).drop(index=list(without), columns=list(without))
    if len(frame) < 2:
        raise InputError(
            f"Expected at least two corruptions with overlaps, but {', '.join(without)} have none: "
            "training with them hardly helped. Train longer, or with other corruptions."
        )
    return frame


def key_numbers(results: Results, tables: Mapping[str, Accuracies]) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    A number that this run does not have is there in words.
    """
    first = next(iter(tables.values()))
    least = min(table.clean.min() for table in tables.values())
    most = max(table.clean.max() for table in tables.values())
    agreement = results.select(metric="rank_correlation", model=None).rows
    numbers: dict[str, KeyNumber] = {
        "clean": KeyNumber(
            f"{100 * least:.1f} to {100 * most:.1f} %",
            convention="least and greatest clean accuracy of all networks",
            n=first.n,
        ),
        "agreement": NOT_MEASURED,
    }
    if agreement:
        value, words = agreement[0].value, agreement[0].convention or ""
        numbers["agreement"] = KeyNumber(
            f"{value:.2f}", value=value, convention=words, n=agreement[0].n
        )
    for group in ("noise", "blur_pixelate", "texture", "all"):
        rows = results.select(metric="group_overlap", corruption=group).rows
        numbers[f"{group}_overlap"] = mean([row.value for row in rows], "pairs and architectures")
    return numbers
