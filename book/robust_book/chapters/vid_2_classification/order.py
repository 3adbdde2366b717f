"""The same frames in shuffled order: are frames near the anchor correlated with it?"""

from robust_book.figures import curves
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.shuffled import Shuffled
from robust_lib.results.interval import in_percent
from robust_lib.results.key_number import KeyNumber
from robust_lib.run.network import network_title

VERDICTS = {
    1: "more than in nearly all shuffles, so the frames next to an anchor behave like the anchor",
    0: "within the range of the shuffles, so nearness in time has no visible effect",
    -1: (
        "fewer than in nearly all shuffles, so the frames next to an anchor are harder than "
        "those farther away"
    ),
}


def in_shuffled_order(page: Page, answers: FramePredictions, order: Shuffled, network: str) -> Html:
    """Return accuracy by distance, in the frames' true order and in shuffled ones.

    >>> from robust_lib.protocols.pm_k.shuffled import shuffled
    >>> answers = toys.answers({"resnet50_mini": [3, 5]})
    >>> order = shuffled(answers, "resnet50_mini", 20)
    >>> texts(in_shuffled_order(page, answers, order, "resnet50_mini"), "text")[0]
    'accuracy (%)'
    """
    distances = range(answers.k + 1)
    title = network_title(network)
    lines = {
        f"{title}, frames in their order": {k: in_percent(float(order.true[k])) for k in distances},
        "neighbours in shuffled order": {k: in_percent(*order.band(k)) for k in distances},
    }
    return page.figure(
        "fig-shuffled-order",
        curves.by_distance({"": lines}, ylabel="accuracy (%)"),
        caption=f"Accuracy of {title} at k: with the frames in their true order, and with the "
        f"neighbours of each set shuffled {len(order.shuffled)} times; the band contains 95 % of "
        "the shuffles. Each set keeps its anchor and its number of "
        "misclassified frames, so both lines begin and end at the same values.",
        alt=f"Two lines from {100 * order.true[0]:.0f} to {100 * order.true[-1]:.0f} %. "
        f"At k = 1: {words(order)}.",
    )


def words(order: Shuffled) -> str:
    """Return a sentence on the sets that are correct at k = 1, in true and shuffled order."""
    mean, low, high = (100 * one for one in order.band(1))
    return (
        f"{100 * order.true[1]:.1f} % of the sets are correct in the frames' order, and {mean:.1f} "
        f"[{low:.1f}, {high:.1f}] % in shuffled order: {VERDICTS[order.near()]}"
    )


def key_numbers(order: Shuffled) -> dict[str, KeyNumber]:
    """Return the prose's numbers on both orders.

    >>> from robust_lib.protocols.pm_k.shuffled import shuffled
    >>> found = shuffled(toys.answers({"mine": [3, 5]}), "mine", 20)
    >>> sorted(key_numbers(found))
    ['order', 'shuffles']
    """
    return {
        "order": KeyNumber(words(order), float(order.true[1])),
        "shuffles": KeyNumber(str(len(order.shuffled)), len(order.shuffled)),
    }
