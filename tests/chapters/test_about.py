"""What the book says of a chapter stands beside its module; tests/book reads what it says."""

from robust_book.chapters import notebooks
from robust_book.chapters.about import FOLDER, about, lessons


def test_every_chapter_has_the_name_that_people_search_for():
    kickers = [one.kicker for one in lessons().values()]
    assert len(set(kickers)) == len(kickers) == len(notebooks())


def test_chapters_stand_in_the_books_order():
    names = list(lessons())
    assert names[0] == "00_tour"
    assert names.index("inc_5_auxiliary") < names.index("overlap_1_matrix")  # not the alphabet's
    assert names.index("overlap_2_balance_and_cover") < names.index("nae_1_construction")


def test_no_file_is_left_of_a_chapter_that_is_gone():
    assert len([*FOLDER.glob("*.yaml")]) == len(notebooks())


def test_a_page_that_is_no_chapter_has_none():
    assert about("glossary") is None
    assert about("api/metrics") is None
    assert about("00_tour").finding == "00_tour.fig-one-network"
