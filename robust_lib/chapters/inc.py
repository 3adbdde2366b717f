"""What the chapters on corruption errors share: the normaliser and the networks with a part."""

from robust_lib.protocols.corruption_error import normaliser as normalisers
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.run.network import resolved
from robust_lib.run.run import Run


def baseline(run: Run) -> str:
    """Return our network that plays the part of the baseline, the paper's AlexNet."""
    return str(resolved(run.profile, run.chapter.networks, run.profile.baseline))


def standard(run: Run) -> str:
    """Return the run's network that others are compared with: the first but the baseline."""
    others = [name for name in run.models if name != baseline(run)]
    return others[0] if others else baseline(run)


def normaliser(run: Run, grid: Grid) -> Normaliser:
    """Return what corruption errors are divided by in this run's profile.

    Nobody published AlexNet's errors on border and obstruction: those are measured.
    """
    if run.profile.normaliser == "published":
        return normalisers.published(run.profile.severities, grid, baseline(run))
    return normalisers.measured(grid, baseline(run))
