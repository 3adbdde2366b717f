"""The showcase: one picture under many corruptions, as the benchmark would store it."""

import numpy as np
import pytest

from robust_lib.corruptions import convention, corrupt
from robust_lib.errors import InputError
from robust_lib.protocols import showcase
from robust_lib.vocabulary import COMMON


@pytest.fixture(scope="module")
def picture():
    return showcase.photograph("china", side=64)


def test_photographs_are_squares_of_the_side_asked_for(picture):
    assert picture.shape == (64, 64, 3)
    assert picture.dtype == np.uint8
    assert picture.std() > 30
    assert not np.array_equal(showcase.photograph("flower", side=64), picture)
    assert showcase.photograph("flower").shape == (224, 224, 3)


def test_an_unknown_photograph_is_refused():
    with pytest.raises(InputError, match=r"photograph to be one of china, flower, but got cat\."):
        showcase.photograph("cat")


def test_a_gallery_shows_each_corruption(picture):
    names = ("gaussian_noise", "brightness", "pixelate")
    shown = showcase.gallery(picture, names, 3)
    assert len(shown) == 3
    assert len({one.tobytes() for one in shown}) == 3
    for one in shown:
        assert one.shape == picture.shape
        assert one.dtype == np.uint8
        assert not np.array_equal(one, picture)


def test_severities_begin_with_the_clean_picture_and_get_worse(picture):
    shown = showcase.severities(picture, "gaussian_noise")
    assert len(shown) == len(showcase.CAPTIONS) == 6
    assert np.array_equal(shown[0], picture)
    damage = [np.abs(one.astype(int) - picture).mean() for one in shown]
    assert damage == sorted(damage)
    assert damage[5] > 2 * damage[1] > 0


def test_storage_is_that_of_the_benchmark(picture):
    import torch

    (plain,) = showcase.gallery(picture, ["brightness"], 2, key="a", storage="memory")
    images = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    expected = corrupt(images, "brightness", 2, keys=["a"])[0].permute(1, 2, 0).numpy()
    assert np.abs(plain.astype(float) - 255 * expected).max() < 1
    (stored,) = showcase.gallery(picture, ["brightness"], 2, key="a")
    assert 0 < np.abs(stored.astype(int) - plain).mean() < 8  # what a JPEG file of 85 costs


def test_draws_are_keyed(picture):
    one, again, other = (
        showcase.gallery(picture, ["gaussian_noise"], 3, key=key)[0] for key in ("a", "a", "b")
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_the_counts_are_those_of_the_benchmark():
    table = showcase.counts(COMMON)
    assert {row.metric: row.value for row in table.rows} == {
        "corruption_types": 15,
        "severities": 5,
        "distinct_corruptions": 75,
    }
    assert {row.item for row in table.rows} == {"inc-fig1"}
    (row,) = showcase.counts(["fog"], item="inc-fig6").select(metric="severities").rows
    assert (row.corruption, row.item) == ("fog", "inc-fig6")


def test_the_frosts_textures_are_named():
    assert showcase.frost_words() == convention("frost")
    assert "frost" in showcase.frost_words()
