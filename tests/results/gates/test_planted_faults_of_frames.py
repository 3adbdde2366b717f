"""Faults of pm-k accuracy, each of which its gates catch; the references are slow code's."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.frame_sets import from_names
from robust_lib.datasets.vid_robust import VidRobust
from robust_lib.models.adapter import TorchClassifier
from robust_lib.predict.masked import predict_masked
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols.pm_k import classification
from robust_lib.protocols.pm_k.frame_predictions import answers
from robust_lib.results.gates import references
from robust_lib.results.gates.gate import judged
from tests.reference import detection, public_weights
from tests.results.gates import public_tree

CLASSES = 3
VID = load_classes("imagenet_vid")
FEW = VID.model_copy(update={"entries": VID.entries[:CLASSES]})
VIDEOS, REACH = 40, 3
OUTPUTS = tuple((place,) for place in range(CLASSES))
NUMBERS = range(10 - REACH, 11 + REACH)


def frame(video, number):
    return f"val/video_{video:04d}/{number:06d}.JPEG"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Forty videos that turn into other pictures; the classes of a frame are its anchor's."""
    folder = tmp_path_factory.mktemp("videos")
    shown, labels, sets = {}, {}, {}
    for video in range(VIDEOS):
        first, last = (
            np.asarray(public_tree.picture(2 * video + end).resize((300, 280)), np.float64)
            for end in range(2)
        )
        for place, number in enumerate(NUMBERS):
            part = place / 3 / REACH
            one = Image.fromarray(((1 - part) * first + part * last).astype(np.uint8))
            public_tree.save(folder / frame(video, number), one)
            with Image.open(folder / frame(video, number)) as stored:
                resized = public_weights.resized(stored.convert("RGB"))
                shown[video, number] = public_weights.central(resized)
    network = public_tree.Net(0, CLASSES).calibrate(list(shown.values()))
    said = {
        at: public_weights.answer(network, one, list(range(CLASSES))) for at, one in shown.items()
    }
    rng = np.random.default_rng(0)
    for video in range(VIDEOS):
        truth = said[video, 10] if rng.random() < 0.7 else int(rng.integers(CLASSES))
        labels |= {frame(video, number): [truth] for number in NUMBERS}
        sets[frame(video, 10)] = [frame(video, number) for number in NUMBERS if number != 10]
    return folder, network, labels, sets, said


@pytest.fixture(scope="module")
def gates(world):
    """AlexNet's gates, with what slow code finds of these videos in the numbers' place."""
    _, _, labels, _, said = world
    at = dict.fromkeys((0, 10), 0)
    for video in range(VIDEOS):
        correct = [said[video, number] in labels[frame(video, number)] for number in NUMBERS]
        offsets = [number - 10 for number in NUMBERS]
        for k in at:
            right = detection.right_on_a_set(correct, list(range(len(correct))), offsets, k)
            at[k] += right
    assert at[10] < at[0] < VIDEOS
    found = [one for one in references.gates() if one.metric == "pm_accuracy"]
    of_alexnet = [one for one in found if one.model == "alexnet"]
    assert [one.k for one in of_alexnet] == [0, 10]
    return [
        replace(one, value=round(at[one.k] / VIDEOS, 4), step=0.0001, pictures=VIDEOS)
        for one in of_alexnet
    ]


class Blue(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, images):
        return self.module(images.flip(1))


def faulty(sets, fault):
    """Frame sets with a fault; the anchor of each is left where it is."""
    members, offsets = sets.members.copy(), sets.offsets.copy()
    if fault == "neighbours of the next video":
        away = np.roll(members, -1, axis=0)
        members = np.where(offsets == 0, members, away)
    if fault == "neighbours shifted by a frame":
        members[:, :-1] = np.where(offsets[:, :-1] == 0, members[:, :-1], members[:, 1:])
        members[:, -1] = members[:, -2]
    if fault == "the nearest neighbours alone":
        members[np.abs(offsets) > 1], offsets[np.abs(offsets) > 1] = -1, 0
    return replace(sets, members=members, offsets=offsets)


def found(world, gates, fault=None):
    """What becomes of the gates, by the library's own evaluation with a fault planted in it."""
    folder, network, labels, names, _ = world
    sets = from_names(labels, names, classes=CLASSES)
    images = VidRobust(folder, sets, FEW)
    classifier = TorchClassifier(
        module=Blue(network) if fault == "BGR" else network,
        name="alexnet",
        classes="imagenet_vid",
        outputs=CLASSES,
        preprocessing=Preprocessing(256, 224),
    )
    outputs = OUTPUTS[1:] + OUTPUTS[:1] if fault == "wrong class order" else OUTPUTS
    shown = predict_masked(
        {"alexnet": (classifier,)}, images, {"alexnet": outputs}, store=None, progress=False
    )
    said = replace(answers(shown, sets), sets=faulty(sets, fault))
    rows = classification.results(said, {"alexnet": "alexnet"}).rows
    return {one.gate.k: one for one in judged(gates, rows)}


def test_without_a_fault_both_gates_find_the_same(world, gates):
    assert {k: one.words for k, one in found(world, gates).items()} == {0: "same", 10: "same"}


@pytest.mark.parametrize(
    ("fault", "failed"),
    [
        ("neighbours shifted by a frame", {10}),
        ("neighbours of the next video", {10}),
        ("the nearest neighbours alone", {10}),
        ("BGR", {0, 10}),
        ("wrong class order", {0, 10}),
    ],
)
def test_a_planted_fault_fails_at_the_gates_that_it_touches(world, gates, fault, failed):
    after = found(world, gates, fault)
    assert {k for k, one in after.items() if one.outcome == "FAILED"} == failed
    assert {one.words for k, one in after.items() if k not in failed} <= {"same"}
