"""What is gained on ImageNet-A by other training, by attention, by size [nae, sec. 5]."""

from collections.abc import Mapping

from robust_book.chapters.nae import pairs
from robust_book.chapters.nae_2_imagenet_a import numbers
from robust_book.figures.dot_plots import dot_plot, words
from robust_book.figures.pairs import paired
from robust_book.html.markup import Html
from robust_book.page import Page
from robust_lib.predict.masked import MaskedPredictions
from robust_lib.results.table import Results


def robust_training(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 8: accuracy after several kinds of training, the paper's and this run's.

    >>> right = {"resnext50_200_mini": 3, "resnext50_200_mini_fgsm": 6}
    >>> rows, hard, ordinary = toys.on_both(run, right)
    >>> texts(robust_training(page, rows, hard, ordinary), "text")[-4:]
    ['ordinary', 'toys', 'this run', 'the paper']
    """
    ours = {"hard": imagenet_a.dataset, "ordinary": imagenet_val.dataset}
    panels = numbers.robust_panels(results, ours, page.run.paper_names)
    drawn = {name for dots in panels.values() for values in dots.values() for name in values}
    return page.item(
        "nae-fig8",
        results,
        figure=dot_plot(
            panels,
            [name for name in numbers.TRAININGS.values() if name in drawn],
            xlabel="accuracy (%)",
            others="the paper",
        ),
        alt="Accuracy after several kinds of training, on hard pictures on the left and on "
        f"ordinary ones on the right, each on an axis of its own: {words(panels)}.",
        convention=f"{imagenet_a.n} hard and {imagenet_val.n} ordinary pictures; the network's "
        f"outputs are the classes, nothing is masked; {page.run.interval_words}."
        + numbers.textures(page.run.paper_names),
    )


def attention(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 9: accuracy without and with squeeze-and-excitation.

    >>> right = {"resnext101_32x4d_mini": 3, "resnext101_32x4d_se_mini": 6}
    >>> rows, hard, ordinary = toys.on_both(run, right)
    >>> texts(attention(page, rows, hard, ordinary), "text")[:3]
    ['hard (%)', 'higher is better', 'ResNeXt-101 (32x4d) + SE']
    """
    panels = _panels(imagenet_a, imagenet_val)
    return page.item(
        "nae-fig9",
        results,
        figure=paired(
            pairs.paired(results, "nae-fig9", panels, page.run.paper_names),
            words=("without", "with squeeze-and-excitation"),
            better=("higher", "higher"),
        ),
        alt="Accuracy of two networks with and without squeeze-and-excitation, on hard and on "
        "ordinary pictures.",
        convention=f"{imagenet_a.convention}; {page.run.interval_words}.",
    )


def size(
    page: Page, results: Results, imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Html:
    """Return Figure 10: accuracy of smaller and larger networks.

    >>> rows, hard, ordinary = toys.on_both(run, {"resnet18_mini": 3})
    >>> texts(size(page, rows, hard, ordinary), "text")[:3]  # no other size of it
    ['hard (%)', 'higher is better', 'not asked in this run']
    """
    panels = _panels(imagenet_a, imagenet_val)
    return page.item(
        "nae-fig10",
        results,
        figure=paired(
            pairs.paired(results, "nae-fig10", panels, page.run.paper_names),
            words=("smaller", "larger"),
            better=("higher", "higher"),
            paper=pairs.printed("nae-fig10", {"hard": ("accuracy", "imagenet_a")}),
        ),
        alt="Accuracy of a smaller and a larger network of three families, on hard and on ordinary "
        "pictures.",
        convention=f"{imagenet_a.convention}; {page.run.interval_words}.",
    )


def _panels(
    imagenet_a: MaskedPredictions, imagenet_val: MaskedPredictions
) -> Mapping[str, tuple[str, str]]:
    return {
        "hard": ("accuracy", imagenet_a.dataset),
        "ordinary": ("accuracy", imagenet_val.dataset),
    }
