"""What may make a network more robust, and whether it does [inc, sec. 3.4, 3.5 and app. D]."""

from robust_book.chapters import inc
from robust_book.chapters.inc_3_enhancements import dots, inputs, settings, shared, tables
from robust_book.chapters.learning import trained
from robust_book.chapters.view import Committed
from robust_book.figures import heatmaps, image_grids
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.html.markup import Html, lines
from robust_book.html.table import table
from robust_book.page import Page
from robust_lib.protocols.corruption_error import enhancements
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.vocabulary import COMMON

CHAPTER = Chapter(
    "inc_3_enhancements",
    networks="enhancements",
    role="enhancements",
    shows=(OnCorruptions("enhancements"),),
    corruptions=COMMON,
    baseline=True,
)
COMMITTED: Committed = {"enhancements": inc.networks_frame}


def training(page: Page) -> Html:
    """Return the training curves of the networks that are trained here.

    >>> texts(training(page), "text")[2:4]
    ['AlexNet-like', 'ResNet-18-like']
    """
    return trained(page, page.run.training_curves(), of="training images")


def wrapped_pictures(page: Page) -> Html:
    """Return a picture, clean and noisy, as networks behind a wrapper see it.

    >>> texts(wrapped_pictures(page), "text")[:3]
    ['clean', 'clean, denoised', 'clean, equalised']
    """
    pictures, captions = inputs.seen(page.run)
    return page.figure(
        "fig-inputs",
        image_grids.grid(pictures, captions, columns=inputs.COLUMNS, size=1.5),
        caption="Left as it is, then denoised, then equalised. What is smoothed follows from the "
        "noise that is found in the picture; a clean one should stay as it is.",
        alt=f"Pictures as they are, denoised and equalised: {', '.join(captions)}.",
    )


def stability(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return mCE after stability training, of every noise and weight, beside the standard's.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> block = stability(page, rows, grid, normaliser)
    >>> texts(block, "td")[:2]  # clean error of the network without it, and no difference
    ['10.0 [1.2, 31.7]', '–']
    """
    item, names = enhancements.STABILITY, page.run.paper_names
    members = enhancements.members(item, names, grid.models)
    base = enhancements.standard(item, names, grid.models)
    frame = tables.stability_frame(results, members, base)
    noises = [f"± {label}" for label in tables.NOISES.values()]
    found, beside = tables.stability_map(results, members)
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=heatmaps.tuned(
            found,
            beside,
            xlabel="largest noise",
            ylabel="weight",
            unit="mCE (%)",
            centre=tables.value_of(results, item, base),
        )
        if len(found) or beside
        else None,
        rows=results.select(item=item),
        table=lines(
            table(
                frame.drop(columns=noises),
                caption="Clean error (%), and how many points mCE lies above the standard one's",
            ),
            table(
                frame[["Network", *noises]],
                caption="How many points the CEs of noises lie above the standard network's",
            ),
        ),
        alt="mCE of a network for every noise and weight of stability training, and beside it "
        f"that of the networks without: {tables.map_words(found, beside)}.",
        convention=shared.convention(page, grid, normaliser)
        + " The network called tuned was trained as long, with nothing added. Red is worse than "
        "the standard network, blue better.",
    )


def denoising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what denoising does to the error under each corruption.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> denoised = denoising(page, rows, grid, normaliser)
    >>> "No network of this item is asked in this run." in texts(denoised, "p")
    True
    """
    return _changes(
        page,
        results,
        grid,
        normaliser,
        "inc-claim-denoise",
        f" {inputs.denoiser_words(page.run)}",
    )


def equalising(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what histogram equalisation does to the error under each corruption.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> texts(equalising(page, rows, grid, normaliser), "text")[:2]
    ['corruption error less that of the standard network (points)', 'Gaussian noise']
    """
    return _changes(
        page,
        results,
        grid,
        normaliser,
        "inc-claim-clahe",
        f" {inputs.equaliser_words(page.run)} Tuned: trained five epochs longer, as in the "
        "paper, on equalised pictures where they are shown.",
    )


def ten_crops(page: Page, results: Results, grid: Grid, normaliser: Normaliser) -> Html:
    """Return what ten crops do to clean error and to mCE.

    >>> rows, grid, normaliser = toys.enhanced(run)
    >>> cropped = ten_crops(page, rows, grid, normaliser)
    >>> "No network of this item is asked in this run." in texts(cropped, "p")
    True
    """
    item = "inc-claim-tencrop"
    members = enhancements.members(item, page.run.paper_names, grid.models)
    base = shared.base(page, grid, item)
    panels = dots.both_panels(results, item, members)
    rows = list(panels["clean error"]["this run"])
    enough = len(members) > 1
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=dot_plot(
            {name: {"this run": found["this run"]} for name, found in panels.items()},
            rows,
            xlabel="%",
        )
        if enough
        else None,
        rows=results.select(item=item),
        table=shared.some(
            tables.changes_frame(results, item, members, base),
            "Clean error and mCE (%), and how many points they lie above those of the central crop",
            least=2,
        ),
        alt=f"Clean error and mCE with one view and with ten crops: {words(panels)}.",
        networks={} if base is None else {enhancements.STANDARD: base},
        convention=shared.convention(page, grid, normaliser)
        + " Ten crops: the class probabilities of four corners, the centre, and their mirror "
        f"images are averaged. {inputs.crop_words(page.run)} They are set against the central "
        "crop alone, which shows as much of a picture as each of them.",
    )


def _changes(
    page: Page, results: Results, grid: Grid, normaliser: Normaliser, item: str, more: str
) -> Html:
    members = enhancements.members(item, page.run.paper_names, grid.models)
    base = shared.base(page, grid, item)
    found = dots.change_dots(results, item, members, base)
    return page.item(
        item,
        results + settings.results(page.run, grid.dataset),
        figure=dot_plot(
            {"": found},
            dots.rows_of(found),
            xlabel="corruption error less that of the standard network (points)",
            even=0.0,
            even_words="no change",
        )
        if found
        else None,
        rows=results.select(item=item),
        table=shared.some(
            tables.changes_frame(results, item, members, base),
            "Clean error and mCE (%), how many points they lie above the standard network's, and "
            "of how many of the fifteen corruptions the error is lower",
            least=2,
        ),
        alt="By how many points the error under each corruption lies above the standard "
        f"network's: {words({'': found}, ' points')}.",
        convention=shared.convention(page, grid, normaliser) + more,
    )
