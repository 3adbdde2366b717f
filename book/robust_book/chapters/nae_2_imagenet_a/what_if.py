"""What if networks might name some of the other classes, too?"""

from typing import Any

import numpy as np
import pandas as pd

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import slider, what_if
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.protocols.nae.accuracy import right_until
from robust_lib.run.network import network_title


def mask(imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions) -> Html:
    """Return accuracies that a reader computes again with less and less of the mask.

    Args:
        imagenet_a: predictions on ImageNet-A.
        imagenet_val: predictions on ordinary pictures of its classes.

    >>> hard, ordinary = (toys.masked(name, {"mine": right}) for name, right in
    ...     (("hard", 3), ("ordinary", 24)))
    >>> texts(mask(hard, ordinary), "td")  # hard, ordinary, difference
    ['10.0', '80.0', '70.0']
    """
    wider = [name for name in imagenet_a.unmasked if name in imagenet_val.unmasked]
    if not wider:
        return Html(
            '<p class="rb-convention">No network of this run knows other classes than the '
            "pictures': there is no mask to take away.</p>"
        )
    others = imagenet_a.outputs - imagenet_a.classes
    stored = {
        name: [_stored(masked, name) for masked in (imagenet_a, imagenet_val)] for name in wider
    }
    return what_if(
        "mask",
        "What if the mask were taken away, class by class?",
        [slider("others", "Other classes that may be named", 0, others, 0)],
        table(
            pd.DataFrame(
                [[network_title(name), *_row(*both)] for name, both in stored.items()],
                columns=["Network", "Hard", "Ordinary", "Difference"],
            ),
            caption="Accuracy (%) on hard and on ordinary pictures, and the difference in points",
            filterable=False,
        ),
        {
            "networks": [
                dict(zip(("hard", "ordinary"), both, strict=True)) for both in stored.values()
            ]
        },
        convention=f"{imagenet_a.convention}. Networks that know more classes than the pictures "
        f"have; the other {others} are let in by the order of the outputs.",
    )


def _stored(masked: MaskedPredictions, network: str) -> dict[str, Any]:
    by_seed = right_until(masked, network)
    pictures = len(masked.predictions[network][0].ids)
    return {"pictures": pictures, "until": [list(map(list, one.items())) for one in by_seed]}


def _row(hard: dict[str, Any], ordinary: dict[str, Any]) -> list[float]:
    first, second = (
        100
        * float(np.mean([sum(count for _, count in seed) for seed in one["until"]]))
        / one["pictures"]
        for one in (hard, ordinary)
    )
    return [first, second, second - first]
