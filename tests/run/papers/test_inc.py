"""Who is divided by, and who is compared."""

import pytest

from robust_book.chapters import chapter
from robust_lib.run.papers import inc
from robust_lib.run.start import start


@pytest.mark.parametrize(
    ("profile", "baseline", "standard"),
    [("smoke", "alexnet_mini", "vgg11_mini"), ("full", "alexnet", "squeezenet1_1")],
)
def test_the_baseline_is_our_network_in_alexnets_part(profile, baseline, standard):
    run = start(chapter("inc_2_mce"), profile)
    assert inc.baseline(run) == baseline
    assert [str(network) for network in run.networks][:2] == [baseline, standard]
