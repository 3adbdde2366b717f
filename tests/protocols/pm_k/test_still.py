"""What pm-k costs before a still camera, as rows."""

import pytest

from robust_lib.errors import InputError
from robust_lib.protocols.pm_k import still
from tests.protocols.pm_k import toys

SETS = toys.frame_sets(200)
CLIPS = toys.answers({"mine": (60, 120), "yours": (100, 150), "even": (80, 80)}, SETS)
STILL = toys.answers({"mine": (105, 120), "yours": (150, 150), "even": (80, 80)}, SETS)


def test_a_share_is_of_the_clips_drop_and_has_an_interval():
    rows = still.results(CLIPS, STILL)
    (share,) = rows.select(model="mine", metric="still_share").rows
    assert share.value == pytest.approx(0.25)  # 15 of the 60 sets that are lost
    assert 0.1 < share.low < 0.25 < share.high < 0.4
    assert share.dataset == "toys/still camera"
    assert rows.select(model="yours", metric="still_share").rows[0].value == 0


def test_who_loses_nothing_on_clips_has_no_share():
    rows = still.results(CLIPS, STILL).select(model="even")
    assert [row.metric for row in rows.rows] == ["pm_accuracy", "pm_accuracy", "drop"]


def test_a_detector_that_never_saw_the_control_is_left_out():
    alone = toys.answers({"mine": (105, 120)}, SETS)
    assert {row.model for row in still.results(CLIPS, alone).rows} == {"mine"}
    assert {row.model for row in still.results(CLIPS, STILL, ["yours"]).rows} == {"yours"}


def test_other_sets_are_refused():
    with pytest.raises(InputError, match="the same sets"):
        still.results(CLIPS, toys.answers({"mine": (3, 5)}))
