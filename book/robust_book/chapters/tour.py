"""A short tour: one image, one corruption, one network, one number."""

from types import MappingProxyType

from robust_book.chapters import inc
from robust_book.chapters.inc_1_corruptions.showcase import CAPTIONS, severities
from robust_book.figures import curves, image_grids
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.config.corruption_cards import convention, is_canonical
from robust_lib.protocols.grid import Grid
from robust_lib.results.estimate import ends_of, paired
from robust_lib.results.key_number import KeyNumber, percent
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.network import network_title
from robust_lib.vocabulary import corruption_label

CHAPTER = Chapter(
    "00_tour",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    evaluates=("resnet18",),
    corruptions=("gaussian_noise",),
    baseline=True,
    settings=MappingProxyType({"model": "models", "corruption": "corruptions"}),
    on_photographs=("gaussian_noise",),
)


def one_image(page: Page) -> Html:
    """Return one image of the evaluated set with its class.

    >>> texts(one_image(page), "text")
    ['green']
    """
    return page.figure(
        "fig-one-image",
        image_grids.grid(page.run.pictures(1), page.run.class_of(1), columns=1, size=2.0),
        caption="One image of the test set, and its true class.",
        alt=f"An image of {page.run.class_of(1)[0]}.",
    )


def one_corruption(page: Page) -> Html:
    """Return the same image, clean and at every severity of the run's corruption."""
    (picture,), (corruption,) = page.run.pictures(1), page.run.corruptions
    return page.figure(
        "fig-one-corruption",
        image_grids.grid(severities(picture, corruption), CAPTIONS, columns=3, size=2.0),
        caption="The same image clean, and at the five severities of one corruption.",
        alt=f"The image, clean and at five severities of {corruption_label(corruption).lower()}.",
        description=_description(page),
    )


def one_network(page: Page, results: Results) -> Html:
    """Return the error of the network and of the baseline by severity.

    >>> rows = toys.rows("inc-tab1", "error", {"alexnet_mini": 0.25})
    >>> noise = {"corruption": "gaussian_noise", "severity": 3}
    >>> rows += toys.rows("inc-tab1", "error", {"alexnet_mini": 0.5}, **noise)
    >>> texts(one_network(page, rows), "text")[:4]
    ['AlexNet-like', 'Gaussian noise', 'top-1 error (%)', 'severity (0 is clean)']
    """
    frame = inc.severity_frame(results, page.run.corruptions)
    return page.figure(
        "fig-one-network",
        curves.by_severity(frame, columns=1),
        caption="Error against severity; severity 0 is the clean image. The corruption error is "
        "the network's mean error over the five severities, divided by the baseline's.",
        alt=f"Error against severity: {curves.severity_words(frame)}.",
        description=_description(page),
    )


def key_numbers(results: Results, grid: Grid) -> dict[str, KeyNumber]:
    """Return the numbers in the prose.

    Keys of the network's numbers have no prefix, those of the baseline begin with its name. A run
    that divides by published errors has no baseline of its own.
    """
    network, yardstick = grid.models[-1], grid.models[0]
    numbers = inc.key_numbers(results, grid, yardstick if len(grid.models) > 1 else "")
    for key, model in (("", network), ("yardstick_", yardstick)):
        known = key == "" or len(grid.models) > 1
        numbers[f"{key}clean_error"] = percent(
            results.first(metric="error", model=model, severity=None) if known else None
        )
        strongest = (
            results.first(metric="error", model=model, severity=max(grid.severities))
            if known
            else None
        )
        numbers[f"{key}strongest_error"] = percent(strongest)
    numbers["network"] = KeyNumber(network_title(network), value=network)
    title = network_title(yardstick) if len(grid.models) > 1 else "AlexNet"
    numbers["yardstick"] = KeyNumber(title, value=yardstick)
    numbers["outcome"] = outcome(results, network, yardstick)
    return numbers


def outcome(results: Results, network: str, yardstick: str) -> KeyNumber:
    """Return a text on whether the more accurate network on clean images is also more robust.

    The comparison uses the interval of the paired difference of the clean errors, and that of the
    corruption error.
    """
    clean = (
        results.first(metric="error", model=network, severity=None),
        results.first(metric="error", model=yardstick, severity=None),
    )
    row = results.first(metric="ce", model=network)
    if clean[0] is None or clean[1] is None or network == yardstick or row is None:
        return KeyNumber("the networks were not compared on clean images")
    _, low, high = row.interval
    apart = paired(clean[0].draws, clean[1].draws)
    ends = None if apart is None else ends_of(apart)
    convention = (
        "whether the interval of the difference of the clean errors contains 0, and whether that "
        "of the corruption error contains 100 %"
    )
    if ends is None or ends[0] <= 0 <= ends[1]:
        text = "neither network is shown to be more accurate on clean images"
    else:
        is_same = (ends[1] < 0) == (row.value < 1)
        end = (
            "is not shown to be more or less accurate than the other on corrupted ones"
            if low <= 1 <= high
            else f"is {'also more' if is_same else 'less'} accurate on corrupted ones"
        )
        text = f"the network that is more accurate on clean images {end}"
    return KeyNumber(text, row.value, convention, row.n)


def _description(page: Page) -> str | None:
    """Return a description of the run if its corruption is not the benchmark's own, else None."""
    (corruption,) = page.run.corruptions
    if page.run.profile.corrupted == "archive" or is_canonical(corruption):
        return None
    return f"{page.run.description}; {corruption}: {convention(corruption)}"
