"""A torch module as a detector: classes from 0, sizes kept apart, a fingerprint that tells."""

import numpy as np
import pytest
import torch

from robust_lib.errors import InputError, ModelError
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests import toys
from tests.boxed import detector, faster, positioned, talkative


class Fixed(torch.nn.Module):
    """Says the same of every image, as torchvision's detectors say it."""

    def __init__(self):
        super().__init__()
        self.shapes = []

    def forward(self, images):
        self.shapes.append([tuple(image.shape[1:]) for image in images])
        boxes = torch.tensor([[0.0, 0.0, 4.0, 4.0], [1.0, 1.0, 9.0, 9.0], [2.0, 2.0, 5.0, 5.0]])
        said = {"boxes": boxes, "labels": torch.tensor([1, 3, 2])}
        return [said | {"scores": torch.tensor([0.3, 0.8, 0.005])} for _ in images]


def fixed(**settings):
    return TorchDetector(module=Fixed(), name="fixed", classes="colours", outputs=3, **settings)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "but got NoneType"),
        ([], "but got a list of 0"),
        ([torch.ones(1, 4)], "but got a list with Tensor in it"),
        ([{"boxes": torch.ones(1, 4), "scores": torch.ones(1)}], r"but got no labels \(of boxes, "),
        (
            [dict.fromkeys(("boxes", "labels", "scores"), np.ones(1))],
            "but got ndarray as its boxes",
        ),
    ],
)
def test_a_network_of_another_language_is_told_so(answer, message):
    class Other(Fixed):
        def forward(self, images):
            return answer

    model = TorchDetector(module=Other(), name="other", classes="colours", outputs=3)
    with pytest.raises(ModelError, match=message):
        model([torch.zeros(3, 16, 16)])


def test_labels_count_from_one_where_classes_count_from_zero():
    ((boxes, classes, scores),) = fixed()([torch.zeros(3, 16, 16)])
    assert classes.tolist() == [2, 0]
    assert boxes.tolist() == [[1, 1, 9, 9], [0, 0, 4, 4]]
    np.testing.assert_allclose(scores, [0.8, 0.3])


def test_the_surest_boxes_stay():
    ((_, classes, _),) = fixed(most=1)([torch.zeros(3, 16, 16)])
    assert classes.tolist() == [2]
    assert len(fixed(least_score=0.9)([torch.zeros(3, 16, 16)])[0][0]) == 0


def test_images_of_other_shapes_are_not_shown_together_and_the_order_makes_no_difference():
    model = fixed()
    shapes = [(16, 16), (16, 16), (8, 16), (16, 16)]
    assert len(model([torch.zeros(3, *shape) for shape in shapes])) == 4
    assert model.module.shapes == [[(16, 16)] * 3, [(8, 16)]]


def test_answers_stand_in_the_order_of_the_images():
    class Brightness(torch.nn.Module):
        def forward(self, images):
            one = {"boxes": torch.tensor([[0.0, 0.0, 4.0, 4.0]]), "labels": torch.tensor([1])}
            return [one | {"scores": image.mean()[None]} for image in images]

    model = TorchDetector(module=Brightness(), name="mine", classes="colours", outputs=3)
    sides, levels = (8, 16, 8, 4, 16), (0.1, 0.2, 0.3, 0.4, 0.5)
    images = [torch.full((3, side, 8), level) for side, level in zip(sides, levels, strict=True)]
    assert [float(one[2][0]) for one in model(images)] == pytest.approx(levels)


def test_labels_become_what_they_mean_and_those_of_no_class_are_left_out():
    model = fixed(labels=(-1, 2, -1, 0, 1), least_score=0.001)
    ((_, classes, scores),) = model([torch.zeros(3, 16, 16)])
    assert classes.tolist() == [0, 2]  # label 2 is none
    np.testing.assert_allclose(scores, [0.8, 0.3])
    assert model.fingerprint != fixed(least_score=0.001).fingerprint
    with pytest.raises(ModelError, match=r"labels.*0.*2.*fixed.*3"):
        fixed(labels=(0, 1, 2))([torch.zeros(3, 16, 16)])


@pytest.mark.parametrize("labels", [(-1, 0, 1), (-1, 0, 1, 2, 3), (-1, 0, 1, 1)])
def test_labels_mean_each_class_once(labels):
    with pytest.raises(InputError, match=r"label.*fixed.*3 classes"):
        fixed(labels=labels)


def test_boxes_are_in_the_pixels_of_the_picture_that_was_given():
    """The network sees 64 pixels; a picture of twice the size has boxes twice as large."""
    model = talkative()
    small = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(0))
    large = small.repeat_interleave(2, 1).repeat_interleave(2, 2)
    one, two = model([small])[0], model([large])[0]
    assert one[0].max() <= 64 < two[0].max() <= 128


def test_a_fingerprint_changes_with_weights_and_with_settings():
    one, same, other = detector(), detector(), detector(seed=1)
    assert one.fingerprint == same.fingerprint != other.fingerprint
    one([torch.rand(3, 64, 64)])  # to be asked changes nothing
    assert one.fingerprint == same.fingerprint
    same.module.roi_heads.nms_thresh = 0.7
    assert same.fingerprint != one.fingerprint
    third = detector()
    third.module.rpn._post_nms_top_n["testing"] = 5
    assert third.fingerprint != one.fingerprint
    fourth = detector()
    fourth.module.roi_heads.box_coder.weights = (1.0, 1.0, 1.0, 1.0)
    assert fourth.fingerprint != one.fingerprint


@pytest.mark.parametrize("make", [faster, positioned])
def test_a_module_in_training_is_refused(make):
    model = TorchDetector(module=make(), name="mine", classes="colours", outputs=3)
    model.module.train()
    with pytest.raises(ModelError, match="mine to be in evaluation mode"):
        model([torch.zeros(3, 64, 64)])


def test_a_function_is_no_module():
    told = r"odd to be a torch.nn.Module, but got int"
    with toys.unchecked(), pytest.raises(InputError, match=told):
        TorchDetector(module=3, name="odd", classes="colours", outputs=3)
