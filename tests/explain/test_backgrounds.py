"""Replaced backgrounds: the object's pixels stay, all others are the new place's."""

import numpy as np
import pytest
import torch

from robust_lib.datasets import ImageSet, to_images
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import InputError
from robust_lib.explain.backgrounds import (
    Cutout,
    exact_mask,
    fitted,
    on_grounds,
    own_mask,
    replaced,
)
from robust_lib.models.detectors import mask_rcnn
from robust_lib.models.detectors.torch_detector import TorchDetector
from robust_lib.preprocessing import Preprocessing
from tests.boxed import FAMILY, SIDE, TINY, seeded, talkative
from tests.layouts import Shapes

AS_IS = Preprocessing(None, None)
GROUNDS = {
    "sky": np.full((64, 64, 3), (120, 180, 240), np.uint8),
    "road": np.full((32, 90, 3), 90, np.uint8),
}


def test_the_object_stays_and_all_else_is_the_ground():
    base = Shapes()
    mask = base.annotations[0].masks[0]
    made = on_grounds(base, [Cutout.of(0, mask), Cutout.of(1, ~mask)], GROUNDS)
    assert isinstance(made, ImageSet)
    assert made.ids == ("shape000/sky", "shape000/road", "shape001/sky", "shape001/road")
    found, before = made.read(1, AS_IS), base.read(0, AS_IS)
    assert np.array_equal(found[mask], before[mask])
    assert (found[~mask] == 90).all()
    other = made.read(2, AS_IS)
    assert np.array_equal(other[~mask], base.read(1, AS_IS)[~mask])
    assert (other[mask] == (120, 180, 240)).all()


def test_digests_tell_masks_and_grounds_apart():
    base, mask = Shapes(), np.eye(64, dtype=bool)
    darker = {name: ground // 2 for name, ground in GROUNDS.items()}
    digests = {
        on_grounds(base, [Cutout.of(place, one)], grounds).digest
        for place in (0, 1)
        for one in (mask, ~mask)
        for grounds in (GROUNDS, darker)
    }
    assert len(digests) == 8


def test_no_ground_is_refused():
    with pytest.raises(InputError, match="at least one background"):
        on_grounds(Shapes(), [], {})


def test_grounds_fill_a_picture_and_keep_their_proportions():
    ground = np.zeros((40, 80, 3), np.uint8)
    ground[:, 40:] = 255
    found = fitted(ground, 60, 60)
    assert found.shape == (60, 60, 3)
    assert (found[:, :28] == 0).all()
    assert (found[:, 32:] == 255).all()
    assert fitted(ground, 40, 80) is ground
    assert fitted(ground, 7, 11).shape == (7, 11, 3)


def test_masks_survive_being_packed():
    mask = np.random.default_rng(0).random((5, 7)) < 0.4
    assert np.array_equal(Cutout.of(3, mask).mask, mask)


def test_exact_masks_are_those_of_the_object_under_the_box_whatever_its_class():
    masks = np.zeros((2, 40, 40), bool)
    masks[0, 2:20, 2:20], masks[1, 22:38, 22:38] = True, True
    boxes = np.array([[2, 2, 20, 20], [22, 22, 38, 38]], np.float32)
    known = Objects(
        40, 40, boxes[:1], np.array([1]), masks=masks[:1],
        foreign=Foreign(boxes[1:], ("shark",), masks[1:]),
    )  # fmt: skip
    assert np.array_equal(exact_mask(known, np.array([3.0, 2.0, 20.0, 20.0])), masks[0])
    assert np.array_equal(exact_mask(known, np.array([22.0, 22.0, 38.0, 36.0])), masks[1])
    assert exact_mask(known, np.array([10.0, 10.0, 30.0, 30.0])) is None
    unmasked = Objects(40, 40, boxes, np.array([1, 0]))
    assert exact_mask(unmasked, boxes[0].astype(np.float64)) is None
    assert exact_mask(Objects(4, 4, boxes[:0], np.zeros(0, np.int64)), boxes[0]) is None


def test_a_mask_networks_own_mask_lies_where_its_box_is():
    def made():
        network = mask_rcnn.small(3, FAMILY, hidden=32, side=SIDE, anchors=(20, 28, 40), **TINY)
        network.roi_heads.score_thresh = 0.0
        torch.nn.init.normal_(network.roi_heads.box_predictor.cls_score.weight, std=0.1)
        return network

    detector = TorchDetector(module=seeded(made), name="masks", classes="colours", outputs=3)
    image = to_images(Shapes().read(0, AS_IS)[None])[0]
    boxes, _, _ = detector([image])[0]
    mask = own_mask(detector, image, boxes[0])
    assert mask.shape == (64, 64)
    with torch.inference_mode():
        drawn = detector.module([image])[0]
    place = int(np.abs(drawn["boxes"].numpy() - boxes[0]).sum(1).argmin())
    assert np.array_equal(mask, drawn["masks"][place, 0].numpy() >= 0.5)


def test_a_detector_without_masks_is_refused():
    image = to_images(Shapes().read(0, AS_IS)[None])[0]
    with pytest.raises(InputError, match="Use a Mask R-CNN"):
        own_mask(talkative(), image, np.array([0.0, 0.0, 9.0, 9.0]))


def test_a_kept_picture_hides_the_whole_ground():
    picture = Shapes().read(0, AS_IS)
    assert np.array_equal(replaced(picture, np.ones((64, 64), bool), GROUNDS["sky"]), picture)
