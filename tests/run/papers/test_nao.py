"""What the chapters on adversarial objects share: their record, the detector that is looked at."""

import pytest

from robust_book.chapters import inc_2_mce
from robust_lib.errors import InputError
from robust_lib.run.papers import nao
from robust_lib.run.start import start


@pytest.fixture
def run():
    return start(inc_2_mce.CHAPTER, "smoke")


def test_all_chapters_show_the_same_images():
    one, other = nao.record("nao_2_map"), nao.record("nao_4_attribution")
    assert one.shows == other.shows == (nao.ON_OBJECTS,)
    assert nao.MAP.shows[:1] == one.shows, "and random pictures of the pool, where there are some"


def test_the_first_wanted_that_the_run_has(run):
    assert nao.detector_of(run, None, ["vgg19", "vgg11", "alexnet"]) == "vgg11_mini"
    assert nao.detector_of(run, None, ["vgg19"]) == "alexnet_mini"


@pytest.mark.parametrize("named", ["alexnet", "alexnet_mini"])
def test_a_named_one_goes_before(run, named):
    assert nao.detector_of(run, named, ["vgg11"]) == "alexnet_mini"


def test_one_that_the_run_has_not_is_refused(run):
    with pytest.raises(InputError, match="a detector of this run"):
        nao.detector_of(run, "resnet34_mini", ["vgg11"])
