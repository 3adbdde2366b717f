"""Effective robustness: distance above the line of networks trained on still images."""

import pandas as pd

from robust_book.chapters.view import Names
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.networks import paper_name, type_of
from robust_lib.results.notation import Cell
from robust_lib.run.network import network_title

TOO_FEW = "<p>A line needs at least three networks that are trained on still images.</p>"


def above_the_line(answers: FramePredictions, names: Names) -> Html:
    """Return each network's distance above the line of still-image networks, on logit axes.

    >>> str(above_the_line(toys.answers({"mine": [3, 5]}), {"resnet50": "mine"}))[:16]
    '<p>A line needs '
    """
    frame = above_frame(answers, names)
    if frame.empty:
        return Html(TOO_FEW)
    apart = sum(one.low is not None and one.low > 0 for one in frame["Above the line"])
    told = table(
        frame,
        caption="Effective robustness: accuracy on the worst frame minus the accuracy predicted by "
        "the line of the networks trained on still images, in points",
    )
    note = (
        f'<p class="rb-convention">{apart} of {len(frame)} are above the line with their '
        "whole interval. The line is a least-squares fit on logit axes, on which networks "
        "that lose equally are on one line whatever their accuracy; it is fitted again in "
        "each resample of the sets. Networks are not resampled. A count of none or of all "
        "sets is shifted by half a set.</p>"
    )
    return lines(told, Html(note))


def above_frame(answers: FramePredictions, names: Names) -> pd.DataFrame:
    """Return one row per network, in descending order of the distance above the line."""
    found = classification.lifted(answers, names)
    ranked = sorted(found, key=lambda network: -found[network].value)
    return pd.DataFrame(
        {
            "Network": network_title(network),
            "Type": type_of(paper_name(network, names)),
            "Above the line": Cell(*found[network].percent),
        }
        for network in ranked
    )
