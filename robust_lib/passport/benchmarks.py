"""The benchmarks of the five papers that one model can take, and how each is measured."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np

from robust_lib.datasets import ImageSet
from robust_lib.datasets.user_folder import COCO, PREFIX
from robust_lib.errors import RobustLibError
from robust_lib.passport.subject import Subject
from robust_lib.predict.answers_file import Judged
from robust_lib.predict.classify import predict_all
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error import normaliser as normalisers
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.nae import accuracy, calibration, detection
from robust_lib.protocols.objects import coco_map, scored_boxes
from robust_lib.protocols.overlap import halves
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.row import Row
from robust_lib.results.table import Results
from robust_lib.run.chapter import Chapter, OnCorruptions
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.papers import inc, nae, nao, vid
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, OCCLUSION

Boxes = Mapping[str, tuple[FoundBoxes, ImageSet]]


@dataclass(frozen=True)
class Measured:
    """What a benchmark found of one model.

    Attributes:
        judged: image set -> how the model did on each image, among the set's classes.
        corrupted: how corrupted images were made, before a network's own resize.
        boxes: role -> the boxes that the model found, and in which images.
    """

    results: Results
    answers: tuple[Predictions, ...] = ()
    shown: tuple[Predictions, ...] = ()
    sets: tuple[ImageSet, ...] = ()
    judged: Mapping[str, Judged] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    corrupted: str | None = None
    boxes: Boxes = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: the models that it takes, its images, and its computation.

    Attributes:
        measure: takes the run and the model's name in it.
        own_images: how the name of a user's images begins that may take the place of its own.
    """

    key: str
    title: str
    paper: str
    asks: Literal["classifiers", "detectors"]
    chapter: Chapter
    roles: tuple[str, ...]
    measure: Callable[[Run, str], Measured]
    own_images: str | None = None

    def of(self, subject: Subject, run: Run) -> Measured:
        """Return this benchmark's results for a model in a run of its chapter."""
        found = self.measure(run, subject.name)
        mine = [row for row in found.results.rows if row.model == subject.name]
        return replace(found, results=Results.of(mine))


def _corruptions(run: Run, name: str) -> Measured:
    """Clean error, CE, mCE and their relatives; both halves; border and obstruction."""
    grid = run.grid()
    normaliser, lacks = _normaliser(run, grid)
    samples = run.profile.bootstrap
    rows = list(corruption_error.results(grid, normaliser, samples=samples).rows)
    # Gains are to a standard network, and there is none here.
    of_halves = halves.measured(grid, normaliser, grid.models[0], samples=samples)
    rows += of_halves.select(metric="mean_ce").rows
    answers = [
        grid.clean[name][0],
        *(cell[0] for key, cell in grid.cells.items() if key[0] == name),
    ]
    judged = {one.dataset: Judged(one.correct, together=one.together) for one in answers}
    made = replace(grid, resized={}).convention()
    shown = ((answers[0],), (run.images,))
    return Measured(Results.of(rows), tuple(answers), *shown, judged, lacks, made)


def _normaliser(run: Run, grid: Grid) -> tuple[Normaliser, tuple[str, ...]]:
    """Return what errors are divided by, and the reason if it is missing.

    Where AlexNet's errors are the published ones it is asked about border and obstruction alone,
    of which nobody published any; about the archive it need not be asked again.
    """
    if run.profile.normaliser == "measured":
        return inc.normaliser(run, grid), ()
    baseline, added = run.network(run.profile.baseline), tuple(OCCLUSION)
    try:
        asked = replace(run, networks=(baseline,), corruptions=added)
        return inc.normaliser(run, asked.grid()), ()
    except RobustLibError as error:
        names = " and ".join(added)
        why = f"CE of {names}: nobody published {baseline}'s errors, and it was not asked. {error}"
        return normalisers.published(run.profile.severities), (why,)


def _hard(run: Run, name: str) -> Measured:
    """Accuracy on ImageNet-A and on ordinary pictures of its classes; calibration; AURRA."""
    hard, ordinary = run.predict("imagenet_a"), run.predict("imagenet_val_a")
    rows = accuracy.results(hard, ordinary, {})
    rows += calibration.of_network(hard, name, samples=run.profile.bootstrap)
    sets = (run.image_set("imagenet_a"), run.image_set("imagenet_val_a"))
    said = [one.predictions[name][0] for one in (hard, ordinary)]
    judged = {one.dataset: _judged(one) for one in said}
    return Measured(rows, tuple(_whole(run, name, sets)), (said[0],), sets, judged)


def _foreign(run: Run, name: str) -> Measured:
    """AUPR of telling ImageNet-O from ordinary pictures by confidence."""
    # Those that may lack come first: nothing is predicted for nothing.
    foreign, ordinary = run.predict("imagenet_o"), run.predict("imagenet_val_o")
    rows = detection.results(ordinary, foreign, {}, samples=run.profile.bootstrap)
    sets = (run.image_set("imagenet_o"), run.image_set("imagenet_val_o"))
    # Foreign pictures have none of the classes; the names of these are the ordinary set's.
    said = [one.predictions[name][0] for one in (foreign, ordinary)]
    judged = {
        said[0].dataset: replace(_judged(said[0]), right=None),
        said[1].dataset: _judged(said[1]),
    }
    return Measured(rows, tuple(_whole(run, name, sets)), (said[0],), sets, judged)


def _frames(run: Run, name: str) -> Measured:
    """Accuracy on anchor frames and on the worst of those around them."""
    answers = vid.answers(run)
    rows = classification.results(answers, {})
    sets = (run.image_set(vid.FRAMES),)
    reach = np.full(len(answers.sets.frames), -1)
    reach[answers.sets.anchors] = answers.hits(name)[0].sum(1)
    judged = {sets[0].name: Judged(reach=reach, together=_of_anchors(answers))}
    whole = tuple(_whole(run, name, sets))
    return Measured(rows.select(item="vid-tab3"), whole, judged=judged)


def _judged(said: Predictions) -> Judged:
    """Return how a model did; its confidences are those among the classes that count."""
    return Judged(said.correct, said.confidence.astype(np.float64), together=said.together)


def _of_anchors(answers: FramePredictions) -> tuple[str, ...] | None:
    """Return the group of each frame: that of its set for an anchor, its own for all others."""
    if answers.together is None:
        return None
    own = dict(zip(answers.sets.anchors.tolist(), answers.together, strict=True))
    return tuple(own.get(place, frame) for place, frame in enumerate(answers.sets.frames))


def _boxes(run: Run, name: str) -> Measured:
    """Mean average precision on ordinary and on adversarial objects, or on the user's own."""
    if "images" in run.parameters:
        return _own_boxes(run, name)
    images = run.image_set(nao.ORDINARY), run.image_set(nao.ADVERSARIAL)
    how, found = scored_boxes.Settings(samples=run.profile.bootstrap), nao.found(run)
    first = (by_name[name][0] for by_name in found)
    boxes = dict(zip((nao.ORDINARY, nao.ADVERSARIAL), zip(first, images, strict=True), strict=True))
    return Measured(coco_map.results(nao.scored(images, found, how)), boxes=boxes)


def _own_boxes(run: Run, name: str) -> Measured:
    found, objects = run.detect(run.chapter.role)[name], as_objects(run.images)
    how = scored_boxes.Settings(samples=run.profile.bootstrap)
    one = scored_boxes.scored(found, run.images.ids, objects, how)
    boxes = {run.chapter.role: (found[0], run.images)}
    return Measured(coco_map.of_one_set(name, one), boxes=boxes)


def _whole(run: Run, name: str, sets: tuple[ImageSet, ...]) -> Iterator[Predictions]:
    """Yield a model's answers with all outputs, from the store."""
    model = run.models[name][0]
    for images in sets:
        yield predict_all(
            [model], images, cache=run.store, batch_size=run.profile.batch,
            fingerprints=run.fingerprints,
        )[model.name]  # fmt: skip


_ON_C = Chapter(
    "passport",
    networks="imagenet_c",
    shows=(OnCorruptions("imagenet_val"),),
    corruptions=COMMON + OCCLUSION,
    baseline=True,
)
_ON_A = nae.record("passport", nae.IMAGENET_A, nae.IMAGENET_VAL_A)
_ON_O = nae.record("passport", nae.IMAGENET_O, nae.IMAGENET_VAL_O, role="imagenet_o")
_ON_FRAMES = vid.record("passport")
_ON_BOXES = replace(nao.MAP, notebook="passport")

_ALL = (
    Benchmark(
        "imagenet_c", "Common corruptions", "inc", "classifiers", _ON_C, ("imagenet_val",),
        _corruptions, own_images=PREFIX,
    ),
    Benchmark(
        "imagenet_a", "Hard pictures: ImageNet-A", "nae", "classifiers", _ON_A,
        ("imagenet_a", "imagenet_val_a"), _hard,
    ),
    Benchmark(
        "imagenet_o", "Foreign pictures: ImageNet-O", "nae", "classifiers", _ON_O,
        ("imagenet_o", "imagenet_val_o"), _foreign,
    ),
    Benchmark(
        "imagenet_vid_robust", "Frames close in time", "vid", "classifiers", _ON_FRAMES,
        (vid.FRAMES,), _frames,
    ),
    Benchmark(
        "nao", "Natural adversarial objects", "nao", "detectors", _ON_BOXES,
        (nao.ORDINARY, nao.ADVERSARIAL), _boxes, own_images=COCO,
    ),
)  # fmt: skip
BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType({one.key: one for one in _ALL})


@dataclass(frozen=True)
class Headline:
    """A number on the passport's plate.

    Attributes:
        item: of the row, a ledger id.
        role: of the row's data set, where a benchmark has several.
        notebook: whose stored results have the profile's other networks.
        column: of the leaderboard, which has what others publish of public weights.
    """

    title: str
    metric: str
    item: str
    better: Literal["higher", "lower"]
    notebook: str
    corruption: str | None = None
    k: int | None = None
    role: str | None = None
    column: str | None = None

    def fits(self, row: Row, dataset: str | None = None) -> bool:
        """Return whether a row is this number, on the data set of this name if one is given."""
        same = (row.metric, row.item, row.corruption, row.k) == (
            self.metric, self.item, self.corruption, self.k,
        )  # fmt: skip
        return same and row.severity is None and dataset in (None, row.dataset)


HEADLINES: Mapping[str, tuple[Headline, ...]] = MappingProxyType(
    {
        "imagenet_c": (
            Headline("Clean error", "error", "inc-tab1", "lower", "inc_2_mce", column="clean"),
            Headline("mCE", "mce", "inc-tab1", "lower", "inc_2_mce", column="mce"),
            Headline("Relative mCE", "relative_mce", "inc-tab2", "lower", "inc_2_mce",
                     column="relative_mce"),
            Headline("Mean CE, noises and blurs (set 1)", "mean_ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="set1"),
            Headline("Mean CE, the other seven (set 2)", "mean_ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="set2"),
            Headline("CE, border", "ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="border"),
            Headline("CE, obstruction", "ce", "overlap-tab1", "lower",
                     "overlap_2_balance_and_cover", corruption="obstruction"),
        ),
        "imagenet_a": (
            Headline("Accuracy, hard pictures", "accuracy", "nae-fig2", "higher",
                     "nae_2_imagenet_a", role="imagenet_a", column="hard"),
            Headline("Accuracy, ordinary pictures", "accuracy", "nae-fig2", "higher",
                     "nae_2_imagenet_a", role="imagenet_val_a", column="ordinary"),
            Headline("Calibration error (RMS)", "rms_calibration_error", "nae-fig14", "lower",
                     "nae_4_calibration"),
            Headline("AURRA", "aurra", "nae-fig14", "higher", "nae_4_calibration"),
        ),
        "imagenet_o": (
            Headline("AUPR by confidence", "aupr", "nae-fig3", "higher", "nae_3_imagenet_o",
                     column="aupr"),
        ),
        "imagenet_vid_robust": (
            Headline("Accuracy, anchors (pm‑0)", "pm_accuracy", "vid-tab3", "higher",
                     "vid_2_classification", k=0, column="pm0"),
            Headline("Accuracy, worst of ±10 frames (pm‑10)", "pm_accuracy", "vid-tab3", "higher",
                     "vid_2_classification", k=10, column="pm10"),
        ),
        "nao": (
            Headline("mAP, ordinary pictures", "map", "nao-tab2", "higher", "nao_2_map",
                     role="coco_val", column="coco"),
            Headline("mAP, adversarial objects", "map", "nao-tab2", "higher", "nao_2_map",
                     role="nao", column="nao"),
            Headline("mAP, without foreign objects", "map_without_ood", "nao-tab2", "higher",
                     "nao_2_map", role="nao", column="nao_known"),
        ),
    }
)  # fmt: skip
