"""Six faults of an evaluation, each of which a gate catches; without any, all find the same.

The references are those of slow code that shares nothing with the evaluation.
"""

import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Archive, as_stored
from robust_lib.models.adapter import TorchClassifier
from robust_lib.models.class_subset import known_groups
from robust_lib.predict.classify import predict
from robust_lib.predict.masked import predict_masked
from robust_lib.preprocessing import Preprocessing
from robust_lib.protocols import corruption_error
from robust_lib.protocols.corruption_error.normaliser import Normaliser
from robust_lib.protocols.grid import CorruptedSet, evaluate
from robust_lib.protocols.nae import accuracy
from robust_lib.results.gates import references
from robust_lib.results.gates.gate import has_failed, judged
from robust_lib.results.reported import alexnet_errors
from tests import tiny
from tests.reference import public_weights
from tests.results.gates import public_tree

SHARE = "{:.3f}"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A project of eight classes, three of them in ImageNet-A, with the slow code's references."""
    folder = tmp_path_factory.mktemp("public")
    manifests = folder / "data_manifests"
    shutil.copytree(tiny.REPOSITORY / "data_manifests", manifests)
    table = manifests / "classes" / "imagenet_1k.csv"
    lines = table.read_text("utf-8").splitlines(keepends=True)
    hard = (manifests / "classes" / "imagenet_a.csv").read_text("utf-8").splitlines(keepends=True)
    table.write_text("".join(lines[: 1 + 14]), "utf-8")
    (manifests / "classes" / "imagenet_a.csv").write_text("".join(hard[: 1 + 3]), "utf-8")
    wnids, few = (re.findall(r"n\d{8}", "".join(part)) for part in (lines[1:15], hard[1:4]))
    made = public_tree.world(folder / "data", tuple(wnids), tuple(few))
    for name, images in (("imagenet_val", public_tree.IMAGES), ("imagenet_a", public_tree.HARD)):
        tiny.change(manifests / "datasets" / f"{name}.yaml", images=images)
    reported = manifests / "reported"
    clean, testbed = ["model,dataset,metric,value,tolerance,source"], []
    for name, module in made.networks.items():
        share = percent(
            public_weights.right(module, folder / "data/imagenet_val/val", made.outputs)
        )
        clean.append(f"{name},imagenet_val,accuracy,{share},0.05,slow code")
        root = folder / "data/imagenet_a/imagenet-a"
        share = percent(public_weights.right(module, root, made.hard_outputs))
        testbed.append(f"{name},imagenet_a,,accuracy,{share},slow code")
    (reported / "clean_reference.csv").write_text("\n".join(clean) + "\n")
    head = "model,dataset,k,metric,value,source"
    (reported / "testbed_reference.csv").write_text("\n".join([head, *testbed]) + "\n")
    for name in ("timm", "robust"):
        (reported / f"{name}_reference.csv").write_text("model,dataset,metric,value,source\n")
    rows = ["corruption,accuracy,ce,source"]
    for corruption in public_tree.CORRUPTIONS:
        cells = [
            public_weights.right(
                made.networks["resnet50"],
                folder / "data/imagenet_c" / corruption / str(severity),
                made.outputs,
                stored=True,
            )
            for severity in public_tree.SEVERITIES
        ]
        total = tuple(map(sum, zip(*cells, strict=True)))
        rows.append(f"{corruption},{percent(total)},50.0,slow code")
    (reported / "resnet50_reference.csv").write_text("\n".join(rows) + "\n")
    return made


def percent(counted):
    return SHARE.format(100 * counted[0] / counted[1])


class Blue(torch.nn.Module):
    """Takes red for blue."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, images):
        return self.module(images.flip(1))


class ResizedTwice(Archive):
    """Resizes the archive's pictures once more."""

    def read(self, index, preprocessing):
        return ImageFolder.read(self, index, Preprocessing(256, preprocessing.crop))


def evaluation(world, fault=None):
    """A copy of the library's evaluation, with a fault planted in it."""
    geometry = Preprocessing(256, 224, "bicubic" if fault == "other interpolation" else "bilinear")
    classes = load_classes("imagenet_1k")
    if fault == "wrong class order":  # of the development kit, say, instead of WordNet's
        turned = classes.entries[1:] + classes.entries[:1]
        entries = tuple(replace_entry(one, place) for place, one in enumerate(turned))
        classes = classes.model_copy(update={"entries": entries})
    networks = dict(world.networks)
    if fault == "other weights":
        networks = {name: public_tree.Net(7 + at, len(classes)) for at, name in enumerate(networks)}
    models = {
        name: (
            TorchClassifier(
                module=Blue(module) if fault == "BGR" else module,
                name=name,
                classes="imagenet_1k",
                outputs=len(world.wnids),
                preprocessing=geometry,
            ),
        )
        for name, module in networks.items()
    }
    clean = ImageFolder(world.folder / "imagenet_val/val", classes, name="imagenet_val")
    kind = ResizedTwice if fault == "second resize" else Archive
    stored = {name: tuple(Stored(one) for one in several) for name, several in models.items()}
    grid = evaluate(
        models,
        clean,
        CorruptedSet(
            "imagenet_c",
            lambda corruption, severity: kind(
                world.folder / "imagenet_c", corruption, severity, classes=classes, folders=classes
            ),
            "archive",
            models=stored,
        ),
        corruptions=public_tree.CORRUPTIONS,
        severities=public_tree.SEVERITIES,
        store=None,
    )
    errors = alexnet_errors()
    normaliser = Normaliser(errors, float(errors["clean"][0]), "AlexNet's published errors")
    rows = corruption_error.results(grid, normaliser, samples=10)
    hard = ImageFolder(
        world.folder / "imagenet_a/imagenet-a", load_classes("imagenet_a"), name="imagenet_a"
    )
    outputs = {name: known_groups(one, hard) for name, (one,) in models.items()}
    if fault == "wrong class order":
        outputs = {
            name: tuple((place,) for place in range(len(hard.class_names))) for name in models
        }
    masked = predict_masked(models, hard, outputs, store=None, progress=False)
    if fault == "no class mask":
        every = {name: (unmasked(one, hard, outputs[name]),) for name, (one,) in models.items()}
        masked = replace(masked, predictions=every)
    names = {name: name for name in models}
    return rows + accuracy.results(masked, masked_like(masked), names)


def masked_like(masked):
    """Ordinary pictures of the hard classes, of which no gate knows here."""
    return replace(masked, dataset="ordinary")


def unmasked(model, hard, groups):
    """Answers among all outputs, the labels counted alike."""
    whole = predict(model, hard)
    return replace(whole, labels=np.array([group[0] for group in groups])[hard.labels])


class Stored:
    """A classifier as it takes pictures that are resized already."""

    def __init__(self, model):
        self.model = model
        self.name, self.classes, self.outputs = model.name, model.classes, model.outputs
        self.fingerprint = model.fingerprint
        self.preprocessing = as_stored(model.preprocessing)

    def __call__(self, images):
        return self.model(images)


def replace_entry(entry, place):
    return entry.model_copy(update={"index": place})


@pytest.fixture(scope="module")
def entered(world):
    with pytest.MonkeyPatch.context() as patch:
        tiny.enter(world.folder.parent, patch)
        yield world


def found(world, fault=None):
    asked = [gate for gate in references.gates() if gate.dataset in WHERE]
    asked = [gate for gate in asked if gate.metric == "accuracy"]
    return judged(asked, evaluation(world, fault).rows)


WHERE = ("imagenet_val", "imagenet_a", "imagenet_c")


def test_without_a_fault_every_gate_finds_the_same(entered):
    outcomes = {(one.gate.model, one.gate.dataset): one.words for one in found(entered)}
    assert outcomes == {
        ("resnet50", "imagenet_val"): "same",
        ("alexnet", "imagenet_val"): "same",
        ("resnet50", "imagenet_c"): "same",
        ("resnet50", "imagenet_a"): "same",
        ("alexnet", "imagenet_a"): "same",
    }


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("no class mask", {"imagenet_a"}),
        ("second resize", {"imagenet_c"}),
        ("wrong class order", set(WHERE)),
        ("BGR", set(WHERE)),
        ("other interpolation", {"imagenet_val", "imagenet_a"}),
        ("other weights", set(WHERE)),
    ],
)
def test_a_planted_fault_fails_at_gates_that_it_touches_and_at_no_other(entered, fault, where):
    after = found(entered, fault)
    assert has_failed(after)
    # Pictures that turn right and pictures that turn wrong may be as many at one gate of several.
    assert {one.gate.dataset for one in after if one.outcome == "FAILED"} <= where
    untouched = [one for one in after if one.gate.dataset not in where]
    assert {one.outcome for one in untouched} <= {"same"}
