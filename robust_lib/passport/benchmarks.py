"""The benchmarks for a model, from the five papers and others, and their computation.

Other benchmarks on ImageNet's classes need a class list and a folder each. ImageNet-C-bar is an
archive like ImageNet-C, and detectors are evaluated on COCO under the fifteen corruptions.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np

from robust_lib.config.profiles import Profile
from robust_lib.datasets import ImageSet
from robust_lib.datasets.imagenet_c import noted
from robust_lib.datasets.user_folder import COCO, PREFIX
from robust_lib.errors import RobustLibError
from robust_lib.passport.subject import Subject
from robust_lib.predict.answers_file import Judged
from robust_lib.predict.classify import predict_all
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.predict.predictions import Predictions
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error import mean_error
from robust_lib.protocols.corruption_error import normaliser as normalisers
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import Grid
from robust_lib.protocols.nae import accuracy, calibration, detection
from robust_lib.protocols.objects import coco_map, corrupted_map, scored_boxes
from robust_lib.protocols.overlap import halves
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions
from robust_lib.results.table import Results
from robust_lib.run import corrupted_sets
from robust_lib.run.chapter import Chapter, OnBoxes, OnCorruptions, OnImages
from robust_lib.run.image_kinds import as_objects
from robust_lib.run.papers import inc, nae, nao, vid
from robust_lib.run.run import Run
from robust_lib.vocabulary import COMMON, EXTRA, OCCLUSION

Boxes = Mapping[str, tuple[FoundBoxes, ImageSet]]


@dataclass(frozen=True)
class Measured:
    """The results of one benchmark for a model.

    Attributes:
        judged: image set -> the model's predictions for each image, among the set's classes.
        corrupted: geometry of corrupted images, before a network's own resize.
        boxes: role -> the boxes that the model found, and their images.
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
    """One benchmark: the kind of models that it applies to, its images, and its computation.

    Attributes:
        measure: function of the run and of the model's name in the run.
        own_images: prefix of the name of a user's images that may replace the benchmark's own.
        taken: when it is used: by default, like the papers' benchmarks; if the profile has a role
            with its key; or only on request.
        is_kept: whether a file of predictions can contain the model's predictions there.
    """

    key: str
    title: str
    paper: str
    asks: Literal["classifiers", "detectors"]
    chapter: Chapter
    roles: tuple[str, ...]
    measure: Callable[[Run, str], Measured]
    own_images: str | None = None
    taken: Literal["always", "where there", "when asked"] = "always"
    is_kept: bool = True

    def with_validation(self) -> "Benchmark":
        """Return this benchmark with the validation corruptions, if it has corruptions at all."""
        names = self.chapter.corruptions
        if names != COMMON + OCCLUSION:
            return self
        return replace(self, chapter=replace(self.chapter, corruptions=names + EXTRA))

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
    """Return the errors of the normaliser, or the reason why they are missing.

    If AlexNet's errors are the published ones, it is evaluated only on border and obstruction,
    which have no published errors; the archive needs no further evaluation.
    """
    if run.profile.normaliser == "measured":
        return inc.normaliser(run, grid), ()
    baseline, added = run.network(run.profile.baseline), tuple(OCCLUSION)
    try:
        asked = replace(run, networks=(baseline,), corruptions=added)
        return inc.normaliser(run, asked.grid()), ()
    except RobustLibError as error:
        names = " and ".join(added)
        why = (
            f"CE of {names}: {baseline}'s errors are not published, and it was not evaluated. "
            f"{error}"
        )
        return normalisers.published(run.profile.severities), (why,)


def _hard(run: Run, name: str) -> Measured:
    """Accuracy on ImageNet-A and on ordinary images of its classes; calibration; AURRA."""
    hard, ordinary = run.predict("imagenet_a"), run.predict("imagenet_val_a")
    rows = accuracy.results(hard, ordinary, {})
    rows += calibration.of_network(hard, name, samples=run.profile.bootstrap)
    rows += Results.of([*accuracy.top5(hard, name), *accuracy.top5(ordinary, name)])
    sets = (run.image_set("imagenet_a"), run.image_set("imagenet_val_a"))
    said = [one.predictions[name][0] for one in (hard, ordinary)]
    judged = {one.dataset: _judged(one) for one in said}
    return Measured(rows, tuple(_whole(run, name, sets)), (said[0],), sets, judged)


def _foreign(run: Run, name: str) -> Measured:
    """AUPR for the detection of ImageNet-O among ordinary images by confidence."""
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
    """Return a model's results for each image, with confidences among the evaluated classes."""
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


def _pictures(role: str, run: Run, name: str) -> Measured:
    """Accuracy on the images of a role, among their classes, and among the five most confident."""
    masked, images = run.predict(role), run.image_set(role)
    said = masked.predictions[name][0]
    return Measured(
        accuracy.of_one_set(masked, name), tuple(_whole(run, name, (images,))), (said,), (images,),
        {said.dataset: _judged(said)},
    )  # fmt: skip


def _other_corruptions(run: Run, name: str) -> Measured:
    """Errors under ImageNet-C-bar's ten corruptions, and their mean."""
    grid = corrupted_sets.of_archive(run.profile, C_BAR, run.images, run.models, run.store)
    rows = mean_error.results(grid, samples=run.profile.bootstrap)
    answers = [cell[0] for key, cell in grid.cells.items() if key[0] == name]
    judged = {one.dataset: Judged(one.correct, together=one.together) for one in answers}
    return Measured(rows, tuple(answers), judged=judged)


def _corrupted_boxes(run: Run, name: str) -> Measured:
    """Mean average precision on ordinary objects, clean and under the fifteen corruptions."""
    images = run.image_set(nao.ORDINARY)
    objects = as_objects(images)
    how = scored_boxes.Settings(samples=run.profile.bootstrap)

    def scored(shown: ImageSet) -> scored_boxes.Scored:
        found = [replace(one, dataset=images.name) for one in run.detect(shown)[name]]
        return scored_boxes.scored(found, images.ids, objects, how)

    shown = corrupted_sets.of_objects(run.profile, images)
    cells = {cell: scored(corrupted) for cell, corrupted in shown.items()}
    notes = {
        f"{each.corruption}: {told}": None
        for each in shown.values()
        if (told := noted(each.corruption, each.frost)) is not None
    }
    words = "; ".join([AT_OWN_SIZE, *notes])
    return Measured(corrupted_map.results(name, scored(images), cells, words))


def _whole(run: Run, name: str, sets: tuple[ImageSet, ...]) -> Iterator[Predictions]:
    """Yield a model's predictions with all outputs, from the store."""
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

C_BAR = "imagenet_c_bar"
ORDINARY_1K = "imagenet_1k"
"""The role of clean images of all classes, next to the other folders."""
AT_OWN_SIZE = (
    "corrupted on the fly at the images' own size, lengths scaled with the shorter side, 8 bits, "
    "not stored as JPEG"
)
"""The corruption of detectors' images. The authors of mPC keep lengths as they are at 224 pixels,
so their published numbers are not compared."""

FOLDERS = {
    ORDINARY_1K: "Ordinary images",
    "imagenet_v2": "Ordinary images, collected again: ImageNetV2",
    "imagenet_r": "Renditions: ImageNet-R",
    "imagenet_sketch": "Sketches: ImageNet-Sketch",
}
# Its corruptions are no functions here; the archive's manifest names them.
_ON_C_BAR = replace(_ON_C, shows=(OnImages(("imagenet_val",), "imagenet_val"),), baseline=False)
_ON_COCO_C = replace(
    nao.record("passport"),
    role=nao.ORDINARY,
    shows=(OnBoxes((nao.ORDINARY,), corrupted=True),),
)

_ALL = (
    Benchmark(
        "imagenet_c", "Common Corruptions", "inc", "classifiers", _ON_C, ("imagenet_val",),
        _corruptions, own_images=PREFIX,
    ),
    Benchmark(
        "imagenet_a", "Hard images: ImageNet-A", "nae", "classifiers", _ON_A,
        ("imagenet_a", "imagenet_val_a"), _hard,
    ),
    Benchmark(
        "imagenet_o", "Out-of-distribution images: ImageNet-O", "nae", "classifiers", _ON_O,
        ("imagenet_o", "imagenet_val_o"), _foreign,
    ),
    Benchmark(
        "imagenet_vid_robust", "Frames close in time", "vid", "classifiers", _ON_FRAMES,
        (vid.FRAMES,), _frames,
    ),
    Benchmark(
        "nao", "Natural Adversarial Objects", "nao", "detectors", _ON_BOXES,
        (nao.ORDINARY, nao.ADVERSARIAL), _boxes, own_images=COCO,
    ),
    *(
        Benchmark(
            role, title, "nae", "classifiers",
            nae.record("passport", OnImages((role,), role), role=role), (role,),
            partial(_pictures, role), taken="where there",
        )
        for role, title in FOLDERS.items()
    ),
    Benchmark(
        C_BAR, "Other corruptions: ImageNet-C-bar", "inc", "classifiers", _ON_C_BAR,
        ("imagenet_val",), _other_corruptions, taken="where there",
    ),
    Benchmark(
        "coco_c", "Objects under common corruptions", "nao", "detectors", _ON_COCO_C,
        (nao.ORDINARY,), _corrupted_boxes, own_images=COCO, taken="when asked", is_kept=False,
    ),
)  # fmt: skip
BENCHMARKS: Mapping[str, Benchmark] = MappingProxyType({one.key: one for one in _ALL})


def by_default(profile: Profile) -> tuple[str, ...]:
    """Return the keys of the default benchmarks.

    >>> from robust_lib.config.profiles import load_profile
    >>> by_default(load_profile("mini"))[-1], by_default(load_profile("full"))[-1]
    ('nao', 'imagenet_c_bar')
    """
    return tuple(
        key
        for key, one in BENCHMARKS.items()
        if one.taken == "always" or (one.taken == "where there" and key in profile.data)
    )
