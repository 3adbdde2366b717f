"""The few numbers that the prose of a chapter names."""

from dataclasses import replace

from robust_lib.protocols.grid import Grid
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.row import Row
from robust_lib.results.table import Results


def key_numbers(results: Results, grid: Grid) -> dict[str, KeyNumber]:
    """Return the few numbers that the prose of a chapter names, ready for the `{result}` role.

    The best model is the one with the smallest clean error; the baseline is the first model. A
    number that this run does not have is there in words.
    """
    clean = {str(r.model): r for r in results.select(metric="error", corruption=None).rows}
    best = min(clean, key=lambda name: clean[name].value)
    numbers: dict[str, KeyNumber] = {
        "best_model": KeyNumber(best, value=best, convention="smallest clean error"),
        "best_accuracy": _accuracy(clean[best], grid),
        "baseline_accuracy": _accuracy(clean[grid.models[0]], grid),
    }
    wanted = {
        "best_mce": ("mce", best),
        "best_relative_mce": ("relative_mce", best),
        "corruption_error": ("ce", grid.models[-1]),
    }
    for key, (metric, model) in wanted.items():
        rows = results.select(metric=metric, model=model).rows
        numbers[key] = _key_number(rows[0], grid) if rows else _UNDEFINED
    return numbers


_UNDEFINED = KeyNumber(
    "not defined", convention="a corruption is missing, or leaves the baseline as it was"
)


def _accuracy(row: Row, grid: Grid) -> KeyNumber:
    low, high = (None if end is None else 1 - end for end in (row.high, row.low))
    return _key_number(
        replace(row, metric="accuracy", value=1 - row.value, low=low, high=high), grid
    )


def _key_number(row: Row, grid: Grid) -> KeyNumber:
    several = len(grid.clean[str(row.model)]) > 1
    interval = "least and greatest of the seeds" if several else "95 % interval"
    if row.low is None or row.high is None:
        ends = "without an upper end"
    else:
        ends = f"[{100 * row.low:.1f}, {100 * row.high:.1f}] %"
    what = f"{row.metric.replace('_', ' ')} of {row.model} on {row.dataset}"
    words = f"{what}; {interval} {ends}; {row.convention or 'clean images'}"
    return KeyNumber(f"{100 * row.value:.1f} %", value=row.value, convention=words, n=row.n)
