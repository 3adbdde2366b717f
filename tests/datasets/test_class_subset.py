"""Some classes of an image set: the same pictures, counted by their own list."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.datasets import ImageSet
from robust_lib.datasets.class_subset import ClassSubset
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.datasets.unlabelled import Unlabelled
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

SMALL = Preprocessing(48, 32)


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def part(base, *places, name="some", space="two"):
    return ClassSubset(base, name, space, tuple(base.class_names[place] for place in places))


def test_labels_are_places_in_the_shorter_list(base):
    chosen = part(base, 3, 1)
    assert isinstance(chosen, ImageSet)
    assert (chosen.name, chosen.classes, len(chosen)) == ("some", "two", 4)
    assert chosen.class_names == (base.class_names[3], base.class_names[1])
    assert chosen.ids == (*base.ids[2:4], *base.ids[6:8])
    assert chosen.labels.tolist() == [1, 1, 0, 0]
    assert chosen.labels.dtype == np.int64
    for place, item in enumerate(chosen.ids):
        shown = base.class_names[base.labels[base.ids.index(item)]]
        assert chosen.class_names[chosen.labels[place]] == shown


def test_pictures_are_the_bases(base):
    chosen = part(base, 1, 3)
    np.testing.assert_array_equal(chosen.read(2, SMALL), base.read(6, SMALL))
    whole = Corrupted(base, "gaussian_noise", 2)
    expected = datasets.batch(whole, [6, 2], SMALL)
    assert (datasets.batch(part(whole, 1, 3), [2, 0], SMALL) == expected).all()


def test_pictures_without_a_label_are_of_no_class(base):
    with pytest.raises(InputError, match="some of them with pictures"):
        part(Unlabelled(base, "small", base.class_names), 3)


def test_digests_tell_parts_apart(base):
    parts = [part(base, 1, 3), part(base, 3, 1), part(base, 1), part(base, 1, 3, space="pair")]
    assert len({base.digest, *(one.digest for one in parts)}) == 5
    assert part(base, 1, 3, name="other").digest == parts[0].digest


def test_classes_that_there_are_not_are_refused(base):
    with pytest.raises(InputError, match=r"a class of val to be one of .* but got moon"):
        ClassSubset(base, "some", "two", ("moon",))
    for places in ((1, 1), ()):
        with pytest.raises(InputError, match="classes of val, each once"):
            part(base, *places)
