"""What networks behind a wrapper see: the pictures, and the words for the settings."""

import numpy as np
import pytest

from robust_book.chapters import inc_3_enhancements as chapter
from robust_book.chapters.inc_3_enhancements import inputs
from robust_lib.models.enhance import denoise, equalise
from robust_lib.run.start import start
from tests.chapters import pages


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return pages.page(chapter, "toys").run


def test_pictures_are_shown_as_they_are_denoised_and_equalised(run):
    pictures, captions = inputs.seen(run)
    assert captions == [
        "clean", "clean, denoised", "clean, equalised",
        "Gaussian noise", "Gaussian noise, denoised", "Gaussian noise, equalised",
    ]  # fmt: skip
    clean, noisy = pictures[0], pictures[3]
    assert np.array_equal(clean, run.pictures(1)[0])
    assert np.array_equal(pictures[1], denoise(clean))
    assert np.array_equal(pictures[2], equalise(clean, tiles=4))
    assert not np.array_equal(noisy, clean)
    assert np.array_equal(pictures[5], equalise(noisy, tiles=4))


def test_words_name_the_settings_of_the_profiles_networks():
    mini = start(chapter.CHAPTER, "mini")
    assert "patches of 3 pixels, at most 2 pixels apart" in inputs.denoiser_words(mini)
    assert "on 4 x 4 tiles, with a contrast limit of 2" in inputs.equaliser_words(mini)
    assert inputs.crop_words(mini) == "A crop has 56 pixels."
    full = start(chapter.CHAPTER, "full")
    assert "at most 6 pixels apart" in inputs.denoiser_words(full)
    assert inputs.crop_words(full) == "A crop has 196 pixels of the central 224."
