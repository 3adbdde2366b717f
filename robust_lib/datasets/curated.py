"""What is left of a pool of candidates, as a data set of its own name."""

from dataclasses import dataclass

from robust_lib.datasets.subset import Subset


@dataclass(frozen=True, eq=False)
class Curated(Subset):
    """Some pictures of a pool, under a name of their own.

    Args:
        called: the name.
    """

    called: str

    @property
    def name(self) -> str:
        """Return the name that it was given."""
        return self.called
