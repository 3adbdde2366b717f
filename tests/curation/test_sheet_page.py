"""The page that all sheets share: every part in its place, and data that cannot leave theirs."""

import json
import re

import pytest

from robust_lib.curation import sheet_page
from robust_lib.errors import DataError

REVIEW = {"styles": ["review_sheet.css"], "scripts": ["review_sheet.js"]}


@pytest.mark.parametrize("body", ["review_sheet.html", "annotation_sheet.html"])
def test_a_page_is_whole_and_asks_no_server(body):
    page = sheet_page.page(body, title="Review", data={"title": "mine"}, **REVIEW)
    assert page.startswith("<!doctype html>")
    assert page.rstrip().endswith("</html>")
    assert "<title>Review</title>" in page
    assert (page.count("<header>"), page.count("</main>")) == (1, 1)
    assert not re.search(r"/\*(TITLE|STYLE|BODY|SCRIPT|DATA)\*/", page)


def test_data_may_say_anything():
    told = {"title": "</script> /*SCRIPT*/ /*DATA*/ /*STYLE*/"}
    page = sheet_page.page("review_sheet.html", title="Review", data=told, **REVIEW)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert json.loads(data) == told
    assert page.count("</script>") == 2


def test_later_styles_stand_below_earlier_ones():
    page = sheet_page.page(
        "review_sheet.html",
        title="Review",
        styles=["review_sheet.css", "annotation_sheet.css"],
        scripts=[],
        data={},
    )
    assert page.index(":root") < page.index("#stage")


def test_pictures_that_no_browser_shows_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"a\.tif.*another.*Convert.*\.png"):
        sheet_page.address(tmp_path / "a.tif", tmp_path / "review.html")
