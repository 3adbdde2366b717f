"""Adversarial objects are constructed from a pool, a detector's boxes and annotators."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.config.profiles import load_profile
from robust_lib.errors import DataError
from robust_lib.run import object_sets
from tests.chapters.nao_1_construction.constructions import (
    BOXES,
    CONSTRUCTION,
    NOTHING,
    SHAPES,
    annotator,
)


@pytest.fixture
def construction(monkeypatch, tmp_path):
    """Constructs in profile mini, where the shapes are the pool and their detector filters."""
    asked = []

    def found(by_name, pool, profile, store, marks):
        return {"mine": (BOXES,)}

    monkeypatch.setattr(object_sets.image_sets, "image_set", lambda *_: SHAPES)
    monkeypatch.setattr(object_sets.image_kinds, "as_layouts", lambda images: images)
    monkeypatch.setattr(
        object_sets.detectors,
        "detectors",
        lambda profile, networks, store: asked.append((networks, profile.seeds)) or {},
    )
    monkeypatch.setattr(object_sets.detectors, "found_boxes", found)
    monkeypatch.setattr(
        object_sets.object_review,
        "annotators",
        lambda images, count: tuple(annotator(number) for number in range(count)),
    )

    def constructed(**how):
        profile = load_profile("mini").model_copy(update={"seeds": (3, 4)})
        made = object_sets.construction(profile, "nao", Store(tmp_path), **how)
        ((networks, seeds),) = asked[-1:]
        assert seeds == (3,)
        return made, str(networks[0])

    return constructed


def test_what_stays_are_the_pictures_with_a_confirmed_mistake(construction):
    made, filter_name = construction(score=0.8)
    assert filter_name == "efficientdet_d7_mini"
    assert made.filtration.funnel() == CONSTRUCTION.filtration.funnel()
    assert made.images.name == "layouts_nao"
    assert made.images.ids == tuple(SHAPES.ids[place] for place in (0, 2, 5, 7))


def test_another_detector_other_thresholds_and_fewer_annotators(construction):
    made, filter_name = construction(detector="faster_rcnn", score=0.92, iou=0.6, annotators=1)
    assert filter_name == "fasterrcnn_layouts_mini"
    assert made.filtration.settings == {"iou": 0.6, "score": 0.92, "count_foreign": False}
    assert {len(answers) for answers in made.filtration.answers} == {1}
    assert {one.image for one in made.filtration.candidates} == {2, 4, 5, 9}


def test_of_a_detector_that_is_sure_of_nothing_the_surest_boxes_count():
    scores = BOXES.detections.scores
    third = float(np.sort(scores)[-4])  # three are surer

    def usual(found, **options):
        return object_sets._usual_score({"score": 0.8} | options, found)

    assert usual(BOXES, surest=3) == 0.8
    faint = replace(BOXES, detections=replace(BOXES.detections, scores=scores / 2))
    assert usual(faint, surest=3) == third / 2
    assert (faint.detections.scores > usual(faint, surest=3)).sum() == 3
    assert usual(faint, surest=1000) == faint.detections.scores.min()


def test_nothing_left_is_told():
    with pytest.raises(DataError, match="Lower the score, or draw more images"):
        NOTHING.images.ids  # noqa: B018
