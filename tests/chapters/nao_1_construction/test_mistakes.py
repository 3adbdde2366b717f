"""Figure 2: what sure boxes lie on, and which of them are shown."""

from dataclasses import replace

import numpy as np

from robust_book.chapters.nao_1_construction import mistakes
from robust_lib.curation.candidates import HARD, Candidate
from robust_lib.datasets.objects import Foreign, Objects
from tests.chapters.nao_1_construction.constructions import CONSTRUCTION, SHAPES

FOUND = mistakes.named(
    CONSTRUCTION.filtration.candidates, SHAPES.annotations, SHAPES.class_names, 0.5
)


def test_mistakes_are_named_by_what_they_lie_on():
    told = {(one.candidate.image, one.truth, one.predicted, one.foreign) for one in FOUND}
    assert told == {
        (0, "disc", "box", False),
        (7, "box", "cross", False),
        (2, "ring", "disc", True),
        (4, "ring", "disc", True),
        (5, "wedge", "box", True),
        (9, "wedge", "box", True),
    }
    scores = [one.candidate.score for one in FOUND]
    assert scores == sorted(scores, reverse=True)
    assert FOUND[0].words == "ring → disc 95 %"
    assert all(one.under == one.candidate.box for one in FOUND)


def test_no_confusion_and_no_picture_stands_twice():
    foreign = mistakes.chosen(FOUND, foreign=True)
    assert [one.candidate.image for one in foreign] == [2, 5]
    twice = [FOUND[0], replace(FOUND[0], truth="wedge")]
    assert len(mistakes.chosen(twice, foreign=True)) == 1
    assert len(mistakes.chosen(FOUND, foreign=False, most=1)) == 1


def test_rows_are_of_one_length():
    told = mistakes.shown([one for one in FOUND if one.candidate.image != 7], SHAPES)
    assert (told.columns, len(told.pictures)) == (1, 2)
    assert [[box.kind for box in boxes] for boxes in told.boxes] == [["truth", "wrong"]] * 2
    only = mistakes.shown([one for one in FOUND if one.foreign], SHAPES)
    assert (only.columns, len(only.captions)) == (2, 2)
    assert mistakes.shown([], SHAPES).captions == ()


def test_a_box_on_nothing_is_of_no_object():
    box = np.array([[0, 0, 9, 9]], np.float32)
    own = Objects(64, 64, box[:0], np.array([], np.int64), foreign=Foreign(box, ("ring",)))
    away = Candidate(0, 0, HARD, (30.0, 30.0, 60.0, 60.0), 1, 0.9)
    (one,) = mistakes.named([away], [own], SHAPES.class_names, 0.5)
    assert (one.words, one.under, one.foreign) == ("no object → box 90 %", None, False)
    unknown = replace(own, foreign=None)
    assert mistakes.named([away], [unknown], SHAPES.class_names, 0.5)[0].truth == ""
    assert mistakes.chosen([one], foreign=True) == mistakes.chosen([one], foreign=False) == ()
