"""Maps as figures: the same part of the plane for all sets, circles where the pictures are."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from robust_book.figures import style
from robust_book.figures.embedding_maps import SPOT, panels, ring, variants
from robust_lib.errors import InputError


def dots(count=40, at=(0.0, 0.0)):
    return np.random.default_rng(count).normal(size=(count, 2)) + at


def test_a_ring_holds_three_quarters_of_its_pictures():
    places = dots(41, at=(5.0, -3.0))
    found = ring(2, places)
    apart = np.hypot(*(places - (found.x, found.y)).T)
    assert (apart <= found.radius + 1e-9).sum() == 31  # the next whole picture above 30.75
    assert np.hypot(found.x - 5, found.y + 3) < 1
    assert ring(1, places[:1]).radius == 0


def test_all_panels_are_squares_of_the_same_part_of_the_plane_with_the_same_dots_and_rings():
    sets, chosen = {"one": dots(), "other": dots(9, at=(30.0, 0.0))}, dots(5)
    figure = panels(sets, chosen, "adversarial", [ring(1, dots())])
    first, second = figure.axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert np.ptp(first.get_xlim()) == pytest.approx(np.ptp(first.get_ylim()))
    assert first.get_xlim()[1] > 30
    assert first.get_aspect() == 1  # of the plane, no direction is longer
    for axis in figure.axes:
        (line,) = axis.lines
        assert line.get_color() == style.HARD
        assert np.array_equal(line.get_xydata(), chosen)
        assert [patch.get_edgecolor() for patch in axis.patches] == [to_rgba(SPOT)]
        assert axis.texts[0].get_text() == "1"
    left, right = (axis.images[0].get_array()[..., 3] for axis in figure.axes)
    assert left[:, :80].max() > 0.5  # the first set is on the left,
    assert left[:, 80:].max() == 0
    assert right[:, 80:].max() > 0.5  # the second on the right


def test_many_dots_make_no_large_figure():
    many = {name: dots(5000) for name in ("a", "b", "c")}
    assert len(style.svg(panels(many, dots(5000), "x"))) < 300_000
    assert len(style.svg(variants({name: (one, [0] * 5000) for name, one in many.items()}))) < 4e5


def test_variants_are_squares_of_one_size_turned_to_fit_the_first():
    places, spots = dots(50), [0] * 20 + [1] * 20 + [2] * 10
    turned = 5 * places @ np.array([[0.0, 1.0], [1.0, 0.0]]) - 7  # mirrored, larger, elsewhere
    figure = variants({"a": (places, spots), "b": (turned, spots)}, columns=2)
    first, second = figure.axes
    assert first.get_xlim() == second.get_xlim()
    assert np.ptp(first.get_xlim()) == pytest.approx(np.ptp(first.get_ylim()))
    for one, other in zip(first.lines, second.lines, strict=True):
        assert np.allclose(one.get_xydata(), other.get_xydata())
    assert [line.get_color() for line in first.lines] == [style.GREY, SPOT, SPOT]
    assert [text.get_text() for text in second.texts] == ["1", "2"]


@pytest.mark.parametrize("call", [lambda: panels({}, dots(), "x"), lambda: variants({})])
def test_no_sets_are_refused(call):
    with pytest.raises(InputError, match="but got none"):
        call()
