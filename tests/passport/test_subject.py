"""Whose passport it is: names, files, modules, functions, and what is none of these."""

import pytest
import torch

from robust_lib.config.profiles import load_profile
from robust_lib.datasets.synthetic import Synthetic
from robust_lib.errors import InputError
from robust_lib.passport.benchmarks import BENCHMARKS
from robust_lib.passport.subject import Subject, subject
from tests.toys import brightest, unchecked

IMAGES = Synthetic("noise", "blobs", 4, 32, "colours", ("red", "green", "blue"))


def of(model, **options):
    return subject(model, load_profile("smoke"), lambda: IMAGES, **options)


def test_a_papers_name_is_ours_that_plays_its_part():
    assert of("resnet18").name == "resnet18_mini"
    assert of("efficientdet_d7").finds_boxes
    assert not of("resnet18").finds_boxes


def test_a_classifier_at_hand_is_asked_itself():
    found = of(brightest())
    assert found.classifier is not None
    run = found.run(BENCHMARKS["imagenet_c"].chapter, load_profile("smoke"))
    assert [str(one) for one in run.networks] == ["alexnet_mini", "brightest"]
    assert list(run.given) == ["brightest"]


def test_a_function_gets_the_images_classes_and_its_own_name():
    def means(images):
        return images.mean((2, 3))

    found = of(means)
    assert (found.name, found.classifier.classes, found.classifier.outputs) == (
        "means", "colours", 3,
    )  # fmt: skip
    assert of(means, name="mine").name == "mine"


def test_only_what_is_bare_needs_images():
    def nowhere():
        raise AssertionError("images were read")

    smoke = load_profile("smoke")
    for model in ("efficientdet_d7", "resnet18", brightest()):
        subject(model, smoke, nowhere)
    for bare in (torch.nn.Flatten(), lambda images: images.mean((2, 3))):
        with pytest.raises(AssertionError, match="images were read"):
            subject(bare, smoke, nowhere)


def test_a_bare_module_is_no_detector():
    """Once a detector that was not wrapped was told that boxes' categories are no classes."""
    settings = {"images": "coco:boxes.json,pictures"}
    with pytest.raises(InputError, match=r"detector.*Wrap.*TorchDetector"):
        Subject.images_of(BENCHMARKS["imagenet_c"].chapter, load_profile("smoke"), settings)


def test_what_is_no_model_is_refused():
    with unchecked(), pytest.raises(InputError, match="Expected a model, but got int"):
        of(3)
    with pytest.raises(InputError, match="Expected the name of a model"):
        of("resnet1")
