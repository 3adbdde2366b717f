"""Counterfactuals of colour: what turns right, what turns wrong, and which pictures show it."""

import pytest

from robust_lib.chapters.nae import colour
from robust_lib.results.compare import compare
from tests.protocols.nae.answers import asked
from tests.toys import AS_IS, Swatches

ORIGINAL = asked("hard", {"net": 2}, images=12)
EDITED = {"grey": asked("hard/grey", {"net": 5}, images=12),
          "hue+120": asked("hard/hue+120", {"net": 1}, images=12)}  # fmt: skip
RESULTS = colour.results(ORIGINAL, EDITED, "net")


def test_only_what_was_wrong_can_turn_right():
    rows = {row.dataset: row for row in RESULTS.rows}
    assert rows["hard/original"].value == 0
    assert rows["hard/grey"].value == pytest.approx(3 / 10)
    assert rows["hard/hue+120"].value == 0
    assert rows["hard/recoloured"].value == pytest.approx(3 / 20)  # mean of both edits
    assert {row.n for row in rows.values()} == {10}


def test_the_claim_is_judged_on_the_recoloured_pictures():
    (claim,) = compare(RESULTS, "nae-fig12", datasets={"banana": "hard"})
    assert claim.verdict == "holds"
    assert "15.0 % > 0.0 %" in claim.arithmetic


def test_what_turns_wrong_is_counted_too():
    table = colour.table(ORIGINAL, EDITED, "net").set_index("Colours")
    assert table.loc["grey", "Wrong, now right"] == 3
    assert table.loc["hue+120", "Right, now wrong"] == 1
    assert table.loc["hue+120", "Accuracy"] == pytest.approx(100 / 12)
    assert table.loc["its own", "Accuracy"] == pytest.approx(200 / 12)


def test_pictures_that_turn_right_are_shown_as_they_were_and_edited():
    found = colour.counterfactuals(ORIGINAL, EDITED, "net")
    assert [one.edit for one in found] == ["grey"] * 3
    assert all(one.right and one.said != one.now for one in found)
    assert {one.place for one in found} == {2, 3, 4}
    shown = colour.shown(found, Swatches(count=12), AS_IS)
    assert len(shown.pictures) == 6
    grey = shown.pictures[3]
    assert (grey[..., 0] == grey[..., 1]).all()
    assert "grey" in shown.words[3]


def test_a_network_that_is_never_wrong_has_nothing_to_mend():
    right = asked("hard", {"net": 12}, images=12)
    assert len(colour.results(right, EDITED, "net")) == 0
    assert len(colour.counterfactuals(right, EDITED, "net")) == 6


def test_where_nothing_turns_right_wrong_answers_stay_as_they_are():
    found = colour.counterfactuals(ORIGINAL, {"grey": ORIGINAL}, "net")
    assert [one.place for one in found] == [2, 3, 4, 5, 6, 7]
    assert not any(one.right for one in found)
