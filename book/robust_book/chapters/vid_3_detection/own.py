"""How the detectors that were trained here learned."""

from robust_lib.run.detectors import trained_detectors
from robust_lib.run.network import Network
from robust_lib.run.run import Run

Losses = dict[str, list[list[float]]]


def losses(run: Run) -> Losses:
    """Return title of a detector -> for each of those trained here its loss by epoch.

    >>> from dataclasses import replace
    >>> losses(replace(run, networks=()))
    {}
    """
    found: Losses = {}
    for made in trained_detectors(run.profile, run.networks, run.store):
        title = Network.read(made.model.name).plain.title
        found.setdefault(title, []).append(list(made.curves.loss))
    return found
