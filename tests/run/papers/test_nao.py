"""What the chapters on adversarial objects share: their record, the detector that is looked at."""

from dataclasses import replace

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
    assert nao.MAP.shows[:1] == one.shows, "and random images of the pool, where there are some"


def test_without_any_detector_nothing_is_asked(run):
    with pytest.raises(InputError, match="Expected at least one detector, but got none"):
        nao.found(replace(run, networks=()))
