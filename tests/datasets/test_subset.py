"""A part of an image set: the same ids, labels and pixels, in its own order."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.datasets import ImageSet
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.datasets.subset import Subset
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

SMALL = Preprocessing(48, 32)


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def test_a_part_has_its_own_ids_labels_and_pictures(base):
    part = Subset(base, (5, 0))
    assert isinstance(part, ImageSet)
    assert len(part) == 2
    assert part.name == base.name
    assert (part.classes, part.class_names) == (base.classes, base.class_names)
    assert part.ids == (base.ids[5], base.ids[0])
    assert part.labels.tolist() == [base.labels[5], base.labels[0]]
    np.testing.assert_array_equal(part.read(0, SMALL), base.read(5, SMALL))


def test_a_part_may_have_a_name_of_its_own(base):
    few = Subset(base, (1, 4), called="few")
    assert few.name == "few"
    assert few.digest == Subset(base, (1, 4)).digest
    np.testing.assert_array_equal(few.read(1, SMALL), base.read(4, SMALL))


def test_other_parts_have_other_digests(base):
    digests = {base.digest, *(Subset(base, places).digest for places in ((0,), (1,), (0, 1)))}
    assert len(digests) == 4


def test_sets_that_make_batches_are_asked_for_them(base):
    whole = Corrupted(base, "gaussian_noise", 2)
    part = Subset(whole, (6, 2))
    expected = datasets.batch(whole, [6, 2], SMALL)
    assert (datasets.batch(part, [0, 1], SMALL) == expected).all()
    assert (datasets.batch(part, [1], SMALL) == expected[1:]).all()


@pytest.mark.parametrize("places", [(), (0, 0), (-1,), (8,)])
def test_a_part_lies_in_the_whole_and_shows_nothing_twice(base, places):
    with pytest.raises(InputError, match="Expected"):
        Subset(base, places)
