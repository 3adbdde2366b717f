"""The chapter on blind spots: what its blocks show of known pictures; claims that can fail."""

import numpy as np
import pytest

from robust_book.chapters import nao_3_blind_spots as chapter
from robust_book.chapters.nao_3_blind_spots import density_frame, key_numbers
from robust_book.chapters.nao_3_blind_spots.pictures import galleries
from robust_book.chapters.nao_3_blind_spots.planted import results as planted_results
from robust_lib.errors import InputError
from robust_lib.protocols.blind_spots.spots import Settings, blind_spots, results, space
from tests.chapters.nao_3_blind_spots import toys as own
from tests.chapters.toys import texts
from tests.protocols.blind_spots import toys


def test_samples_are_fixed_choices_and_adversarial_pictures_are_all_there(page):
    few, many = (chapter.seen(page.run, "means", count) for count in (9, 20))
    assert [len(one.embeddings) for one in few] == [9, 9, 30]
    assert set(few[0].embeddings.ids) < set(many[0].embeddings.ids)
    assert few[1].read(0).shape == (32, 32, 3)  # swatches are as large as they are
    with pytest.raises(InputError, match="at least one image"):
        chapter.seen(page.run, "means", 0)


def test_figure_5_shows_adversarial_pictures_on_both_sets_and_the_blind_spots(page):
    found = toys.blind_spots()
    block = chapter.three_maps(page, results(found, 1), found, own.maps(), 3)
    assert {"Training images", "All images", "adversarial, one each"} <= set(texts(block, "text"))
    assert "1 of 1 blind spots, with 9 adversarial images" in str(block)
    assert "25 nearest of the other training and pool images" in str(block)
    assert "first two principal components" in str(block)  # not UMAP, and the caption says so
    assert "The training set is sparse around the adversarial objects." in str(block)


def test_figure_5_without_a_blind_spot_says_so(page):
    found = blind_spots(space(*toys.embeddings(apart=0.0)), toys.SPOTS)
    block = str(chapter.three_maps(page, results(found, 0), found, own.maps(), 3))
    assert "0 of 0 blind spots, with no adversarial images" in block
    assert "No region was found" in str(chapter.gallery(page, ()))


def test_the_gallery_has_pictures_of_the_pool_then_adversarial_ones(page):
    _, pool, adversarial = own.seen()
    made = galleries(toys.blind_spots(), pool, adversarial, 3)
    block = str(chapter.gallery(page, made))
    assert block.count("<image") == 12
    assert made[0].words in block
    kinds = [caption.partition(":")[0] for caption in made[0].captions]
    assert kinds == ["pool"] * 6 + ["adversarial"] * 6


def test_what_nobody_composed_has_no_planted_kinds(page):
    found = toys.blind_spots()
    rows = planted_results(found, None)
    assert not len(rows)
    assert "not composed" in str(chapter.beside_planted(page, found, rows, None, 3))


def test_spots_of_the_runs_own_pictures(page):
    found = chapter.spots(
        chapter.seen(page.run, "means", 30), Settings(neighbours=20, permutations=99)
    )
    assert found.space.points.shape == (60, 3)
    assert np.isfinite(found.ratio.log_ratio).all()


def test_densities_stand_with_the_shares_in_blind_spots():
    rows = results(toys.blind_spots(), 1)
    frame = density_frame(rows)
    assert frame["Images"].tolist() == ["chosen", "pool"]
    density = rows.row(metric="training_density", dataset="pool")
    assert frame["Training density"][1] == (density.value, density.low, density.high)
    assert frame["In blind spots"][0].value == pytest.approx(75)


def test_key_numbers_are_those_of_the_rows():
    found = toys.blind_spots()
    rows = results(found, 1)
    numbers = key_numbers(rows, found, own.maps())
    density = rows.row(metric="training_density", dataset="chosen")
    assert numbers["chosen_density"].value == density.value
    assert numbers["chosen_density"].text.startswith(f"−{-density.value:.2f} [−")
    assert numbers["training"].text == "100"
    assert numbers["method"].text == "first two principal components"
    assert numbers["kept_by_seed"].text == "not measured"
    assert numbers["kept_by_chance"].value == pytest.approx(15 / 239)
