"""The numbers that the prose on the auxiliary experiments names."""

from robust_lib.protocols import held_out_subtypes as protocol
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.notation import with_interval
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title


def subtypes(results: Results, dataset: str) -> dict[str, KeyNumber]:
    """Return what the prose says of held-out subtypes, of the first network.

    Args:
        results: of `protocols.held_out_subtypes`.
        dataset: name of the test pictures.

    >>> rows = protocol.results(*toys.subtypes(seen_wrong=1, unseen_wrong=3), "toys", samples=20)
    >>> numbers = subtypes(rows, "toys")
    >>> [numbers[key].text for key in ("network", "seen", "unseen", "fewest", "most")]
    ['Wide ResNet-like', '10.0 %', '72.5 %', '70.0 %', '75.0 %']
    """
    seen, unseen = protocol.parts(dataset).values()
    rows = results.select(item=protocol.ITEM, metric="error")
    model = str(rows.rows[0].model)
    means = [rows.row(model=model, dataset=part, severity=None) for part in (seen, unseen)]
    settings = [
        row for row in rows.select(model=model, dataset=unseen).rows if row.severity is not None
    ]
    gap = difference(*(_estimate(row) for row in reversed(means)))
    low, high = (None if end is None else 100 * end for end in (gap.low, gap.high))
    return {
        "network": KeyNumber(network_title(model), model),
        "seen": percent(means[0]),
        "unseen": percent(means[1]),
        "gap": KeyNumber(
            f"{with_interval(100 * gap.value, low, high)} points",
            gap.value,
            "mean error on held-out subtypes less that on seen ones; paired interval",
            gap.n,
        ),
        "fewest": percent(settings[0]) if settings else NOT_MEASURED,
        "most": percent(settings[-1]) if settings else NOT_MEASURED,
    }


def _estimate(row: Row) -> Estimate:
    n, n_full = row.n or 0, row.n_full or 0
    return Estimate(
        value=row.value, low=row.low, high=row.high, n=n, n_full=n_full, draws=row.draws
    )
