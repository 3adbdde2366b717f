"""Layouts as an image set: boxed, kept, and its digest knows all that decides it."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets.derived import Subset
from robust_lib.datasets.layouts import Layouts
from robust_lib.datasets.objects import foreign_of, truth_of
from robust_lib.errors import InputError
from robust_lib.miniworld import layouts
from robust_lib.miniworld.layouts import Mixture
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from robust_lib.run.image_kinds import as_layouts, as_objects
from robust_lib.training.detection import BoxedImages
from tests import miniature

AS_IS = Preprocessing(None, None)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A whole project whose world are the shapes."""
    return miniature.project(tmp_path, monkeypatch)


@pytest.fixture
def made(project):
    store = Store(project / "store")

    def layouts_of(**changes):
        settings = {
            "mixture": Mixture({"studio": 1.0, "sky": 1.0}, 0.4, blurred=0.2, depictions=0.2),
            "images": 12,
            "size": 48,
        }
        return Layouts("toys", load_world("toys"), "any", store=store, **settings | changes)

    return layouts_of


def test_it_is_an_image_set_with_boxes(made):
    data = made()
    assert isinstance(data, datasets.ImageSet)
    assert isinstance(data, BoxedImages)
    assert (len(data), len(data.ids), len(data.annotations)) == (12, 12, 12)
    assert data.ids[3] == "any/000003"
    assert data.labels.tolist() == [one.label for one in data.annotations]


def test_what_is_kept_is_what_the_ids_compose(made):
    data = made()
    for place in (0, 7, 11):
        layout, truth = data.compose(data.ids[place]), data.truth(place)
        assert np.array_equal(data.read(place, AS_IS), layout.picture)
        assert (truth.ground, len(truth.things)) == (layout.ground, len(layout.things))
        for kept, thing in zip(truth.things, layout.things, strict=True):
            assert (kept.name, kept.foreign, kept.box) == (thing.name, thing.foreign, thing.box)
            assert (kept.blurred, kept.depiction) == (thing.blurred, thing.depiction)
            assert (kept.visible, kept.contrast) == (thing.visible, thing.contrast)
            assert np.array_equal(kept.mask, thing.mask)


def test_objects_are_the_things_of_either_side(made):
    data = made()
    for place, objects in enumerate(data.annotations):
        things = data.truth(place).things
        own = [one for one in things if not one.foreign]
        others = [one for one in things if one.foreign]
        assert [data.class_names[label] for label in objects.classes] == [one.name for one in own]
        assert objects.boxes.tolist() == [list(one.box) for one in own]
        assert objects.masks.shape == (len(own), 48, 48)
        assert objects.foreign.names == tuple(one.name for one in others)
    assert len(truth_of(data.annotations).images) > 0
    assert len(foreign_of(data.annotations).images) > 0


def test_nothing_is_composed_twice(made, monkeypatch):
    first = made()._kept["pictures"]

    def refuse(*_, **__):
        raise AssertionError("composed again")

    monkeypatch.setattr(layouts, "compose", refuse)
    assert np.array_equal(made()._kept["pictures"], first)


def test_a_smaller_set_is_the_beginning_of_a_larger(made):
    few, many = made(images=4), made()
    assert few.ids == many.ids[:4]
    assert np.array_equal(few._kept["pictures"], many._kept["pictures"][:4])
    assert few.digest != many.digest


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"size": 32}, {"pool": "other"}]
    + [
        {
            "mixture": Mixture(
                {"studio": 1.0, "sky": 1.0}, 0.4, blurred=0.2, depictions=0.2, **change
            )
        }
        for change in ({"foreign_kinds": ("ring",)},)
    ]
    + [{"mixture": Mixture({"studio": 1.0, "sky": 2.0}, 0.4, blurred=0.2, depictions=0.2)}],
)
def test_whatever_decides_the_pictures_is_in_the_digest(made, changes):
    assert made(**changes).digest != made().digest


def test_a_part_is_boxed_too_and_its_truth_is_found(made):
    data = made()
    part = Subset(data, (7, 2), called="part")
    assert isinstance(part, BoxedImages)
    assert as_objects(part) == (data.annotations[7], data.annotations[2])
    assert as_layouts(part) is data


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"images": 0}, "at least one photograph"),
        ({"mixture": Mixture({"sea": 1.0}, 0.4)}, "a kind of ground"),
        ({"mixture": Mixture({"sky": 1.0}, 0.4, ("dragon",))}, "a foreign thing"),
    ],
)
def test_wrong_settings_are_refused(made, changes, words):
    with pytest.raises(InputError, match=words):
        made(**changes)
