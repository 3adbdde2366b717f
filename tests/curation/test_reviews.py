"""Review sheets without a browser: what they list, what is refused, what several people decided."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from robust_lib.curation import review_sheet, reviews
from robust_lib.curation.decisions import Filtration
from robust_lib.errors import DataError
from tests.trees import save

FILES = ("a/one.jpg", "a/two <b>.png", "b/three.JPEG", "four.jpg")


@pytest.fixture
def folder(tmp_path):
    for number, file in enumerate(FILES):
        save(tmp_path / "pool" / file, number)
    for other in ("notes.txt", ".hidden.jpg", ".cache/x.jpg", "a/table.csv"):
        path = tmp_path / "pool" / other
        path.parent.mkdir(exist_ok=True)
        path.write_text("no picture")
    return tmp_path / "pool"


def filtration(ids=FILES, steps=("shortlisted", "correct", "confident", "shortlisted")):
    shares = np.full((4, 1), 0.1)
    return Filtration(
        rule="imagenet-a",
        filters=("net",),
        class_names=("ray", "finch"),
        ids=ids,
        labels=np.array([0, 0, 1, 1]),
        predicted=np.array([[1], [-1], [0], [0]]),
        confidence=1 - shares,
        in_truth=shares,
        steps=steps,
        settings={},
    )


def data(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(text)


def decided(path, of, by, /, *words, **changes):
    decisions = dict(zip(of.files, words, strict=False))
    saved = {"format": 1, "sheet": of.digest, "reviewer": by, "decisions": decisions}
    path.write_text(json.dumps(saved | changes), "utf-8")
    return path


def test_a_sheet_lists_the_pictures_of_a_folder_by_relative_address(folder):
    sheet = review_sheet.of_folder(folder)
    assert sheet.files == tuple(sorted(FILES))
    sheet.write(folder / "review.html")
    page = (folder / "review.html").read_text("utf-8")
    told = data(page)
    assert told["digest"] == sheet.digest
    assert [one["file"] for one in told["files"]] == list(sheet.files)
    assert told["files"][1] == {"file": FILES[1], "address": "a/two%20%3Cb%3E.png"}
    assert not re.search(r"https?://|/\*(STYLE|SCRIPT|DATA)\*/", page)
    assert review_sheet.of_folder(folder).digest == sheet.digest  # the sheet itself is no picture


def test_a_sheet_elsewhere_finds_its_pictures(folder):
    review_sheet.of_folder(folder).write(folder.parent / "sheets" / "mine.html")
    page = (folder.parent / "sheets" / "mine.html").read_text("utf-8")
    assert data(page)["files"][0]["address"] == "../pool/a/one.jpg"


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


def test_what_several_people_decided(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    told = reviews.read(
        sheet,
        [
            decided(tmp_path / "a.json", sheet, "Ada", "keep", "keep", "drop", "keep"),
            decided(tmp_path / "b.json", sheet, "Bob", "keep", "drop", "drop"),
        ],
    )
    assert told.majority == dict(zip(sheet.files, ["keep", "unsure", "drop", "keep"], strict=True))
    assert told.seen_by_all == sheet.files[:3]
    lines = told.summary().splitlines()
    assert lines[0] == "Ada: 3 keep, 1 drop, 0 unsure of 4"
    assert lines[2] == "majority: 2 keep, 1 drop, 1 unsure of 4"
    # Two of three pairs agree; by chance 1/4 + 1/4: (2/3 - 1/2) / (1/2).
    assert lines[3].startswith("agreement: 66.7 % of pairs of votes, Fleiss' kappa 0.333, on 3")
    told.save(tmp_path / "reviewed.csv")
    table = pd.read_csv(tmp_path / "reviewed.csv", index_col="file")
    assert table.loc["a/two <b>.png"].tolist() == [1, 1, 0, "unsure"]
    assert table["majority"].tolist() == ["keep", "unsure", "drop", "keep"]


def test_one_reviewer_alone_and_one_category_alone(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    ada = decided(tmp_path / "a.json", sheet, "Ada", "keep", "keep")
    assert "agreement" not in reviews.read(sheet, [ada]).summary()
    bob = decided(tmp_path / "b.json", sheet, "Bob", "keep", "keep")
    told = reviews.read(sheet, [ada, bob])
    assert "100.0 % of pairs of votes, Fleiss' kappa not defined" in told.summary()
    told.save(tmp_path / "reviewed.csv")
    assert (tmp_path / "reviewed.csv").read_text().splitlines()[-1].endswith("0,0,0,")


def test_decisions_go_back_into_the_filtration(folder, tmp_path):
    told = filtration()
    sheet = review_sheet.of_filtration(folder, told)
    ada = decided(tmp_path / "a.json", sheet, "Ada", "keep", "drop")
    after = told.reviewed(reviews.read(sheet, [ada]).majority)
    assert after.shortlisted == ("a/one.jpg",)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"sheet": "of another"}, "a sheet with another list"),
        ({"decisions": {"gone.jpg": "keep"}}, r"decides on 1 others \(gone.jpg\)"),
        ({"decisions": {"four.jpg": "yes"}}, "its decision on four.jpg is none of"),
        ({"decisions": ["keep"]}, "it is of format 1"),
        ({"format": 2}, "it is of format 2"),
        ({"reviewer": ""}, "it names no reviewer"),
        ({"more": 1}, "it has other parts"),
    ],
)
def test_decisions_that_are_refused(folder, tmp_path, changes, told):
    sheet = review_sheet.of_folder(folder)
    path = decided(tmp_path / "a.json", sheet, "Ada", "keep", **changes)
    with pytest.raises(DataError, match=told):
        reviews.read(sheet, [path])


def test_files_that_are_refused(folder, tmp_path):
    sheet = review_sheet.of_folder(folder)
    with pytest.raises(DataError, match="no such file"):
        reviews.read(sheet, [tmp_path / "none.json"])
    (tmp_path / "torn.json").write_text('{"format": 1,')
    with pytest.raises(DataError, match="it holds none"):
        reviews.read(sheet, [tmp_path / "torn.json"])
    twice = [decided(tmp_path / f"{n}.json", sheet, "Ada", "keep") for n in "ab"]
    with pytest.raises(DataError, match=r"a.json and .*b.json are both by Ada"):
        reviews.read(sheet, twice)
