"""The forecast: pictures, passes and hours, by hand for one chapter."""

import pytest

from robust_lib.chapters import all_chapters, chapter
from robust_lib.config.profiles import load_profile
from robust_lib.run import forecast
from robust_lib.run.forecast import Machine, Work
from robust_lib.run.network import Network
from robust_lib.run.supplies import supplies

FULL = load_profile("full")


def test_the_work_of_the_corruption_errors():
    found = forecast.work(chapter("inc_2_mce"), FULL)
    assert found.pictures == 50_000 * (1 + 19 * 5)
    assert found.passes == 7 * found.pictures
    # torchvision's own counts of the seven networks.
    flops = 0.714 + 0.349 + 7.609 + 19.632 + 19.632 + 1.814 + 4.089
    assert found.gigaflops == pytest.approx(found.pictures * flops, rel=1e-3)
    assert found.training == 0


def test_the_slower_of_reading_and_computing_decides_where_others_read():
    work = Work("one", 1000, 1000, 5000.0, 0.0)
    slow = Machine("reads slowly", 1.0, 1e9, 1.0, True, readers=8)
    assert slow.hours(work) == pytest.approx(1000 / 3600)
    slow = Machine("computes slowly", 1e9, 1.0, 1.0, True, readers=8)
    assert slow.hours(work) == pytest.approx(5000 / 3600)


def test_a_core_reads_and_computes_one_after_the_other():
    work = Work("one", 1000, 1000, 5000.0, 0.0)
    assert Machine("a core", 1.0, 1.0, 1.0, True).hours(work) == pytest.approx(6000 / 3600)


def test_each_machine_trains_at_its_own_rate():
    work = Work("one", 0, 0, 0.0, 7200.0)
    assert Machine("a core", 1.0, 1.0, 1.0, True).hours(work) == pytest.approx(2)
    assert Machine("a GPU", 1.0, 1.0, 100.0, True).hours(work) == pytest.approx(0.02)
    found = forecast.machines()
    assert found["gpu"].training > 100 * found["core"].training


def test_eight_devices_are_less_than_eight_times_one():
    work = Work("one", 1000, 1000, 5000.0, 60.0)
    one = Machine("one", 10.0, 10.0, 10.0, True, share=0.9)
    assert one.hours(work) / one.hours(work, 8) == pytest.approx(8 * 0.9)


def test_the_work_of_trainings_is_that_of_their_recipes():
    profile = load_profile("full_trained")
    found = forecast.work(chapter("overlap_1_matrix"), profile)
    # 40 epochs of about a tenth of ImageNet; 17 corruptions, and none, of each of two networks.
    assert found.training == pytest.approx(40 * 128_117 * 18 * (1.814 + 2.834), rel=1e-3)
    # Days of a GPU, not weeks.
    assert 70 < forecast.machines()["gpu"].hours(found) < 100


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


def test_every_chapter_of_full_has_a_forecast():
    for one in all_chapters():
        if not supplies(one, FULL).elsewhere:
            assert forecast.work(one, FULL).passes >= 0


def test_rates_say_whether_they_were_measured():
    found = forecast.machines()
    assert found["core"].measured
    assert not found["gpu"].measured
    assert found["gpu"].gigaflops > 100 * found["core"].gigaflops
