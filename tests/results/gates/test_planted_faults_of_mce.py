"""Faults of an mCE, each of which its gate catches; the reference is slow code's."""

import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive, as_stored
from robust_lib.models.adapter import TorchClassifier
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import CorruptedSet, evaluate
from robust_lib.results.gates import references
from robust_lib.results.gates.gate import judged
from robust_lib.results.reported import alexnet_errors
from robust_lib.vocabulary import COMMON, SEVERITIES
from tests.reference import public_weights
from tests.results.gates import public_tree

ALL = load_classes("imagenet_1k")
FEW = ALL.model_copy(update={"entries": ALL.entries[:4]})
WNIDS = [entry.wnid for entry in FEW.entries]
PICTURES = 8

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The archive's fifteen corruptions of eight pictures; each washes out as far as it can."""
    folder, rng = tmp_path_factory.mktemp("archive"), np.random.default_rng(0)
    shown = [
        public_weights.central(public_weights.resized(public_tree.picture(seed)))
        for seed in range(PICTURES)
    ]
    network = public_tree.Net(0, len(WNIDS)).calibrate(shown)
    for number, one in enumerate(shown):
        truth = WNIDS[public_weights.answer(network, one, list(range(len(WNIDS))))]
        name = f"{number:08d}.JPEG"
        public_tree.save(folder / "clean" / truth / name, one)
        level = np.asarray(one, np.float64)
        for place, corruption in enumerate(COMMON):
            for severity in SEVERITIES:
                part = (0.2 + 0.05 * place) * severity / 5
                washed = level + part * (rng.integers(0, 256, 3) - level)
                cell = folder / corruption / str(severity) / truth / name
                public_tree.save(cell, Image.fromarray(washed.astype(np.uint8)), 85)
    for cell in (folder / "clean", *folder.glob("*/[1-5]")):
        for wnid in WNIDS:
            (cell / wnid).mkdir(exist_ok=True)
    return folder, network


@pytest.fixture(scope="module")
def gate(world):
    """ResNet-50's gate, with what slow code finds of the small archive in the number's place."""
    folder, network = world
    outputs = {wnid: place for place, wnid in enumerate(WNIDS)}
    wrong = {}
    for corruption in COMMON:
        wrong[corruption] = {}
        for severity in SEVERITIES:
            cell = folder / corruption / str(severity)
            right, total = public_weights.right(network, cell, outputs, stored=True)
            wrong[corruption][severity] = 1 - right / total
    table = paths.manifests() / "reported" / "alexnet_errors.csv"
    value = round(public_weights.mean_corruption_error(wrong, table), 3)
    assert 0.1 < value < 1.5
    every = [one for one in references.gates() if one.metric == "mce"]
    (mce,) = (one for one in every if one.model == "resnet50")
    return replace(mce, value=value)


class ResizedTwice(Archive):
    def read(self, index, preprocessing):
        return ImageFolder.read(self, index, Preprocessing(256, preprocessing.crop))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Keeps what was predicted: most faults change few cells."""
    return Store(tmp_path_factory.mktemp("store"))


def found(world, gate, store, fault=None):
    """What becomes of the gate, by the library's own evaluation with a fault planted in it."""
    folder, network = world
    classifier = TorchClassifier(
        module=network,
        name="resnet50",
        classes="imagenet_1k",
        outputs=len(WNIDS),
        preprocessing=as_stored(Preprocessing(256, 224)),
    )

    def cell(corruption, severity):
        kind = ResizedTwice if fault == "second resize" else Archive
        if fault == "another severity" and (corruption, severity) == ("fog", 5):
            severity = 1
        if fault == "another corruption" and corruption == "fog":
            corruption = "gaussian_noise"
        return kind(folder, corruption, severity, classes=FEW, folders=FEW)

    grid = evaluate(
        {"resnet50": (classifier,)},
        ImageFolder(folder / "clean", FEW, name="imagenet_val"),
        CorruptedSet("imagenet_c", cell, "archive"),
        corruptions=COMMON,
        severities=SEVERITIES,
        store=None if fault == "second resize" else store,  # a fault that no digest shows
    )
    errors = dict(alexnet_errors())
    if fault == "AlexNet's corruptions in another order":
        errors |= dict(zip(COMMON, [errors[name] for name in COMMON[1:] + COMMON[:1]], strict=True))
    normaliser = Normaliser(errors, float(errors["clean"][0]), "AlexNet's published errors")
    (one,) = judged([gate], corruption_error.results(grid, normaliser, samples=10).rows)
    return one


def test_without_a_fault_the_mce_is_that_of_slow_code(world, gate, store):
    assert found(world, gate, store).words == "same"


@pytest.mark.parametrize(
    "fault",
    [
        "another severity",
        "another corruption",
        "second resize",
        "AlexNet's corruptions in another order",
    ],
)
def test_a_planted_fault_fails_at_the_gate_of_the_mce(world, gate, store, fault):
    told = found(world, gate, store, fault).words
    assert re.fullmatch(r"FAILED by [\d.]+ points \(0\.1 points allowed\)", told), told
