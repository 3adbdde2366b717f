"""What the four chapters on natural adversarial objects share: their records, roles and detectors.

All four show detectors the same images, so the boxes of all are found once.
"""

from collections.abc import Sequence

from robust_lib.errors import InputError, one_of
from robust_lib.run.chapter import Chapter, OnBoxes
from robust_lib.run.run import Run

ORDINARY = "coco_val"
ADVERSARIAL = "nao"
TRAINING = "coco_train"
POOL = "openimages"
FILTER = "efficientdet_d7"
"""The detector whose mistakes chose the adversarial objects [nao, sec. 3.3]."""

WORDS = "{title}: {images} pictures, {classes} classes, {seeds}"

ON_OBJECTS = OnBoxes((ORDINARY, ADVERSARIAL))
"""One evaluation, so that the chapters share boxes."""


def record(notebook: str) -> Chapter:
    """Return the record of a chapter whose networks are detectors.

    >>> record("nao_2_map").role
    'nao'
    """
    return Chapter(
        notebook,
        networks="nao",
        role=ADVERSARIAL,
        shows=(ON_OBJECTS,),
        every_image=True,
        description=WORDS,
    )


MAP = record("nao_2_map")
"""The chapter whose boxes the other chapters look at, too."""


def detector_of(run: Run, named: str | None, wanted: Sequence[str]) -> str:
    """Return our name of the detector that is looked at closely.

    Args:
        run: of the chapter.
        named: by the paper's name or ours; None: the first of those wanted that the run has.
        wanted: the paper's names, the paper's own choice first.

    Raises:
        InputError: the run has no such detector.

    >>> detector_of(run, None, ["efficientdet_d4", "resnet18"])
    'resnet18_mini'
    """
    if named is not None:
        ours = run.network(named)
        if ours not in run.networks:
            raise InputError(one_of("a detector of this run", named, map(str, run.networks)))
        return str(ours)
    ours_of = {paper: str(run.network(paper)) for paper in wanted if paper in run.paper_names}
    have = [str(network) for network in run.networks]
    return next((name for name in ours_of.values() if name in have), have[0])
