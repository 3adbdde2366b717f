"""Low-level statistics by set: rows, names, and pictures."""

import pytest

from robust_book.chapters.nae_3_imagenet_o import low_level
from robust_lib.errors import InputError
from tests.toys import AS_IS, Swatches

ORDINARY = Swatches(count=40)
SETS = {"imagenet_val_o": ORDINARY, "imagenet_o": Swatches(count=20), "blobs": Swatches(count=20)}


class Black(Swatches):
    """Pictures without anything."""

    def read(self, index, preprocessing):
        return super().read(index, preprocessing) // 40


def test_what_looks_alike_is_near_chance_and_what_does_not_is_found():
    sets = SETS | {"blobs": Black(count=20, name="black")}
    measured = low_level.measure(sets, AS_IS, limit=40)
    rows = {row.dataset: row for row in low_level.results(measured, sets).rows}
    assert set(rows) == {"swatches", "black"}  # ordinary pictures are not told from themselves
    assert rows["black"].value == 1.0
    assert rows["swatches"].value < 0.8
    assert rows["black"].n == 20


def test_sets_are_called_by_their_titles():
    measured = low_level.measure(SETS, AS_IS, limit=5)
    assert list(low_level.titled(measured)) == ["ordinary", "out-of-distribution", "blobs"]
    assert set(low_level.ROLES) == set(low_level.TITLES)


def test_samples_of_each_set_with_its_name_once():
    shown = low_level.samples(SETS, AS_IS, each=3)
    assert len(shown.pictures) == 9
    named = [caption for caption in shown.captions if caption]
    assert named == ["ordinary", "out-of-distribution", "blobs"]


def test_a_picture_or_two_are_too_few():
    low_level.require_number(4)
    with pytest.raises(InputError, match=r"4 images.*set.*0"):
        low_level.require_number(0)
