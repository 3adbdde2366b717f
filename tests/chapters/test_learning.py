"""Training curves: folded, with both ends in words."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from robust_book.chapters import learning, nao_2_map, tour
from robust_book.chapters.learning import detectors_trained, losses, trained
from robust_book.page import Page
from robust_lib.config.manifests import load_model
from robust_lib.run.start import start
from robust_lib.training.recipes import load_recipe


@pytest.fixture(scope="module")
def page():
    return Page(start(tour.CHAPTER, "mini"))


def test_the_curves_are_folded_under_what_they_show(page):
    shown = str(trained(page, {"VGG-11": [[10.0, 55.0], [20.0, 45.0]]}, of="icons"))
    assert shown.startswith('<details class="rb-aside"><summary>How the networks learned')
    assert "after the first epoch from 10 to 20 %, after the last from 45 to 55 %" in str(shown)


@pytest.mark.parametrize("nothing", [{}, {"ResNet-18": []}])
def test_a_run_with_public_weights_alone_says_so_and_draws_no_empty_figure(page, nothing):
    for shown in (trained(page, nothing, of="icons"), detectors_trained(page, nothing, of="icons")):
        assert "No network was trained in this run" in str(shown)
        assert "<svg" not in str(shown)


def test_a_detectors_loss_is_no_percentage(page):
    shown = str(detectors_trained(page, {"mine": [[2.0, 1.0]]}, of="frames"))
    assert "Loss on frames by epoch, one line per detector." in str(shown)


def test_schedules_are_read_from_recipes_and_begin_with_those_of_the_network_begun_as(page):
    """VGG-19's relative begins as VGG-11's, and typed numbers of epochs went stale."""
    names = ("vgg19_mini", "densenet121_mini", "resnet34_mini", "my_net.py:build", "vgg11")
    recipes = (load_recipe(load_model(name).recipe).epochs for name in ("vgg11_mini", *names[:2]))
    first, then, dense = recipes
    assert learning.schedules(page.run, names).text == (
        f"{first} + {then} epochs at 64 pixels (VGG-19-like), "
        f"{dense} epochs at 48 pixels (DenseNet-121-like; ResNet-34-like)"
    )
    assert learning.schedules(page.run, ["vgg11"]).text == "none is trained in this run"


def test_losses_stand_under_the_detectors_titles(page, monkeypatch):
    made = SimpleNamespace(
        model=SimpleNamespace(name="rfcn_resnet101_mini~1"), curves=SimpleNamespace(loss=(2.0, 1.0))
    )
    monkeypatch.setattr(learning, "trained_detectors", lambda *_: [made, made])
    assert losses(page.run) == {"R-FCN (ResNet-101-like)": [[2.0, 1.0]] * 2}


def test_the_detector_that_chooses_trains_longer_than_the_others_and_the_page_says_so():
    """Only the conventions told of it: a drop of the others would be that of their training."""
    found = start(nao_2_map.CHAPTER, "mini")
    longer, others = (
        load_recipe(load_model(name).recipe).epochs
        for name in ("efficientdet_d7_mini", "retinanet_layouts_mini")
    )
    told = learning.detector_schedules(found).text
    assert told.startswith(f"{longer} epochs (EfficientDet-D7-like), {others} epochs (")
    alone = replace(found, profile=found.profile.model_copy(update={"networks": {}}))
    assert learning.detector_schedules(alone).text == "none is trained in this run"
