"""The numbers that the prose of the chapter names."""

from collections.abc import Mapping, Sequence

from robust_book.chapters.nao_2_map.tables import OnBoth
from robust_lib.protocols.objects.coco_map import ITEM
from robust_lib.protocols.objects.confusions import Confusion
from robust_lib.protocols.objects.error_kinds import ErrorKinds
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent, points
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.papers.nao import FILTER


def key_numbers(
    results: Results,
    on_both: OnBoth,
    kinds: Mapping[str, tuple[ErrorKinds, ErrorKinds]],
    confusions: Sequence[Confusion],
    names: Mapping[str, str],
) -> dict[str, KeyNumber]:
    """Return what the prose names: of the detector that chose the pictures, and of the others.

    Where the run lacks that detector, the first one stands for it.

    Args:
        results: of `protocols.objects.coco_map`.
        on_both: of all detectors.
        kinds: detector -> its errors in the ordinary and in the adversarial pictures.
        confusions: of one detector in the adversarial pictures.
        names: the paper's name of a detector -> ours.

    >>> from robust_lib.protocols.objects.coco_map import results
    >>> right = {"mine": (12, 6), "other": (12, 9)}
    >>> on_both, kinds = toys.coco_maps(right), toys.kinds_of_error(right)
    >>> numbers = key_numbers(results(on_both), on_both, kinds, (), {"efficientdet_d7": "mine"})
    >>> numbers["filter"].text, numbers["others"].text, numbers["others_lower"].text
    ('mine', '1', '1 of 1')
    """
    chose = names.get(FILTER, "")
    chose = chose if chose in on_both else next(iter(on_both))
    others = [name for name in on_both if name != chose]
    ordinary, adversarial = on_both[chose]
    found = {
        "detectors": KeyNumber(str(len(on_both)), len(on_both)),
        "others": KeyNumber(str(len(others)), len(others)),
        "ordinary": KeyNumber(f"{ordinary.images:,}", ordinary.images),
        "pictures": KeyNumber(f"{adversarial.images:,}", adversarial.images),
        "filter": KeyNumber(network_title(chose)),
    }
    rows = results.select(item=ITEM, model=chose)
    found["filter_ordinary"] = percent(rows.row(metric="map", dataset=ordinary.dataset))
    found["filter_nao"] = percent(rows.row(metric="map", dataset=adversarial.dataset))
    found["filter_drop"] = points(rows.row(metric="map_drop"))
    found["filter_relative"] = percent(rows.row(metric="relative_drop"))
    without = rows.row(metric="map_without_ood", dataset=adversarial.dataset)
    found["filter_without"] = percent(without)
    lower = [name for name in others if _drop(results, name).value > 0]
    found["others_lower"] = KeyNumber(f"{len(lower)} of {len(others)}", len(lower))
    ranked = sorted(others, key=lambda name: _drop(results, name).value)
    for word, ends in (("least", ranked[:1]), ("most", ranked[-1:])):
        found[f"{word}_drop"] = points(_drop(results, ends[0])) if ends else NOT_MEASURED
        found[f"{word}_detector"] = KeyNumber(network_title(ends[0])) if ends else NOT_MEASURED
    return found | _of_kinds(kinds[chose]) | _of_confusions(confusions)


def _drop(results: Results, network: str) -> Row:
    return results.row(item=ITEM, model=network, metric="map_drop")


def _of_kinds(both: tuple[ErrorKinds, ErrorKinds]) -> dict[str, KeyNumber]:
    """Return which kind of error costs most, on either pictures, and whose cost grows most."""
    ordinary, adversarial = both
    grown = {kind: adversarial.costs[kind] - ordinary.costs[kind] for kind in adversarial.costs}
    most = max(grown, key=lambda kind: grown[kind])
    return {
        "grown_kind": KeyNumber(most),
        "grown_ordinary": KeyNumber(f"{100 * ordinary.costs[most]:.1f}", ordinary.costs[most]),
        "grown_nao": KeyNumber(f"{100 * adversarial.costs[most]:.1f}", adversarial.costs[most]),
        "costliest": KeyNumber(max(ordinary.costs, key=lambda kind: ordinary.costs[kind])),
        "costliest_nao": KeyNumber(
            max(adversarial.costs, key=lambda kind: adversarial.costs[kind])
        ),
    }


def _of_confusions(confusions: Sequence[Confusion]) -> dict[str, KeyNumber]:
    """Return the most frequent confusion, and how many of all lie on what."""
    every = sum(len(one.mistakes) for one in confusions)
    foreign = sum(len(one.mistakes) for one in confusions if one.is_foreign)
    own = sum(len(one.mistakes) for one in confusions if one.truth and not one.is_foreign)
    first = next((one for one in confusions if one.truth), None)
    words = "none" if first is None else f"{first.truth}, called {first.predicted}"
    return {
        "mistakes": KeyNumber(f"{every:,}", every),
        "on_foreign": KeyNumber(f"{foreign:,}", foreign),
        "on_own": KeyNumber(f"{own:,}", own),
        "on_nothing": KeyNumber(f"{every - foreign - own:,}", every - foreign - own),
        "commonest": KeyNumber(words),
        "commonest_pictures": KeyNumber(
            "no" if first is None else str(first.pictures), 0 if first is None else first.pictures
        ),
    }
