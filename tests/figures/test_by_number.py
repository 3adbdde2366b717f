"""Lines against a number, with bands and other people's means."""

from matplotlib.colors import to_hex

from robust_book.figures.by_number import by_number

LINES = {
    "seen": {2: (20.0, 15.0, 25.0), 1: (10.0, 5.0, 15.0)},
    "unseen": {1: (50.0, 40.0, 60.0), 2: (60.0, 50.0, 70.0)},
}


def drawn(**given):
    return by_number(LINES, xlabel="held out", ylabel="error (%)", **given).axes[0]


def test_a_line_goes_from_the_least_number_to_the_greatest():
    line = drawn().lines[0]
    assert (line.get_xdata().tolist(), line.get_ydata().tolist()) == ([1, 2], [10.0, 20.0])


def test_a_band_spans_the_interval():
    box = drawn().collections[1].get_paths()[0].get_extents()
    assert (box.y0, box.y1) == (40.0, 70.0)


def test_a_mean_is_dotted_in_the_colour_of_its_line():
    *lines, seen, unseen = drawn(means={"paper, seen": 13.2, "paper, unseen": 59.7}).lines
    assert [line.get_ydata()[0] for line in (seen, unseen)] == [13.2, 59.7]
    assert [to_hex(line.get_color()) for line in lines] == [
        to_hex(line.get_color()) for line in (seen, unseen)
    ]
    assert {line.get_linestyle() for line in (seen, unseen)} == {":"}


def test_axes_begin_at_zero_and_say_what_they_are():
    axis = drawn()
    assert axis.get_ylim() == (0, 100)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("held out", "error (%)")
