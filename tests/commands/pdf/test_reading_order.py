"""The order is that of the table of contents; links are read from the pages."""

import pytest

from robust_book.commands.pdf import reading_order
from robust_book.commands.pdf.reading_order import led_to, of_site, places
from robust_lib.errors import RunError
from tests.commands.pdf import small


def test_pages_are_read_as_the_contents_say(tmp_path):
    found = of_site(small.home(tmp_path))
    assert [leaf.name for leaf in found] == ["index", "wide", "api", "api/errors"]
    assert [leaf.depth for leaf in found] == [0, 0, 0, 1]
    assert [leaf.part for leaf in found] == ["", "Chapters", "Use", ""]


def test_a_part_without_chapters_has_no_caption():
    parts = [{"caption": "None", "chapters": []}, {"caption": "One", "chapters": [{"file": "a"}]}]
    found = reading_order.leaves({"root": "index", "parts": parts})
    assert [leaf.part for leaf in found] == ["", "One"]


def test_without_a_site_there_is_nothing_to_read(tmp_path):
    with pytest.raises(RunError, match=r"rendered.*Run `make book`"):
        of_site(tmp_path)


def test_a_page_that_the_site_lost_is_named(tmp_path):
    home = small.home(tmp_path)
    (home / "site" / "wide.html").unlink()
    with pytest.raises(RunError, match=r"Expected the pages wide in .*Render the site again"):
        of_site(home)


def test_places_are_those_that_pages_lead_to(tmp_path):
    home = small.home(tmp_path)
    found = places(home / "site", ["index", "wide", "api", "api/errors"])
    assert found == {"index": {"top"}, "wide": {"table", "here"}, "api": set(),
                     "api/errors": set()}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "link", "target"),
    [
        ("index", "wide.html", ("wide", "")),
        ("api/errors", "../index.html#a%20b", ("index", "a b")),
        ("api/errors", "#here", ("api/errors", "here")),
        ("index", "_static/rows.csv", (None, "")),
        ("index", "mailto:a@b.c", (None, "")),
    ],
)
def test_a_link_leads_to_a_page_and_a_place(name, link, target):
    assert led_to(name, link) == target
