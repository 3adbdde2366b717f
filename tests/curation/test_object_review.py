"""Simulated annotators: they see what is so, mostly, and disagree where it is hard to see."""

from dataclasses import replace

import numpy as np
import pytest

from robust_lib.cache import Store
from robust_lib.curation.candidates import EGREGIOUS, HARD, Candidate
from robust_lib.curation.object_review import annotators
from robust_lib.curation.questions import NAMES
from robust_lib.datasets.layouts import Layouts
from robust_lib.errors import InputError
from robust_lib.miniworld.layouts import Mixture
from robust_lib.miniworld.worlds import load_world
from tests import miniature


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """Sixty photographs of a project whose world are the shapes."""
    with pytest.MonkeyPatch.context() as patch:
        project = miniature.project(tmp_path_factory.mktemp("project"), patch)
        mixture = Mixture({"studio": 1.0}, 0.4, blurred=0.3, depictions=0.3)
        store = Store(project / "store")
        yield Layouts("toys", load_world("toys"), "any", mixture, 60, store, size=64)


def on_each_thing(images):
    """A candidate on every thing, in its very box: called what it is, or the first class."""
    for place in range(len(images)):
        for thing in images.truth(place).things:
            label = 0 if thing.foreign else images.class_names.index(thing.name)
            one = Candidate(place, 0, EGREGIOUS, thing.box, 1, 0.9, truth=label, overlap=1.0)
            yield replace(one, kind=HARD, truth=-1, predicted=label), thing


def test_the_majority_sees_what_is_so(photographs):
    five = annotators(photographs)
    right = {name: [] for name in NAMES}
    for candidate, thing in on_each_thing(photographs):
        votes = [ask(candidate) for ask in five]
        majority = {name: sum(vote[name] for vote in votes) > 2 for name in NAMES}
        right["class"].append(majority["class"] == (not thing.foreign))
        right["box"].append(majority["box"])
        right["depiction"].append(majority["depiction"] == thing.depiction)
        if thing.visible > 0.95 or thing.visible < 0.7:
            right["occluded"].append(majority["occluded"] == (thing.visible < 0.7))
        if thing.blurred or thing.contrast > 0.12:
            right["blurry"].append(majority["blurry"] == thing.blurred)
    assert all(len(found) > 30 and np.mean(found) > 0.98 for found in right.values())


def test_they_disagree_where_a_thing_is_half_covered(photographs):
    fifty = annotators(photographs, 51)
    shares = [
        np.mean([ask(candidate)["occluded"] for ask in fifty])
        for candidate, thing in on_each_thing(photographs)
        if 0.8 < thing.visible < 0.88
    ]
    assert shares
    assert all(0.1 < share < 0.9 for share in shares)


def test_a_box_on_nothing_fits_nothing_and_shows_nothing(photographs):
    nothing = Candidate(0, 0, HARD, (0.0, 0.0, 2.0, 2.0), 0, 0.9)
    votes = [ask(nothing) for ask in annotators(photographs, 51)]
    assert np.mean([vote["box"] for vote in votes]) < 0.15
    assert np.mean([vote["class"] for vote in votes]) < 0.15


def test_the_same_seed_says_the_same_and_another_annotator_lapses_elsewhere(photographs):
    found = list(on_each_thing(photographs))
    (one,), (again,) = annotators(photographs, 1), annotators(photographs, 1)
    assert all(one(candidate) == again(candidate) for candidate, _ in found)
    _, other = annotators(photographs, 2)
    assert any(one(candidate) != other(candidate) for candidate, _ in found)


def test_nobody_is_refused(photographs):
    with pytest.raises(InputError, match="at least one annotator"):
        annotators(photographs, 0)
