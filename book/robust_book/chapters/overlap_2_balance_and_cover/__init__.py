"""Balance and coverage of ImageNet-C [overlap, sec. 4.2 and 4.3]."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from robust_book.chapters import overlap_1_matrix
from robust_book.chapters.overlap import Architectures, counted
from robust_book.chapters.overlap_2_balance_and_cover import numbers
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.figures.shapes import on_one_axis
from robust_book.html.families import FAMILIES
from robust_book.html.markup import Html
from robust_book.html.table import table
from robust_book.html.what_if import ticks, what_if
from robust_book.page import Page
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import benchmark as benchmarks
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.experiments import as_list
from robust_lib.run.papers import inc
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, corruption_label

CHAPTER = Chapter(
    "overlap_2_balance_and_cover",
    networks="balance",
    role="balance",
    shows=(OnCorruptions("balance"),),
    corruptions="training",
    baseline=True,
    also=(overlap_1_matrix.CHAPTER,),
)

PAPERS_SIDE = 224  # pixels
GREYS = (0.0, 1.0)  # of what is covered


def recomputed() -> Html:
    """Return the standard ResNet-50's mean CEs on both halves, as printed and recomputed."""
    return table(
        numbers.recomputed_frame(),
        caption="Mean CE (%) of the standard ResNet-50 on both halves (set1 and set2): as printed, "
        "and computed from its fifteen CEs",
    )


def occlusion_errors(results: Results) -> Html:
    """Return the table of errors on corruptions outside ImageNet-C."""
    return table(
        numbers.occlusion_errors_frame(results),
        caption="Top-1 error (%) on corruptions outside of ImageNet-C, averaged over the "
        "severities",
    )


def halves(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Table 1: mean CEs on both halves, their changes, and CEs of border and obstruction."""
    caption = (
        "mean CE (%) on both halves, its change from the standard network (points, + is worse)"
    )
    parts, names = numbers.by_part(results, page.run.paper_names), page.run.paper_names
    changes = numbers.changes(results, names, inc.standard(page.run), inc.baseline(page.run))
    return page.item(
        "overlap-tab1",
        results,
        figure=on_one_axis(
            [changes],
            xlabel="CE minus that of the standard network (points; left of 0 is better)",
            lines={"standard network": 0.0},
        )
        if changes.names
        else None,
        table=table(
            numbers.halves_frame(results),
            caption=f"This run: {caption}, CE of border and obstruction",
        ),
        paper=table(
            numbers.printed_halves_frame(),
            caption=f"The paper: {caption}, CE of border and obstruction",
            decimals=0,
        ),
        alt="Difference between the corruption errors of each network and the standard network's, "
        "on both halves of ImageNet-C, on border and on obstruction, one shape per part; the "
        f"errors: {words(parts)}.",
        convention=f"Divided by {normaliser.words}; storage: {grid.convention()}; {grid.images:,} "
        f"images per condition, severities {page.run.severity_words}; "
        f"{page.run.interval_words}.",
    )


def spread(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return the distribution of overlaps over ImageNet-C."""
    one, halves = next(iter(architectures.values())), numbers.halves()
    means = numbers.spread(results)
    return page.item(
        "overlap-claim-balance",
        results,
        figure=dot_plot(
            {"": means},
            [name for members in halves.values() for name in members],
            xlabel="mean overlap with the other corruptions",
            sections=halves,
        )
        if any(means.values())
        else None,
        table=None if any(means.values()) else overlap_1_matrix.unjudged("means"),
        alt="Each corruption's mean overlap with the others, one dot per architecture, the "
        "corruptions of set1 above those of set2"
        + (f": {words({'': means}, unit='', digits=2)}." if any(means.values()) else "."),
        convention=f"{counted(architectures)}; means are over the judged pairs; a corruption "
        f"without a judged pair has no dot; {one.convention.words}; without the diagonal; "
        f"{one.table.n:,} images per condition; {page.run.interval_words}.",
        networks=page.run.profile.networks.get("overlap", {}),
    )


def cover(page: Page, results: Results, architectures: Architectures) -> Html:
    """Return the corruptions outside ImageNet-C, and the nearest ones in it."""
    one, gains = next(iter(architectures.values())), numbers.raw_gains(architectures)
    rows = [corruption_label(name) for name in COMMON]
    return page.item(
        "overlap-claim-cover",
        results,
        figure=dot_plot(gains, rows, xlabel="gain in accuracy (points)", lines={"no change": 0.0})
        if gains
        else None,
        table=table(
            numbers.cover_frame(results, architectures),
            caption="Largest overlap (times 100) of each outside corruption with one of the "
            "fifteen; accuracy (%) on the outside corruption of the standard network, of the "
            "network trained with the nearest corruption, and of the network trained with the "
            "outside corruption",
        ),
        alt="Gain in accuracy on border and on obstruction after training with each of the "
        f"fifteen corruptions, one dot per architecture: {words(gains, unit=' points')}.",
        convention="The figure shows raw gains, which are not normalised. The table shows the "
        "largest overlap of the judged pairs, which exceeds the largest true overlap on average; "
        f"{one.convention.words}; {one.table.n:,} images per condition; {page.run.interval_words}.",
        networks=page.run.profile.networks.get("overlap", {}),
    )


def balance(architectures: Architectures, benchmark: Sequence[str]) -> Html:
    """Return the overlaps of each corruption of a benchmark with the others."""
    return table(
        numbers.balance_frame(benchmarks.average(architectures), benchmark),
        caption=f"Mean overlap of each of the {len(benchmark)} corruptions with the other "
        "corruptions of the benchmark, over the pairs that are judged in every architecture, and "
        "the nearest corruption",
        decimals=2,
    )


def coverage(architectures: Architectures, benchmark: Sequence[str]) -> Html:
    """Return the nearest corruption of a benchmark for each corruption that it lacks."""
    return table(
        numbers.coverage_frame(benchmarks.average(architectures), benchmark),
        caption="Corruptions that the benchmark lacks, and the benchmark's corruption that "
        "overlaps most with each, among the pairs that are judged in every architecture",
        decimals=2,
    )


def members(benchmark: Sequence[str] | str | None, pairs: Run) -> tuple[str, ...]:
    """Return the corruptions of a reader's benchmark.

    Args:
        benchmark: names of corruptions, or a list as text; None: those of ImageNet-C.

    Raises:
        InputError: as `protocols.overlap.benchmark.members`.
    """
    return benchmarks.members(as_list(benchmark), pairs.corruptions)


def occlusion_sizes(dataset: str = "imagenet_100") -> Results:
    """Return sizes (pixels, at the paper's image side) and greys of border and obstruction.

    Sizes are scaled in proportion to the image side. Greys are fractions.
    """
    from robust_lib.corruptions.occlusion import BORDER_THICKNESS, OBSTRUCTION_SIDE

    sizes = {"border": ("thickness", BORDER_THICKNESS), "obstruction": ("side", OBSTRUCTION_SIDE)}
    row = partial(Row, item="overlap-claim-cover", dataset=dataset)
    pixels = f"pixels of {PAPERS_SIDE}"
    return Results.of(
        row(corruption=name, metric=metric, value=float(value), convention=words)
        for name, (what, ends) in sizes.items()
        for metric, value, words in (
            (f"smallest_{what}", ends[0], pixels),
            (f"largest_{what}", ends[1], pixels),
            ("lowest_fill", GREYS[0], None),
            ("highest_fill", GREYS[1], None),
        )
    )


OTHERS = "Not in ImageNet-C"


def benchmark(architectures: Architectures) -> Html:
    """Return the balance and coverage of a benchmark whose corruptions a reader chooses.

    >>> block = benchmark(toys.judged("fog", "snow", "gaussian_noise"))
    >>> texts(block, "td")[:2]  # of fog: mean overlap with the others, and the largest
    ['0.10', '0.10']
    """
    overlaps = benchmarks.average(architectures)
    names = [str(name) for name in overlaps.index]
    members = benchmarks.members(None, names)
    stored = overlaps.to_numpy().round(6)
    return what_if(
        "benchmark",
        "What if ImageNet-C had different corruptions?",
        [ticks("corruption", "The benchmark has", _groups(names), members)],
        table(
            _frame(overlaps, members),
            caption="For each corruption: mean overlap with the other corruptions of the benchmark "
            "(only if it belongs to the benchmark), and largest overlap with any of them",
            decimals=2,
            filterable=False,
        ),
        {
            "corruptions": names,
            "titles": [corruption_label(name) for name in names],
            "overlaps": [
                [None if np.isnan(one) else one for one in row] for row in stored.tolist()
            ],
        },
        convention=f"The numbers are means over {' and '.join(architectures)}; a pair that is not "
        "judged in both architectures is left out. A benchmark is balanced if the values in the "
        "first column are similar, and it covers the corruptions with a large number in the second "
        "column.",
    )


def _groups(names: Sequence[str]) -> dict[str, dict[str, str]]:
    groups = {
        family: {name: corruption_label(name) for name in members if name in names}
        for family, members in FAMILIES.items()
    }
    known = {name for options in groups.values() for name in options}
    groups[OTHERS] = {name: corruption_label(name) for name in names if name not in known}
    return {title: options for title, options in groups.items() if options}


def _frame(overlaps: pd.DataFrame, members: Sequence[str]) -> pd.DataFrame:
    """Return the frame that the script computes, for ImageNet-C."""
    balance = benchmarks.balance(overlaps, members)
    largest = pd.concat([balance["overlap"], benchmarks.coverage(overlaps, members)["overlap"]])
    return pd.DataFrame(
        {
            "Corruption": [corruption_label(str(name)) for name in overlaps.index],
            "Mean overlap": balance["mean"].reindex(overlaps.index).to_numpy(),
            "Largest": largest.reindex(overlaps.index).to_numpy(),
        }
    )
