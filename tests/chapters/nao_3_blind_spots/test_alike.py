"""Pictures of the pool that show the same: what the choice adds to the kind, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from robust_book.chapters.nao_3_blind_spots.alike import alike, key_numbers, results
from robust_book.chapters.nao_3_blind_spots.planted import FOREIGN
from robust_lib.results.table import Results
from tests.chapters.nao_3_blind_spots import toys as own
from tests.protocols.blind_spots import toys
from tests.protocols.blind_spots.toys import PLANTED, POOL


def test_pictures_of_the_same_ground_and_thing_are_alike_and_itself_is_not():
    found, made = toys.blind_spots(), own.planted()
    kind = alike(found, made)
    assert kind.shape == (12, POOL)
    dry = POOL - PLANTED
    assert kind[0].sum() == dry - 1  # the first is a picture of the pool
    assert not kind[0, 0]
    sharks = made.in_pool[FOREIGN]["shark"]
    wet = np.flatnonzero(made.in_chosen[FOREIGN]["shark"])[0]
    assert set(np.flatnonzero(kind[wet])) < set(np.flatnonzero(sharks))
    assert kind[10].sum() == dry  # a new one is nowhere in the pool


def test_what_the_choice_adds_is_what_is_left_beside_its_kind():
    """The toy's adversarial pictures are drawn from their kind: the choice adds nothing."""
    found, made = toys.blind_spots(), own.planted()
    rows = results(found, made)
    density, apart = (row.value for row in rows.rows)
    assert density + apart == pytest.approx(found.ratio_of_chosen.log_ratio.mean())
    lower = replace(found.ratio_of_chosen, log_ratio=found.ratio_of_chosen.log_ratio - 3)
    moved = results(replace(found, ratio_of_chosen=lower), made)
    assert moved.rows[1].value == pytest.approx(apart - 3)
    assert moved.rows[1].high < 0
    assert key_numbers(rows)["alike_apart"].text != "not measured"


def test_without_a_generator_no_picture_is_known_to_be_alike():
    assert results(toys.blind_spots(), None) == Results()
