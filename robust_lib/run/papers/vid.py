"""ImageNet-Vid-Robust: the records of its chapters, and the stand-ins for its networks."""

from collections.abc import Callable, Mapping

from robust_lib.datasets.frame_sets import FARTHEST
from robust_lib.metrics.boxes import most_confident
from robust_lib.metrics.class_scores import Pooling
from robust_lib.protocols.pm_k import detection
from robust_lib.protocols.pm_k.frame_predictions import FramePredictions, Reading
from robust_lib.protocols.pm_k.frame_predictions import answers as answers_of
from robust_lib.protocols.pm_k.networks import DETECTOR, LARGEST, STILLS
from robust_lib.run import roles
from robust_lib.run.chapter import Chapter, OnBoxes, OnImages
from robust_lib.run.image_kinds import as_frame_sets, subjects
from robust_lib.run.network import Network
from robust_lib.run.run import Run

FRAMES = "imagenet_vid_robust"
BOXES = "imagenet_vid_robust_boxes"
STILL = "imagenet_vid_robust_still"
"""The same sets before a still camera: what a drop costs without motion."""

WORDS = "{title}: {images} frames, {classes} classes, {seeds}"

ON_FRAMES = OnImages((FRAMES,), FRAMES)
"""One evaluation, so that chapters that show networks the same frames share predictions."""

ON_STILL = OnImages((STILL,), STILL, if_there=True)


FEW = (LARGEST, "resnet50_finetune", STILLS, "alexnet")
"""Networks that are looked at closely, by the paper's names: the first that a profile has."""

DETECTION = Chapter(
    "vid_3_detection",
    networks="detection",
    role=BOXES,
    shows=(OnBoxes((BOXES,)),),
    every_image=True,
    description=WORDS,
    checks=(detection.Settings,),
)
"""The chapter on detectors, whose boxes another one takes for classes."""


def record(
    notebook: str,
    *,
    evaluates: tuple[str, ...] | Callable[[str], bool] = lambda model: True,
    beside: tuple[Chapter, ...] = (),
    still: bool = False,
) -> Chapter:
    """Return the record of a chapter whose networks classify frames.

    Args:
        evaluates: its models by the paper's names, or a function that selects them from the
            section; by default all.
        beside: chapters whose networks it also shows, if a profile has them.
        still: whether its networks are also evaluated on the still camera's frames, if a profile
            has them.

    >>> record("vid_2_classification").role
    'imagenet_vid_robust'
    """
    return Chapter(
        notebook,
        networks="vid",
        role=FRAMES,
        shows=(ON_FRAMES, ON_STILL) if still else (ON_FRAMES,),
        evaluates=evaluates,
        every_image=True,
        description=WORDS,
        beside=beside,
    )


def answers(
    run: Run,
    *,
    k: int = FARTHEST,
    anchor: bool = True,
    labels: Reading = "frame",
    scores: Pooling = "max",
) -> FramePredictions:
    """Return the predictions of a run's networks on the frames of the frame sets.

    Args:
        k: largest distance of a counted frame from its anchor.
        anchor: whether the anchor itself has to be correct.
        labels: which labels decide whether a frame is correct.
        scores: score of a class with several outputs: their largest logit, or the sum of their
            probabilities.

    >>> answers(run, k=3).n
    10
    """
    shown = run.predict(FRAMES, how=scores)
    images = run.image_set(FRAMES)
    return answers_of(
        shown, as_frame_sets(images), k=k, anchor=anchor, reading=labels, together=subjects(images)
    )


def still_answers(
    run: Run, *, k: int = FARTHEST, anchor: bool = True, scores: Pooling = "max"
) -> FramePredictions | None:
    """Return the predictions of a run's networks on the frames of a still camera.

    None if the profile has no such frames, as with real videos. Arguments are those of `answers`; a
    frame always has its anchor's labels.

    >>> still_answers(run, k=3).n
    10
    """
    if not roles.is_there(run.profile, STILL):
        return None
    shown = run.predict(STILL, how=scores)
    images = run.image_set(STILL)
    return answers_of(shown, as_frame_sets(images), k=k, anchor=anchor, together=subjects(images))


def names(run: Run) -> Mapping[str, str]:
    """Return the paper's name of each detector's backbone -> our detector.

    >>> names(run).get("resnet50_detection")
    'fasterrcnn_resnet50_mini'
    """
    detectors = run.profile.networks.get(DETECTION.networks, {})
    ours = detectors.get("fasterrcnn_resnet50")
    return dict(run.paper_names) | ({} if ours is None else {DETECTOR: ours})


def with_detector(answers: FramePredictions, run: Run) -> FramePredictions:
    """Return predictions with those of the first Faster R-CNN added: the class of its best box.

    Args:
        run: the run whose profile names the detector. The predictions do not change if it names
            none, if the notebook's models were set, or if only some of the frames have boxes.

    >>> from dataclasses import replace
    >>> without = run.profile.model_copy(update={"networks": {}})
    >>> asked = toys.answers({"mine": [3, 5]})
    >>> alone = replace(run, profile=without, chapter=replace(run.chapter, networks=""))
    >>> with_detector(asked, alone) is asked
    True
    """
    ours = names(run).get(DETECTOR)
    if ours is None or "models" in run.parameters:
        return answers
    if len(run.image_set(BOXES)) != len(answers.sets.frames):  # the edition of 2015
        return answers
    found = run.detect(BOXES, [Network.read(ours)])[ours]
    return answers.with_network(
        ours, [most_confident(one.detections, len(one.ids)) for one in found]
    )


def versions(dataset: str) -> Mapping[str, str]:
    """Return the paper's names for versions of its data set -> ours; see erratum vid-two-versions.

    >>> versions("clips_val")["imagenet_vid_robust_1145"]
    'clips_val'
    """
    return dict.fromkeys((FRAMES, f"{FRAMES}_1145", f"{FRAMES}_2015"), dataset)
