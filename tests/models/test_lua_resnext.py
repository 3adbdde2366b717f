"""Ports from Lua: numbers become names, and the network computes the same as the numbered tree."""

import hashlib
from functools import reduce

import pytest
import timm
import torch
from torch import nn

from robust_lib.config import manifests
from robust_lib.errors import ModelError
from robust_lib.models import lua_resnext, torch_models, weights

STAGES = (3, 4, 23, 3)


class Branches(nn.Sequential):
    """Lua's ConcatTable: each part sees the same input."""

    def forward(self, x):
        return [part(x) for part in self]


class Sum(nn.Sequential):
    """Lua's CAddTable."""

    def forward(self, parts):
        return reduce(torch.add, parts)


def normalised(*sizes, **settings):
    return nn.Conv2d(*sizes, bias=False, **settings), nn.BatchNorm2d(sizes[1])


def block(inside, width, outside, groups, stride):
    main = nn.Sequential(
        nn.Sequential(
            *normalised(inside, width, 1),
            nn.ReLU(),
            *normalised(width, width, 3, stride=stride, padding=1, groups=groups),
            nn.ReLU(),
        ),
        *normalised(width, outside, 1),
    )
    same = inside == outside and stride == 1
    shortcut = nn.Sequential(*(() if same else normalised(inside, outside, 1, stride=stride)))
    return nn.Sequential(Branches(main, shortcut), Sum(), nn.ReLU())


class Port(nn.Module):
    """A ResNeXt in the tree of the published files: features.0, features.1, features.4 and on."""

    def __init__(self, stages, groups, width, outputs):
        super().__init__()
        inside, layers = 64, []
        for stage, blocks in enumerate(stages):
            outside = 256 * 2**stage
            made = [
                block(
                    inside if first else outside,
                    groups * width * 2**stage,
                    outside,
                    groups,
                    2 if first and stage else 1,
                )
                for first in (True, *[False] * (blocks - 1))
            ]
            layers.append(nn.Sequential(*made))
            inside = outside
        self.features = nn.Sequential(
            *normalised(3, 64, 7, stride=2, padding=3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *layers
        )
        self.last_linear = nn.Linear(inside, outputs)

    def forward(self, x):
        return self.last_linear(self.features(x).mean((2, 3)))


@pytest.mark.parametrize(("name", "groups"), [("resnext101_32x4d", 32), ("resnext101_64x4d", 64)])
def test_every_tensor_of_the_published_trees_has_its_place(name, groups):
    with torch.device("meta"):
        port = Port(STAGES, groups, 4, 1000).state_dict()
        own = torch_models.build(manifests.load_model(name)).state_dict()
    assert "features.6.22.0.0.0.3.weight" in port
    assert port["features.4.0.0.1.0.weight"].shape == (256, 64, 1, 1)
    found = {key: tensor.shape for key, tensor in lua_resnext.renamed(port).items()}
    assert found == {key: tensor.shape for key, tensor in own.items()}


def small(seed):
    """A port of few blocks, untrained but with statistics of its own."""
    torch.manual_seed(seed)
    port = Port((1, 2, 1, 1), groups=2, width=4, outputs=5)
    port(torch.rand(4, 3, 64, 64))
    return port.eval()


def test_the_named_network_computes_what_the_tree_does():
    port, images = small(0), torch.rand(2, 3, 64, 64)
    network = timm.models.resnet.ResNet(
        timm.models.resnet.Bottleneck, (1, 2, 1, 1), num_classes=5, cardinality=2, base_width=4
    ).eval()
    weights.put(network, lua_resnext.renamed(port.state_dict()), "small")
    with torch.inference_mode():
        assert torch.allclose(network(images), port(images), atol=1e-5)


def test_a_file_of_a_port_is_read_by_its_names_and_checked_by_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    folder = tmp_path / "weights"
    folder.mkdir()
    # Files of that time have no counters of batches.
    state = {
        k: v for k, v in small(1).state_dict().items() if not k.endswith("num_batches_tracked")
    }
    torch.save(state, folder / "w.pth")
    digest = hashlib.sha256((folder / "w.pth").read_bytes()).hexdigest()
    (folder / "w.pth").rename(folder / f"small-{digest[:8]}.pth")
    row = manifests.load_model("resnext101_32x4d")
    right = row.model_copy(update={"weights": f"file:small-{digest[:8]}.pth"})
    assert "layer2.1.conv2.weight" in weights.find(right, None)
    (folder / "small-01234567.pth").write_bytes((folder / f"small-{digest[:8]}.pth").read_bytes())
    wrong = row.model_copy(update={"weights": "file:small-01234567.pth"})
    with pytest.raises(ModelError, match="SHA-256 01234567"):
        weights.find(wrong, None)


@pytest.mark.parametrize("name", ["resnext101_32x4d", "resnext101_64x4d"])
def test_the_papers_networks_ask_for_the_papers_files(name, tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    with pytest.raises(ModelError, match=rf"Put them there.*pretrainedmodels/{name}-\w{{8}}\.pth"):
        torch_models.load(name)
    assert "gluon" in manifests.load_model(f"{name}_gluon").arguments["name"]


def test_names_of_other_networks_stay():
    state = {"features.0.weight": torch.ones(1), "classifier.weight": torch.ones(1)}
    assert lua_resnext.renamed(state).keys() == state.keys()
    assert lua_resnext.torchvision_name("features.4.0.0.5.weight") == "features.4.0.0.5.weight"
