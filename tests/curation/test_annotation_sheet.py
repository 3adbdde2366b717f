"""Annotation sheets without a browser: what they ask, and what they cannot show."""

import re
from dataclasses import replace

import pytest

from robust_lib.curation import annotation_sheet
from robust_lib.curation.questions import QUESTIONS
from robust_lib.errors import DataError
from tests.curation.annotating import FILES, SIZES, found
from tests.curation.sheets import data
from tests.trees import save


def test_the_first_stage_asks_of_each_candidate():
    sheet = annotation_sheet.of_questions(found(), "toys")
    assert [(one.id, one.picture, one.asked) for one in sheet.tasks] == [
        ("one.jpg 1", 0, "cat"),  # the object's own class
        ("one.jpg 2", 0, "person"),  # there is no object: the predicted one
        ("sub folder/two #1.png 1", 1, "cat"),
    ]
    told = data(sheet.page({file: f"at/{file}" for file in FILES}))
    assert [one["name"] for one in told["questions"]] == [one.name for one in QUESTIONS]
    assert told["tasks"][0]["box"] == [10, 20, 50.5, 60]
    assert told["pictures"][0] == {
        "file": "one.jpg",
        "address": "at/one.jpg",
        "width": 120,
        "height": 90,
    }
    assert told["saves"] == "answers"
    # Neither what the detector said nor how sure it was is told, lest annotators agree with it.
    assert "score" not in str(told)


def test_the_second_stage_has_proposals_and_the_label_set():
    told = data(annotation_sheet.of_boxes(found(), "toys").page({file: file for file in FILES}))
    assert told["categories"][1] == {"id": 17, "name": "cat"}
    assert told["pictures"][0]["proposals"][1] == {"box": [70, 5, 110, 40], "category": "person"}
    assert told["pictures"][1]["proposals"] == []


def test_sheets_of_other_questions_have_other_digests():
    first, second = (
        annotation_sheet.of_questions(found(), "toys"),
        annotation_sheet.of_boxes(found(), "toys"),
    )
    fewer = found(candidates=found().candidates[:2])
    moved = found(proposals=((), ()))
    digests = {
        one.digest
        for one in (
            first,
            second,
            annotation_sheet.of_questions(fewer, "toys"),
            annotation_sheet.of_boxes(moved, "toys"),
        )
    }
    assert len(digests) == 4
    assert annotation_sheet.of_questions(found(), "another title").digest == first.digest
    assert annotation_sheet.of_boxes(fewer, "toys").digest == second.digest


def test_a_sheet_finds_its_pictures_from_elsewhere_and_asks_nothing_remote(tmp_path):
    for file, size in zip(FILES, SIZES, strict=True):
        save(tmp_path / "pool" / file, 0, *size)
    path = tmp_path / "sheets" / "stage-2.html"
    annotation_sheet.of_boxes(found(), "</script><b>").write(path, tmp_path / "pool")
    page = path.read_text("utf-8")
    told = data(page)
    assert told["pictures"][1]["address"] == "../pool/sub%20folder/two%20%231.png"
    assert told["title"] == "</script><b>"
    addresses = set(re.findall(r"https?://[^\"'\s]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, and no address
    assert not re.search(r"/\*(STYLE|SCRIPT|DATA)\*/", page)


def test_what_cannot_be_shown(tmp_path):
    with pytest.raises(DataError, match=r"none.*10 images"):
        annotation_sheet.of_questions(found().only([]), "toys")
    with pytest.raises(DataError, match="no candidate was confirmed"):
        annotation_sheet.of_boxes(found().only([]), "toys")
    save(tmp_path / FILES[0], 0)
    sheet = annotation_sheet.of_boxes(replace(found()), "toys")
    with pytest.raises(DataError, match=r"1.*sub folder/two #1\.png"):
        sheet.write(tmp_path / "stage-2.html", tmp_path)
    assert not (tmp_path / "stage-2.html").exists()
