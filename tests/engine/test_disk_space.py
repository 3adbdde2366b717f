"""Disk space: too little is noticed first; what a run writes, by hand for some chapters."""

import pytest

from robust_book.chapters import chapter
from robust_book.engine import disk_space
from robust_book.engine.disk_space import written
from robust_book.engine.needs import needs
from robust_book.engine.supplies import Supply
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError


def test_too_little_room_is_noticed_before_the_first_byte(monkeypatch):
    supply = Supply("data", "large", there=False, fetched=True, bytes=10**12, how="")
    monkeypatch.setattr(disk_space, "free", lambda folder=None: 10**9)
    with pytest.raises(InputError, match=r"2,000.00 GB free.*1.00 GB.*free"):
        disk_space.require_space([supply])


def test_sizes_are_told_as_surely_as_they_are_known(monkeypatch):
    monkeypatch.setattr(disk_space, "free", lambda folder=None: 10**9)
    whole = Supply("data", "one", there=False, fetched=True, bytes=10**8, how="")
    least = Supply("data", "two", False, True, 2 * 10**8, "", "at least")
    nobody = Supply("data", "three", False, True, None, "")
    assert [disk_space.size_of(one) for one in (whole, least, nobody)] == [
        "0.10 GB", "at least 0.20 GB", "not published",
    ]  # fmt: skip
    told = disk_space.to_fetch([whole, least, nobody])
    assert "about 0.60 GB packed and unpacked, and 2 items of unpublished size" in told
    assert "1.00 GB are free" in told
    assert "nothing" in disk_space.to_fetch([])


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
