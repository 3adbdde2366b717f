"""The forecast: pictures, passes and hours, by hand for one chapter."""

import pytest

from robust_book.chapters import all_chapters, chapter
from robust_book.engine import forecast
from robust_book.engine.supplies import supplies
from robust_lib.config.profiles import load_profile
from robust_lib.run.network import Network

FULL = load_profile("full")


def test_the_work_of_the_corruption_errors():
    found = forecast.work(chapter("inc_2_mce"), FULL)
    assert found.pictures == 50_000 * (1 + 19 * 5)
    assert found.archive == 50_000 * 19 * 5
    assert found.passes == 7 * found.pictures
    # torchvision's own counts of the seven networks.
    flops = 0.714 + 0.349 + 7.609 + 19.632 + 19.632 + 1.814 + 4.089
    assert found.gigaflops == pytest.approx(found.pictures * flops, rel=1e-3)
    assert found.training == 0


def test_the_work_of_trainings_is_that_of_their_recipes():
    profile = load_profile("full_trained")
    found = forecast.work(chapter("overlap_1_matrix"), profile)
    # 40 epochs of about a tenth of ImageNet; 17 corruptions, and none, of each of two networks.
    assert found.training == pytest.approx(40 * 128_117 * 18 * (1.814 + 2.834), rel=1e-3)


def test_what_is_corrupted_here_lies_in_no_archive():
    found = forecast.work(chapter("overlap_2_balance_and_cover"), load_profile("full_trained"))
    assert 0 < found.archive < found.pictures
    mini = forecast.work(chapter("inc_2_mce"), load_profile("mini"))
    assert mini.archive == 0


def test_what_nobody_counted_is_named():
    profile = load_profile("full_trained")
    found = forecast.work(chapter("vid_1_dataset"), profile)
    assert found.uncounted == ("imagenet_vid_train",)
    assert forecast.work(chapter("inc_2_mce"), profile).uncounted == ()


def test_a_network_of_unknown_size_counts_as_a_large_one():
    assert forecast.gigaflops(Network("my_net.py:build")) == forecast.UNKNOWN
    assert forecast.gigaflops(Network("dpn98")) == forecast.UNKNOWN
    # Its pictures are of 32 pixels.
    assert forecast.gigaflops(Network("resnet20")) == pytest.approx(forecast.UNKNOWN / 49)


def test_one_that_is_trained_here_counts_as_its_architecture():
    assert forecast.gigaflops(Network("resnet18")) == pytest.approx(1.814)
    assert forecast.gigaflops(Network("resnet18_imagenet_100", "fog")) == pytest.approx(1.814)


def test_gates_are_those_that_a_run_can_pass():
    found = forecast.gates_of(chapter("nae_2_imagenet_a"), FULL)
    hard = {gate.model for gate in found if gate.dataset == "imagenet_a"}
    assert "resnet34" in hard
    # Their references come from pictures that were normalised otherwise.
    assert not {"dpn68", "dpn98"} & hard
    archive = [g for g in forecast.gates_of(chapter("inc_2_mce"), FULL) if g.corruption]
    assert len(archive) == 15


def test_every_chapter_of_full_has_a_forecast():
    for one in all_chapters():
        if not supplies(one, FULL).elsewhere:
            assert forecast.work(one, FULL).passes >= 0
