"""Output of a chapter's last cell: the saved rows, and the numbers that its text uses."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from robust_book.html.markup import SAVED, Html, lines, text
from robust_book.html.table import table
from robust_lib.results.key_number import VERB

NAMED = (
    "<p>In a notebook that is not rendered, <code>{result}</code> and a name in the text stand for "
    "the number of that name in this table; a name that ends in <code>-verb</code> for the verdict "
    "on the claim without this ending.</p>"
)


def saved(record: Mapping[str, Any], count: int, notes: Sequence[str] = ()) -> Html:
    """Return a line on the content that a run saved, above its key numbers; the site shows neither.

    Args:
        record: content that the run saved: its notebook, profile, items and numbers.
        count: number of rows.
        notes: sentences behind the line.

    >>> one = {"text": "5.0 %", "convention": "error of AlexNet", "n": 256}
    >>> record = {"notebook": "a", "profile": "mini", "items": [], "numbers": {"a.error": one}}
    >>> "a.error</code></th><td" in saved(record, 3).markup
    True
    """
    line = (
        f"<p {SAVED}>{count:,} numbers and {len(record['items'])} items saved as "
        f"<code>{text(record['notebook'])}</code>, profile <code>{text(record['profile'])}</code>."
        f"{text(' '.join(notes))}</p>"
    )
    shown = {name: one for name, one in record["numbers"].items() if not name.endswith(VERB)}
    if not shown:
        return Html(line)
    frame = pd.DataFrame(
        {
            "Name": [Html(f"<code>{text(name)}</code>") for name in shown],
            "Number": [one["text"] for one in shown.values()],
            "n": pd.Series([one["n"] for one in shown.values()], dtype="Int64"),
            "What it is": [one["convention"] for one in shown.values()],
        }
    )
    return lines(line, NAMED, table(frame, caption="The numbers that the text of this page names"))
