"""A hold-out's two sides, and icons that belong together."""

import numpy as np
import pytest

from robust_lib.datasets.hold_out import groups, hold_out
from robust_lib.datasets.icons50 import Icon
from robust_lib.errors import InputError


def test_both_sides_are_ascending_and_together_all():
    found = hold_out("some", np.array([True, False, True]))
    assert (found.name, found.train.tolist(), found.test.tolist()) == ("some", [1], [0, 2])


@pytest.mark.parametrize(("held", "side"), [(True, "train"), (False, "test")])
def test_a_side_without_icons_is_refused(held, side):
    with pytest.raises(InputError, match=f"icons to {side} on for the hold-out all"):
        hold_out("all", np.full(3, held))


def test_groups_do_not_depend_on_the_order_of_the_icons():
    names = ("top", "cap", "crown", "cap")
    icons = [Icon(f"hat/a_{n}_{name}.png", 0, "a", str(n), name) for n, name in enumerate(names)]
    backwards = icons[::-1]

    def paths(icons):
        found = groups(icons, lambda icon: icon.subtype)
        return [[icons[place].path for place in group] for group in found]

    assert paths(icons) == paths(backwards)
    assert groups(icons, lambda icon: icon.subtype) == [[0], [1, 3], [2]]
