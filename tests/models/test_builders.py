"""Builders: networks by name and arguments, and what the libraries say of theirs."""

import pytest
import torch
from torchvision.models import get_model_weights

from robust_lib.code_digest import source_digest
from robust_lib.config import manifests
from robust_lib.errors import InputError
from robust_lib.models import builders, torch_models
from robust_lib.models.adapter import IMAGENET_MEAN, IMAGENET_STD
from robust_lib.results.gates.references import NORMALISED


@pytest.mark.parametrize(
    ("builder", "arguments"),
    [
        ("torchvision", {"name": "squeezenet1_1"}),
        ("timm", {"name": "mobilenetv3_small_050"}),
        ("mini", {"family": "squeezenet", "width": 8}),
        ("cifar", {"family": "resnet", "depth": 20, "width": 4}),
        ("wide_resnet", {"depth": 10, "widen": 1}),
        ("condensenet", {"condensation": 2}),
        ("msdnet", {"layers": 2, "first": 2, "width": 4, "growth": 4, "head": 8, "stem": 2}),
        ("multigrid", {"width": 4}),
    ],
)
def test_each_builder_makes_a_network_with_as_many_outputs_as_classes(builder, arguments):
    before = dict(arguments)
    network = builders.build(builder, arguments, 7).eval()
    with torch.no_grad():
        assert network(torch.rand(1, 3, 64, 64)).shape == (1, 7)
    assert arguments == before  # a row's arguments are read again


def test_a_librarys_names_are_its_classifiers():
    names = builders.library_names("torchvision")
    assert "resnet18" in names
    assert "fcn_resnet50" not in names  # which segments
    assert {"resnet18", "resnet18.a1_in1k"} <= set(builders.library_names("timm"))


def test_a_row_from_a_library_has_a_name_that_files_can_have():
    row = builders.library_row("timm", "mobilenetv3_small_050.lamb_in1k")
    assert row.name == "mobilenetv3_small_050_lamb_in1k"
    assert row.arguments == {"name": "mobilenetv3_small_050.lamb_in1k"}


def test_the_code_that_decides_layers_is_there():
    digests = [source_digest(*modules) for modules in builders.CODE.values()]
    assert builders.CODE.keys() == builders.BUILDERS.keys() - set(builders.LIBRARIES)
    assert len(set(digests)) == len(digests)


def test_builders_refuse_what_they_do_not_understand():
    with pytest.raises(InputError, match="builder to be one of torchvision, timm, mini"):
        builders.build("keras", {}, 10)
    for builder, arguments in (
        ("mini", {"family": "alexnet", "depth": 3}),
        ("mini", {}),
        ("torchvision", {"name": "no_such_net"}),
        ("timm", {"name": "no_such_net"}),
    ):
        with pytest.raises(InputError, match=builder):
            builders.build(builder, arguments, 10)


@pytest.mark.parametrize("name", ["googlenet", "inception_v3"])
def test_torchvisions_two_models_with_their_own_normalisation(name):
    described = torch_models.describe(f"torchvision/{name}")
    module = torch_models.build(described)
    assert module.transform_input
    model = torch_models.classifier(described, module)
    assert model(torch.rand(2, 3, 96, 96)).shape == (2, 1000)


PUBLIC = [
    name
    for name in manifests.model_names()
    if manifests.load_model(name).builder in builders.LIBRARIES
    and not (manifests.load_model(name).weights or "file:").startswith("file:")
]


def test_every_public_row_names_a_network_and_weights_that_its_library_has():
    names = {library: set(builders.library_names(library)) for library in builders.LIBRARIES}
    for name in PUBLIC:
        row = manifests.load_model(name)
        own = row.arguments["name"]
        assert own in names[row.builder], name
        if row.builder == "torchvision":
            assert row.weights in get_model_weights(own).__members__, name
            continue
        if str(row.weights).startswith("pypi:"):  # the publisher's own, with its preprocessing
            continue
        assert row.weights == "published", name
        if row.outputs is not None:  # of classes without a list: there is no classifier to load
            continue
        published = builders.library_row("timm", own)
        # The paper normalised all networks alike, also those that were trained otherwise.
        mean, std = (
            (IMAGENET_MEAN, IMAGENET_STD) if name in NORMALISED else (published.mean, published.std)
        )
        assert row.mean == pytest.approx(mean, abs=1e-6), name
        assert row.std == pytest.approx(std, abs=1e-6), name
