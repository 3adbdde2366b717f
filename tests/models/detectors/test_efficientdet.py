"""EfficientDet: its yxyx, labels and squares stay inside; outside it speaks as torchvision's do."""

import math

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.ops import box_iou

from robust_lib.models.detectors import efficientdet
from robust_lib.models.detectors.contract import check_detector
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests.boxed import EMPTY, seeded

SIDE = 64
GREY = 0.5  # the mean colour, which fills what is left of a square
BOX = [6.0, 14.0, 28.0, 44.0]  # x1, y1, x2, y2: all differ, and higher than wide
TARGET = {"boxes": torch.tensor([BOX]), "labels": torch.tensor([2])}


def network(**settings):
    given = {"width": 8, "channels": 16, "cells": 1, "layers": 1, "side": SIDE} | settings
    return seeded(lambda: efficientdet.small(3, "resnet18", **given))


def overlap(found, box):
    return float(box_iou(found["boxes"][:1].detach(), torch.tensor([box])))


def picture(shape=(SIDE, SIDE), box=BOX):
    image = torch.full((3, *shape), GREY)
    x1, y1, x2, y2 = map(int, box)
    image[1, y1:y2, x1:x2] = 0.9
    return image


@pytest.fixture(scope="module")
def learnt():
    """A network that learnt two pictures by heart."""
    module = network().train()
    optimiser = torch.optim.AdamW(module.parameters(), lr=0.01)
    images = [picture(), picture(box=(30, 4, 50, 32)), torch.full((3, SIDE, SIDE), GREY)]
    other = {"boxes": torch.tensor([[30.0, 4.0, 50.0, 32.0]]), "labels": torch.tensor([3])}
    for _ in range(80):
        losses = module(images, [TARGET, other, EMPTY])
        optimiser.zero_grad()
        torch.stack(list(losses.values())).sum().backward()
        optimiser.step()
    return module.eval().requires_grad_(False)


def test_losses_by_name_that_reach_every_weight():
    module = network().train()
    losses = module([picture(), picture()], [TARGET, EMPTY])
    assert set(losses) == {"classification", "box"}
    torch.stack(list(losses.values())).sum().backward()
    assert [name for name, one in module.named_parameters() if one.grad is None] == []


def test_it_learns_a_box_whose_four_numbers_differ_and_its_label(learnt):
    (found,) = learnt([picture()])
    assert int(found["labels"][0]) == 2
    assert overlap(found, BOX) > 0.75
    assert overlap(found, [BOX[1], BOX[0], BOX[3], BOX[2]]) < 0.5


def test_boxes_are_in_the_pixels_of_the_picture_that_was_given(learnt):
    """Twice as large a thing has a box twice as large; what fills a square is not looked into."""
    large = picture().repeat_interleave(2, 1).repeat_interleave(2, 2)
    cut = large[:, : 2 * 46]  # its square is the same, filled with the mean colour
    (one,), (two,) = learnt([large]), learnt([cut])
    assert overlap(one, [2 * corner for corner in BOX]) > 0.6
    torch.testing.assert_close(one["boxes"][0], two["boxes"][0])
    assert float(one["boxes"][:, 3].max()) > 92 == float(two["boxes"][:, 3].max())
    assert float(two["boxes"].min()) >= 0
    assert float(two["boxes"][:, 2].max()) <= 128


def test_anchors_and_logits_stand_in_one_order(learnt):
    """What number 1 of the answers says can be found again in the raw levels, yxyx."""
    squares, _ = learnt.prepare([picture()])
    with torch.inference_mode():
        logits, shifts = learnt.model(squares)
    flat = torch.cat([one.permute(0, 2, 3, 1).reshape(-1, 3) for one in logits])
    moved = torch.cat([one.permute(0, 2, 3, 1).reshape(-1, 4) for one in shifts])
    anchors = learnt.anchors.boxes
    assert flat.shape[0] == moved.shape[0] == len(anchors)
    at = int(flat.max(1).values.argmax())
    (found,) = learnt([picture()])
    torch.testing.assert_close(found["scores"][0], flat[at].max().sigmoid(), check_dtype=False)
    y1, x1, y2, x2 = anchors[at].tolist()
    dy, dx, dh, dw = moved[at].tolist()
    y, x = (y1 + y2) / 2 + dy * (y2 - y1), (x1 + x2) / 2 + dx * (x2 - x1)
    high, wide = math.exp(dh) * (y2 - y1), math.exp(dw) * (x2 - x1)
    expected = [x - wide / 2, y - high / 2, x + wide / 2, y + high / 2]
    torch.testing.assert_close(found["boxes"][0], torch.tensor(expected).clamp(0, SIDE))


@pytest.mark.parametrize("shape", [(64, 64), (100, 140), (140, 100), (33, 47), (427, 640)])
def test_a_square_is_made_as_by_effdets_own_loader(shape):
    pixels = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    module = network()
    from effdet.data.transforms import ResizePad  # warns unless our module imported it before

    mean = tuple(round(255 * one) for one in module.mean)
    made, about = ResizePad(SIDE, "bilinear", mean)(Image.fromarray(pixels), {})
    expected = torch.from_numpy(np.array(made)).permute(2, 0, 1) / 255
    squares, scales = module.prepare([torch.from_numpy(pixels).permute(2, 0, 1) / 255])
    back = squares[0] * module.std[0] + module.mean[0]
    assert float((back - expected).abs().max()) < 1.6 / 255  # Pillow rounds, twice
    assert float(scales[0]) == pytest.approx(about["img_scale"])


def test_gradients_reach_the_picture(learnt):
    image = picture((40, 64)).requires_grad_()
    squares, _ = learnt.prepare([image])
    learnt.model(squares)[0][0].max().backward()
    assert float(image.grad.abs().sum()) > 0


def test_overlapping_boxes_are_left_out_or_lose_score(learnt):
    soft = network(soft_nms=True)
    soft.load_state_dict(learnt.state_dict())
    hard, softened = learnt([picture()])[0], soft.eval()([picture()])[0]
    torch.testing.assert_close(hard["scores"][0], softened["scores"][0].detach())

    def most(found):
        boxes = found["boxes"][found["labels"] == 2].detach()
        return float(box_iou(boxes, boxes).nan_to_num().fill_diagonal_(0).max())

    assert most(hard) <= 0.5 < most(softened)

    def named(module):
        return TorchDetector(module=module, name="e", classes="colours", outputs=3).fingerprint

    assert named(soft) != named(learnt)


def test_it_keeps_the_contract_whatever_stands_beside_an_image(learnt):
    model = TorchDetector(module=learnt, name="efficient", classes="colours", outputs=3)
    assert len(model([picture()])[0][0])
    check_detector(model)
    before = model.fingerprint
    model([picture((80, 100)), picture()])
    assert model.fingerprint == before


def test_settings_that_decide_anchors_are_a_part_of_the_fingerprint():
    prints = {
        TorchDetector(module=network(**one), name="e", classes="colours", outputs=3).fingerprint
        for one in ({}, {"anchor": 2.0}, {"side": 32}, {"scales": 3})
    }
    assert len(prints) == 4


def test_public_weights_fit_by_effdets_own_names():
    """They are those of effdet's network alone, without its anchors."""
    with torch.device("meta"):
        module = efficientdet.real(90, "tf_efficientdet_d2")
    own = module.model.state_dict()
    assert efficientdet.own_names(own).keys() == module.state_dict().keys()
    assert efficientdet.own_names(module.state_dict()).keys() == module.state_dict().keys()
    assert efficientdet.address("tf_efficientdet_d2").endswith("tf_efficientdet_d2_43-8107aa99.pth")


def test_the_real_ones_have_the_sizes_of_the_paper():
    with torch.device("meta"):
        made = {name: efficientdet.real(90, f"tf_efficientdet_{name}") for name in ("d2", "d4")}
    millions = {
        name: round(sum(one.numel() for one in module.parameters()) / 1e6)
        for name, module in made.items()
    }
    assert millions == {"d2": 8, "d4": 21}  # [nao, table 2]
    assert tuple(made["d4"].settings["image_size"]) == (1024, 1024)
