"""Which type a network is, by the paper's name."""

import pytest

from robust_lib.protocols.pm_k import networks
from robust_lib.results.reported import reported


def test_every_network_of_the_papers_tables_has_a_type_of_the_six():
    for item in ("vid-tab1", "vid-tab3"):
        models = {row.model for row in reported(item) if row.model}
        assert len(models) >= 6
        assert {networks.type_of(model) for model in models} <= set(networks.TYPES.values())


@pytest.mark.parametrize(
    ("paper", "kind"),
    [
        ("resnet50_finetune_2", "fine-tuned on video"),
        ("resnet152_finetune", "fine-tuned on video"),
        ("resnet50_detection", "detector, most confident box"),
        ("feature_denoise", "against attacks"),
        ("resnet50_augmented", "with noise augmentation"),
        ("nasnetalarge", "trained on still images"),
    ],
)
def test_types(paper, kind):
    assert networks.type_of(paper) == kind


def test_a_network_without_a_part_keeps_its_name():
    assert networks.paper_name("mine.py:net", {"vgg11": "vgg11_mini"}) == "mine.py:net"
