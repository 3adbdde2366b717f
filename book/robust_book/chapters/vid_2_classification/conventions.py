"""What the conventions of pm-k change: who counts, whose labels, and how 288 scores become 30."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from robust_lib.protocols.pm_k.answers import Answers
from robust_lib.protocols.pm_k.classification import accuracy
from robust_lib.run.network import network_title


def readings_frame(answers: Answers, summed: Answers, networks: Iterable[str]) -> pd.DataFrame:
    """Return accuracy at the worst frame (%) by network, in each convention.

    Args:
        answers: of the networks, a class's score the largest logit of its outputs.
        summed: likewise, the sum of their probabilities.
        networks: those shown.

    >>> answers = toys.answers({"mine": [3, 5]})
    >>> frame = readings_frame(answers, answers, ["mine"])
    >>> frame.iloc[0, 1:].tolist() == [30.0] * 4  # of 10 sets 3 are whole, with the anchor or not
    True
    """
    readings = {
        "As the authors' code": replace(answers, anchor=True, reading="frame"),
        "Anchor left out": replace(answers, anchor=False, reading="frame"),
        "Equation 2": replace(answers, anchor=False, reading="anchor"),
        "Probabilities summed": replace(summed, anchor=True, reading="frame"),
    }
    chosen = [one for one in networks if one in answers.by_network]
    frame = pd.DataFrame({"Network": [network_title(one) for one in chosen]})
    for name, one in readings.items():
        frame[name] = [
            100 * accuracy(one, network, one.k).value if network in one.by_network else None
            for network in chosen
        ]
    return frame
