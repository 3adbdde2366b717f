"""Rows for the tests of this folder: the columns of one, and changes to them."""

from robust_lib.results.row import row_of
from robust_lib.results.table import Results


def columns(**changes) -> dict:
    return {
        "item": "inc-tab1",
        "dataset": "toy",
        "model": "alexnet",
        "corruption": "fog",
        "metric": "ce",
        "convention": "jpeg85",
        "value": 1.0,
        "n": 250,
        "n_full": 250,
    } | changes


def table(*changes: dict) -> Results:
    return Results.of(row_of(columns(**change)) for change in changes)
