"""What a run writes, by hand for chapters that keep little, much, and trained networks."""

import pytest

from robust_book.chapters import chapter
from robust_book.engine.disk import written
from robust_book.engine.needs import needs
from robust_lib.config.profiles import load_profile

FULL, TRAINED = load_profile("full"), load_profile("full_trained")
PICTURE = 224 * 224 * 3


def test_a_grid_keeps_twelve_bytes_an_answer():
    need = needs(chapter("inc_2_mce"), FULL)
    cells = 1 + 19 * 5
    assert written([need], FULL) == 7 * cells * 50_000 * 12


def test_what_several_chapters_need_is_written_once():
    need = needs(chapter("inc_2_mce"), FULL)
    assert written([need, need], FULL) == written([need], FULL)


def test_where_logits_are_kept_they_are_four_kilobytes_a_picture():
    need = needs(chapter("nae_2_imagenet_a"), FULL)
    (key,) = {one for one in need.evaluated if "imagenet_a" in one.datasets}
    pictures = {"imagenet_a": 7_500, "imagenet_val_a": 10_000}
    shown = sum(pictures[name] for name in key.datasets)
    least = len(need.networks) * shown * 4_000
    assert least <= written([need], FULL) < 3 * least


def test_trainings_write_their_decoded_pictures_and_weights():
    need = needs(chapter("overlap_1_matrix"), TRAINED)
    found = written([need], TRAINED)
    # ImageNet-100's training pictures, and its validation pictures, some corruptions of which are
    # made here; 36 networks of 12 and 8 million parameters.
    pictures = (128_117 + 5_000) * PICTURE
    weights = 18 * 4 * (11.69e6 + 7.98e6)
    answers = 36 * (1 + 17 * 5) * 5_000 * 12
    assert found == pytest.approx(pictures + weights + answers, rel=0.05)
