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


def test_the_slower_of_reading_and_computing_decides():
    work = Work("one", 1000, 1000, 5000.0, 0.0)
    assert Machine("reads slowly", 1.0, 1e9, True).hours(work) == pytest.approx(1000 / 3600)
    assert Machine("computes slowly", 1e9, 1.0, True).hours(work) == pytest.approx(5000 / 3600)


def test_eight_devices_are_less_than_eight_times_one():
    work = Work("one", 1000, 1000, 5000.0, 60.0)
    one = Machine("one", 10.0, 10.0, True, share=0.9)
    assert one.hours(work) / one.hours(work, 8) == pytest.approx(8 * 0.9)


def test_a_network_of_unknown_size_counts_as_a_large_one():
    assert forecast.gigaflops(Network("my_net.py:build")) == forecast.UNKNOWN
    assert forecast.gigaflops(Network("dpn98")) == forecast.UNKNOWN
    assert forecast.gigaflops(Network("resnet18")) == pytest.approx(1.814)


def test_every_chapter_of_full_has_a_forecast():
    for one in all_chapters():
        if not supplies(one, FULL).elsewhere:
            assert forecast.work(one, FULL).passes >= 0


def test_rates_say_whether_they_were_measured():
    found = forecast.machines()
    assert found["core"].measured
    assert not found["gpu"].measured
    assert found["gpu"].gigaflops > 100 * found["core"].gigaflops
