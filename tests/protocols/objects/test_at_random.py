"""What the pool costs and what the choice: known where both are planted."""

import numpy as np
import pytest

from robust_lib.protocols.objects.at_random import parts, results, wrong_at_random
from tests.protocols.objects import toys

BOTH = toys.maps({"mine": (60, 20), "other": (60, 40)})


def thinned(right, count=30):
    """As many adversarial pictures as there may be: half of the sixty of a pool."""
    images = toys.Shapes(count=count, name="nao")
    found = toys.object_boxes({"mine": right}, images)["mine"]
    how = toys.scored_boxes.Settings(samples=100)
    return toys.scored_boxes.scored(found, images.ids, images.annotations, how)


def test_what_any_picture_of_the_pool_costs_is_not_the_choices():
    ordinary, pool = BOTH["mine"]
    chosen = thinned(0)  # none is named rightly: a choice of the pool's worst
    found = parts(ordinary, pool, chosen)
    assert found.pictures == 30
    assert found.ordinary.value == pytest.approx(1)
    assert found.pool.low < found.pool.value < found.pool.high < 1
    assert found.by_pool.low > 0
    assert found.by_choice.low > 0
    assert found.as_low == 0
    total = found.by_pool.value + found.by_choice.value
    assert total == pytest.approx(found.ordinary.value - chosen.map().value)


def test_a_choice_that_costs_nothing_is_told_as_such():
    ordinary, pool = BOTH["mine"]
    found = parts(ordinary, pool, thinned(10))  # a third is named rightly, as in the pool
    assert found.by_choice.low < 0 < found.by_choice.high
    assert 0.05 < found.as_low < 0.95


def test_draws_are_the_same_pictures_for_all_detectors():
    ordinary, pool = BOTH["mine"]
    again = parts(ordinary, pool, thinned(0))
    assert parts(ordinary, pool, thinned(0)).pool.low == again.pool.low


def test_false_positives_at_random_cost_less_than_those_that_are_surest():
    """Here boxes on foreign shapes are the surest of all, so that random ones matter less."""
    one = BOTH["other"][1]
    random = wrong_at_random(one)
    assert one.map().value <= random.low <= random.high < one.map("overlap").value
    assert wrong_at_random(toys.unmarked(one)) is None


def test_rows_have_both_controls_and_lack_what_is_not_there():
    rows = results(BOTH, {"mine": BOTH["mine"][1]})
    assert {row.model for row in rows.select(metric="map_drop").rows} == {"mine"}
    share = rows.row(metric="share", dataset="nao/as low as the chosen")
    assert 0 <= share.value <= 1
    found = rows.select(dataset="nao/false positives at random")
    assert [row.model for row in found.rows] == ["mine", "other"]
    assert np.isfinite([row.value for row in rows.rows]).all()
