"""The name of a network: spelled and read in one place, the same both ways."""

import pytest

from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.run.network import Network, network_title, resolved


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("resnet18", Network("resnet18")),
        ("resnet18+fog", Network("resnet18", corruption="fog")),
        ("resnet18_mini+rain.py:rain", Network("resnet18_mini", corruption="rain.py:rain")),
        (
            "resnet20@style:microsoft:authors",
            Network("resnet20", hold_out="style:microsoft:authors"),
        ),
        ("resnet18+fog@version~2", Network("resnet18", "fog", "version", 2)),
        ("torchvision/resnet34", Network("torchvision/resnet34")),
        ("timm/resnet50.a1_in1k", Network("timm/resnet50.a1_in1k")),
        ("a+b@c.py:build", Network("a+b@c.py:build")),
        ("~/nets/my_net.py:build", Network("~/nets/my_net.py:build")),
        ("~/nets/my_net.py:build~1", Network("~/nets/my_net.py:build", seed=1)),
    ],
)
def test_a_text_and_its_network(text, network):
    assert Network.read(text) == network
    assert str(network) == text


def test_a_papers_name_may_be_told_from_a_path_with_a_plus():
    assert Network.read("their_net+rain.py:rain").model == "their_net+rain.py:rain"
    assert Network.read("their_net+rain.py:rain", ["their_net"]).corruption == "rain.py:rain"


def test_a_network_without_its_seed_or_its_variant():
    network = Network("resnet18", "fog", seed=2)
    assert str(network.of_all_seeds) == "resnet18+fog"
    assert network.plain == Network("resnet18")
    assert (network.is_plain, network.plain.is_plain) == (False, True)
    assert not Network("resnet20", hold_out="version").is_plain


def test_ours_plays_the_papers_part_in_its_section_alone():
    mini = load_profile("mini")
    assert str(resolved(mini, "imagenet_c", "resnet50")) == "resnet50_mini"
    assert str(resolved(mini, "balance", "resnet50")) == "resnet18_small"
    assert str(resolved(mini, "overlap", "densenet121+fog")) == "densenet121_small+fog"
    assert str(resolved(mini, "", "resnet50")) == "resnet50"
    assert str(resolved(mini, "imagenet_c", "my_net.py:build")) == "my_net.py:build"


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("resnet18_mini", "ResNet-18-like"),
        ("resnet18_small+fog~2", "ResNet-18-like + Fog"),
        ("resnet18_small+jpeg_compression", "ResNet-18-like + JPEG"),
        ("resnet18_small+rain.py:heavy_rain", "ResNet-18-like + Heavy rain"),
        ("resnet20@version", "ResNet-20 without version"),
        ("resnext101_32x4d_se", "ResNeXt-101 (32x4d) + SE"),
        ("someones_net", "someones_net"),
        ("timm/resnet50.a1_in1k", "timm/resnet50.a1_in1k"),
    ],
)
def test_a_network_is_called_by_its_rows_title_and_its_training(name, called):
    assert network_title(name) == called


@pytest.mark.parametrize("name", ["lite+fog", "mine@home", "net~1", "a+b@c~2"])
def test_a_network_that_somebody_called_so_is_no_variant_of_another(name):
    assert (Network.read(name).model, network_title(name)) == (name, name)


@pytest.mark.parametrize("name", ["", " ", "a" * 201, "a\0b", "a\nb"])
def test_a_name_that_no_file_and_no_table_can_have_is_refused_in_one_sentence(name):
    with pytest.raises(InputError, match=r"network's.*1.*200 characters") as no:
        Network.read(name)
    assert len(str(no.value)) < 250
