"""The settings of the enhancements as this run has them, beside the paper's."""

from dataclasses import replace

from robust_book.chapters.inc_3_enhancements.tables import stability_of
from robust_lib.protocols.corruption_error.enhancements import STABILITY
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.run import Run
from robust_lib.training import zoo

TRAINING = "resnet50_stability"
"""What the paper's settings of stability training are said of, whatever the network."""
TUNED = "resnet50_clahe"
CROPPED = "resnet50_tencrop"
_PAPERS = (0.01, 0.05, 0.1)  # of noise and of weight alike


def results(run: Run, dataset: str) -> Results:
    """Return epochs of fine-tuning, noises, weights and crops, as rows.

    Noises and weights have the paper's numbers, from the least; other ones are none of its.

    Args:
        run: of the chapter.
        dataset: whose images the networks see.

    >>> [row.metric for row in results(run, "toys").rows]
    ['epochs', 'uniform_noise', 'stability_weight']
    """
    names, rows = run.paper_names, []
    stable = [ours for paper, ours in names.items() if paper.startswith(TRAINING)]
    if stable:
        found = [one for one in map(stability_of, stable) if one is not None]
        values = {
            "uniform_noise": {one.noise for one in found},
            "stability_weight": {one.weight for one in found},
        }
        rows.append(_epochs(run, STABILITY, dataset, TRAINING, stable[0]))
        rows += [
            _row(STABILITY, dataset, TRAINING, metric, value, place)
            for metric, listed in values.items()
            for place, value in enumerate(_PAPERS, 1)
            if value in listed
        ]
    if TUNED in names:
        ours = names[TUNED]
        rows.append(_epochs(run, "inc-claim-clahe", dataset, ours, ours))
    if CROPPED in names:
        rows.append(_row("inc-claim-tencrop", dataset, names[CROPPED], "crops", 10))
    return Results.of(rows)


def _epochs(run: Run, item: str, dataset: str, model: str, name: str) -> Row:
    """Return the epochs of this run, of those that the recipe has: fewer make it no finding."""
    done, whole = (zoo.plan(name, epochs)[1].epochs for epochs in (run.profile.epochs, None))
    return replace(_row(item, dataset, model, "epochs", done), n=done, n_full=whole)


def _row(
    item: str, dataset: str, model: str, metric: str, value: float | int, place: int | None = None
) -> Row:
    return Row(
        item=item,
        dataset=dataset,
        model=model,
        metric=metric,
        severity=place,
        value=float(value),
    )
