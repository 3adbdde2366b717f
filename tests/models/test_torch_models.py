"""Models by name: rows, libraries, the user's own file, and helpful errors."""

import pytest
import timm
import torch
from torchvision import models as of_torchvision

from robust_lib.config import manifests
from robust_lib.errors import InputError, ModelError
from robust_lib.models import torch_models
from robust_lib.models.adapter import IMAGENET_MEAN, IMAGENET_STD, TorchClassifier
from robust_lib.models.contract import check_classifier
from robust_lib.models.detectors import builders as detector_builders
from robust_lib.preprocessing import Preprocessing


def test_a_row_becomes_a_classifier_with_its_settings():
    model = torch_models.load("resnet18", source="random")
    row = manifests.load_model("resnet18")
    assert (model.name, model.classes, model.outputs) == ("resnet18", "imagenet_1k", 1000)
    assert model.preprocessing == row.preprocessing == Preprocessing(256, 224)
    assert (model.mean, model.std) == (row.mean, row.std)
    check_classifier(model)


def test_random_weights_follow_the_seed_and_leave_torchs_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one = torch_models.load("alexnet_mini", source="random", outputs=5, seed=1)
    assert torch.equal(torch.rand(1), expected)
    again = torch_models.load("alexnet_mini", source="random", outputs=5, seed=1)
    other = torch_models.load("alexnet_mini", source="random", outputs=5, seed=2)
    assert one.fingerprint == again.fingerprint != other.fingerprint


def test_trained_weights_come_back_as_the_same_model(tmp_path):
    trained = torch_models.load("vgg11_mini", source="random", outputs=5, seed=1)
    torch.save(trained.module.state_dict(), tmp_path / "w.pth")
    for source in (tmp_path / "w.pth", trained.module.state_dict()):
        assert (
            torch_models.load("vgg11_mini", source=source, outputs=5).fingerprint
            == trained.fingerprint
        )
    with pytest.raises(ModelError, match="fit vgg11_mini"):
        torch_models.load("vgg11_mini", source=tmp_path / "w.pth", outputs=6)


def test_library_models_without_a_row():
    described = torch_models.describe("torchvision/mobilenet_v3_small")
    assert described.weights == "IMAGENET1K_V1"
    assert described.preprocessing == Preprocessing(256, 224)
    described = torch_models.describe("timm/mobilenetv3_small_050.lamb_in1k")
    assert described.preprocessing == Preprocessing(256, 224, "bicubic")
    model = torch_models.load("timm/mobilenetv3_small_050.lamb_in1k", source="random")
    check_classifier(model)
    with pytest.raises(InputError, match="1000 classes"):
        torch_models.describe("timm/tf_efficientnetv2_s.in21k")


def test_a_row_may_say_how_many_outputs_where_its_classes_have_no_list():
    row = torch_models.describe("resnetv2_50x1_bit")
    model = torch_models.classifier(row, torch.nn.Identity())
    assert (model.classes, model.outputs) == ("imagenet_21k", 21843)
    with pytest.raises(InputError, match="imagenet_21k"):
        torch_models.classifier(row.model_copy(update={"outputs": None}), torch.nn.Identity())


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("resnet5", "resnet50"),
        ("resnet51", "resnet50"),
        ("mobilenet_v2", "torchvision/mobilenet_v2"),
        ("torchvision/resnet19", "torchvision/resnet18"),
        ("qqqq", r"my_net\.py:build"),
    ],
)
def test_unknown_names_list_near_ones(name, near):
    with pytest.raises(InputError, match=near):
        torch_models.load(name)


OWN = """
import torch
from robust_lib.models.adapter import wrap_callable, Preprocessing

def build():
    return torch.nn.Sequential(
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(3, 1000)
    )

def wrapped():
    return wrap_callable(lambda x: x.mean((2, 3)), "mine", "colours", Preprocessing(None, 8))

def nothing():
    return 3
"""


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "my_net.py"
    path.write_text(OWN)
    model = torch_models.load(f"{path}:build")
    assert (model.name, model.classes, model.preprocessing) == (
        "my_net.build",
        "imagenet_1k",
        Preprocessing(256, 224),
    )
    check_classifier(model)
    assert torch_models.load(f"{path}:wrapped").outputs == 3
    with pytest.raises(ModelError, match=r"nothing\(\).*returned int.*wrap_callable"):
        torch_models.load(f"{path}:nothing")
    with pytest.raises(InputError, match=r"function absent\(\)"):
        torch_models.load(f"{path}:absent")
    with pytest.raises(InputError, match="Python file"):
        torch_models.load("absent.py:build")


def told(module, **options):
    model = torch_models.of_module(module, "m", classes="imagenet_1k", outputs=1000, **options)
    return model.preprocessing, model.mean, model.std, model.assumed


def test_a_bare_module_is_shown_pictures_as_it_says_itself():
    plain = torch.nn.Flatten()
    assert told(plain) == (Preprocessing(256, 224), IMAGENET_MEAN, IMAGENET_STD, True)
    lite = timm.create_model("tf_efficientnet_lite1")
    half = (0.5, 0.5, 0.5)
    assert told(lite) == (Preprocessing(272, 240, "bicubic"), half, half, False)
    assert told(torch.nn.DataParallel(lite)) == told(lite)
    mine = Preprocessing(None, 64)
    assert told(lite, preprocessing=mine) == (mine, half, half, False)
    plain.recipe = of_torchvision.ResNet50_Weights.IMAGENET1K_V2
    assert told(plain) == (Preprocessing(232, 224), IMAGENET_MEAN, IMAGENET_STD, False)
    theirs = of_torchvision.Inception_V3_Weights.IMAGENET1K_V1.transforms()
    other, net = torch.nn.Flatten(), of_torchvision.squeezenet1_1()
    net.recipe, other.recipe = theirs, theirs  # the second may apply it itself
    assert told(net)[0] == Preprocessing(342, 299)
    assert told(other)[3]
    squashed = torch.nn.Flatten()
    squashed.default_cfg = {"input_size": (3, 64, 64), "crop_pct": 1.0, "crop_mode": "squash"}
    squashed.default_cfg |= {"interpolation": "bicubic", "mean": half, "std": half}
    assert told(squashed)[0] == Preprocessing((64, 64), 64, "bicubic")
    squashed.default_cfg["crop_mode"] = "border"
    with pytest.raises(InputError, match=r"crop.*border\..*TorchClassifier"):
        told(squashed)


PLACED = """
import torch
from robust_lib import Preprocessing, TorchClassifier, TorchDetector

SETTINGS = dict(module=torch.nn.Flatten(), name="mine", classes="colours", outputs=3)

def build(**where):
    return TorchClassifier(preprocessing=Preprocessing(None, 1), **SETTINGS, **where)

def elsewhere():
    return build(device="cuda:98")

def spotter():
    return TorchDetector(**SETTINGS)
"""


def test_a_users_network_goes_to_the_device_unless_it_names_one_itself(tmp_path):
    (tmp_path / "net.py").write_text(PLACED)
    names = [f"{tmp_path / 'net.py'}:{name}" for name in ("build", "elsewhere", "spotter")]
    made = torch_models.load(names[0], device="cuda:99")
    assert isinstance(made, TorchClassifier)
    assert made.device == "cuda:99"
    assert torch_models.load(names[1], device="cuda:99").device == "cuda:98"
    assert detector_builders.load(names[2], device="cuda:99").device == "cuda:99"
