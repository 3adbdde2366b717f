"""The blocks on other architectures: who plays whom, arrows, and what nobody plays."""

from dataclasses import replace

from robust_book.chapters.inc_3_enhancements import architectures
from robust_book.page import Page
from tests.chapters.toys import enhanced, texts


def test_figures_are_judged_by_the_network_that_was_trained_alike(page, known):
    for block in (architectures.noises, architectures.aggregation):
        assert "ResNet-34-like plays ResNet-50" in str(block(page, *known))


def test_a_network_of_ones_own_stands_in_figure_4(run, page):
    own = replace(run, networks=(*run.networks[:3], replace(run.networks[0], model="mine")))
    block = architectures.aggregation(Page(own), *enhanced(own))
    assert "mine" in texts(block, "text")


def test_networks_that_a_profile_lacks_are_named_with_the_reason(run, page, known):
    assert "Not asked" not in str(architectures.small(page, *known))
    networks = run.profile.networks["enhancements"]
    left = {paper: ours for paper, ours in networks.items() if "condensenet" not in paper}
    profile = run.profile.model_copy(
        update={"networks": run.profile.networks | {"enhancements": left}}
    )
    block = architectures.small(Page(replace(run, profile=profile)), *known)
    assert "Not asked: condensenet_4, condensenet_8." in str(block)


def test_arrows_of_both_sources_go_by_their_titles(page, known):
    written = texts(architectures.aggregation(page, *known), "text")
    assert {"ResNeXt-101", "DenseNet-161", "DenseNet-161-like"} <= set(written)
