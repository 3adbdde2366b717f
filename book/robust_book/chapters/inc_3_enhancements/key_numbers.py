"""The numbers that the prose on enhancements names."""

from collections.abc import Mapping, Sequence

from robust_book.chapters.inc_3_enhancements.tables import stability_of, value_of
from robust_lib.protocols.corruption_error.enhancements import (
    STABILITY,
    change,
    members,
    standard,
)
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Estimate, difference
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.notation import with_interval
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

_CHANGES = {
    "denoise": ("inc-claim-denoise", "resnet50_nlm"),
    "equalise": ("inc-claim-clahe", "resnet50_equalised"),
    "clahe": ("inc-claim-clahe", "resnet50_clahe"),
    "tuned": (STABILITY, "resnet50_tuned"),
    "crops": ("inc-claim-tencrop", "resnet50_tencrop"),
}
"""Stem of a key -> the item and the network, by the paper's name, whose change it is."""


def key_numbers(results: Results, grid: Grid, names: Mapping[str, str]) -> dict[str, KeyNumber]:
    """Return the few numbers that the prose names, ready for the `{result}` role.

    Of each enhancement: how far clean error and mCE lie above the standard network's, in points,
    and how far the fall of mCE outpaces that of the error. Of ten crops: above the central one's.

    Args:
        results: of `protocols.corruption_error.enhancements`.
        grid: the predictions.
        names: the paper's name of a network -> ours.

    >>> rows, grid, _ = toys.enhanced(run)
    >>> numbers = key_numbers(rows, grid, run.paper_names)
    >>> numbers["stability"].text, numbers["denoise_mce"].text
    ('1 of 1 networks lies above it (1 by the whole interval)', 'not measured')
    """
    found = {"standard": NOT_MEASURED, "standard_mce": NOT_MEASURED}
    base = standard(STABILITY, names, grid.models)
    if base is not None:
        found["standard"] = KeyNumber(network_title(base), base, "plays ResNet-50's part")
        found["standard_mce"] = _mce(results, base)
    found |= _stability(results, grid, names, base)
    for stem, (item, paper) in _CHANGES.items():
        ours = members(item, names, grid.models).get(paper)
        base = standard(item, names, grid.models)
        rows = results.select(item=item)
        both = (
            [None, None]
            if ours is None or base is None
            else [change(rows, ours, base, metric=metric) for metric in ("error", "mce")]
        )
        found[f"{stem}_error"], found[f"{stem}_mce"] = (
            _points(one, f"{what} of {ours} less that of {base}")
            for one, what in zip(both, ("clean error", "mCE"), strict=True)
        )
        error, mce = both
        beyond = None if error is None or mce is None else difference(error, mce)
        what = "by how many points mCE falls more than the clean error"
        found[f"{stem}_beyond"] = _points(beyond, what)
    found["clahe_over_tuned"] = _over_tuned(results, grid, names)
    return found


def _over_tuned(results: Results, grid: Grid, names: Mapping[str, str]) -> KeyNumber:
    """Return what equalised pictures change for a network that was trained as long with or without.

    Both have the same start, recipe and number of epochs, so that this is equalisation's own part.
    """
    item, (equalised, tuned) = "inc-claim-clahe", ("resnet50_clahe", "resnet50_tuned")
    ours = members(item, names, grid.models)
    if equalised not in ours or tuned not in ours:
        return NOT_MEASURED
    rows = results.select(item=item)
    found = change(rows, ours[equalised], ours[tuned], metric="mce")
    return _points(found, f"mCE of {ours[equalised]} less that of {ours[tuned]}")


def _stability(
    results: Results, grid: Grid, names: Mapping[str, str], base: str | None
) -> dict[str, KeyNumber]:
    fine = members(STABILITY, names, grid.models)
    values = {
        one: value
        for one in fine.values()
        if stability_of(one) is not None
        and (value := value_of(results, STABILITY, one)) is not None
    }
    found = {
        "stability": _above(results, list(values), base),
        "stability_over_tuned": _above(results, list(values), fine.get("resnet50_tuned")),
        "stability_least": NOT_MEASURED,
    }
    if values:
        least = min(values, key=lambda one: values[one])
        found["stability_least"] = KeyNumber(
            f"{values[least]:.1f} % ({network_title(least).lower()})",
            values[least] / 100,
            "least mCE of stability training",
            grid.images,
        )
    return found


def _above(results: Results, ours: Sequence[str], base: str | None) -> KeyNumber:
    """Return of how many networks of stability training mCE lies above that of another one."""
    rows = results.select(item=STABILITY)
    changes = [change(rows, one, base, metric="mce") for one in ours if base is not None]
    told = [one for one in changes if one is not None]
    if not told:
        return NOT_MEASURED
    above = sum(one.value > 0 for one in told)
    whole = sum(one.low is not None and one.low > 0 for one in told)
    lies = "lies" if above == 1 else "lie"
    return KeyNumber(
        f"{above} of {len(told)} networks {lies} above it ({whole} by the whole interval)",
        above,
        f"networks of stability training whose mCE lies above that of {base}; paired intervals",
        told[0].n,
    )


def _mce(results: Results, model: str) -> KeyNumber:
    value = value_of(results, STABILITY, model)
    if value is None:
        return NOT_MEASURED
    row = results.row(item=STABILITY, model=model, metric="mce")
    return KeyNumber(f"{value:.1f} %", row.value, f"mCE of {model}; {row.convention}", row.n)


def _points(found: Estimate | None, what: str) -> KeyNumber:
    if found is None:
        return NOT_MEASURED
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    text = f"{with_interval(100 * found.value, low, high)} points"
    return KeyNumber(text, found.value, f"{what}; paired interval", found.n)
