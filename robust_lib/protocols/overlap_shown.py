"""What the overlap chapters show beside the rows: accuracies by architecture, and key numbers."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from robust_lib.errors import InputError
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import PAPER, Convention, matrix, undefined
from robust_lib.protocols.overlap_accuracies import Accuracies, from_grid
from robust_lib.results import Results


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


def headline(results: Results, tables: Mapping[str, Accuracies]) -> dict[str, dict[str, object]]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    A number that this run does not have is there in words.
    """
    first = next(iter(tables.values()))
    told: dict[str, dict[str, object]] = {
        "clean": _said(
            f"{100 * min(t.clean.min() for t in tables.values()):.1f} to "
            f"{100 * max(t.clean.max() for t in tables.values()):.1f} %",
            f"least and greatest clean accuracy of all networks; n = {first.n}",
        ),
        "agreement": _of(results, metric="rank_correlation", model=None, digits=2),
    }
    for group in ("noise", "blur_pixelate", "texture", "all"):
        values = [
            row.value for row in results.select(metric="group_overlap", corruption=group).rows
        ]
        told[f"{group}_overlap"] = (
            _said(f"{np.mean(values):.2f}", "mean of the pairs and of the architectures")
            if values
            else _said("not measured")
        )
    return told


def _of(results: Results, *, metric: str, model: str | None, digits: int) -> dict[str, object]:
    rows = results.select(metric=metric, model=model).rows
    if not rows:
        return _said("not measured")
    return _said(f"{rows[0].value:.{digits}f}", rows[0].convention or "", rows[0].n)


def _said(text: str, convention: str = "", n: int | None = None) -> dict[str, object]:
    return {"text": text, "value": text, "convention": convention, "n": n}
