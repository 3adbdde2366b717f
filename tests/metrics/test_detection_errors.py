"""Kinds of error: TIDE's own code on random images, and one scene a kind."""

import numpy as np
import pytest

from robust_lib import seeds
from robust_lib.errors import InputError
from robust_lib.metrics import detection
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import map_of
from robust_lib.metrics.detection_errors import KINDS, costs, errors_of, mended
from tests.looped import over
from tests.metrics.random_boxes import random_boxes
from tests.reference import tide
from tests.toys import unchecked

IMAGES, CLASSES = 60, 3
CAT = np.array([0.0, 0.0, 100.0, 100.0])
DOG = np.array([200.0, 0.0, 300.0, 100.0])


def random_case(case, crowds=False):
    """No two scores or boxes are equal: of equal ones each code takes the one that it meets first.

    There are so many objects that no class loses all of them, for TIDE and COCO do not agree on
    what the average precision of such a class is.
    """
    rng = seeds.generator("errors", case)
    objects = 211
    boxes = random_boxes(rng, objects, coarse=False)
    truth = Truth(
        rng.integers(0, IMAGES, objects), rng.integers(0, CLASSES, objects), boxes,
        rng.random(objects) < 0.1 if crowds else None,
    )  # fmt: skip
    about = rng.integers(0, objects, 300)
    near = boxes[about] + rng.normal(0, 1.2, (300, 4)) * rng.choice([0.2, 1, 3], (300, 1))
    near = np.concatenate([np.minimum(near[:, :2], near[:, 2:]),
                           np.maximum(near[:, :2], near[:, 2:])], 1)  # fmt: skip
    label = np.where(rng.random(300) < 0.7, truth.classes[about], rng.integers(0, CLASSES, 300))
    return truth, Detections(
        np.concatenate([truth.images[about], rng.integers(0, IMAGES, 60)]),
        np.concatenate([label, rng.integers(0, CLASSES, 60)]),
        np.concatenate([near, random_boxes(rng, 60, coarse=False)]),
        rng.random(360),
    )


@pytest.fixture
def recalls_of_tide(monkeypatch):
    """TIDE's hundredths and COCO's differ in the last digit: 0.07 is not 7 * 0.01."""
    monkeypatch.setattr(detection, "recall_points", lambda _: np.arange(101) / 100)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("recalls_of_tide")
@pytest.mark.parametrize("crowds", [False, True])
@over("case", range(12))
def test_as_tide_does(case, crowds):
    pytest.importorskip("tidecv")
    truth, found = random_case(case, crowds)
    errors = errors_of(truth, found)
    value, counts, rises = tide.run(truth, found, IMAGES)
    assert errors.counts == counts
    assert min(counts.values()) > 0
    assert map_of(errors.matches) == pytest.approx(value, abs=1e-9)
    assert costs(errors) == pytest.approx(rises, abs=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("recalls_of_tide")
def test_other_thresholds_as_tide_does():
    pytest.importorskip("tidecv")
    truth, found = random_case(3)
    errors = errors_of(truth, found, foreground=0.7, background=0.3)
    _, counts, rises = tide.run(truth, found, IMAGES, 0.7, 0.3)
    assert errors.counts == counts
    assert costs(errors) == pytest.approx(rises, abs=1e-9)


def scene(*found):
    """A cat of class 0 and a dog of class 1; what is found, surest first, as (class, box)."""
    truth = Truth(np.zeros(2, int), np.array([0, 1]), np.array([CAT, DOG]))
    boxes = np.array([box for _, box in found], float).reshape(-1, 4)
    classes = np.array([label for label, _ in found], int)
    scores = 1 - np.arange(len(found)) / 10
    return truth, Detections(np.zeros(len(found), int), classes, boxes, scores)


@pytest.mark.parametrize(
    ("kind", "said", "missed"),
    [
        ("classification", (1, CAT + 2), 0),
        ("localisation", (0, CAT + 40), 0),
        ("both", (1, CAT + 40), 1),
        ("background", (0, CAT + 500), 1),
        ("background", (0, CAT + 90), 1),
    ],
)
def test_one_error_of_a_kind(kind, said, missed):
    """The dog is found; the cat only by what is wrong."""
    errors = errors_of(*scene((1, DOG), said))
    expected = dict.fromkeys(KINDS, 0) | {kind: 1, "missed": missed}
    assert errors.counts == expected
    rise = costs(errors)
    assert {one for one in KINDS if rise[one] > 0} <= {kind, "missed"}
    if not missed:
        assert rise[kind] == pytest.approx(0.5)
        assert map_of(mended(errors, kind)) == 1


def test_a_second_detection_of_an_object():
    errors = errors_of(*scene((0, CAT), (0, CAT + 1), (1, DOG)))
    assert errors.counts == dict.fromkeys(KINDS, 0) | {"duplicate": 1}
    assert costs(errors) == dict.fromkeys(KINDS, 0)  # it comes after all of its class are found
    assert mended(errors, "duplicate").ignored.tolist() == [[False, True, False]]


def test_only_the_surest_finds_the_object():
    """Of a wrong class and a wrong place the surer one would find the cat, the other never."""
    errors = errors_of(*scene((1, CAT), (0, CAT + 40), (1, DOG)))
    assert errors.kinds.tolist() == [KINDS.index("localisation"), KINDS.index("classification"), -1]
    assert mended(errors, "classification").found.sum() == 2
    assert mended(errors, "localisation").found.sum() == 1


def test_missed_objects_need_not_be_found():
    truth, found = scene((0, CAT))
    errors = errors_of(truth, found)
    assert errors.missed.tolist() == [False, True]
    better = mended(errors, "missed")
    assert better.object_classes.tolist() == [0]
    assert better.partners.tolist() == [[0]]
    assert costs(errors)["missed"] == pytest.approx(0.5)


def test_nothing_found_and_nothing_there():
    truth, found = scene()
    errors = errors_of(truth, found)
    assert errors.counts == dict.fromkeys(KINDS, 0) | {"missed": 2}
    assert costs(errors) == dict.fromkeys(KINDS, 0)
    none = Truth(np.zeros(0, int), np.zeros(0, int), np.zeros((0, 4)))
    assert errors_of(none, scene((0, CAT))[1]).counts["background"] == 1


@pytest.mark.parametrize("thresholds", [(0.5, 0.5), (0.5, 0.0), (1.5, 0.1)])
def test_thresholds_that_ask_nothing(thresholds):
    with unchecked(), pytest.raises(InputError, match=r"background above 0.*below"):
        errors_of(*scene((0, CAT)), foreground=thresholds[0], background=thresholds[1])
