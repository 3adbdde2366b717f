"""Review sheets without a browser: what they list, where from, and what they cannot show."""

import re

import pytest

from robust_lib.curation import review_sheet
from robust_lib.errors import DataError
from tests.curation.sheets import FILES, data, filtration


def test_a_sheet_lists_the_pictures_of_a_folder_by_relative_address(folder):
    sheet = review_sheet.of_folder(folder)
    assert sheet.files == tuple(sorted(FILES))
    sheet.write(folder / "review.html")
    page = (folder / "review.html").read_text("utf-8")
    told = data(page)
    assert told["digest"] == sheet.digest
    assert [one["file"] for one in told["files"]] == list(sheet.files)
    assert told["files"][1] == {
        "file": FILES[1],
        "pictures": [{"address": "a/two%20%3Cb%3E.png"}],
    }
    assert not re.search(r"https?://|/\*(STYLE|SCRIPT|DATA)\*/", page)
    assert review_sheet.of_folder(folder).digest == sheet.digest  # the sheet itself is no picture


def test_a_sheet_elsewhere_finds_its_pictures(folder):
    review_sheet.of_folder(folder).write(folder.parent / "sheets" / "mine.html")
    page = (folder.parent / "sheets" / "mine.html").read_text("utf-8")
    assert data(page)["files"][0]["pictures"][0]["address"] == "../pool/a/one.jpg"


def test_a_sheet_of_many_pictures_is_small(tmp_path):
    shown = tuple(review_sheet.Shown(f"n01498041/{n:06}.jpg", "ray", "manta") for n in range(20000))
    review_sheet.Sheet(tmp_path, shown).write(tmp_path / "review.html")
    assert (tmp_path / "review.html").stat().st_size < 3e6


def test_a_filtrations_sheet_shows_the_shortlisted_with_their_classes(folder):
    sheet = review_sheet.of_filtration(folder, filtration())
    assert [(one.file, one.truth, one.said) for one in sheet.shown] == [
        ("a/one.jpg", "ray", "finch"),
        ("four.jpg", "finch", "ray"),
    ]


def test_what_cannot_be_shown(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="but it has none"):
        review_sheet.of_folder(tmp_path / "empty")
    with pytest.raises(DataError, match="there is no such folder"):
        review_sheet.of_folder(tmp_path / "absent")
    with pytest.raises(DataError, match="but none of 4 is"):
        review_sheet.of_filtration(folder, filtration(steps=("correct",) * 4))
    with pytest.raises(DataError, match=r"1 are not there, such as gone.jpg"):
        review_sheet.of_filtration(folder, filtration(ids=("gone.jpg", *FILES[1:])))
