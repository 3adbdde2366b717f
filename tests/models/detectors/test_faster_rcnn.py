"""Faster R-CNN: losses in training, boxes in use, in the small and in the real size."""

import pytest
import torch

from robust_lib.models.detectors import faster_rcnn
from tests.boxed import EMPTY, TARGET, faster


def test_losses_by_name_that_reach_every_weight():
    network = faster()
    losses = network([torch.rand(3, 64, 64), torch.rand(3, 64, 64)], [TARGET, EMPTY])
    assert set(losses) == {"loss_classifier", "loss_box_reg", "loss_objectness", "loss_rpn_box_reg"}
    torch.stack(list(losses.values())).sum().backward()
    unreached = [name for name, one in network.named_parameters() if one.grad is None]
    assert unreached == []


def test_an_answer_has_boxes_inside_of_the_picture():
    network = faster().eval()
    network.roi_heads.score_thresh = 0.0
    (found,) = network([torch.rand(3, 48, 80)])
    assert len(found["scores"]) <= faster_rcnn.MOST
    assert (found["labels"] >= 1).all()
    assert (found["boxes"] >= 0).all()
    assert (found["boxes"][:, [0, 2]] <= 80).all()


@pytest.mark.parametrize("backbone", ["resnet50", "resnet101"])
def test_the_real_one_has_a_classifiers_names_in_its_body_and_learns_late_stages(backbone):
    from torchvision import models

    with torch.device("meta"):
        network = faster_rcnn.real(30, backbone)
        classifier = models.get_model(backbone)
    assert network.roi_heads.box_predictor.cls_score.out_features == 31
    assert network.backbone.body.state_dict().keys() <= classifier.state_dict().keys()
    body = dict(network.backbone.body.named_parameters())
    assert not body["layer1.0.conv1.weight"].requires_grad
    assert body["layer2.0.conv1.weight"].requires_grad
    assert network.transform.min_size == (800,)
