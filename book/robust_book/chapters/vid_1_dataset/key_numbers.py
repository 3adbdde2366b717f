"""The numbers that the prose of the chapter names, ready for the `{result}` role."""

from collections.abc import Sequence

from robust_book.chapters.vid_1_dataset import which_n
from robust_book.chapters.vid_1_dataset.falls import ITEM, Fall, offset_words
from robust_lib.miniworld.clip_review import Counts
from robust_lib.miniworld.similarity import Similarity
from robust_lib.protocols.pm_k import counts
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

UNKNOWN = KeyNumber("an unknown number of")


def key_numbers(
    results: Results,
    found: Sequence[Fall],
    network: str,
    reviewed: Counts | None,
    rule: Similarity | None,
) -> dict[str, KeyNumber]:
    """Return counts, falls, the review's errors and the bounds of its rule.

    Args:
        results: of `falls.results` and `counted`.
        found: the falls, the largest first.
        network: ours.
        reviewed: counts of the review; None where people reviewed, and did not publish them.
        rule: likewise, of the review.

    >>> from robust_book.chapters.vid_1_dataset import falls
    >>> seen = toys.watched({0: 5}, sets=10)
    >>> rows = falls.results(seen, (), "toys", "mine") + counts.counts(seen.sets, "toys")
    >>> numbers = key_numbers(rows, falls.falls(seen), "mine", toys.REVIEW.counts, Similarity())
    >>> [numbers[key].text for key in ("anchors", "fall", "largest", "kept", "missed", "overlap")]
    ['10', '10.0 %', 'from 73 to 27 % at +5', '18', '1', '0.6']
    """
    shares = results.select(item=ITEM, metric="share").rows
    agreeing = which_n.agreeing()
    best = max(agreeing, key=lambda n: agreeing[n])
    return {
        "network": KeyNumber(network_title(network)),
        "fall": percent(shares[0] if shares else None),
        "falls": _count(len(found), "sets with a right anchor and a wrong neighbour"),
        "largest": _largest(found),
        "printed_intervals": _count(len(which_n.recomputed()), "intervals of Table 1"),
        "fitting_n": _count(best, "anchors whose intervals are printed most often"),
        "fitting": _count(agreeing[best], "printed intervals that are those of so many anchors"),
        "fitting_released": _count(agreeing[which_n.SCORED], "likewise, of the released anchors"),
        **{
            name: _counted(results, name)
            for name in ("anchors", "frames", "median_neighbours", "frames_with_several_labels")
        },
        **_of_review(reviewed),
        **_of_rule(rule),
    }


def _of_review(reviewed: Counts | None) -> dict[str, KeyNumber]:
    if reviewed is None:
        names = ("videos", "unfair", "pairs", "dropped", "kept", "faulty", "missed", "harsh")
        return {**dict.fromkeys(names, UNKNOWN), "kept_share": NOT_MEASURED}
    kept = reviewed.kept / reviewed.pairs if reviewed.pairs else 0.0
    values = {
        "videos": (reviewed.videos, "clips, an anchor each, before the review"),
        "unfair": (reviewed.unfair, "anchors that are no fair picture"),
        "pairs": (reviewed.pairs, "pairs that the review saw"),
        "dropped": (reviewed.pairs - reviewed.kept, "pairs that the review dropped"),
        "kept": (reviewed.kept, "pairs that the review kept"),
        "faulty": (sum(reviewed.faulty.values()), "pairs with a fault"),
        "missed": (sum(reviewed.missed.values()), "pairs with a fault that the review kept"),
        "harsh": (sum(reviewed.harsh.values()), "pairs without a fault that the review dropped"),
    }
    numbers = {name: _count(*value) for name, value in values.items()}
    share = KeyNumber(
        f"{100 * kept:.0f} %", kept, "of the pairs that the review saw", reviewed.pairs
    )
    return {**numbers, "kept_share": share}


def _of_rule(rule: Similarity | None) -> dict[str, KeyNumber]:
    names = ("overlap", "scale", "turn", "visible", "light", "blur")
    if rule is None:
        return dict.fromkeys(names, KeyNumber("not written down"))
    values = {name: float(getattr(rule, name)) for name in names}
    return {
        name: KeyNumber(f"{value:g}", value, f"bound of the similarity rule: {name}")
        for name, value in values.items()
    }


def _largest(found: Sequence[Fall]) -> KeyNumber:
    if not found:
        return KeyNumber("nowhere")
    one = found[0]
    text = f"from {100 * one.before:.0f} to {100 * one.after:.0f} % at {offset_words(one.offset)}"
    return KeyNumber(text, one.lost, "fall of the confidence in the true class")


def _count(value: int, what: str) -> KeyNumber:
    return KeyNumber(f"{value:,}", value, what, value or None)


def _counted(results: Results, metric: str) -> KeyNumber:
    dataset = next(row.dataset for row in results.rows if row.metric == "pairs")
    row = results.row(item=counts.ITEM, metric=metric, dataset=dataset)
    return _count(int(row.value), metric.replace("_", " "))
