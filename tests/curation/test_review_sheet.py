"""Review sheets without a browser: what they list, where from, and what they cannot show."""

import re

import pytest

from robust_lib.curation import review_sheet
from robust_lib.curation.decisions import WORDS
from robust_lib.curation.review_sheet import PICTURES, REASONS, ROUND_1, ROUND_2, SIMILAR
from robust_lib.errors import DataError
from tests.curation.sheets import FILES, data, filtration


@pytest.mark.parametrize("mode", [PICTURES, ROUND_1, ROUND_2])
def test_every_answer_has_a_key_and_a_word_of_its_own(mode):
    keys = [choice.key for choice in mode.choices]
    assert len(set(keys)) == len(set(mode.words)) == len(mode.choices)
    assert "z" not in keys  # it takes back
    assert all(len(key) == 1 and key.islower() for key in keys)


def test_pictures_take_the_words_of_a_filtration():
    assert PICTURES.words == WORDS
    assert "".join(choice.key for choice in PICTURES.choices) == "kdu"


def test_pairs_are_shown_one_by_one_and_dissimilar_ones_have_a_reason():
    assert ROUND_1.page == 1
    assert ROUND_1.shuffled
    assert ROUND_1.words == (SIMILAR, *REASONS, "unsure", "wrong")
    grouped = [choice.word for choice in ROUND_1.choices if choice.group == "dissimilar"]
    assert tuple(grouped) == REASONS
    assert ROUND_1.choices == ROUND_2.choices
    assert ROUND_1.saves != ROUND_2.saves


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
