"""Which icons the chapter on ICONS-50 shows."""

import pytest

from robust_book.chapters.inc_4_icons50 import galleries
from robust_lib.errors import InputError
from tests.protocols.icons import BIRD, HAT, ICONS, predicted_on


def test_a_sample_shows_a_class_by_several_vendors():
    found = galleries.sample(ICONS, classes=2, each=3)
    icons = [ICONS.icons[place] for place in found.places]
    assert [icon.label for icon in icons] == [BIRD] * 3 + [HAT] * 3
    assert {icon.style for icon in icons[:3]} == {"google", "microsoft", "openmoji"}
    assert found.captions == ("Bird",) * 3 + ("Hat",) * 3
    assert [picture[0, 0, 0] for picture in ICONS.pictures(found.places)] == list(found.places)


def test_mistakes_come_first_among_the_predicted():
    found = galleries.predicted(predicted_on("style:microsoft", 2), ICONS, BIRD, most=4)
    assert found.captions == ("Hat", "Hat", "\N{CHECK MARK} Bird", "\N{CHECK MARK} Bird")
    assert [ICONS.icons[place].style for place in found.places] == ["microsoft"] * 4


def test_a_class_that_is_not_held_out_has_nothing_to_show():
    with pytest.raises(InputError, match="icons of the class Airplane among those held out"):
        galleries.predicted(predicted_on("style:microsoft", 2), ICONS, 0)
