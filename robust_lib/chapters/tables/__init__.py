"""Numbers of rows and of the papers by model, as figures take them."""

from robust_lib.figures import bars
from robust_lib.results.reported import reported
from robust_lib.results.table import Results

Interval = bars.Interval


def intervals(results: Results, metric: str) -> dict[str, Interval]:
    """Return model -> (value, low, high) of a metric over all corruptions, as fractions.

    A value without an interval stands for its ends.

    >>> from robust_lib.results.row import Row
    >>> row = Row(item="inc-tab1", dataset="toy_c", model="vgg11", metric="mce", value=0.9, n=9,
    ...           n_full=9)
    >>> intervals(Results.of([row]), "mce")
    {'vgg11': (0.9, 0.9, 0.9)}
    """
    return {
        str(row.model): (
            row.value,
            row.value if row.low is None else row.low,
            row.value if row.high is None else row.high,
        )
        for row in results.select(metric=metric, corruption=None).rows
    }


def printed_values(item: str, metric: str) -> dict[str, float]:
    """Return model -> printed number of an item's metric over all corruptions, as fractions.

    >>> round(printed_values("inc-tab1", "mce")["resnet50"], 3)
    0.767
    """
    return {
        row.model: row.number
        for row in reported(item)
        if row.metric == metric and row.corruption is None
        if row.model is not None and row.number is not None
    }
