"""What is known of composed pictures beyond their boxes."""

from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import source
from robust_lib.datasets.layouts import Layouts


def planted_pairs(images: ImageSet) -> tuple[tuple[str, str], ...]:
    """Return what a composed world planted, each what is seen and as what; none of photographs.

    >>> planted_pairs(toys.Shapes())
    ()
    """
    made = source(images)
    return made.world.pairs if isinstance(made, Layouts) else ()
