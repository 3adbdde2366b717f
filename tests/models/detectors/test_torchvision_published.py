"""torchvision's detectors give torchvision's own answers from its published weights."""

import pytest
import torch
from torchvision.models import _api, detection

from robust_lib.models.detectors import torchvision_published
from robust_lib.models.detectors.torchvision_published import real

SMALL = {"min_size": 64, "max_size": 64}
IMAGE = torch.rand(3, 64, 64, generator=torch.Generator().manual_seed(0))


def features(module):
    with torch.inference_mode():
        return module.eval().backbone(IMAGE[None])["0"]


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [
        ("fasterrcnn_resnet50_fpn", 1e-30),
        ("retinanet_resnet50_fpn", 1e-30),
        ("fcos_resnet50_fpn", None),
    ],
)
def test_features_are_those_of_torchvision_where_it_loads_weights_itself(
    name, epsilon, monkeypatch
):
    """Small variances, as public weights have them, show what is added to them."""
    torch.manual_seed(0)
    mine = real(91, name, epsilon=epsilon, **SMALL)
    for part in mine.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            torch.nn.init.constant_(part.weight, 0.05)
            part.running_var.fill_(1e-4)
    state = {
        key: value
        for key, value in mine.state_dict().items()
        if not key.endswith("num_batches_tracked")
    }
    monkeypatch.setattr(_api.WeightsEnum, "get_state_dict", lambda *_, **__: state)
    theirs = getattr(detection, name)(weights="COCO_V1", **SMALL)
    assert torch.allclose(features(mine), features(theirs), rtol=1e-4)
    if epsilon is not None:
        other = real(91, name, **SMALL)
        other.load_state_dict(mine.state_dict())
        assert not torch.allclose(features(other), features(theirs), rtol=1e-2)


def test_settings_are_passed_on():
    assert real(5, "fcos_resnet50_fpn", score_thresh=0.01).score_thresh == 0.01
    heads = real(5, "maskrcnn_resnet50_fpn", box_score_thresh=0.02).roi_heads
    assert (heads.score_thresh, heads.box_predictor.cls_score.out_features) == (0.02, 5)


def test_the_names_of_labels():
    named = torchvision_published.categories("maskrcnn_resnet50_fpn", "COCO_V1")
    assert (named[18], named[26], named[90]) == ("dog", "N/A", "toothbrush")
