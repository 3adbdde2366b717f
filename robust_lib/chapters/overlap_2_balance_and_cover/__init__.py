"""Whether ImageNet-C is balanced, and what it misses [overlap, sec. 4.2 and 4.3]."""

from collections.abc import Mapping, Sequence

from robust_lib.chapters import overlap_1_matrix
from robust_lib.chapters.overlap_2_balance_and_cover import tables
from robust_lib.figures import bars
from robust_lib.html.markup import Html
from robust_lib.html.table import table
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.overlap import benchmark as benchmarks
from robust_lib.protocols.overlap.accuracies import Accuracies
from robust_lib.protocols.overlap.groups import HALVES
from robust_lib.protocols.overlap.scores import PAPER
from robust_lib.results.key_number import NOT_MEASURED, KeyNumber, mean
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.network import titled
from robust_lib.run.page import Page
from robust_lib.run.run import Run
from robust_lib.run.start import as_list

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
OVERLAPS = ("overlap", "mean_overlap", "group_overlap", "largest_overlap", "rank_correlation")


def recomputed() -> Html:
    """Return the halves of the standard ResNet-50, as printed and computed again.

    >>> "80.3" in recomputed().markup
    True
    """
    return table(
        tables.recomputed_frame(),
        caption="Mean CE (%) of the standard ResNet-50 on both halves: as printed, and computed "
        "from its fifteen CEs",
    )


def occlusion_errors(results: Results) -> Html:
    """Return the table of errors on what ImageNet-C lacks.

    >>> rows = toys.rows("inc-alexnet", "mean_error", {"resnet50": 0.25}, corruption="border")
    >>> block = occlusion_errors(rows)
    >>> texts(block, "th"), texts(block, "td")
    (['Network', 'Border', 'ResNet-50'], ['25.0'])
    """
    return table(
        tables.occlusion_errors_frame(results),
        caption="Top-1 error (%) on corruptions outside of ImageNet-C, mean of the severities",
    )


def halves(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return Table 1: mean CEs on both halves, gains, and the CEs of border and obstruction.

    >>> from robust_lib.chapters import inc
    >>> rows = toys.rows("inc-tab1", "error", {"resnet50": 0.25})
    >>> rows += toys.rows("overlap-tab1", "mean_ce", {"resnet50": 0.8}, corruption="set1")
    >>> grid = toys.grid("alexnet_small", "resnet50")
    >>> texts(halves(page, rows, grid, inc.normaliser(run, grid)), "td")[:2]  # error, set1
    ['25.0', '80.0']
    """
    caption = "mean CE (%) on both halves, gains, CE of border and obstruction"
    return page.item(
        "overlap-tab1",
        results,
        figure=bars.architectures(
            {part: titled(values) for part, values in tables.by_part(results).items()},
            {part: titled(values) for part, values in tables.printed_by_part().items()},
            words=("The paper: ImageNet-C", f"This run: {grid.corrupted}"),
            ylabel="mean corruption error (%, AlexNet = 100)",
        ),
        table=table(tables.halves_frame(results), caption=f"This run: {caption}"),
        paper=table(tables.printed_halves_frame(), caption=f"The paper: {caption}", decimals=0),
        alt="Mean corruption error of each network on both halves of ImageNet-C, on border and on "
        "obstruction.",
        convention=f"Divided by {normaliser.words}; storage: {grid.storage}; {grid.images:,} "
        f"images a cell, severities {page.run.severity_words}; {page.run.interval_words}.",
    )


def spread(page: Page, results: Results, accuracies: Mapping[str, Accuracies]) -> Html:
    """Return how the overlaps are spread over ImageNet-C.

    >>> accuracies = toys.overlaps("fog", "gaussian_noise", "shot_noise")
    >>> texts(spread(page, Results(), accuracies), "text")[1:]
    ['Gaussian noise', 'Shot noise', 'Fog', 'ResNet-18', 'toys']
    """
    images = next(iter(accuracies.values())).n
    trained, pairs = _by_study(results, page.run)
    return page.item(
        "overlap-claim-balance",
        trained,
        beside=pairs,
        figure=bars.by_corruption(
            tables.spread_frame(accuracies), xlabel="mean overlap with the other corruptions"
        ),
        alt="Each corruption's mean overlap with the others, a point an architecture.",
        convention=f"{PAPER.words}; without the diagonal; {images:,} images a cell.",
    )


def cover(page: Page, results: Results, accuracies: Mapping[str, Accuracies]) -> Html:
    """Return what lies outside of ImageNet-C, and what of ImageNet-C is nearest to it.

    >>> accuracies = toys.overlaps("fog", "snow", "border")
    >>> texts(cover(page, Results(), accuracies), "td")[:2]  # nearest to border
    ['Fog', '0.00']
    """
    one = next(iter(accuracies.values()))
    imagenet_c = benchmarks.members(None, one.corruptions)
    trained, pairs = _by_study(results, page.run)
    return page.item(
        "overlap-claim-cover",
        trained,
        beside=pairs,
        table=table(
            tables.coverage_frame(benchmarks.average(accuracies), imagenet_c),
            caption="Corruptions outside of ImageNet-C, and which of ImageNet-C overlaps most with "
            "them",
            decimals=2,
        ),
        alt="Border and obstruction with the corruption of ImageNet-C that overlaps most with "
        "each.",
        convention=f"{PAPER.words}; mean of the architectures; {one.n:,} images a cell.",
    )


def balance(accuracies: Mapping[str, Accuracies], benchmark: Sequence[str]) -> Html:
    """Return how each corruption of a benchmark overlaps with its others.

    >>> accuracies = toys.overlaps("fog", "snow", "gaussian_noise")
    >>> texts(balance(accuracies, ("fog", "snow")), "td")  # mean overlap, nearest, overlap with it
    ['0.10', 'Snow', '0.10', '0.10', 'Fog', '0.10']
    """
    return table(
        tables.balance_frame(benchmarks.average(accuracies), benchmark),
        caption=f"Mean overlap of each of the {len(benchmark)} corruptions with the others of the "
        "benchmark, and its nearest",
        decimals=2,
    )


def coverage(accuracies: Mapping[str, Accuracies], benchmark: Sequence[str]) -> Html:
    """Return which corruption of a benchmark is nearest to each one that it lacks.

    >>> accuracies = toys.overlaps("fog", "gaussian_noise", "shot_noise")
    >>> texts(coverage(accuracies, ("fog", "shot_noise")), "td")  # nearest to Gaussian noise
    ['Shot noise', '0.90']
    """
    return table(
        tables.coverage_frame(benchmarks.average(accuracies), benchmark),
        caption="Corruptions that the benchmark lacks, and which of its own overlaps most with "
        "each",
        decimals=2,
    )


def members(benchmark: Sequence[str] | str | None, pairs: Run) -> tuple[str, ...]:
    """Return the corruptions of a benchmark that a reader names, those of ImageNet-C for None.

    Args:
        benchmark: names, or the text of a list.
        pairs: the run whose networks were trained with the corruptions.

    Raises:
        InputError: as `protocols.overlap.benchmark.members`.

    >>> members('["pixelate", "border"]', run), members(None, run)
    (('pixelate', 'border'), ('gaussian_noise', 'impulse_noise', 'defocus_blur', 'pixelate'))
    """
    return benchmarks.members(as_list(benchmark), pairs.corruptions)


def occlusion_sizes(dataset: str = "imagenet_100") -> Results:
    """Return the sizes of border and obstruction, pixels of a picture of the paper's side.

    Pictures of other sides get sizes in proportion.

    Args:
        dataset: name of the images that they are laid over.

    >>> occlusion_sizes().row(metric="smallest_thickness").corruption
    'border'
    """
    from robust_lib.corruptions.occlusion import BORDER_THICKNESS, OBSTRUCTION_SIDE

    sizes = {"border": ("thickness", BORDER_THICKNESS), "obstruction": ("side", OBSTRUCTION_SIDE)}
    return Results.of(
        Row(
            item="overlap-claim-cover",
            dataset=dataset,
            corruption=name,
            metric=f"{end}_{what}",
            convention=f"pixels of {PAPERS_SIDE}",
            value=float(value),
        )
        for name, (what, ends) in sizes.items()
        for end, value in zip(("smallest", "largest"), ends, strict=True)
    )


def key_numbers(results: Results, standard: str) -> dict[str, KeyNumber]:
    """Return the numbers that the prose names, ready for the `{result}` role.

    Args:
        results: rows of both halves and of the overlaps.
        standard: the network that the gains are to.

    >>> row = Row(item="overlap-tab1", dataset="toys_c", model="resnet50", metric="mean_ce",
    ...           corruption="set1", value=0.8, n=9, n_full=9)
    >>> key_numbers(Results.of([row]), "resnet50")["standard_set1"].text
    '80.0 %'
    """
    numbers: dict[str, KeyNumber] = {}
    for half in HALVES:
        found = results.select(metric="mean_ce", model=standard, corruption=half).rows
        numbers[f"standard_{half}"] = _ratio(found[0], "") if found else NOT_MEASURED
        gains = [
            row
            for row in results.select(metric="mean_ce_gain", corruption=half).rows
            if row.model != standard
        ]
        best = min(gains, key=lambda row: row.value, default=None)
        numbers[f"best_{half}"] = _ratio(best, f" ({best.model})") if best else NOT_MEASURED
        values = [r.value for r in results.select(metric="mean_overlap", corruption=half).rows]
        numbers[f"overlap_{half}"] = mean(values, "architectures, without the diagonal")
    return numbers


def _ratio(row: Row, end: str) -> KeyNumber:
    points = "points" if row.metric.endswith("gain") else "%"
    number = f"{100 * row.value:.1f}".replace("-", "−")
    return KeyNumber(
        f"{number} {points}{end}", value=row.value, convention=row.convention or "", n=row.n
    )


def _by_study(results: Results, run: Run) -> tuple[Results, tuple[Results, dict[str, str]]]:
    """Return the rows but for overlaps, and those of overlaps with the networks they are about.

    In the miniature one network plays ResNet-50 in this chapter and ResNet-18 in the other.
    """
    about_pairs = results.select(metric=OVERLAPS)
    others = Results.of(row for row in results.rows if row.metric not in OVERLAPS)
    return others, (about_pairs, dict(overlap_1_matrix.CHAPTER.models(run.profile)))
