"""Pages of the chapters, whose pictures and networks are at hand."""

from robust_lib.run.page import Page
from robust_lib.run.start import start
from tests.toys import Swatches, brightest


def page(chapter, **models):
    """A page of a chapter in profile smoke, where swatches play every role."""
    run = start(chapter.CHAPTER, "smoke")
    for role, name in run.profile.data.items():
        run._sets[role] = Swatches(count=30, name=name)
    # A cached property: what is computed once, or put there.
    run.__dict__["models"] = models or {"brightest": (brightest(),)}
    return Page(run)
