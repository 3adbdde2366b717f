"""Detectors by name: their rows, their weights, and a user's own."""

import pytest
import torch

from robust_lib.code_digest import source_digest
from robust_lib.config import class_lists
from robust_lib.config.manifests import is_detector, load_model, model_names
from robust_lib.errors import InputError, ModelError
from robust_lib.models import torch_models
from robust_lib.models.detectors import builders
from robust_lib.models.detectors.contract import check_detector
from robust_lib.models.detectors.efficientdet import EfficientDet
from robust_lib.models.detectors.labels import by_coco_id

ROWS = [name for name in model_names() if is_detector(name)]
SMALL = [name for name in ROWS if name.endswith("_mini")]
PUBLISHED = [name for name in ROWS if load_model(name).weights]


def unset(name):
    """Build a row's network for 7 classes, without memory for its weights."""
    manifest = load_model(name)
    arguments = {key: one for key, one in manifest.arguments.items() if key != "labels"}
    with torch.device("meta"):
        return builders.BUILDERS[manifest.builder](7, **arguments)


def test_every_row_builds_a_detector_for_its_classes_on_layers_that_its_start_has():
    for name in ROWS:
        manifest, module = load_model(name), unset(name)
        assert manifest.preprocessing.words == "as they are", name
        if isinstance(module, EfficientDet):
            assert module.bench.num_classes == 7, name
            assert (module.mean, module.std) == (manifest.mean, manifest.std), name
        else:
            assert {"backbone", "transform"} <= dict(module.named_children()).keys(), name
            assert tuple(module.transform.image_mean) == manifest.mean, name
            assert tuple(module.transform.image_std) == manifest.std, name
        if manifest.starts_from is None:
            continue
        with torch.device("meta"):
            start = torch_models.build(load_model(manifest.starts_from), outputs=7).state_dict()
        body = getattr(module, "model", module).backbone.body.state_dict()
        assert len(body) > 50, name
        assert all(start[key].shape == value.shape for key, value in body.items()), name


def test_published_networks_have_cocos_ids_as_labels():
    assert PUBLISHED
    for name in PUBLISHED:
        manifest = load_model(name)
        with torch.device("meta"):
            module = builders.BUILDERS[manifest.builder](80, **manifest.arguments)
        assert manifest.arguments["labels"] == 91, name
        if isinstance(module, EfficientDet):
            assert module.bench.num_classes == 90, name  # it has no label for the background
        model = builders.detector(manifest, torch.nn.Identity())
        assert (model.outputs, model.labels) == (80, by_coco_id("coco")), name
        assert builders.detector(manifest, torch.nn.Identity(), outputs=7).labels is None, name


def test_an_answer_of_91_labels_has_the_classes_of_the_list():
    """Label 18 is COCO's dog, which is class 16 of 80; 12 is the id of no category."""

    class Said(torch.nn.Module):
        def forward(self, images):
            boxes = torch.tensor([[0.0, 0.0, 4.0, 8.0]] * 4)
            labels = torch.tensor([18, 12, 90, 0])
            scores = torch.tensor([0.9, 0.8, 0.7, 0.6])
            return [{"boxes": boxes, "labels": labels, "scores": scores} for _ in images]

    model = builders.detector(load_model("maskrcnn_resnet50_fpn"), Said())
    ((boxes, classes, scores),) = model([torch.zeros(3, 16, 16)])
    named = class_lists.load_classes("coco").names
    assert [named[one] for one in classes] == ["dog", "toothbrush"]
    assert scores.tolist() == pytest.approx([0.9, 0.7])
    assert boxes.shape == (2, 4)


def test_small_ones_keep_the_contract():
    for name in SMALL:
        model = builders.load(name, source="random", outputs=3)
        assert (model.name, model.outputs) == (name, 3)
        assert model.classes == load_model(name).classes, name
        check_detector(model)


def test_code_that_decides_layers_is_known_of_every_builder():
    assert builders.CODE.keys() == builders.BUILDERS.keys()
    digests = {name: source_digest(*modules) for name, modules in builders.CODE.items()}
    assert len(set(digests.values())) == 6
    assert digests["rfcn"] != digests["faster_rcnn"] != digests["mask_rcnn_mini"]


def test_without_effdet_one_paragraph_says_so_before_anything_is_built(monkeypatch):
    monkeypatch.setattr(builders, "find_spec", lambda _: None)
    for name in ("efficientdet_d2", "efficientdet_d7_mini"):
        with pytest.raises(
            ModelError, match=f"effdet, which makes {name}, but it is not installed"
        ):
            builders.load(name, source="random", outputs=3)
    builders.require_usable(load_model("retinanet_layouts_mini"))


def test_weights_of_effdets_own_network_fit(tmp_path):
    row = load_model("efficientdet_d7_mini")
    module = builders.build(row, outputs=3, seed=4)
    torch.save(module.model.state_dict(), tmp_path / "theirs.pt")
    one = builders.load(row.name, source=tmp_path / "theirs.pt", outputs=3)
    assert (
        one.fingerprint == builders.load(row.name, source="random", outputs=3, seed=4).fingerprint
    )


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
    with pytest.raises(ModelError, match=r"here \(its recipe.*clips_detection\)"):
        builders.load("rfcn_resnet101_mini", outputs=3)


def test_a_classifier_is_no_detector_and_the_other_way_round():
    with pytest.raises(InputError, match=r"detector.*resnet50.*classifier"):
        builders.load("resnet50", source="random")
    with pytest.raises(InputError, match=r"classifier.*rfcn_resnet101_mini"):
        torch_models.load("rfcn_resnet101_mini", source="random", outputs=3)


def test_arguments_that_a_builder_does_not_take():
    row = load_model("rfcn_resnet101_mini")
    with pytest.raises(InputError, match="arguments that rfcn_mini accepts"):
        builders.build(row.model_copy(update={"arguments": {"colour": "red"}}), outputs=3)
    with pytest.raises(InputError, match=r"residual blocks.*vgg11"):
        builders.build(row.model_copy(update={"arguments": {"backbone": "vgg11"}}), outputs=3)


def test_a_users_function(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from tests.boxed import detector\n\ndef build():\n    return detector('mine')\n\n"
        "def wrong():\n    return 3\n"
    )
    assert builders.load(f"{file}:build").name == "mine"
    with pytest.raises(ModelError, match=r"wrong\(\).*Detector.*returned"):
        builders.load(f"{file}:wrong")


def test_a_users_function_that_needs_what_is_not_installed(tmp_path):
    file = tmp_path / "theirs.py"
    file.write_text("def build():\n    import detectron3\n")
    told = "theirs.py:build to make a detector, but .*No module named 'detectron3'"
    with pytest.raises(ModelError, match=told):
        builders.load(f"{file}:build")


@pytest.mark.parametrize("weights", ["file:mine.pth", "random"])
def test_weights_of_ones_own_have_cocos_ids_as_labels_too(weights):
    row = load_model("maskrcnn_resnet50_fpn").model_copy(update={"weights": weights})
    assert builders.detector(row, torch.nn.Identity()).labels == by_coco_id("coco")
