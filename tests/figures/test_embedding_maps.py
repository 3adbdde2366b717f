"""Maps as figures: the same part of the plane for all sets, circles where the pictures are."""

import numpy as np
import pytest

from robust_book.figures import style
from robust_book.figures.embedding_maps import SHADES, panels, ring, variants
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


def test_all_panels_show_the_same_part_of_the_plane_with_the_same_rings():
    figure = panels({"one": dots(), "other": dots(9, at=(30.0, 0.0))}, [ring(1, dots())])
    first, second = figure.axes
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim() == second.get_ylim()
    assert first.get_xlim()[1] > 30
    assert first.get_aspect() == 1  # of the plane, no direction is longer
    for axis, shade, count in zip(figure.axes, SHADES, (40, 9), strict=False):
        (line,) = axis.lines
        assert line.get_color() == shade
        assert len(line.get_xdata()) == count
        assert len(axis.patches) == 1
        assert axis.texts[0].get_text() == "1"


def test_many_dots_make_no_large_figure():
    many = {name: dots(5000) for name in ("a", "b", "c")}
    assert len(style.svg(panels(many))) < 300_000
    assert len(style.svg(variants({name: (one, [0] * 5000) for name, one in many.items()}))) < 4e5


def test_variants_colour_the_spots_alike():
    spots = [0, 1, 1, 2, 0]
    figure = variants({"a": (dots(5), spots), "b": (dots(5) * 2, spots)}, columns=2)
    colours = [[line.get_color() for line in axis.lines[1:]] for axis in figure.axes]
    assert colours[0] == colours[1] == list(style.DISTINCT[:2])
    alone = variants({"a": (dots(5), [0] * 5)})
    assert not alone.legends


@pytest.mark.parametrize("call", [lambda: panels({}), lambda: variants({})])
def test_no_sets_are_refused(call):
    with pytest.raises(InputError, match="but got none"):
        call()
