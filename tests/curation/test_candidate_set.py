"""Candidates and their file: some of the images, what is saved is read back, errors are told."""

import json

import numpy as np
import pytest

from robust_lib.curation import candidate_set
from robust_lib.curation.candidate_set import Category, Labelled, Photograph
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections
from tests.curation.annotating import FILES, found
from tests.trees import save


def test_what_is_saved_is_read_back(tmp_path):
    path = tmp_path / "made" / "candidates.json"
    candidate_set.save(found(), path)
    assert candidate_set.load(path) == found()
    first = json.loads(path.read_text("utf-8"))["pictures"][0]
    assert first["candidates"][0]["bbox"] == [10.0, 20.0, 40.5, 40.0]
    assert [one["truth"] for one in first["candidates"]] == ["cat", None]


def broken(path, change):
    candidate_set.save(found(), path)
    saved = json.loads(path.read_text("utf-8"))
    change(saved)
    path.write_text(json.dumps(saved), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda of: of.update(format=2), "format: Input should be 1"),
        (lambda of: of.pop("searched"), "searched: Field required"),
        (lambda of: of.update(more=1), "more: Extra inputs are not permitted"),
        (lambda of: of["categories"].append({"id": 9, "name": "cat"}), "a category occurs twice"),
        (lambda of: of["pictures"].append(of["pictures"][0]), r"one\.jpg occurs twice"),
        (
            lambda of: of["pictures"][0]["candidates"][0].update(predicted="bear"),
            r"one\.jpg has a box of bear, which is not a category",
        ),
        (
            lambda of: of["pictures"][0]["candidates"][0].update(bbox=[100, 0, 30, 9]),
            r"one\.jpg is 120 x 90 pixels, and \[100.*\] is not a box in it",
        ),
        (lambda of: of["pictures"][0]["candidates"][0].update(bbox=[9, 0, -3, 9]), "is not a box"),
        (lambda of: of["pictures"][0]["candidates"][0].update(score=80), "less than or equal to 1"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, change, told):
    with pytest.raises(DataError, match=told) as error:
        candidate_set.load(broken(tmp_path / "candidates.json", change))
    assert "Write it again with `robust candidates`" in str(error.value)


def test_no_file_and_no_json(tmp_path):
    with pytest.raises(DataError, match="there is no such file"):
        candidate_set.load(tmp_path / "absent.json")
    (tmp_path / "torn.json").write_text('{"format": 1, "pic')
    with pytest.raises(DataError, match="Invalid JSON"):
        candidate_set.load(tmp_path / "torn.json")


def test_some_pictures_are_numbered_anew():
    second = found().only([1])
    assert [one.file for one in second.photographs] == [FILES[1]]
    assert [(one.image, one.score) for one in second.candidates] == [(0, 0.9)]
    assert second.proposals == ((),)
    assert found().only([]).candidates == ()
    assert found().only([0, 1]) == found()


def test_names_that_occur_twice_and_boxes_inside_of_an_image():
    assert candidate_set.repeated(["a", "b", "a"]) == "a"
    assert candidate_set.repeated("ab") is None
    for box, within in (
        ((0.0, 0.0, 64.0, 48.0), True),
        ((-0.01, 0.0, 64.01, 48.0), True),
        ((0.0, 0.0, 64.1, 48.0), False),
        ((0.0, -0.1, 64.0, 48.0), False),
        ((0.0, 0.0, 64.0, 48.1), False),
    ):
        assert candidate_set.inside(box, 64, 48) == within, box


CATEGORIES = (Category(17, "cat"), Category(18, "dog"))
PICTURES = tuple(Photograph(f"{name}.jpg", 64, 48) for name in "abc")
BOX = (10.0, 10.0, 50.0, 40.0)
WIDE = (0.0, 0.0, 64.0, 48.0)
CAT, DOG = 0, 1


def boxes_of(*boxes):
    images, classes, corners, scores = zip(*boxes, strict=True)
    return Detections(np.array(images), np.array(classes), np.array(corners), np.array(scores))


def objects(*own, foreign=(), crowd=None):
    """The objects of one picture, as (class, box)."""
    return Objects(
        64,
        48,
        np.array([box for _, box in own], np.float32).reshape(-1, 4),
        np.array([kind for kind, _ in own], np.int64),
        crowd=crowd,
        foreign=Foreign(np.array(foreign, np.float32).reshape(-1, 4), ("fox",) * len(foreign)),
    )


BOXES = boxes_of(
    (0, CAT, BOX, 0.9),
    (1, DOG, BOX, 0.6),
    (2, DOG, BOX, 0.95),
    (2, CAT, WIDE, 0.5),
    (2, CAT, BOX, 0.3),
)


def test_without_truth_every_sure_box_is_a_candidate():
    made = candidate_set.search(PICTURES, BOXES, CATEGORIES, detector="net")
    assert [one.file for one in made.photographs] == ["a.jpg", "c.jpg"]
    assert [(one.image, one.kind, one.predicted) for one in made.candidates] == [
        (0, HARD, CAT),
        (1, HARD, DOG),
    ]
    # Boxes of a score of a half and above are proposed.
    assert made.proposals == ((Labelled(BOX, CAT),), (Labelled(BOX, DOG), Labelled(WIDE, CAT)))
    assert made.searched == 3
    assert made.settings == {"iou": 0.5, "score": 0.8, "truth": None, "foreign": False}


def test_with_truth_the_objects_are_proposed():
    truth = [objects((CAT, BOX)), objects(), objects((CAT, BOX), foreign=[WIDE])]
    made = candidate_set.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=truth, truth="truth.json"
    )
    assert [(one.image, one.kind, one.truth) for one in made.candidates] == [(0, EGREGIOUS, CAT)]
    assert [one.file for one in made.photographs] == ["c.jpg"]
    assert made.proposals == ((Labelled(BOX, CAT),),)
    assert made.settings["truth"] == "truth.json"


def test_foreign_objects_count_where_they_are_asked_to():
    truth = [objects(foreign=[BOX]), objects(), objects((DOG, BOX))]
    (one,) = candidate_set.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=truth, count_foreign=True
    ).candidates
    assert (one.kind, one.truth) == (EGREGIOUS, -1)
    with pytest.raises(InputError, match="omit --foreign"):
        candidate_set.search(PICTURES, BOXES, CATEGORIES, detector="net", count_foreign=True)


def test_a_crowd_is_no_proposal():
    crowd = objects((CAT, WIDE), crowd=np.array([True]))
    made = candidate_set.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=[objects(), objects(), crowd]
    )
    assert [one.file for one in made.photographs] == ["a.jpg", "c.jpg"]
    assert made.proposals == ((), ())


def test_sizes_are_those_of_the_files(tmp_path):
    save(tmp_path / "sub" / "a.png", 0, 30, 20)
    assert candidate_set.photographs(tmp_path, ["sub/a.png"]) == (Photograph("sub/a.png", 30, 20),)
    (tmp_path / "b.jpg").write_text("no picture")
    with pytest.raises(DataError, match=r"b\.jpg"):
        candidate_set.photographs(tmp_path, ["b.jpg"])
