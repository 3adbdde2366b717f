"""The numbers that the prose of balance and cover names, and the sentences that are computed."""

from collections.abc import Mapping

from robust_book.chapters.overlap import by_network, counted
from robust_lib.protocols.overlap import gains
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.notation import listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import COMMON, OCCLUSION

ROUNDING = 1e-9


def key_numbers(
    results: Results,
    standard: str,
    architectures: Mapping[str, ArchitectureOverlaps],
    baseline: str = "",
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: rows of both halves and of the overlaps.
        standard: the network that changes are to.
        architectures: the overlaps.
        baseline: the network that errors are divided by, which is no relative of the paper's four.

    >>> row = Row(item="overlap-tab1", dataset="toys_c", model="resnet50", metric="mean_ce",
    ...           corruption="set1", value=0.8, n=9, n_full=9)
    >>> key_numbers(Results.of([row]), "resnet50", toys.judged("fog", "snow"))["standard_set1"].text
    '80.0 %'
    """
    numbers = {"relatives": relatives(results, standard, baseline)}
    for half in HALVES:
        found = results.select(metric="mean_ce", model=standard, corruption=half).rows
        numbers[f"standard_{half}"] = _ratio(found[0], "") if found else NOT_MEASURED
        changes = _changes(results, standard, baseline, half)
        best = min(changes, key=lambda row: row.value, default=None)
        title = f" ({network_title(str(best.model))})" if best else ""
        numbers[f"best_{half}"] = _ratio(best, title) if best else NOT_MEASURED
        numbers[f"overlap_{half}"] = by_network(results, "mean_overlap", half)
    for name in OCCLUSION:
        numbers[f"largest_{name}"] = by_network(results, "largest_overlap", name)
        numbers[f"gains_{name}"] = raw_gains(architectures, name)
    numbers["judged"] = KeyNumber(counted(architectures))
    return numbers


def raw_gains(architectures: Mapping[str, ArchitectureOverlaps], outside: str) -> KeyNumber:
    """Return how many networks gained accuracy on a corruption outside of ImageNet-C, in words.

    Of those trained with one of the fifteen; a gain is one where its whole interval lies above 0.

    >>> raw_gains(toys.judged("fog", "snow", "border"), "border").text
    '0 of 2 networks gain, 0 lose'
    """
    frames = [
        gains.against(one, outside).loc[lambda frame: frame.index.isin(COMMON)]
        for one in architectures.values()
        if outside in one.table.corruptions
    ]
    if not frames:
        return NOT_MEASURED
    more = sum(int((frame["low"] > ROUNDING).sum()) for frame in frames)
    less = sum(int((frame["high"] < -ROUNDING).sum()) for frame in frames)
    number = sum(map(len, frames))
    words = "accuracy, by the whole interval; networks trained with one of the fifteen"
    return KeyNumber(f"{more} of {number} networks gain, {less} lose", more, words, number)


def relatives(results: Results, standard: str, baseline: str = "") -> KeyNumber:
    """Return which networks are more robust than the standard one on both halves, in words.

    A network is more robust where the whole interval of its change of CE lies below 0.

    >>> about, changes = ("overlap-tab1", "mean_ce_gain"), {"set1": -0.1, "set2": 0.1}
    >>> set1, set2 = (toys.rows(*about, {"resnet50_augmix": change}, corruption=half)
    ...     for half, change in changes.items())
    >>> relatives(set1 + set2, "resnet50").text
    'none of the 1 is more robust than the standard network on both halves (not: AugMix)'
    """
    by_half = [
        {str(row.model): row for row in _changes(results, standard, baseline, half)}
        for half in HALVES
    ]
    both = [model for model in by_half[0] if all(model in half for half in by_half)]
    if not both:
        return NOT_MEASURED
    robust = [name for name in both if all(_falls(half[name]) for half in by_half)]
    others = [network_title(name) for name in both if name not in robust]
    named = listed([network_title(name) for name in robust])
    verb = "is" if len(robust) < 2 else "are"
    who = f"{named} {verb}" if robust else f"none of the {len(both)} is"
    end = f" (not: {listed(others)})" if others else ""
    return KeyNumber(
        f"{who} more robust than the standard network on both halves{end}",
        value=len(robust),
        convention="the whole interval of the change of mean CE lies below 0",
        n=len(both),
    )


def _changes(results: Results, standard: str, baseline: str, half: str) -> list[Row]:
    found = results.select(metric="mean_ce_gain", corruption=half).rows
    return [row for row in found if row.model not in (standard, baseline)]


def _falls(row: Row) -> bool:
    return (row.value if row.high is None else row.high) < 0


def _ratio(row: Row, end: str) -> KeyNumber:
    points = "points" if row.metric.endswith("gain") else "%"
    sign = "+" if row.metric.endswith("gain") else ""
    number = f"{100 * row.value:{sign}.1f}".replace("-", "−")
    return KeyNumber(
        f"{number} {points}{end}", value=row.value, convention=row.convention or "", n=row.n
    )
