"""Detectors of a run: trained here by seed, shown images once, and never taken for classifiers."""

import numpy as np
import pytest
import yaml

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.models import torch_models
from robust_lib.models.detectors import builders
from robust_lib.predict import detect
from robust_lib.run import detectors, networks
from robust_lib.run.chapter import Chapter, OnBoxes
from robust_lib.run.network import Network
from robust_lib.run.start import start
from tests import boxed, tiny
from tests.real_data import real_boxes

TRAIN, BOXES = "imagenet_vid_train_boxes", "imagenet_vid_robust_boxes"

DETECTION = {"fasterrcnn_resnet50": "fasterrcnn_resnet50_mini", "rfcn": "rfcn_resnet101_mini"}
ROLES = {
    TRAIN: "clips_train_large",
    BOXES: "clips_val_large",
}
CHAPTER = Chapter(
    "boxes",
    networks="detection",
    role=BOXES,
    shows=(OnBoxes((BOXES,)),),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tiny.project(tmp_path_factory.mktemp("detectors"))
    path = folder / "data_manifests" / "profiles" / "tiny.yaml"
    profile = yaml.safe_load(path.read_text("utf-8"))
    mini = yaml.safe_load((path.parent / "mini.yaml").read_text("utf-8"))
    tiny.change(
        path,
        data=mini["data"] | profile.get("data", {}) | ROLES,
        networks=profile["networks"] | {"detection": DETECTION},
        train_limit=14,
        limit=6,
    )
    return folder


@pytest.fixture
def project(made, monkeypatch):
    return tiny.enter(made, monkeypatch)


@pytest.fixture
def store(project):
    return Store(paths.cache() / "store")


def begin(**values):
    return start(CHAPTER, "tiny", **values)


def test_a_run_asks_its_detectors_for_boxes(project, monkeypatch):
    run = begin()
    found = run.detect(BOXES)
    assert list(found) == ["fasterrcnn_resnet50_mini", "rfcn_resnet101_mini"]
    for (record,) in found.values():
        assert (len(record), record.dataset) == (6, "clips_val_large")
        assert set(record.ids) <= set(run.images.ids)
    assert set(run.fingerprints) == set(found)

    def ask(*_):
        raise AssertionError("what was found is kept")

    monkeypatch.setattr(detect, "_detect_piece", ask)
    again = begin(models=["rfcn"]).detect(BOXES)
    (record,), (before,) = again["rfcn_resnet101_mini"], found["rfcn_resnet101_mini"]
    assert np.array_equal(record.detections.scores, before.detections.scores)


def test_unsure_boxes_are_kept_except_where_the_papers_code_base_leaves_them_out(project):
    run = begin(models=["rfcn"])
    ((in_frames,),) = run.detect(BOXES).values()
    ((anywhere,),) = run.detect(run.image_set(BOXES)).values()
    assert (in_frames.least_score, anywhere.least_score) == (0.05, 0.01)


def test_unsure_boxes_are_kept_and_a_detector_that_leaves_out_more_is_taken_as_it_is():
    def unsure(_):
        scores = (0.9, 0.3, 0.02, 0.005)
        return boxed.boxes_of(*((4.0 * place, 0, 4.0 * place + 3, 3, 0, score)
                                for place, score in enumerate(scores)))  # fmt: skip

    def shy(image):
        return tuple(column[:2] for column in unsure(image))

    models = {
        "open": boxed.Saying(unsure, "open"),
        "shy": boxed.Saying(shy, "shy", least_score=0.2),
    }
    found = detectors.found_boxes(
        {name: (model,) for name, model in models.items()},
        boxed.Squares(4), load_profile("smoke"), None, {},
    )  # fmt: skip
    assert {name: one.least_score for name, (one,) in found.items()} == {"open": 0.01, "shy": 0.2}
    assert {name: len(one.detections.scores) for name, (one,) in found.items()} == {
        "open": 4 * 3,
        "shy": 4 * 2,
    }


@pytest.mark.parametrize(("detector", "lost"), [("yolox_nano", 0.0083), ("mb3_centernet", 0.0001)])
def test_of_real_detections_the_least_score_costs_nothing(detector, lost):
    """COCO's evaluation has no least score, and what detectors publish is without one."""
    truth, every = real_boxes(detector)

    def score(least):
        keep = every.scores >= least
        columns = (every.images, every.classes, every.boxes, every.scores)
        return mean_average_precision(truth, Detections(*(one[keep] for one in columns)), "coco")

    assert score(detectors.LEAST_SCORE) == pytest.approx(score(0), abs=5e-5)
    assert score(0) - score(0.05) == pytest.approx(lost, abs=1e-4)


def test_each_seed_is_another_detector_of_its_own_name(project):
    run = begin(models=["fasterrcnn_resnet50"], seeds=[0, 1])
    ((one, other),) = run.detect(run.images).values()
    assert (one.model, other.model) == ("fasterrcnn_resnet50_mini", "fasterrcnn_resnet50_mini~1")
    assert one.fingerprint != other.fingerprint


def test_some_networks_by_their_papers_names_and_ours(project):
    run = begin()
    for name in ("rfcn", "rfcn_resnet101_mini", Network("rfcn_resnet101_mini")):
        assert list(run.detect(BOXES, [name])) == ["rfcn_resnet101_mini"]


def test_a_detector_starts_from_the_classifier_that_its_row_names(project, store):
    profile = load_profile("tiny")
    network = Network("fasterrcnn_resnet50_mini")
    (made,) = detectors.trained_detectors(profile, [network], store)
    assert len(made.curves.loss) == 1
    start_ = networks.start_of(network, profile, store)
    module = builders.build(torch_models.describe(network.model), outputs=2)
    builders.begin_as(module, start_.module, start_.name)
    body = module.backbone.body.state_dict()
    for key, value in start_.module.state_dict().items():
        assert key not in body or (body[key] == value).all()


def test_classifiers_and_detectors_are_not_mixed_up(project, store):
    run, profile = begin(), load_profile("tiny")
    with pytest.raises(InputError, match=r"classifier.*fasterrcnn_resnet50_mini"):
        run.predict(BOXES)
    with pytest.raises(InputError, match=r"classifier.*rfcn_resnet101_mini"):
        networks.trained_networks(profile, [Network("rfcn_resnet101_mini")], store)
    with pytest.raises(InputError, match=r"detector.*resnet18_mini.*classifier"):
        run.detect(BOXES, [Network("resnet18_mini")])
    with pytest.raises(InputError, match=r"resnet18_mini is a classifier"):
        detectors.trained_detectors(profile, [Network("resnet18_mini")], store)


def test_a_detector_learns_with_no_corruption_and_no_hold_out(project, store):
    network = Network("rfcn_resnet101_mini", corruption="fog")
    with pytest.raises(InputError, match="Expected a plain detector, but got"):
        detectors.detectors(load_profile("tiny"), [network], store)


def test_images_of_other_classes(project):
    with pytest.raises(InputError, match=r"4 classes.*scenes_val \(scenes\)"):
        begin(models=["rfcn"]).detect("imagenet_val")


def test_a_training_set_without_boxes(project, store):
    profile = load_profile("tiny")
    other = profile.model_copy(update={"data": profile.data | {TRAIN: "scenes_val"}})
    with pytest.raises(InputError, match=r"role imagenet_vid_train_boxes.*none"):
        detectors.detectors(other, [Network("rfcn_resnet101_mini")], store)


def test_a_users_own_detector(project):
    file = project / "finder.py"
    file.write_text(
        "from tests.boxed import Saying, boxes_of\n\n"
        "def build():\n"
        "    answer = boxes_of((1, 2, 30, 40, 1, 0.9))\n"
        "    return Saying(lambda image: answer, 'mine', 'scenes_vid', 2)\n"
    )
    found = begin(models=[f"{file}:build"]).detect(BOXES)
    ((record,),) = found.values()
    assert record.model == "mine"
    assert record.detections.classes.tolist() == [1] * 6


def test_the_commands_train_and_ask_detectors(project, monkeypatch, capsys):
    from robust_book import chapters

    monkeypatch.setattr(chapters, "chapter", lambda _: CHAPTER)
    words = ("train", "rfcn_resnet101_mini", "-P", "tiny", "--chapter", "boxes")
    status, printed, _ = tiny.command(monkeypatch, capsys, *words)
    assert status == 0
    assert printed.startswith("rfcn_resnet101_mini, seed 0: loss ")
    words = ("predict", "boxes", "-P", "tiny", "--boxes", BOXES)
    status, printed, _ = tiny.command(monkeypatch, capsys, *words)
    assert (status, printed) == (0, "2 detectors, 6 images: imagenet_vid_robust_boxes.\n")
