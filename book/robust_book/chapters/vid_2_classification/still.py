"""Control with a still camera: the part of the pm-k drop that needs no motion."""

from collections.abc import Sequence

import pandas as pd

from robust_book.chapters import view
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.pm_k import still as protocol
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.protocols.pm_k.still import STILL
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber
from robust_lib.results.table import Results
from robust_lib.run.network import network_title

NUMBERS = ("still_drops", "still_shares", "still_anchors", "still_frames", "still_apart")
NOT_THERE = (
    "<p>This control does not exist for real videos, because the same scene was not "
    "recorded twenty-one times. Anchors stored again at other JPEG qualities could replace "
    "it, but are not computed here; profile mini has the control itself.</p>"
)


def still_rows(clips: FramePredictions, still: FramePredictions | None) -> Results:
    """Return the control as rows; none if there is no still camera.

    >>> len(still_rows(toys.answers({"mine": [3, 5]}), None).rows)
    0
    """
    return Results.of([]) if still is None else protocol.results(clips, still)


def still_camera(
    page: Page,
    results: Results,
    control: Results,
    clips: FramePredictions,
    still: FramePredictions | None,
) -> Html:
    """Return each network's drop on clips and with a still camera.

    Args:
        results: those of the clips.
        control: rows from `still_rows`.

    >>> both = toys.answers({"resnet50_mini": [3, 5]}), toys.answers({"resnet50_mini": [4, 5]})
    >>> rows = toys.pm_k_rows({"resnet50_mini": [3, 5]}, run.paper_names)
    >>> texts(still_camera(page, rows, still_rows(*both), *both), "td")[2:4]
    ['10.0 [0.3, 44.5]', '50.0']
    """
    if still is None:
        return Html(NOT_THERE)
    told = table(
        still_frame(results, control, clips, still),
        caption="Accuracy (%) on the anchor, the drop on the worst frame in points, the share of "
        "the drop that occurs without motion (%), and the accuracy on an average neighbour "
        "(%)",
    )
    note = (
        f'<p class="rb-convention">n = {clips.n:,} sets, k = {clips.k}. In the control, '
        "every frame shows its anchor's scene, in the same light and through the same lens; only "
        "grain and JPEG quality differ from frame to frame, as in the clips. The anchors are those "
        "of the clips, byte by byte. The average is the mean over sets of the share of neighbours "
        f"classified correctly. Control: {still.words}.</p>"
    )
    return lines(told, Html(note))


def still_frame(
    results: Results, control: Results, clips: FramePredictions, still: FramePredictions
) -> pd.DataFrame:
    """Return one row per network evaluated on both, in percent and points."""
    found = []
    for network in _networks(control):
        mine = results.select(item="vid-tab3", model=network)
        rows = control.select(model=network)
        share = rows.first(metric="still_share")
        found.append(
            {
                "Network": network_title(network),
                "Anchor": 100 * mine.row(metric="pm_accuracy", k=0).value,
                "Drop on clips": view.cell(mine.row(metric="drop", k=clips.k)),
                "Drop with a still camera": view.cell(rows.row(metric="drop", k=still.k)),
                "Share without motion": None if share is None else view.cell(share),
                "Neighbours in clips": _percent(clips.neighbours(network)),
                "Still neighbours": _percent(still.neighbours(network)),
            }
        )
    return pd.DataFrame(found).astype(object)


def key_numbers(control: Results, still: FramePredictions | None) -> dict[str, KeyNumber]:
    """Return the prose's numbers on the control: the smallest and largest drops and shares.

    They include the accuracies on its anchors and on its other frames one by one, and their
    difference.

    >>> key_numbers(still_rows(toys.answers({"mine": [3, 5]}), None), None)["still_drops"].text
    'not measured'
    """
    if still is None or not control.rows:
        return dict.fromkeys(NUMBERS, NOT_MEASURED)
    anchors = [row.value for row in control.select(metric="pm_accuracy", k=0).rows]
    frames = [still.neighbours(network) for network in _networks(control)]
    both = [(a, f) for a, f in zip(anchors, frames, strict=True) if f is not None]
    apart = [anchor - frame for anchor, frame in both]
    drops = sorted(row.value for row in control.select(metric="drop").rows)
    shares = sorted(row.value for row in control.select(metric="still_share").rows)
    return {
        "still_drops": KeyNumber(
            f"{100 * drops[0]:.1f} to {100 * drops[-1]:.1f} points",
            drops[-1],
            f"drops of {len(drops)} networks: {STILL}",
        ),
        "still_shares": KeyNumber(
            f"{100 * shares[0]:.1f} to {100 * shares[-1]:.1f} %", shares[-1], "of drops on clips"
        )
        if shares
        else NOT_MEASURED,
        "still_anchors": _range(anchors, "%", "accuracy on the anchors"),
        "still_frames": _range([one for _, one in both], "%", f"on a frame of the {STILL}"),
        "still_apart": _range(apart, "points", "accuracy on anchors minus that on frames"),
    }


def _range(values: Sequence[float], unit: str, what: str) -> KeyNumber:
    if not values:
        return NOT_MEASURED
    low, high = (100 * one for one in (min(values), max(values)))
    text = f"{low:.1f} to {high:.1f} {unit}".replace("-", "−")
    return KeyNumber(text, max(values), what, len(values))


def _networks(control: Results) -> list[str]:
    return list(dict.fromkeys(str(row.model) for row in control.rows))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
