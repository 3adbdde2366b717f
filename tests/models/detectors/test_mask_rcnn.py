"""Mask R-CNN in small: it learns masks beside boxes, and needs them."""

import torch

from robust_lib.models.detectors import mask_rcnn
from robust_lib.models.detectors.contract import check_detector
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests.boxed import EMPTY, TARGET, TINY, faster, seeded

IMAGES = [torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(0))] * 2
MASK = torch.zeros(1, 64, 64, dtype=torch.uint8)
MASK[:, 10:40, 10:25] = 1  # the left half of the box
MASKS = [
    TARGET | {"masks": MASK},
    EMPTY | {"masks": torch.zeros(0, 64, 64, dtype=torch.uint8)},
]


def network():
    return seeded(
        lambda: mask_rcnn.small(
            3, "resnet18", hidden=32, side=64, anchors=(20, 28, 40), drawing=8, **TINY
        )
    )


def test_losses_by_name_that_reach_every_weight():
    module = network().train()
    losses = module(IMAGES, MASKS)
    assert set(losses) - {"loss_mask"} == set(faster().train()(IMAGES, [TARGET, EMPTY]))
    torch.stack(list(losses.values())).sum().backward()
    assert [name for name, one in module.named_parameters() if one.grad is None] == []


def test_networks_that_learn_no_masks_are_not_disturbed_by_them():
    module = faster().train()
    torch.manual_seed(0)
    without = module(IMAGES, [TARGET, EMPTY])
    torch.manual_seed(0)
    beside = module(IMAGES, MASKS)
    assert without.keys() == beside.keys()
    assert all(torch.allclose(without[key], beside[key], atol=1e-5) for key in without)


def test_it_learns_to_draw_the_left_half():
    module = network().train()
    optimiser = torch.optim.AdamW(module.parameters(), lr=0.005)
    torch.manual_seed(0)
    for _ in range(60):
        loss = module(IMAGES[:1], MASKS[:1])["loss_mask"]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert float(loss.detach()) < 0.2  # a guess costs 0.69


def test_a_mask_for_every_box_in_the_pixels_of_the_picture():
    module = network().eval()
    module.roi_heads.score_thresh = 0.0
    (said,) = module([torch.rand(3, 48, 80)])
    assert said["masks"].shape == (len(said["boxes"]), 1, 48, 80)
    model = TorchDetector(module=module, name="mask", classes="colours", outputs=3, least_score=0.0)
    assert len(model([torch.rand(3, 48, 80)])[0][0])
    check_detector(model)
