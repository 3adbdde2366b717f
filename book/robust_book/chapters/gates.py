"""Reference check: published results that public weights must reproduce on the real data."""

from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_lib.results.gates.gate import gate_frame, is_judged, judged, summary
from robust_lib.results.gates.references import gates
from robust_lib.results.table import Results


def block(results: Results, *datasets: str) -> Html:
    """Return a table of published results of public weights and this run's, for some data sets.

    Args:
        datasets: names of the real data sets; rows about others are not checked.

    >>> rows = toys.rows("nae-fig2", "accuracy", {"resnet50_mini": 0.5})
    >>> texts(block(rows, "imagenet_a"), "p")[0].partition(":")[0]
    'No reference check applies to this run'
    """
    asked = [gate for gate in gates() if gate.dataset in datasets and not gate.unlike]
    found = [one for one in judged(asked, results.rows) if is_judged(one)]
    if not found:
        return Html(
            '<p class="rb-convention">No reference check applies to this run: each of the '
            f"{len(asked)} compares public weights on the real data with a published "
            "result.</p>"
        )
    return table(
        gate_frame(found),
        caption=f"Results of public weights on the real data (%), as published and in this run. "
        f"{summary(found)}",
        decimals={"Others found": 3, "This run": 3},
    )
