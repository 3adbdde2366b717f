"""RetinaNet in small: losses in training, boxes in use, thin heads."""

import pytest
import torch

from robust_lib.models.detectors import retinanet
from robust_lib.models.detectors.contract import check_detector
from robust_lib.models.detectors.torch_detector import TorchDetector
from tests.boxed import EMPTY, TARGET, seeded


def network(**settings):
    return seeded(
        lambda: retinanet.small(
            3,
            "resnet18",
            width=8,
            channels=16,
            side=64,
            anchors=((16, 20), (28, 34), (40, 48)),
            **settings,
        )
    )


def test_losses_by_name_that_reach_every_weight():
    module = network()
    losses = module([torch.rand(3, 64, 64), torch.rand(3, 64, 64)], [TARGET, EMPTY])
    assert set(losses) == {"classification", "bbox_regression"}
    torch.stack(list(losses.values())).sum().backward()
    assert [name for name, one in module.named_parameters() if one.grad is None] == []


def test_masks_among_the_targets_change_nothing():
    images, masks = [torch.rand(3, 64, 64)], torch.ones(1, 64, 64, dtype=torch.uint8)
    module = network()
    one, other = module(images, [TARGET]), module(images, [TARGET | {"masks": masks}])
    assert all(torch.allclose(one[key], other[key], atol=1e-5) for key in one)


def test_it_never_says_background():
    """Its head has a place for label 0, which no target has; made sure of it, it finds nothing."""
    module = network()
    with torch.no_grad():
        module.head.classification_head.cls_logits.bias[:] = -9.0
        module.head.classification_head.cls_logits.bias[0] = 9.0  # the first anchor's
    model = TorchDetector(module=module, name="retina", classes="colours", outputs=3)
    said = module([torch.rand(3, 64, 64)])
    assert set(said[0]["labels"].tolist()) == {0}
    assert len(model([torch.rand(3, 64, 64)])[0][0]) == 0


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_heads_are_as_deep_as_asked(layers):
    head = network(layers=layers).head
    assert len(head.classification_head.conv) == len(head.regression_head.conv) == layers


def test_it_keeps_the_contract():
    module = network()
    torch.nn.init.zeros_(module.head.classification_head.cls_logits.bias)
    model = TorchDetector(module=module, name="retina", classes="colours", outputs=3)
    assert len(model([torch.rand(3, 64, 64)])[0][0])
    check_detector(model)
