"""A tour in two minutes: one picture, one corruption, one network, one number."""

from types import MappingProxyType

from robust_lib.chapters import inc
from robust_lib.chapters.inc_1_corruptions.showcase import CAPTIONS, severities
from robust_lib.figures import curves, image_grids
from robust_lib.html.markup import Html
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.page import Page

CHAPTER = Chapter(
    "00_tour",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    evaluates=("resnet18",),
    corruptions=("gaussian_noise",),
    baseline=True,
    settings=MappingProxyType({"model": "models", "corruption": "corruptions"}),
)


def one_image(page: Page) -> Html:
    """Return one picture of the evaluated set with its class.

    >>> texts(one_image(page), "text")
    ['green', 'toys']
    """
    return page.figure(
        "fig-one-image",
        image_grids.grid(page.run.pictures(1), page.run.class_of(1), columns=1, size=2.0),
        alt="One picture of the evaluated set with its class.",
    )


def one_corruption(page: Page) -> Html:
    """Return the same picture clean and at every severity of the run's corruption.

    >>> texts(one_corruption(page), "text")[:3]
    ['clean', 'severity 1', 'severity 2']
    """
    (picture,), (corruption,) = page.run.pictures(1), page.run.corruptions
    return page.figure(
        "fig-one-corruption",
        image_grids.grid(severities(picture, corruption), CAPTIONS, columns=6, size=1.2),
        alt="The picture clean and at five severities of the corruption.",
    )


def one_network(page: Page, results: Results) -> Html:
    """Return the error of the network and of the baseline against severity.

    >>> rows = toys.rows("inc-tab1", "error", {"alexnet_mini": 0.25})
    >>> noise = {"corruption": "gaussian_noise", "severity": 3}
    >>> rows += toys.rows("inc-tab1", "error", {"alexnet_mini": 0.5}, **noise)
    >>> texts(one_network(page, rows), "text")
    ['Gaussian noise', 'top-1 error (%)', 'severity (0 is clean)', 'toys', 'AlexNet-like']
    """
    return page.figure(
        "fig-one-network",
        curves.by_severity(inc.severity_frame(results, page.run.corruptions), columns=1),
        alt="Error against severity for the network and the yardstick.",
    )
