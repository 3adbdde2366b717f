"""What a run's networks are asked: whose classes count, who is left out, what is refused."""

import numpy as np
import pytest

from robust_lib import paths
from robust_lib.cache import Store
from robust_lib.chapters import questions
from robust_lib.config.profiles import load_profile
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.run import Run
from tests.toys import Swatches, brightest


@pytest.fixture(autouse=True)
def nothing_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))


class Part(Swatches):
    """Swatches of two of the three colours, in a label space that none of the networks has."""


class Known(Run):
    """A run whose networks and pictures are at hand."""

    @property
    def images(self):
        return Swatches(count=12)

    @property
    def models(self):
        return NETWORKS[self.names]

    def image_set(self, role):
        return self.images if role == "imagenet_a" else Part(count=6, classes=role)


NETWORKS = {}


def run(**models):
    """A run of some networks on swatches."""
    names = tuple(models)
    NETWORKS[names] = {name: (model,) for name, model in models.items()}
    profile = load_profile("mini").model_copy(
        update={"networks": {"imagenet_c": {"resnet18": "brightest"}}}
    )
    return Known(profile, "questions", {}, (), names, Store(paths.cache()))


def test_networks_of_the_very_classes_are_asked_as_they_are():
    told = questions.ask(run(brightest=brightest()), "imagenet_a")
    assert told.predictions["brightest"][0].correct.all()
    assert told.unmasked == {}


def test_networks_that_do_not_know_the_classes_are_left_out():
    both = run(brightest=brightest(), other=brightest("other", classes="coco"))
    assert set(questions.ask(both, "imagenet_a").predictions) == {"brightest"}
    with pytest.raises(InputError, match="knows the classes of swatches"):
        questions.ask(run(brightest=brightest(classes="coco")), "imagenet_o")


def test_pictures_of_other_things_are_judged_among_another_sets_classes():
    told = questions.ask(run(brightest=brightest()), "imagenet_o", among="imagenet_a")
    assert len(told.predictions["brightest"][0]) == 6
    each = questions.ask_all(run(brightest=brightest()), ["blobs", "textures"], "imagenet_a")
    assert [one.n for one in each] == ["6", "6"]


def test_edited_pictures_are_asked_edit_by_edit():
    told = questions.ask_edited(run(brightest=brightest()), "imagenet_a", ["hue+120"], "brightest")
    said = told["hue+120"].predictions["brightest"][0]
    assert np.array_equal(said.predicted, (said.labels + 1) % 3)  # red is green, green is blue
    assert told["hue+120"].dataset == "swatches/hue+120"


def test_a_network_may_be_called_by_the_papers_name():
    asked = run(brightest=brightest())
    assert questions.network(asked, "resnet18") == "brightest"
    assert questions.network(asked, "brightest") == "brightest"
    with pytest.raises(InputError, match="a network of this run to be one of brightest"):
        questions.network(asked, "vgg11")
    NETWORKS.clear()  # the answer must not need them
    with pytest.raises(InputError, match="a network of this run"):
        questions.network(asked, "vgg11")


def test_ten_answers_are_the_first_seeds():
    seer = brightest(preprocessing=Preprocessing(None, 16))
    found = questions.ten_answers(run(brightest=seer), "brightest", limit=3)
    assert len(found) == 3
    assert all(len(answers) == 10 for answers in found.values())
