"""Detectors by name: their rows, their weights, and a user's own."""

import pytest
import torch

from robust_lib.config.detector_rows import is_detector
from robust_lib.config.manifests import load_model, model_names
from robust_lib.errors import InputError, ModelError
from robust_lib.models import torch_models
from robust_lib.models.detectors import builders
from robust_lib.models.detectors.contract import check_detector

ROWS = [name for name in model_names() if is_detector(name)]
SMALL = [name for name in ROWS if name.endswith("_mini")]


@pytest.mark.parametrize("name", ROWS)
def test_every_row_builds_a_detector_for_its_classes(name):
    manifest = load_model(name)
    with torch.device("meta"):
        module = builders.BUILDERS[manifest.builder](7, **manifest.arguments)
    assert {"backbone", "rpn", "roi_heads", "transform"} <= dict(module.named_children()).keys()
    assert manifest.preprocessing.words == "as they are"
    transform = module.transform
    assert tuple(transform.image_mean) == manifest.mean
    assert tuple(transform.image_std) == manifest.std


@pytest.mark.parametrize("name", ROWS)
def test_every_row_starts_from_a_classifier_whose_layers_its_backbone_has(name):
    manifest = load_model(name)
    base = load_model(manifest.starts_from)
    with torch.device("meta"):
        module = builders.BUILDERS[manifest.builder](7, **manifest.arguments)
    start = torch_models.build(base, outputs=7).state_dict()
    body = module.backbone.body.state_dict()
    assert len(body) > 50
    assert all(start[key].shape == value.shape for key, value in body.items())


@pytest.mark.parametrize("name", SMALL)
def test_small_ones_keep_the_contract(name):
    model = builders.load(name, source="random", outputs=3)
    assert (model.name, model.outputs, model.classes) == (name, 3, "scenes_vid")
    check_detector(model)


def test_the_seed_decides_the_weights_and_torchs_generator_is_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    prints = [
        builders.load("rfcn_resnet101_mini", source="random", outputs=3, seed=seed).fingerprint
        for seed in (0, 0, 1)
    ]
    assert prints[0] == prints[1] != prints[2]
    assert torch.equal(torch.rand(1), expected)


def test_weights_come_from_a_file(tmp_path):
    name = "rfcn_resnet101_mini"
    module = builders.build(load_model(name), outputs=3, seed=4)
    torch.save(module.state_dict(), tmp_path / "mine.pt")
    one = builders.load(name, source=tmp_path / "mine.pt", outputs=3)
    assert one.fingerprint == builders.load(name, source="random", outputs=3, seed=4).fingerprint
    with pytest.raises(ModelError, match="Expected weights that fit rfcn_resnet101_mini"):
        builders.load(name, source=tmp_path / "mine.pt", outputs=4)


def test_what_is_trained_here_has_no_published_weights():
    with pytest.raises(ModelError, match=r"it is trained here \(its recipe is clips_detection\)"):
        builders.load("rfcn_resnet101_mini", outputs=3)


def test_a_classifier_is_no_detector_and_the_other_way_round():
    with pytest.raises(InputError, match="Expected a detector, but resnet50 is a classifier"):
        builders.load("resnet50", source="random")
    with pytest.raises(InputError, match="Expected a classifier, but rfcn_resnet101_mini is"):
        torch_models.load("rfcn_resnet101_mini", source="random", outputs=3)


def test_arguments_that_a_builder_does_not_take():
    row = load_model("rfcn_resnet101_mini")
    with pytest.raises(InputError, match="arguments that rfcn_mini understands"):
        builders.build(row.model_copy(update={"arguments": {"colour": "red"}}), outputs=3)
    with pytest.raises(InputError, match=r"of four stages of residual blocks, but vgg11 is none"):
        builders.build(row.model_copy(update={"arguments": {"backbone": "vgg11"}}), outputs=3)


def test_a_users_function(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from tests.boxed import detector\n\ndef build():\n    return detector('mine')\n\n"
        "def wrong():\n    return 3\n"
    )
    assert builders.load(f"{file}:build").name == "mine"
    with pytest.raises(ModelError, match=r"wrong\(\) to return a Detector, but it returned int"):
        builders.load(f"{file}:wrong")
