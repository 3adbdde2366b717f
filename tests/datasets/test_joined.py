"""Sets after one another: each picture keeps its pixels and its class, and no two share an id."""

import numpy as np
import pytest

from robust_lib.datasets import ImageSet
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.joined import Joined
from robust_lib.errors import InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees

AS_IS = Preprocessing(None, None)


def folder(path, name, per_class, classes=None):
    where = trees.class_folders(path / name, per_class=per_class)
    return ImageFolder(where, classes or trees.class_list(), name=name)


@pytest.fixture
def parts(tmp_path):
    return folder(tmp_path, "plain", 2), folder(tmp_path, "painted", 1)


def test_every_picture_of_every_part_is_there_once(parts):
    both = Joined("both", parts)
    assert isinstance(both, ImageSet)
    assert len(both) == 8 + 4
    assert (both.name, both.classes) == ("both", "small")
    assert both.class_names == parts[0].class_names
    assert len(set(both.ids)) == 12
    assert both.ids[0] == f"plain/{parts[0].ids[0]}"
    assert both.ids[8] == f"painted/{parts[1].ids[0]}"
    assert both.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3]
    for place, (part, index) in {0: (0, 0), 7: (0, 7), 8: (1, 0), 11: (1, 3)}.items():
        assert np.array_equal(both.read(place, AS_IS), parts[part].read(index, AS_IS))
    with pytest.raises(IndexError):
        both.read(12, AS_IS)


def test_the_digest_knows_the_parts_and_their_order(parts):
    digests = {Joined("both", some).digest for some in (parts, parts[::-1], parts[:1])}
    assert len(digests) == 3
    assert Joined("other", parts).digest == Joined("both", parts).digest


def test_sets_that_do_not_belong_together_are_refused(parts, tmp_path):
    with pytest.raises(InputError, match="different names to join, but got \\['plain', 'plain'\\]"):
        Joined("both", (parts[0], parts[0]))
    other = folder(tmp_path, "other", 1, trees.class_list(name="large"))
    with pytest.raises(InputError, match=r"plain, other have large, small"):
        Joined("both", (parts[0], other))
