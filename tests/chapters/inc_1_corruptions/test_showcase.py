"""The showcase: one picture under many corruptions, as the benchmark would store it."""

from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from robust_book.chapters.inc_1_corruptions import CHAPTER, showcase
from robust_lib.config.corruption_cards import convention
from robust_lib.config.withheld import WITH_PICTURES
from robust_lib.corruptions import corrupt
from robust_lib.errors import DataError, InputError
from robust_lib.run.start import start
from robust_lib.vocabulary import COMMON, NAMES, SEVERITIES


@pytest.fixture(scope="module")
def picture():
    return showcase.photograph("china", side=64)


def test_photographs_are_squares_of_the_side_asked_for(picture):
    assert picture.shape == (64, 64, 3)
    assert picture.dtype == np.uint8
    assert picture.std() > 30
    assert not np.array_equal(showcase.photograph("flower", side=64), picture)
    assert showcase.photograph("flower").shape == (224, 224, 3)


def test_each_photograph_is_another_one():
    shown = [showcase.photograph(name, side=64).astype(int) for name in showcase.PHOTOGRAPHS]
    assert all(one.std() > 30 for one in shown)
    assert all(np.abs(one - other).mean() > 20 for one, other in combinations(shown, 2))


def test_an_unknown_photograph_is_refused():
    with pytest.raises(
        InputError, match=r"photograph to be one of china, flower, portrait, but got cat\."
    ):
        showcase.photograph("cat")


class Set:
    """An image set of two pictures, small or large."""

    name = classes = "things"
    digest, ids = "none", ("a", "b")
    class_names = ("Crescent moon", "o'clock, or so")
    labels = np.array([0, 1])

    def __init__(self, side):
        self.side = side

    def __len__(self):
        return 2

    def read(self, index, preprocessing):
        whole = np.full((self.side, self.side + 10, 3), 40 * index + 9, np.uint8)
        return preprocessing.apply(Image.fromarray(whole))


def test_without_scenes_no_data_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    run = start(CHAPTER, "full")
    assert list(showcase.samples(run, 0)) == list(showcase.PHOTOGRAPHS)
    assert list(showcase.samples(run, 1)) == list(showcase.PHOTOGRAPHS)  # withheld
    monkeypatch.setenv(WITH_PICTURES, "1")
    with pytest.raises(DataError, match="imagenet"):
        showcase.samples(run, 1)


def test_small_pictures_stay_as_they_are_and_are_called_by_class_and_size():
    samples = showcase.first_of(Set(64), 2)
    assert list(samples) == ["crescent_moon_0", "o_clock_or_so_1"]
    moon, clock = samples.values()
    assert (moon.title, clock.title) == ("Crescent moon (64 px)", "O'clock, or so (64 px)")
    assert moon.picture.shape == (64, 74, 3)
    assert (moon.picture.max(), clock.picture.max()) == (9, 49)


def test_large_pictures_are_prepared_as_the_benchmarks_are():
    samples = showcase.first_of(Set(400), 1)
    assert samples["crescent_moon_0"].picture.shape == (224, 224, 3)
    assert samples["crescent_moon_0"].title == "Crescent moon"


@pytest.mark.parametrize("scenes", [-1, 3])
def test_more_pictures_than_there_are_are_refused(scenes):
    with pytest.raises(InputError, match=rf"0 to 2 images of things, but got {scenes}\."):
        showcase.first_of(Set(64), scenes)


def test_versions_are_every_corruption_at_every_severity_and_the_clean_picture(picture):
    made = showcase.versions({"china": showcase.Sample("China", picture)})
    assert len(made) == 1 + len(NAMES) * len(SEVERITIES)
    assert np.array_equal(made["showcase-china-clean-0.webp"], picture)
    (fog,) = showcase.gallery(picture, ["fog"], 4, key="china")
    assert np.array_equal(made["showcase-china-fog-4.webp"], fog)
    assert all(one.shape == picture.shape and one.dtype == np.uint8 for one in made.values())
    assert len({one.tobytes() for one in made.values()}) == len(made)


def test_each_picture_has_a_fog_of_its_own(picture):
    two = {name: showcase.Sample(name, picture) for name in ("a", "b")}
    made = showcase.versions(two)
    assert not np.array_equal(made["showcase-a-fog-3.webp"], made["showcase-b-fog-3.webp"])
    assert np.array_equal(made["showcase-a-contrast-3.webp"], made["showcase-b-contrast-3.webp"])


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
    assert showcase.frost_convention() == convention("frost")
    assert "frost" in showcase.frost_convention()
