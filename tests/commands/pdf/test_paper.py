"""The sheet: its size, and what stays out of it."""

from robust_book.commands.pdf import paper


def test_a_page_is_laid_out_as_wide_as_the_sheet_prints_it():
    printed = paper.options()
    inches = printed["paperWidth"] - printed["marginLeft"] - printed["marginRight"]
    assert abs(paper.width() - 96 * inches / printed["scale"]) < 1


def test_pages_with_margins_of_their_own_are_printed_in_their_own_size():
    plain = paper.options(margins=False)
    assert {plain[f"margin{side}"] for side in ("Top", "Right", "Bottom", "Left")} == {0}
    assert plain["scale"] == 1


def test_the_places_that_others_lead_to_are_in_a_fixed_order():
    assert paper.arguments({"b", "a"})[1] == ["a", "b"]
