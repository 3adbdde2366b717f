"""The numbers that the prose of the matrices names, and the sentences that are computed."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Bool

from robust_book.chapters.overlap import by_network, counted, scored
from robust_book.chapters.overlap_1_matrix.ceiling import TABLE, committed
from robust_lib.protocols.overlap.agreement import CEILING
from robust_lib.protocols.overlap.gains import in_errors
from robust_lib.protocols.overlap.groups import ACROSS, BLOCKS
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from robust_lib.results.key_number import KeyNumber
from robust_lib.results.notation import listed
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.network import network_title
from robust_lib.vocabulary import corruption_label

ERRORS = 3  # standard errors that an own gain has to be
NO_AGREEMENT = "not measured: fewer than three pairs are judged in both architectures"


def key_numbers(
    results: Results, architectures: Mapping[str, ArchitectureOverlaps], raw: Results
) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    A number that this run does not have is there in words.

    Args:
        results: the rows of all overlaps.
        architectures: the overlaps behind them.
        raw: the rows of the same networks with raw accuracies.

    >>> numbers = key_numbers(Results(), toys.judged("fog", "snow"), Results())
    >>> numbers["clean"].text, numbers["premise"].text
    ('90.0 to 90.0 %', 'holds for all networks')
    """
    first = next(iter(architectures.values()))
    least = min(one.table.clean.min() for one in architectures.values())
    most = max(one.table.clean.max() for one in architectures.values())
    numbers = {
        "clean": KeyNumber(
            f"{100 * least:.1f} to {100 * most:.1f} %",
            convention="least and greatest clean accuracy of all networks",
            n=first.table.n,
        ),
        "judged": KeyNumber(counted(architectures), convention=first.convention.words),
        "premise": KeyNumber(
            premise(architectures),
            convention=f"clean accuracies within {100 * first.convention.most_apart:g} points of "
            f"the standard network's, either way; own gains of at least {ERRORS} standard errors",
            n=first.table.n,
        ),
        "no_gain": KeyNumber(no_gain(architectures), convention=first.convention.words),
        "agreement": _agreement(results),
        "raw_agreement": _agreement(raw),
        "ceiling": _score(_only(results, CEILING), "not known for these networks"),
        "agreement_3_seeds": _committed(),
    }
    for group in (*BLOCKS, *ACROSS):
        numbers[f"{group}_overlap"] = by_network(results, "group_overlap", group)
    return numbers


def premise(architectures: Mapping[str, ArchitectureOverlaps]) -> str:
    """Return whether all networks are about as accurate and gained, and which did not, in words.

    >>> premise(toys.judged("fog", "snow"))
    'holds for all networks'
    """
    apart = _named(architectures, lambda one: one.judged.converged)
    unsure = _named(architectures, lambda one: one.judged.gained & ~(in_errors(one) < ERRORS))
    failed = [
        *([f"in clean accuracy for {apart}"] if apart else []),
        *([f"in what is gained for {unsure}"] if unsure else []),
    ]
    return f"fails {', and '.join(failed)}" if failed else "holds for all networks"


def no_gain(architectures: Mapping[str, ArchitectureOverlaps]) -> str:
    """Return against which corruptions training with them gains nothing beyond noise, in words.

    >>> no_gain(toys.judged("fog", "snow"))
    'none'
    """
    return _named(architectures, lambda one: one.judged.gained) or "none"


def _named(
    architectures: Mapping[str, ArchitectureOverlaps],
    fine: Callable[[ArchitectureOverlaps], Bool[np.ndarray, " corruptions"]],
) -> str:
    """Return the corruptions that something is not fine with, by network."""
    texts = []
    for name, one in architectures.items():
        pairs = zip(one.table.corruptions, fine(one), strict=True)
        bad = [corruption_label(corruption).lower() for corruption, good in pairs if not good]
        texts += [f"{listed(bad)} ({network_title(name)})"] if bad else []
    return "; ".join(texts)


def _only(results: Results, metric: str) -> Row | None:
    rows = results.select(metric=metric, model=None).rows
    return rows[0] if rows else None


def _agreement(results: Results) -> KeyNumber:
    return _score(_only(results, "rank_correlation"), NO_AGREEMENT)


def _score(row: Row | None, missing: str) -> KeyNumber:
    if row is None:
        return KeyNumber(missing)
    return KeyNumber(scored(row), row.value, row.convention or "", row.n)


def _committed() -> KeyNumber:
    if (found := committed().get("all")) is None:
        return KeyNumber("not known")
    value, low, high = found
    return KeyNumber(f"{value:.2f} [{low:.2f}, {high:.2f}]", value, f"committed table {TABLE}")
