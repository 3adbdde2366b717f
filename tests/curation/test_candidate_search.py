"""From boxes to candidates and proposals, counted by hand."""

import numpy as np
import pytest

from robust_lib.curation import candidate_search
from robust_lib.curation.candidate_set import Category, Labelled, Photograph
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections
from tests.trees import save

CATEGORIES = (Category(17, "cat"), Category(18, "dog"))
PICTURES = tuple(Photograph(f"{name}.jpg", 64, 48) for name in "abc")
BOX = (10.0, 10.0, 50.0, 40.0)
WIDE = (0.0, 0.0, 64.0, 48.0)
CAT, DOG = 0, 1


def found(*boxes):
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


BOXES = found(
    (0, CAT, BOX, 0.9),
    (1, DOG, BOX, 0.6),
    (2, DOG, BOX, 0.95),
    (2, CAT, WIDE, 0.5),
    (2, CAT, BOX, 0.3),
)


def test_without_truth_every_sure_box_is_a_candidate():
    made = candidate_search.search(PICTURES, BOXES, CATEGORIES, detector="net")
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
    made = candidate_search.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=truth, truth="truth.json"
    )
    assert [(one.image, one.kind, one.truth) for one in made.candidates] == [(0, EGREGIOUS, CAT)]
    assert [one.file for one in made.photographs] == ["c.jpg"]
    assert made.proposals == ((Labelled(BOX, CAT),),)
    assert made.settings["truth"] == "truth.json"


def test_foreign_objects_count_where_they_are_asked_to():
    truth = [objects(foreign=[BOX]), objects(), objects((DOG, BOX))]
    (one,) = candidate_search.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=truth, count_foreign=True
    ).candidates
    assert (one.kind, one.truth) == (EGREGIOUS, -1)
    with pytest.raises(InputError, match="leave --foreign out"):
        candidate_search.search(PICTURES, BOXES, CATEGORIES, detector="net", count_foreign=True)


def test_a_crowd_is_no_proposal():
    crowd = objects((CAT, WIDE), crowd=np.array([True]))
    made = candidate_search.search(
        PICTURES, BOXES, CATEGORIES, detector="net", objects=[objects(), objects(), crowd]
    )
    assert [one.file for one in made.photographs] == ["a.jpg", "c.jpg"]
    assert made.proposals == ((), ())


def test_sizes_are_those_of_the_files(tmp_path):
    save(tmp_path / "sub" / "a.png", 0, 30, 20)
    assert candidate_search.photographs(tmp_path, ["sub/a.png"]) == (
        Photograph("sub/a.png", 30, 20),
    )
    (tmp_path / "b.jpg").write_text("no picture")
    with pytest.raises(DataError, match=r"b\.jpg"):
        candidate_search.photographs(tmp_path, ["b.jpg"])
