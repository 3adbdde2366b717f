"""Sizes of weights are those of their parameters, counted another way here."""

import timm
import torch

from robust_book.engine.weight_sizes import estimated_bytes
from robust_lib.config.manifests import load_model


def test_weights_that_torchvision_publishes_are_as_large_as_it_says(tmp_path):
    from torchvision.models import ResNet18_Weights

    said = ResNet18_Weights.IMAGENET1K_V1.meta["_file_size"] * 2**20
    assert abs(estimated_bytes(load_model("resnet18")) / said - 1) < 0.01


def test_of_timms_networks_the_parameters_are_counted(tmp_path):
    row = load_model("dpn68")
    file = tmp_path / "weights.pt"
    torch.save(timm.create_model(row.arguments["name"]).state_dict(), file)
    assert abs(estimated_bytes(row) / file.stat().st_size - 1) < 0.02


def test_nobody_can_count_what_nobody_here_knows():
    row = load_model("resnet18").model_copy(update={"builder": "efficientdet"})
    assert estimated_bytes(row) is None
