"""What annotators saved: read back, and refused where it does not belong."""

import json

import pytest

from robust_lib.curation import annotation_files, annotation_sheet
from robust_lib.curation.candidate_set import Labelled
from robust_lib.errors import DataError
from tests.curation.annotating import FAIR, MISTAKE, answered, boxed, found

ASKED = annotation_sheet.of_questions(found(), "toys")
DRAWN = annotation_sheet.of_boxes(found(), "toys")


def test_answers_are_read_by_task_and_annotator(tmp_path):
    ada = answered(tmp_path / "a.json", ASKED, "Ada", FAIR, MISTAKE, FAIR | {"blurry": "yes"})
    bob = answered(tmp_path / "b.json", ASKED, "Bob", FAIR, FAIR, FAIR)
    told = annotation_files.read_answers(ASKED, [ada, bob], annotators=2)
    assert told.annotators == ("Ada", "Bob")
    assert [[of["class"] for of in task] for task in told.answers] == [
        [True, True],
        [False, True],
        [True, True],
    ]
    assert [of["blurry"] for of in told.answers[2]] == [True, False]


@pytest.mark.parametrize(
    ("answers", "changes", "told"),
    [
        ([FAIR, FAIR], {}, r"leaves 1 open \(sub folder/two #1\.png 1\)"),
        ([FAIR, FAIR, {"class": "yes"}], {}, "leaves 1 open"),
        ([FAIR, FAIR, FAIR | {"box": "maybe"}], {}, "its answer to box about sub folder"),
        ([FAIR, FAIR, FAIR | {"colour": "yes"}], {}, "belong to different questions"),
        ([FAIR] * 3, {"sheet": "of another"}, "to be saved from this sheet of stage 1"),
        ([FAIR] * 3, {"annotator": ""}, "it does not name its annotator"),
        ([FAIR] * 3, {"format": 2}, "it is of format 2"),
        ([FAIR] * 3, {"more": 2}, "its fields differ"),
        ([FAIR] * 3, {"answers": {"gone.jpg 1": FAIR}}, r"about gone\.jpg 1, which are not"),
        ([FAIR] * 3, {"answers": []}, "its answers are not a JSON object"),
    ],
)
def test_answers_that_are_none_are_refused(tmp_path, answers, changes, told):
    path = answered(tmp_path / "a.json", ASKED, "Ada", *answers, **changes)
    with pytest.raises(DataError, match=told):
        annotation_files.read_answers(ASKED, [path], annotators=1)


def test_a_file_an_annotator_and_as_many_as_are_expected(tmp_path):
    ada = answered(tmp_path / "a.json", ASKED, "Ada", *[FAIR] * 3)
    with pytest.raises(DataError, match=r"answers.*5 annotators.*1 files"):
        annotation_files.read_answers(ASKED, [ada], annotators=5)
    with pytest.raises(DataError, match="and another file are both by Ada"):
        annotation_files.read_answers(ASKED, [ada, ada], annotators=2)
    with pytest.raises(DataError, match="there is no such file"):
        annotation_files.read_answers(ASKED, [tmp_path / "c.json"], annotators=1)
    (tmp_path / "torn.json").write_text(ada.read_text()[:50])
    with pytest.raises(DataError, match="it is not one"):
        annotation_files.read_answers(ASKED, [tmp_path / "torn.json"], annotators=1)


def test_boxes_are_read_by_picture(tmp_path):
    boxes = [(1, 18, 0, 0, 80, 100), (0, 17, 10, 20, 40.5, 40), (0, 1, 1, 2, 3, 4)]
    path = boxed(tmp_path / "a.json", DRAWN, "Ada", boxes)
    told = annotation_files.read_boxes(DRAWN, path)
    assert told.annotator == "Ada"
    assert told.boxes == (
        (Labelled((10.0, 20.0, 50.5, 60.0), 1), Labelled((1.0, 2.0, 4.0, 6.0), 0)),
        (Labelled((0.0, 0.0, 80.0, 100.0), 2),),
    )
    assert annotation_files.sheet_of(path) == DRAWN.digest


@pytest.mark.parametrize(
    ("boxes", "change", "told"),
    [
        ([(0, 17, 100, 0, 30, 10)], {}, r"one\.jpg is 120 x 90 pixels, and \[100"),
        ([(0, 17, 1, 1, 0, 10)], {}, "is not a box in it"),
        ([(0, 99, 1, 1, 9, 9)], {}, "a box has category 99, which the file does not list"),
        ([(5, 17, 1, 1, 9, 9)], {}, "a box is in image 5, which the file does not list"),
        (
            [],
            {"categories": [{"id": 3, "name": "bear"}]},
            "boxes of bear, which are not classes of",
        ),
        ([], {"images": [{"id": 3, "file_name": "x.jpg"}]}, r"it lists x\.jpg, which are not on"),
        ([], {"images": []}, "2 are not in it"),
        ([], {"info": {"format": 1}}, "its info lacks annotator, done, sheet"),
        ([], {"annotations": None}, "annotations: Input should be a valid array"),
    ],
)
def test_boxes_that_do_not_belong_are_refused(tmp_path, boxes, change, told):
    with pytest.raises(DataError, match=told):
        annotation_files.read_boxes(
            DRAWN, boxed(tmp_path / "a.json", DRAWN, "Ada", boxes, **change)
        )


def test_pictures_that_are_open_or_of_another_sheet(tmp_path):
    path = boxed(tmp_path / "a.json", DRAWN, "Ada", [])
    saved = json.loads(path.read_text())
    saved["info"]["done"] = ["one.jpg"]
    path.write_text(json.dumps(saved))
    with pytest.raises(DataError, match=r"leaves 1 open \(sub folder/two #1\.png\)"):
        annotation_files.read_boxes(DRAWN, path)
    saved["info"]["sheet"] = "of another"
    path.write_text(json.dumps(saved))
    with pytest.raises(DataError, match=r"saved.*sheet.*stage 2"):
        annotation_files.read_boxes(DRAWN, path)
