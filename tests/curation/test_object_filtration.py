"""From a pool to what stays: toy pools whose every step is counted by hand."""

import numpy as np
import pandas as pd
import pytest

from robust_lib.curation import annotation_sheet, object_filtration, questions
from robust_lib.curation.candidates import EGREGIOUS, HARD
from robust_lib.curation.object_filtration import ObjectFiltration
from robust_lib.datasets.objects import Foreign, Objects
from robust_lib.errors import InputError
from robust_lib.metrics.boxes import Detections
from tests.curation.annotating import found

BOX = np.array([[10, 10, 50, 40]], np.float32)
CAT, DOG, CAR = range(3)


def picture(*classes, foreign=()):
    of_foreign = Foreign(np.repeat(BOX, len(foreign), 0), tuple(foreign))
    return Objects(
        64, 48, np.repeat(BOX, len(classes), 0), np.array(classes, np.int64), foreign=of_foreign
    )


def sure(*boxes):
    """Detections as (image, class, score), all of them where the objects are."""
    images, classes, scores = zip(*boxes, strict=True)
    return Detections(
        np.array(images), np.array(classes), np.repeat(BOX, len(boxes), 0), np.array(scores)
    )


def truthful(objects, **changes):
    """Somebody who names what is there, and finds nothing else to complain of."""

    def answers(one):
        asked, _ = questions.asked(one)
        is_it = asked in objects[one.image].classes.tolist()
        fair = {"class": is_it, "box": True, "blurry": False, "occluded": False, "depiction": False}
        return fair | changes

    return answers


POOL = (picture(CAT), picture(CAT, foreign=("lynx",)), picture(foreign=("fish",)), picture(DOG))
FOUND = sure((0, CAT, 0.9), (1, DOG, 0.9), (2, CAR, 0.95), (2, CAT, 0.85), (3, CAT, 0.7))


def test_the_funnel_counts_pictures():
    made = object_filtration.construct(POOL, FOUND, [truthful(POOL)] * 5)
    assert [(one.image, one.kind) for one in made.candidates] == [
        (1, EGREGIOUS),
        (2, HARD),
        (2, HARD),
    ]
    assert made.places == (1, 2)
    assert made.funnel() == {"pictures": 4, "with a candidate": 2, "confirmed": 2}
    assert object_filtration.pictures_of(made.candidates, HARD) == (2,)
    assert object_filtration.pictures_of(made.candidates, EGREGIOUS) == (1,)
    assert made.falls() == dict.fromkeys(questions.NAMES, 0)


def test_the_majority_of_annotators_decides_by_each_question():
    blurred = truthful(POOL, blurry=True)
    made = object_filtration.construct(POOL, FOUND, [blurred] * 3 + [truthful(POOL)] * 2)
    assert made.places == ()
    assert made.falls()["blurry"] == 3
    made = object_filtration.construct(POOL, FOUND, [blurred] * 2 + [truthful(POOL)] * 3)
    assert made.places == (1, 2)


def test_a_picture_stays_with_one_confirmed_candidate_of_several():
    def says(one):
        return truthful(POOL)(one) | {"box": one.predicted != CAR}

    made = object_filtration.construct(POOL, FOUND, [says])
    assert [one.predicted for one in made.confirmed] == [DOG, CAT]
    assert made.places == (1, 2)


def test_a_prediction_that_annotators_call_right_is_no_mistake():
    # The truth lacks a car; people see one.
    seen = [picture(CAT), picture(CAT), picture(CAR), picture(DOG)]
    made = object_filtration.construct(POOL, FOUND, [truthful(seen)])
    assert [one.predicted for one in made.confirmed] == [DOG, CAT]
    assert made.falls()["class"] == 1


def test_foreign_objects_may_count_as_truth():
    made = object_filtration.construct(POOL, FOUND, [truthful(POOL)], count_foreign=True)
    assert {one.kind for one in made.candidates} == {EGREGIOUS}
    assert made.funnel()["confirmed"] == 2
    unknown = [Objects(64, 48, BOX, np.array([CAT]))]
    with pytest.raises(InputError, match="images were searched for them"):
        object_filtration.construct(unknown, sure((0, CAT, 0.9)), [len], count_foreign=True)


def test_thresholds_are_kept_and_used():
    made = object_filtration.construct(POOL, FOUND, [truthful(POOL)], score=0.9)
    assert made.settings == {"iou": 0.5, "score": 0.9, "count_foreign": False}
    assert made.funnel()["with a candidate"] == 1
    made = object_filtration.construct(POOL, FOUND, [truthful(POOL)], score=0.6)
    assert made.places == (1, 2, 3)


@pytest.mark.parametrize(
    ("pool", "annotators", "told"),
    [
        ((), [len], "0 images"),
        (POOL, [], "0 annotators"),
        (POOL[:2], [len], "one is in image 3, counted from 0"),
    ],
)
def test_what_is_refused(pool, annotators, told):
    with pytest.raises(InputError, match=told):
        object_filtration.construct(pool, FOUND, annotators)


FAIR = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}
MISTAKE = FAIR | {"class": False}


def made(*answers):
    return ObjectFiltration(
        pictures=10, candidates=found().candidates, answers=answers, settings={}
    )


def test_votes_and_what_becomes_of_each_box(tmp_path):
    told = made(
        (FAIR, FAIR, FAIR | {"blurry": True}),
        (MISTAKE, FAIR, FAIR),
        (MISTAKE, MISTAKE, MISTAKE | {"box": False}),
    )
    sheet = annotation_sheet.of_questions(found(), "toys")
    object_filtration.save(told, sheet, tmp_path / "answers.csv")
    table = pd.read_csv(tmp_path / "answers.csv", index_col="box")
    assert table["falls_by"].tolist() == ["confirmed", "class", "confirmed"]
    assert table.loc["one.jpg 1"].tolist() == ["cat", 3, 3, 3, 1, 0, 0, "confirmed"]
    assert table.loc["sub folder/two #1.png 1", "box_yes"] == 2
    lines = object_filtration.summary(told).splitlines()
    assert len(lines) == len(questions.NAMES)
    assert lines[0].startswith("class: 1 of 3 candidates rejected; agreement 77.8 %")
    assert lines[3].endswith("Fleiss' kappa not defined (equal votes)")


def test_one_annotator_has_nobody_to_agree_with():
    assert "agreement" not in object_filtration.summary(made((FAIR,), (FAIR,), (FAIR,)))
