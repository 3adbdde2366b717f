"""The misclassified images behind a number, opened from a cell of a table.

The images are files, loaded when a cell is opened; `book/_static/mistakes.js` opens them. Without
the script, only the table is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from robust_book.html.markup import Html, in_script, lines, text

ADDRESS = "_static/results/"


@dataclass(frozen=True)
class Mistake:
    """One wrong prediction.

    Attributes:
        sure: confidence of the prediction, a fraction.
    """

    truth: str
    said: str
    sure: float


@dataclass(frozen=True)
class Behind:
    """The misclassified images behind one number.

    Attributes:
        file: the images side by side, all square, in the order of `mistakes`; None if there are
            none.
        title: network and condition of the mistakes.
        told: total number of mistakes, in words.
    """

    file: str | None
    title: str
    told: str
    mistakes: tuple[Mistake, ...]


def mistakes(cells: Sequence[Sequence[Behind | None]], *, convention: str) -> Html:
    r"""Return the block that opens cells of the table above it and shows the images behind one.

    The block must be in one element with its table.

    Args:
        cells: one list per row of the table, without the row's heading; None stays a
            number.
        convention: choice of the images, and meaning of the percentages.

    >>> behind = Behind("a.webp", "Mine under fog", "3 of 9", (Mistake("<owl>", "hat", 0.934),))
    >>> block = str(mistakes([[None, behind]], convention="severity 3"))
    >>> '["\\u003cowl>","hat","93\N{NO-BREAK SPACE}%"]' in block, "&lt;owl" in block
    (True, False)
    """
    rows = [[None if one is None else _record(one) for one in row] for row in cells]
    return lines(
        '<div class="rb-mistakes" hidden>',
        '<p class="rb-told"><output>Choose a number in the table to see images behind it. '
        "Arrow keys go from one to the next.</output></p>",
        '<div class="rb-behind" hidden><ul></ul>',
        f'<p class="rb-convention"><span class="rb-label">Images</span> {text(convention)}</p>',
        '<button type="button" class="rb-switch">Close the images</button></div>',
        f'<script type="application/json">{in_script(rows)}</script>',
        "</div>",
    )


def _record(one: Behind) -> dict[str, object]:
    seen = [
        (wrong.truth, wrong.said, f"{100 * wrong.sure:.0f}\N{NO-BREAK SPACE}%")
        for wrong in one.mistakes
    ]
    # A whole address, to which the page adds a digest of the file.
    file = None if one.file is None else ADDRESS + one.file
    return {"file": file, "title": one.title, "told": one.told, "seen": seen}
