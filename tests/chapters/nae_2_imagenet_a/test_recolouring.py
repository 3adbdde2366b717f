"""Counterfactuals of colour: what turns right, what turns wrong, and which pictures show it."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import to_hex

from robust_book.chapters import nae_2_imagenet_a as chapter
from robust_book.chapters.nae_2_imagenet_a import recolouring
from robust_book.figures import bars, image_grids
from robust_book.html.svg import INK
from robust_lib.results.compare import compare
from tests.chapters.pages import page
from tests.protocols.nae.toys import masked
from tests.toys import AS_IS, Swatches

ORIGINAL = masked("hard", {"net": 2}, images=12)
RECOLOURED = {"grey": masked("hard/grey", {"net": 5}, images=12),
          "hue+120": masked("hard/hue+120", {"net": 1}, images=12)}  # fmt: skip
RESULTS = recolouring.results(ORIGINAL, RECOLOURED, "net")


def test_only_what_was_wrong_can_turn_right():
    rows = {row.dataset: row for row in RESULTS.select(metric="accuracy").rows}
    assert rows["hard/grey"].value == pytest.approx(3 / 10)
    assert rows["hard/hue+120"].value == 0
    assert {row.n for row in rows.values()} == {10}


def test_what_turns_wrong_is_taken_off_what_turns_right():
    net = RESULTS.row(metric="net_change")
    assert net.value == pytest.approx((3 - 1) / 2 / 12)  # mean of both edits, over all pictures
    assert (net.dataset, net.n) == ("hard", 12)
    assert net.low < net.value < net.high
    assert "corrected minus broken predictions" in net.convention


def test_the_claim_is_judged_on_the_net_change():
    (claim,) = compare(RESULTS, "nae-fig12", datasets={"imagenet_a": "hard"})
    assert claim.verdict == "not decided"  # three turn right and one wrong, of twelve
    assert "8.3 points > 0.0 points" in claim.arithmetic
    many = {"grey": masked("hard/grey", {"net": 50}, images=120)}
    original = masked("hard", {"net": 20}, images=120)
    (claim,) = compare(recolouring.results(original, many, "net"), "nae-fig12")
    assert claim.verdict == "holds"
    worse = {"hue+120": RECOLOURED["hue+120"]}
    (claim,) = compare(recolouring.results(ORIGINAL, worse, "net"), "nae-fig12")
    assert claim.verdict == "not decided"  # a single picture turns wrong
    fewer = {"grey": masked("hard/grey", {"net": 20}, images=120)}
    original = masked("hard", {"net": 50}, images=120)
    (claim,) = compare(recolouring.results(original, fewer, "net"), "nae-fig12")
    assert claim.verdict == "does not hold"


def test_pictures_of_one_drawing_turn_together():
    """Four drawings say less than 120 pictures: the interval is of the drawings."""

    def drawn(dataset, right, together=None):
        one = masked(dataset, {"net": right}, images=120)
        (said,) = one.predictions["net"]
        return replace(one, predictions={"net": (replace(said, together=together),)})

    def width(together):
        original = drawn("hard", 20, together)
        rows = recolouring.results(original, {"grey": drawn("hard/grey", 50)}, "net")
        wanted = rows.select(metric=["accuracy", "net_change", "net_change_of_edit"])
        return [row.high - row.low for row in wanted.rows]

    alone, grouped = width(None), width(tuple(str(place // 30) for place in range(120)))
    assert all(wide > 2 * narrow for wide, narrow in zip(grouped, alone, strict=True))


def test_what_turns_wrong_is_counted_too():
    table = recolouring.recoloured_frame(ORIGINAL, RECOLOURED, "net").set_index("Colours")
    assert table.loc["grey", "Wrong, now right"] == 3
    assert table.loc["hue + 120°", "Right, now wrong"] == 1
    assert table.loc["hue + 120°", "Accuracy"] == pytest.approx(100 / 12)
    assert table.loc["its own", "Accuracy"] == pytest.approx(200 / 12)


def test_a_figure_has_what_turns_wrong_and_right_by_edit_and_the_mean_net_change():
    counts, net = recolouring.turned(RESULTS, "hard")
    assert counts == {"grey": (0, 3), "hue + 120°": (1, 0)}
    assert [value for value, _, _ in net.values()] == pytest.approx([25, -100 / 12, 100 / 12])
    assert list(net)[-1] == "mean of all"
    (axis,) = bars.turned(counts, net, images=12).axes
    assert [patch.get_width() for patch in axis.patches] == pytest.approx([0, 25, -100 / 12, 0])
    assert axis.get_xlim()[0] == -axis.get_xlim()[1]
    right = {to_hex(patch.get_facecolor()) for patch in axis.patches[1::2]}
    assert right == {INK}  # what is right is never red


def test_two_that_turn_right_are_shown_beside_two_that_turn_wrong():
    found = recolouring.counterfactuals(ORIGINAL, RECOLOURED, "net")
    assert [(one.edit, one.truth == one.after) for one in found] == [
        ("grey", True), ("grey", True), ("hue+120", False),
    ]  # fmt: skip
    assert all((one.truth == one.before) != (one.truth == one.after) for one in found)
    shown = recolouring.before_and_after(found, Swatches(count=12), AS_IS)
    assert len(shown.pictures) == 6
    grey = shown.pictures[3]
    assert (grey[..., 0] == grey[..., 1]).all()
    arrows = [image_grids.ARROW in caption for caption in shown.captions]  # from there on red
    assert arrows == [True, True, False, False, False, True]


def test_where_nothing_turns_nothing_is_shown():
    assert not recolouring.counterfactuals(ORIGINAL, {"grey": ORIGINAL}, "net")


def test_networks_see_the_runs_pictures_edit_by_edit():
    run = page(chapter).run
    found = recolouring.predictions(run, ["hue+120"], "brightest")
    assert list(found) == ["hue+120"]
    assert found["hue+120"].dataset == "scenes_a_filtered/hue+120"
    first = found["hue+120"].predictions["brightest"][0]
    assert np.array_equal(first.predicted, (first.labels + 1) % 3)  # red is green, green is blue
