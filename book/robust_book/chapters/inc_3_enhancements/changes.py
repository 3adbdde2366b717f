"""Changes of an enhanced network's numbers, and the effect of stability training.

`base` is our network that the others are compared with; None if the run has none.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from robust_lib.config.enhancements import Stability
from robust_lib.config.manifests import load_model, model_names
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.enhancements import STABILITY
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import Estimate
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, paired_points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import Network, network_title
from robust_lib.vocabulary import corruption_label

NOISES: Mapping[str, str] = MappingProxyType(
    {name: corruption_label(name) for name in ("gaussian_noise", "shot_noise", "impulse_noise")}
)


def stability_of(name: str) -> Stability | None:
    """Return the stability training in a network's recipe; None without it.

    >>> stability_of("resnet18_mini_stability_1_2")
    Stability(noise=0.01, weight=0.05)
    """
    model = Network.read(name).model
    return load_model(model).stability if model in model_names() else None


def mce_row(results: Results, item: str, model: str | None) -> Row | None:
    """Return the row of a network's mCE; None if it has none."""
    return results.first(item=item, model=model, metric="mce")


def change(
    results: Results,
    item: str,
    model: str | None,
    base: str | None,
    metric: str,
    corruption: str | None = None,
) -> Estimate | None:
    """Return a network's number minus the standard network's; None unless the run has both."""
    if model is None or base is None or model == base:
        return None
    rows = results.select(item=item)
    return enhancements.change(rows, model, base, metric=metric, corruption=corruption)


def of_stability(
    results: Results, grid: Grid, names: Mapping[str, str], base: str | None
) -> dict[str, KeyNumber]:
    """Return the prose's numbers on stability training, next to those of the fine-tuned control."""
    fine = enhancements.members(STABILITY, names, grid.models)
    values = {
        name: row.percent[0]
        for name in fine.values()
        if stability_of(name) is not None and (row := mce_row(results, STABILITY, name)) is not None
    }
    numbers = {
        "stability": _above(results, list(values), base),
        "stability_over_tuned": _above(results, list(values), fine.get("resnet50_tuned")),
        "stability_least": NOT_MEASURED,
    }
    for noise in NOISES:
        numbers[f"stability_{noise}"] = below_tuned(
            results, list(values), fine.get("resnet50_tuned"), base, noise
        )
    if values:
        least = min(values, key=lambda name: values[name])
        numbers["stability_least"] = KeyNumber(
            f"{values[least]:.1f} % ({network_title(least).lower()})",
            values[least] / 100,
            "lowest mCE of stability training",
            grid.images,
        )
    return numbers


def below_tuned(
    results: Results, ours: Sequence[str], tuned: str | None, base: str | None, noise: str
) -> KeyNumber:
    """Return the gains on a noise: from longer training alone, and beyond it."""
    alone = change(results, STABILITY, tuned, base, "ce", noise)
    beyond = [
        (network, found)
        for network in ours
        if (found := change(results, STABILITY, network, tuned, "ce", noise)) is not None
    ]
    if alone is None or not beyond:
        return NOT_MEASURED
    best, least = min(beyond, key=lambda pair: pair[1].value)
    whole = sum(found.high is not None and found.high < 0 for _, found in beyond)
    first, more = (paired_points(found, "CE").text for found in (alone, least))
    return KeyNumber(
        f"{first} with the fine-tuned control, and by a further {more} with the best of "
        f"{len(beyond)}, "
        f"{network_title(best).lower()} ({whole} of them lower it with the whole interval)",
        least.value,
        (
            f"CE of {noise}: {tuned} minus {base}, and each setting of stability training minus "
            f"{tuned}; paired intervals, one network at a time"
        ),
        least.n,
    )


def _above(results: Results, ours: Sequence[str], base: str | None) -> KeyNumber:
    """Return how many networks with stability training have an mCE above another network's."""
    changes = [
        found
        for network in ours
        if (found := change(results, STABILITY, network, base, "mce")) is not None
    ]
    if not changes:
        return NOT_MEASURED
    above = sum(found.value > 0 for found in changes)
    whole = sum(found.low is not None and found.low > 0 for found in changes)
    have = "has" if above == 1 else "have"
    return KeyNumber(
        f"{above} of {len(changes)} networks {have} a higher mCE ({whole} with the whole interval)",
        above,
        f"networks of stability training whose mCE is above that of {base}; paired intervals",
        changes[0].n,
    )
