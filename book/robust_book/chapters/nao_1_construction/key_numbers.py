"""The numbers that the prose of the chapter names, ready for the `{result}` role."""

from collections.abc import Mapping, Sequence

from robust_book.chapters.nao_1_construction import funnel, mistakes
from robust_book.chapters.nao_1_construction.mistakes import Mistake
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.curation.object_filtration import pictures_of
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.run.object_sets import ObjectConstruction

SUREST = 3  # mistakes that the prose names


def key_numbers(
    results: Results, found: Sequence[Mistake], made: ObjectConstruction | None
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: of `funnel.results`.
        found: of `sure_mistakes`.
        made: of `funnel.construction`.

    >>> made = toys.CONSTRUCTION
    >>> numbers = key_numbers(funnel.results(made), (), made)
    >>> [numbers[key].text for key in ("pool", "candidates", "confirmed", "kept_share", "foreign")]
    ['12', '6', '4', '66.7 %', '4']
    """
    chosen = [*mistakes.chosen(found, foreign=False), *mistakes.chosen(found, foreign=True)]
    surest = sorted(chosen, key=lambda one: -one.candidate.score)[:SUREST]
    said = KeyNumber("; ".join(one.words for one in surest) or "none")
    if made is None:
        unknown = KeyNumber("an unknown number of")
        names = ("pool", "candidates", "confirmed", "mistaken", "foreign", "annotators", "falls")
        rest = dict.fromkeys(("kept_share", "lowest_kappa", "highest_kappa", "detector"),
                             NOT_MEASURED)  # fmt: skip
        return {**dict.fromkeys(names, unknown), **rest, "surest": said}
    told = made.filtration
    pool, with_candidate, confirmed = told.funnel().values()
    shares = results.select(metric="kept_share").rows
    falls = told.falls()
    most = max(falls, key=lambda name: falls[name])
    return {
        "detector": KeyNumber(network_title(made.found.model)),
        "pool": _count(pool, "pictures of the pool"),
        "candidates": _count(with_candidate, "pictures with a candidate"),
        "mistaken": _count(
            len(pictures_of(told.candidates, EGREGIOUS)), "pictures with egregious mistakes"
        ),
        "foreign": _count(
            len(pictures_of(told.candidates, HARD)), "pictures with hard false positives"
        ),
        "confirmed": _count(confirmed, "pictures with a confirmed candidate"),
        "annotators": _count(len(told.answers[0]) if told.answers else 0, "simulated annotators"),
        "falls": KeyNumber(most, convention=f"by it {falls[most]:,} candidates fall, most of all"),
        "kept_share": percent(shares[0] if shares else None),
        **_kappas(funnel.kappas(told)),
        "surest": said,
    }


def _kappas(kappas: Mapping[str, float]) -> dict[str, KeyNumber]:
    if not kappas:
        return dict.fromkeys(("lowest_kappa", "highest_kappa"), NOT_MEASURED)
    ends = {"lowest_kappa": min(kappas, key=kappas.__getitem__),
            "highest_kappa": max(kappas, key=kappas.__getitem__)}  # fmt: skip
    return {
        key: KeyNumber(f"{kappas[name]:.2f} ({name})", kappas[name], "Fleiss' kappa of a question")
        for key, name in ends.items()
    }


def _count(value: int, what: str) -> KeyNumber:
    return KeyNumber(f"{value:,}", value, what, value or None)
