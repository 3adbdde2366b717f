"""Checks of the errata of the Overlapping Score paper: number of networks, and mean on set1."""

from collections.abc import Callable, Mapping
from statistics import mean
from types import MappingProxyType

from robust_lib.results.errata.lines import Line, row, value
from robust_lib.results.reported import reference, reported


def thirty_models() -> tuple[Line, ...]:
    """Count the networks needed for two matrices of fifteen corruptions."""
    table = reported("overlap-fig2")
    corruptions, text = value(table, "corruption_types"), row(table, "models").value
    return (
        Line("one network per corruption, two architectures", text, f"{2 * corruptions:.0f}"),
        Line("and a standard one for each", text, f"{2 * (corruptions + 1):.0f}"),
    )


def set1() -> tuple[Line, ...]:
    """Compute the standard ResNet-50's mean CE on set1 from rounded and from exact CEs."""
    text = row(reported("overlap-tab1"), "mean_ce", model="resnet50", corruption="set1").value
    exact = reference("resnet50_reference").dropna().set_index("corruption")["ce"]
    # Noises, blurs and pixelate: the eight that the paper puts into its first half.
    members = [
        str(name) for name in exact.index if str(name).endswith(("noise", "blur", "pixelate"))
    ]
    table = reported("inc-tab1")
    rounded = [value(table, "ce", model="resnet50", corruption=name) for name in members]
    sound = [
        Line(f"mCE of {model} from both halves", f"{known} %", f"{_from_halves(model):.1f} %")
        for model, known in _published_mces()
    ]
    return (
        Line("mean of the rounded entries", f"{text} %", f"{100 * mean(rounded):.2f} %"),
        Line("mean of the exact entries", f"{text} %", f"{exact[members].mean():.2f} %"),
        *sound,
    )


def _from_halves(model: str) -> float:
    """Return a network's mCE, percent, as the mean of eight CEs of set1 and seven of set2."""
    table = reported("overlap-tab1")
    halves = [value(table, "mean_ce", model=model, corruption=half) for half in ("set1", "set2")]
    return 100 * (8 * halves[0] + 7 * halves[1]) / 15


def _published_mces() -> list[tuple[str, float]]:
    """Return the mCEs of the table's robust networks that others published, percent."""
    known = reference("robust_reference").query("metric == 'mce'")
    return list(zip(known["model"], known["value"].astype(float), strict=True))


CHECKS: Mapping[str, Callable[[], tuple[Line, ...]]] = MappingProxyType(
    {
        "thirty_models": thirty_models,
        "set1": set1,
    }
)
