"""The columns of the leaderboard: the number in each, and how the papers compute it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from robust_lib.results.gates.gate import FRAMES, MCE

Asks = Literal["classifiers", "detectors"]
Unit = Literal["percent", "points"]

MASKED = "200 of 1,000 outputs, the others masked before the softmax"
LEAST_SURE = f"minus the largest probability, {MASKED}"
OWN_LABELS = f"30 classes, each by the largest logit of its outputs; {FRAMES}"
COCO_MAP = "IoU .5 to .95, 101-point average precision, at most 100 boxes per image"
ONE_CROP = "one crop per image"
UNTOLD = "as the paper computes it"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its metric, its data, and how the papers and others compute it.

    Attributes:
        asks: kind of network: classifiers or detectors.
        metric: the metric of its rows; an error also counts as the accuracy 1 - error.
        unit: percent, or points of a difference.
        roles: the papers' data sets, or roles that other data sets play; none: any data.
        items: ledger ids whose numbers count on any data set.
        signs: phrases that are all in the convention of a number computed as in the papers.
        unnamed: the convention that is assumed for a row without one.
        alone: whether only numbers on the same images may share a row within the family.
    """

    key: str
    title: str
    family: str
    asks: Asks
    metric: str
    better: Literal["higher", "lower"]
    unit: Unit = "percent"
    roles: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    k: int | None = None
    way: str
    signs: tuple[str, ...]
    unnamed: str = "no convention is stated"
    alone: bool = False

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics that fill the column; an error also fills a column of accuracies."""
        return ("accuracy", "error") if self.metric == "accuracy" else (self.metric,)

    def takes(self, names: Collection[str]) -> Iterator[dict[str, str | int | None]]:
        """Yield conditions, any one of which puts a number into this column, also on the page.

        Args:
            names: names of the data sets in the column's roles.

        >>> list(column("mce").takes(()))
        [{'metric': 'mce', 'k': None}]
        """
        places: list[dict[str, str]] = [{"item": item} for item in self.items]
        places += [{"dataset": name} for name in sorted(names)]
        for metric in self.metrics:
            for place in places if self.roles else [{}]:
                yield {"metric": metric, "k": self.k, **place}

    def fits(
        self, *, item: str, metric: str, dataset: str | None, k: int | None, names: Collection[str]
    ) -> bool:
        """Return whether a number over all corruptions and severities belongs in this column.

        >>> column("mce").fits(item="inc-tab1", metric="mce", dataset="toys", k=None, names=())
        True
        """
        number = {"item": item, "metric": metric, "dataset": dataset, "k": k}
        return any(one.items() <= number.items() for one in self.takes(names))

    def way_of(self, convention: str | None) -> str:
        """Return how a run computes a number, in the papers' words if it does so as they do.

        >>> column("clean").way_of(None)
        'one crop per image'
        """
        told = convention or self.unnamed
        return self.way if all(sign in told for sign in self.signs) else told


# A line that ends at the hyphen would read "pm".
_PM0, _PM10 = "pm\N{NON-BREAKING HYPHEN}0", "pm\N{NON-BREAKING HYPHEN}10"
_C, _A, _O, _FRAMES = "ImageNet-C", "ImageNet-A", "ImageNet-O", "Frames"
_ON_FRAMES = ("imagenet_vid_robust", "imagenet_vid_robust_1145")
_BOXES = ("imagenet_vid_robust_boxes", "imagenet_vid_robust", "imagenet_vid_robust_2015")
_FRAME_SIGNS = ("30 classes, each by the largest logit", FRAMES)
_NEVER = ("\n",)  # in no convention: the papers do not say how they compute these
_MCE = MCE.replace("archive", "the archive's images", 1)

COLUMNS: tuple[Column, ...] = (
    Column(
        key="clean", title="clean accuracy", family=_C, asks="classifiers", metric="accuracy",
        better="higher", roles=("imagenet_val", "enhancements"), items=("inc-tab1", "inc-tab2"),
        way=ONE_CROP, signs=(ONE_CROP,), unnamed=ONE_CROP, alone=True,
    ),
    Column(
        key="mce", title="mCE", family=_C, asks="classifiers", metric="mce", better="lower",
        way=_MCE, signs=(MCE,), alone=True,
    ),
    Column(
        key="relative_mce", title="relative mCE", family=_C, asks="classifiers",
        metric="relative_mce", better="lower", way=_MCE, signs=(MCE,), alone=True,
    ),
    Column(
        key="ordinary", title="ordinary images", family=_A, asks="classifiers",
        metric="accuracy", better="higher", roles=("imagenet_val_a",), way=MASKED, signs=(MASKED,),
    ),
    Column(
        key="hard", title="hard images", family=_A, asks="classifiers", metric="accuracy",
        better="higher", roles=("imagenet_a",), way=MASKED, signs=(MASKED,),
    ),
    Column(
        key="aupr", title="AUPR", family=_O, asks="classifiers", metric="aupr", better="higher",
        roles=("imagenet_o",), way=LEAST_SURE, signs=(LEAST_SURE,),
    ),
    Column(
        key="pm0", title=_PM0, family=_FRAMES, asks="classifiers", metric="pm_accuracy",
        better="higher", roles=_ON_FRAMES, k=0, way=OWN_LABELS, signs=_FRAME_SIGNS, alone=True,
    ),
    Column(
        key="pm10", title=_PM10, family=_FRAMES, asks="classifiers", metric="pm_accuracy",
        better="higher", roles=_ON_FRAMES, k=10, way=OWN_LABELS, signs=_FRAME_SIGNS, alone=True,
    ),
    Column(
        key="pm_drop", title="drop", family=_FRAMES, asks="classifiers", metric="drop",
        better="lower", unit="points", roles=_ON_FRAMES, k=10, way=OWN_LABELS, signs=_FRAME_SIGNS,
        alone=True,
    ),
    Column(
        key="coco", title="COCO val", family="Objects", asks="detectors", metric="map",
        better="higher", roles=("coco_val",), way=COCO_MAP, signs=(COCO_MAP,),
    ),
    Column(
        key="test_dev", title="COCO test-dev", family="Objects", asks="detectors", metric="map",
        better="higher", roles=("coco_test_dev",), way=COCO_MAP, signs=(COCO_MAP,),
    ),
    Column(
        key="nao", title="NAO", family="Objects", asks="detectors", metric="map",
        better="higher", roles=("nao",), way=COCO_MAP, signs=(COCO_MAP,),
    ),
    Column(
        key="nao_known", title="NAO, without OOD objects", family="Objects", asks="detectors",
        metric="map_without_ood", better="higher", roles=("nao",), way=UNTOLD, signs=_NEVER,
    ),
    Column(
        key="nao_drop", title="drop from COCO val", family="Objects", asks="detectors",
        metric="map_drop", better="lower", unit="points", roles=("nao",), way=COCO_MAP,
        signs=(COCO_MAP,),
    ),
    Column(
        key="pm0_map", title=_PM0, family="Boxes in frames", asks="detectors", metric="pm_map",
        better="higher", roles=_BOXES, k=0, way=UNTOLD, signs=_NEVER, alone=True,
    ),
    Column(
        key="pm10_map", title=_PM10, family="Boxes in frames", asks="detectors",
        metric="pm_map", better="higher", roles=_BOXES, k=10, way=UNTOLD, signs=_NEVER, alone=True,
    ),
    Column(
        key="pm_map_drop", title="drop", family="Boxes in frames", asks="detectors",
        metric="map_drop", better="lower", unit="points", roles=_BOXES, k=10, way=UNTOLD,
        signs=_NEVER, alone=True,
    ),
)  # fmt: skip
"""Classifiers' columns, then detectors'."""


def column(key: str) -> Column:
    """Return the column with this key.

    >>> column("mce").title
    'mCE'
    """
    return next(one for one in COLUMNS if one.key == key)
