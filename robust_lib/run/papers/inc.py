"""ImageNet-C: the network that normalises errors, and the one used for comparison."""

from robust_lib.protocols.corruption_error import normaliser as normalisers
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.run.network import resolved
from robust_lib.run.run import Run


def baseline(run: Run) -> str:
    """Return our stand-in for the baseline, the paper's AlexNet.

    >>> from robust_book.chapters import chapter
    >>> from robust_lib.run.start import start
    >>> baseline(start(chapter("inc_2_mce"), "mini"))
    'alexnet_mini'
    """
    return str(resolved(run.profile, run.chapter.networks, run.profile.baseline))


def standard(run: Run) -> str:
    """Return the run's network with which others are compared: the first besides the baseline.

    >>> baseline(run), standard(run)
    ('alexnet_mini', 'brightest')
    """
    others = [name for name in run.models if name != baseline(run)]
    return others[0] if others else baseline(run)


def normaliser(run: Run, grid: Grid) -> Normaliser:
    """Return the divisors of corruption errors in this run's profile.

    AlexNet's errors on border and obstruction were never published; they are measured here.

    >>> found = normaliser(run, toys.grid("alexnet_mini", "resnet18_mini"))
    >>> found.words, found.errors["fog"].tolist()
    ('alexnet_mini, measured on the same images', [0.15, 0.25])
    """
    if run.profile.normaliser == "published":
        return normalisers.published(run.profile.severities, grid, baseline(run))
    return normalisers.measured(grid, baseline(run))
