"""Conventions say in words what the paper leaves open, and refuse bounds that are none."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.overlap.accuracies import from_grid
from robust_lib.protocols.overlap.convention import PAPER, Convention, Judged, ends
from robust_lib.protocols.overlap.scores import ArchitectureOverlaps
from tests.protocols.overlap.toys import FEW, TRAINED, collapsed, grid, table, unscored, weak
from tests.toys import unchecked


def test_every_bound_stands_in_the_words():
    assert PAPER.words == (
        "accuracy over clean accuracy; own gains whose whole interval is above 0, networks within "
        "5 points of the standard one on clean images, scores with an interval of at most 0.5"
    )
    ours = Convention(least_gain=0.03, most_apart=0.025, widest=0.7)
    for words in ("above 0.03", "within 2.5 points", "at most 0.7"):
        assert words in ours.words
    assert ours.raw.words.startswith("raw accuracy; own gains whose whole interval is above 0.03")


def test_raw_accuracies_differ_where_clean_ones_do():
    one = table()
    uneven = one.clean * np.linspace(0.7, 1, 18)
    usual, raw = (
        each.overlaps(one.accuracy, uneven).scores[0, 9, 10] for each in (PAPER, PAPER.raw)
    )
    assert raw == pytest.approx(0.1)
    assert abs(usual - 0.1) > 0.05


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"least_gain": -0.1}, "least_gain from 0 to below 1, but got -0.1"),
        ({"least_gain": float("nan")}, "least_gain"),
        ({"most_apart": 5}, "most_apart from 0 to below 1, but got 5"),
        ({"widest": 0.0}, "widest to be above 0"),
    ],
)
def test_bounds_that_are_none_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        Convention(**{name: float(value) for name, value in wrong.items()})


GAINED = np.full((1, 3), 0.3)
SCORES = np.array([[[1.0, 0.4, 0.2], [0.4, 1.0, 0.0], [0.2, 0.0, 1.0]]])


class Found:
    """Overlaps that are put together by hand."""

    def __init__(self, own_gains=GAINED, scores=SCORES):
        self.own_gains, self.scores = own_gains, scores


def around(values, spread, draws=101):
    """Draws whose 95 % interval lies about `spread` to either side of values."""
    steps = np.linspace(-1, 1, draws) / 0.95
    return values[0] + spread * steps.reshape(-1, *[1] * (values.ndim - 1))


def judged(clean=(0.8, 0.8, 0.8, 0.8), found=None, drawn=None, convention=PAPER):
    with unchecked():
        return Judged.of(convention, np.array([clean]), found or Found(), drawn)


def test_what_is_far_from_noise_is_judged():
    drawn = Found(around(GAINED, 0.1), around(SCORES, 0.1))
    found = judged(drawn=drawn)
    assert found.corruptions.all()
    assert found.pairs.sum() == 6
    assert found.count([0, 1, 2]) == 3
    assert found.count([0], [1, 2]) == 2


@pytest.mark.parametrize(("spread", "gained"), [(0.28, True), (0.32, False)])
def test_a_gain_whose_interval_contains_nothing_is_no_gain(spread, gained):
    moved = around(GAINED, 0.1)
    moved[:, 1] = around(GAINED, spread)[:, 1]
    found = judged(drawn=Found(moved, around(SCORES, 0.1)))
    assert found.gained.tolist() == [True, gained, True]
    assert found.why_not(0, 1) == (None if gained else "no gain")
    assert found.why_not(1, 1) == (None if gained else "no gain")
    assert found.why_not(0, 2) is None
    assert found.pairs.sum() == (6 if gained else 2)


def test_how_much_the_whole_interval_must_exceed_can_be_said():
    drawn = Found(around(GAINED, 0.1), around(SCORES, 0.1))
    assert judged(drawn=drawn, convention=Convention(least_gain=0.19)).corruptions.all()
    assert not judged(drawn=drawn, convention=Convention(least_gain=0.21)).corruptions.any()


@pytest.mark.parametrize(
    ("lost", "converged"), [(0.05, True), (0.06, False), (-0.05, True), (-0.06, False)]
)
def test_five_points_of_clean_accuracy_either_way_and_one_network_of_the_two_did_not_converge(
    lost, converged
):
    found = judged(clean=(0.8, 0.8, 0.8 - lost, 0.8))
    assert found.converged.tolist() == [True, converged, True]
    assert found.why_not(2, 1) == (None if converged else "not converged")
    assert judged(
        clean=(0.8, 0.8, 0.74, 0.8), convention=Convention(most_apart=0.1)
    ).converged.all()


def test_a_collapse_is_named_before_a_gain_that_is_none():
    gains = np.array([[0.3, -0.1, 0.3]])
    assert judged(clean=(0.8, 0.8, 0.5, 0.8), found=Found(gains)).why_not(1, 0) == "not converged"


@pytest.mark.parametrize(("spread", "narrow"), [(0.24, True), (0.27, False)])
def test_a_score_that_may_be_nearly_anything_is_not_judged(spread, narrow):
    moved = around(SCORES, 0.1)
    for place in ((0, 1), (1, 0)):
        moved[(slice(None), *place)] = around(SCORES, spread)[(slice(None), *place)]
    found = judged(drawn=Found(around(GAINED, 0.1), moved))
    assert found.corruptions.all()  # the others of both corruptions are
    assert found.why_not(0, 1) == (None if narrow else "too wide")
    assert found.why_not(0, 0) is None
    assert found.pairs.sum() == (6 if narrow else 4)
    wider = judged(drawn=Found(around(GAINED, 0.1), moved), convention=Convention(widest=0.6))
    assert wider.pairs.sum() == 6


def test_a_score_that_too_many_resamples_lack_is_too_wide():
    moved = around(SCORES, 0.1)
    moved[:4, 0, 1] = moved[:4, 1, 0] = np.nan  # four in a hundred
    assert judged(drawn=Found(around(GAINED, 0.1), moved)).why_not(0, 1) == "too wide"
    moved[1:4, 0, 1] = moved[1:4, 1, 0] = 0.4
    assert judged(drawn=Found(around(GAINED, 0.1), moved)).why_not(0, 1) is None


def test_of_several_seeds_the_least_decides():
    weak_once = np.array([[0.3, 0.3, 0.3], [0.3, -0.01, 0.3]])
    scores = np.concatenate([SCORES, SCORES])
    scores[1, 0, 2] = scores[1, 2, 0] = 0.9
    clean = np.array([[0.8] * 4, [0.8, 0.8, 0.8, 0.7]])
    with unchecked():
        found = Judged.of(PAPER, clean, Found(weak_once, scores), None)
    assert found.gained.tolist() == [True, False, True]
    assert found.converged.tolist() == [True, True, False]
    assert not found.narrow[0, 2]


def test_ends_hold_the_number_itself():
    low, high = ends(np.array([[0.9]]), np.linspace(0, 0.5, 41)[:, None])
    assert (low[0], high[0]) == (pytest.approx(0.0125), 0.9)
    low, high = ends(np.array([[0.9], [0.4]]), None)
    assert (low[0], high[0]) == (0.4, 0.9)


def test_tables_and_grids_are_judged_alike():
    assert unscored(ArchitectureOverlaps.of("net", weak())) == ("brightness",)
    assert unscored(ArchitectureOverlaps.of("net", collapsed())) == ("fog",)
    few = from_grid(grid(), "net", TRAINED)
    one = ArchitectureOverlaps.of("net", few, samples=200)
    assert unscored(one) == ()
    lost = replace(few, clean=few.clean - np.array([[0, 0, 0.2, 0, 0]]))
    assert unscored(ArchitectureOverlaps.of("net", lost, samples=200)) == (FEW[1],)
