"""Simulated annotators: they see what is there, and differ where it is near a limit."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.curation import questions
from robust_lib.errors import InputError
from robust_lib.miniworld import object_review
from robust_lib.miniworld.layout_set import Layouts, Truth
from robust_lib.miniworld.layouts import Mixture, Thing
from robust_lib.miniworld.object_review import Eyes
from robust_lib.miniworld.worlds import load_world

BOX = (10.0, 10.0, 50.0, 50.0)
MASK = np.zeros((64, 64), bool)
CAT = Thing("cat", False, BOX, MASK, 1.0, 0.5, False, False)
EYES = Eyes(0, fit=0.6, visible=0.8, contrast=0.08, blind=0.0, alarms=0.0)
FAIR = {"class": True, "box": True, "blurry": False, "occluded": False, "depiction": False}


def says(*things, box=BOX, asked="cat", of=EYES, item="pool/1"):
    return object_review.answers(Truth("sky", things), box, asked, of, item=item)


def test_the_questions_are_those_of_the_first_stage():
    assert tuple(says(CAT)) == tuple(says()) == questions.NAMES


def test_what_is_there_is_what_they_say():
    assert says(CAT) == FAIR
    assert says(CAT, asked="dog") == FAIR | {"class": False}
    assert says(replace(CAT, name="lynx", foreign=True)) == FAIR | {"class": False}
    assert says(replace(CAT, blurred=True)) == FAIR | {"blurry": True}
    assert says(replace(CAT, depiction=True)) == FAIR | {"depiction": True}
    assert says(replace(CAT, visible=0.79)) == FAIR | {"occluded": True}
    half = (10.0, 10.0, 50.0, 30.0)
    assert says(CAT, box=half) == FAIR | {"box": False}


def test_a_box_is_of_the_thing_that_it_covers_best():
    dog = replace(CAT, name="dog", box=(10.0, 10.0, 50.0, 56.0))
    assert says(dog, CAT)["class"]
    assert not says(dog, CAT, box=dog.box)["class"]


def test_a_box_on_nothing_shows_nothing():
    assert not any(says(CAT, box=(55.0, 55.0, 60.0, 60.0)).values())
    assert not any(says().values())


def test_what_cannot_be_made_out_is_guessed():
    dim = replace(CAT, contrast=0.05)
    guesses = [says(dim, item=f"pool/{number}")["class"] for number in range(400)]
    assert 160 < sum(guesses) < 240


def test_shares_overlooked_and_imagined_are_those_of_the_annotator():
    of = replace(EYES, blind=0.3, alarms=0.1)
    items = [f"pool/{number}" for number in range(1000)]
    blurred = [says(replace(CAT, blurred=True), of=of, item=item)["blurry"] for item in items]
    sharp = [says(CAT, of=of, item=item)["blurry"] for item in items]
    assert 0.65 < np.mean(blurred) < 0.75
    assert 0.07 < np.mean(sharp) < 0.13


def test_annotators_are_drawn_by_their_number_and_the_seed():
    five = [object_review.eyes(number) for number in range(5)]
    assert len({one.fit for one in five}) == 5
    assert object_review.eyes(2) == five[2]
    assert object_review.eyes(2, seed=1) != five[2]
    assert all(0 <= one.blind <= 0.2 and 0 <= one.alarms <= 0.04 for one in five)


@dataclass(frozen=True)
class Marked:
    image: int
    box: tuple[float, float, float, float]
    predicted: int
    truth: int = -1


@pytest.fixture
def data(project):
    mixture = Mixture({"studio": 1.0}, 0.3)
    return Layouts("toys", load_world("toys"), "any", mixture, 12, Store(project), size=48)


@pytest.mark.parametrize("number", [0, 4])
def test_there_has_to_be_a_majority(data, number):
    with pytest.raises(InputError, match="an odd number of annotators"):
        object_review.annotators(data, number)


def test_annotators_look_at_the_generators_truth(data):
    five = object_review.annotators(data, 5)
    assert len(five) == 5
    right = wrong = 0
    for place in range(12):
        for thing in data.truth(place).things:
            if thing.foreign or thing.contrast < 0.15:
                continue
            own = data.class_names.index(thing.name)
            other = (own + 1) % len(data.class_names)
            for one in five:
                right += one(Marked(place, thing.box, predicted=other, truth=own))["class"]
                wrong += one(Marked(place, thing.box, predicted=other))["class"]
                assert one(Marked(place, thing.box, predicted=own))["box"]
    assert right > 20
    assert wrong == 0
