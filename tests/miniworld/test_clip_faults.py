"""Faults of clips: what they hold, how often they come, what is refused."""

from collections import Counter

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.miniworld.clip_faults import (
    BLUR,
    BURST,
    FAULTY,
    JUMP,
    REASONS,
    Fault,
    drawn_fault,
)
from tests.toys import unchecked

OTHERS = ("cat", "dog")


@pytest.fixture(scope="module")
def faults():
    """Those of two thousand clips."""
    return [drawn_fault(seeds.generator("fault", number), OTHERS) for number in range(2000)]


def test_four_clips_of_ten_have_one_of_each_kind_as_many(faults):
    kinds = Counter(fault.reason for fault in faults if fault)
    assert sum(kinds.values()) / 2000 == pytest.approx(FAULTY, abs=0.035)
    assert set(kinds) == set(REASONS)
    assert min(kinds.values()) > 0.75 * max(kinds.values())


def test_about_one_frame_of_ten_is_faulty(faults):
    share = sum(len(fault.offsets) for fault in faults if fault) / (20 * 2000)
    assert 0.08 < share < 0.12


def test_the_frames_of_a_fault_stand_together_on_one_side(faults):
    sides = Counter()
    for fault in filter(None, faults):
        offsets = np.array(fault.offsets)
        assert (np.diff(offsets) == 1).all()
        assert (offsets > 0).all() or (offsets < 0).all()
        assert np.abs(offsets).max() <= 10
        sides[offsets[0] > 0] += 1
        if fault.reason in ("jump", "cut"):
            assert np.abs(offsets).max() == 10  # it does not come back
        else:
            assert BURST[0] <= len(offsets) < BURST[1]
        assert [fault.at(offset) for offset in (*fault.offsets, 0)] == [True] * len(offsets) + [
            False
        ]
    assert 0.4 < sides[True] / sides.total() < 0.6


def test_amounts_belong_to_their_kinds(faults):
    for fault in filter(None, faults):
        low, high = {"jump": JUMP, "blur": BLUR}.get(fault.reason, (0, 0))
        assert low <= fault.amount <= high
        assert (fault.label in OTHERS) == (fault.reason == "label")
    ways = [fault.way for fault in faults if fault and fault.reason == "jump"]
    assert np.ptp(ways) > 6  # all directions


def test_a_fault_is_that_of_its_generator(faults):
    assert drawn_fault(seeds.generator("fault", 7), OTHERS) == faults[7]


def test_a_burst_of_blur_comes_and_goes():
    fault = Fault("blur", (-6, -5, -4, -3), 0.04)
    assert [fault.blur(o) for o in range(-7, -1)] == [0, 0.02, 0.04, 0.04, 0.02, 0]
    assert Fault("jump", (1, 2), 0.4).blur(1) == 0


@pytest.mark.parametrize("offsets", [(), (0, 1)])
def test_a_fault_without_neighbours_is_refused(offsets):
    with pytest.raises(InputError, match=r"offsets.*neighbours, without 0"):
        Fault("cut", offsets)


def test_an_unknown_fault_is_refused():
    with unchecked(), pytest.raises(InputError, match="jump, cut, blur, label, but got smear"):
        Fault("smear", (1,))
