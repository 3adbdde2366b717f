"""Class logits of fixed places: those of the detections, with gradients to the picture."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from robust_lib.errors import InputError, ModelError
from robust_lib.models.detectors import class_logits, efficientdet, mask_rcnn, retinanet
from robust_lib.models.detectors.class_logits import fixed_places, logits_at
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.models.detectors.torchvision_published import real
from tests.boxed import FAMILY, SIDE, TINY, Saying, boxes_of, positioned, seeded, talkative

CLASSES = 3


def loud(module, part):
    """The module, whose class logits differ more than those of an untrained one."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.nn.init.normal_(part.weight, std=0.5)
        torch.nn.init.constant_(part.bias, -1.0)
    return module


def small_retinanet():
    anchors = ((16, 20), (28, 34), (40, 48))
    made = retinanet.small(CLASSES, FAMILY, width=8, channels=16, side=2 * SIDE, anchors=anchors)
    return loud(made, made.head.classification_head.cls_logits)


def small_fcos():
    made = real(
        CLASSES + 1, "fcos_resnet50_fpn", score_thresh=0.01, min_size=SIDE, max_size=2 * SIDE
    )
    return loud(made, made.head.classification_head.cls_logits)


def small_mask_rcnn():
    made = mask_rcnn.small(CLASSES, FAMILY, hidden=32, side=SIDE, anchors=(20, 28, 40), **TINY)
    return loud(made, made.roi_heads.box_predictor.cls_score)


def small_efficientdet():
    settings = {"channels": 16, "cells": 1, "layers": 1, "side": SIDE, "anchor": 3.0}
    made = efficientdet.small(CLASSES, FAMILY, **settings)
    return loud(made, made.model.class_net.predict.conv_pw)


FAMILIES = {
    "RetinaNet": lambda: seeded(small_retinanet),
    "FCOS": lambda: seeded(small_fcos),
    "Faster R-CNN": lambda: talkative().module,
    "Mask R-CNN": lambda: seeded(small_mask_rcnn),
    "R-FCN": positioned,
    "EfficientDet": lambda: seeded(small_efficientdet),
}


@pytest.fixture(scope="module", params=FAMILIES)
def detector(request):
    made = FAMILIES[request.param]()
    return TorchDetector(module=made, name=request.param, classes="colours", outputs=CLASSES)


@pytest.fixture(scope="module")
def image():
    """A picture of another shape than any detector's own."""
    noise = torch.rand(1, 3, 8, 6, generator=torch.Generator().manual_seed(1))
    return functional.interpolate(noise, size=(SIDE, SIDE - 16), mode="bilinear")[0]


def test_logits_are_those_behind_the_scores(detector, image):
    boxes, classes, scores = (part[:6] for part in detector([image])[0])
    assert len(scores) > 2
    places = fixed_places(detector, image, boxes, classes)
    with torch.no_grad():
        logits = logits_at(detector, image[None], places)[0]
    assert logits.shape == (len(scores), CLASSES)
    own = torch.sigmoid(logits[torch.arange(len(scores)), torch.as_tensor(classes)]).numpy()
    if detector.name in ("RetinaNet", "EfficientDet"):
        assert own == pytest.approx(scores, abs=1e-4)
    elif detector.name == "FCOS":  # a score is the root of the class's and of how central it is
        central = scores**2 / own
        assert ((central > 0) & (central <= 1 + 1e-4)).all()
    else:
        with torch.no_grad():
            everything = class_logits._at_regions(detector.module, image[None], places)[0]
        assert everything[:, 1:].numpy() == pytest.approx(logits.numpy(), abs=1e-5)
        own = everything.softmax(1)[torch.arange(len(scores)), torch.as_tensor(classes) + 1]
        assert own.numpy() == pytest.approx(scores, abs=1e-4)


def test_gradients_reach_the_picture_alone(detector, image):
    boxes, classes, _ = (part[:1] for part in detector([image])[0])
    places = fixed_places(detector, image, boxes, classes)
    pictures = torch.stack([image, image / 2]).requires_grad_()
    logits = logits_at(detector, pictures, places)
    (gradient,) = torch.autograd.grad(logits[:, 0, classes[0]].sum(), pictures)
    assert gradient.abs().amax((1, 2, 3)).min() > 0


def test_every_picture_is_asked_for_itself(detector, image):
    boxes, classes, _ = (part[:2] for part in detector([image])[0])
    places = fixed_places(detector, image, boxes, classes)
    darker = torch.stack([image * step for step in (0.0, 0.4, 1.0)])
    with torch.no_grad():
        together = logits_at(detector, darker, places)
        alone = torch.cat([logits_at(detector, one[None], places) for one in darker])
    # Some processors sum a batch in another order than one picture; logits reach 30.
    assert together.numpy() == pytest.approx(alone.numpy(), abs=1e-3)
    assert not torch.allclose(together[0], together[2], atol=1e-2)


def test_a_derivative_is_that_of_a_small_step(detector, image):
    """The step is small: networks of rectified units bend everywhere."""
    boxes, classes, _ = (part[:1] for part in detector([image])[0])
    places = fixed_places(detector, image, boxes, classes)

    def said(picture):
        return logits_at(detector, picture[None], places)[0, 0, classes[0]]

    picture = image.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(said(picture), picture)
    step = 0.0003 * gradient.sign()
    with torch.no_grad():
        change = float(said(image + step) - said(image - step))
    assert change == pytest.approx(2 * float((gradient * step).sum()), rel=0.1)


def test_classes_are_told_by_their_labels(image):
    """Labels 1, 2, 3 mean classes 2, none, 0 and so on: the columns are put in order."""
    module = talkative().module
    plain = TorchDetector(module=module, name="a", classes="colours", outputs=3)
    turned = TorchDetector(
        module=module, name="b", classes="colours", outputs=3, labels=(-1, 2, 0, 1)
    )
    boxes, classes, _ = plain([image])[0]
    places = fixed_places(plain, image, boxes[:2], classes[:2])
    meant = np.array([2, 0, 1])[classes[:2]]
    again = fixed_places(turned, image, boxes[:2], meant)
    with torch.no_grad():
        one = logits_at(plain, image[None], places)
        other = logits_at(turned, image[None], again)
    assert torch.equal(one, other[..., [2, 0, 1]])


def test_efficientdets_columns_have_no_background(image):
    """Of four labels 1, 3 and 4 have a class; label 2 was never given to one."""
    settings = {"channels": 16, "cells": 1, "layers": 1, "side": SIDE, "anchor": 3.0}
    module = seeded(lambda: efficientdet.small(4, FAMILY, **settings))
    loud(module, module.model.class_net.predict.conv_pw)
    plain = TorchDetector(module=module, name="a", classes="colours", outputs=4)
    gaps = TorchDetector(
        module=module, name="b", classes="colours", outputs=3, labels=(-1, 2, -1, 0, 1)
    )
    boxes, classes, scores = (part[:1] for part in gaps([image])[0])
    places = fixed_places(gaps, image, boxes, classes)
    with torch.no_grad():
        own = logits_at(gaps, image[None], places)
        every = logits_at(plain, image[None], places)
    assert torch.equal(own, every[..., [2, 3, 0]])
    assert torch.sigmoid(own[0, 0, classes[0]]).item() == pytest.approx(scores[0], abs=1e-4)


def test_a_box_of_another_picture_is_refused(detector, image):
    box = np.array([[1.0, 2.0, 3.0, 4.5]])
    with pytest.raises(ModelError, match="pixels away"):
        fixed_places(detector, image, box, np.array([0]))


def test_a_detector_without_such_a_way_is_refused(image):
    stranger = Saying(lambda image: boxes_of((1, 2, 30, 40, 0, 0.9)))
    wrapped = TorchDetector(
        module=torch.nn.Linear(1, 1), name="linear", classes="colours", outputs=3
    )
    for other in (stranger, wrapped):
        with pytest.raises(InputError, match="EfficientDet"):
            fixed_places(other, image, np.zeros((1, 4)), np.array([0]))


def test_no_place_is_refused(detector, image):
    with pytest.raises(InputError, match="at least one position"):
        logits_at(detector, image[None], ())
