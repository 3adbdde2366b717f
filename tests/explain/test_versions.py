"""Changed pictures: versions of some pictures, each with its own id."""

import numpy as np
import pytest

from robust_lib.datasets import ImageSet
from robust_lib.datasets.derived import source
from robust_lib.errors import InputError
from robust_lib.explain.versions import Versions
from robust_lib.preprocessing import Preprocessing
from tests import toys

AS_IS = Preprocessing(None, None)


def lighter(step, places=(3, 3, 1), marks=("a", "b", "a")):
    return Versions(
        toys.Swatches(),
        "lighter",
        places,
        marks,
        lambda picture, number: np.clip(picture + step * (number + 1), 0, 255).astype(np.uint8),
        {"step": step},
    )


def test_versions_are_an_image_set_of_their_own():
    made, base = lighter(2), toys.Swatches()
    assert isinstance(made, ImageSet)
    assert made.name == "swatches/lighter"
    assert made.ids == tuple(
        f"{base.ids[at]}/{mark}" for at, mark in ((3, "a"), (3, "b"), (1, "a"))
    )
    assert made.labels.tolist() == base.labels[[3, 3, 1]].tolist()
    assert (len(made), made.classes, source(made).name) == (3, base.classes, "swatches")
    expected = np.clip(base.read(3, AS_IS).astype(int) + 4, 0, 255)
    assert np.array_equal(made.read(1, AS_IS), expected)


def test_digests_tell_changes_pictures_and_versions_apart():
    digests = [
        lighter(2).digest,
        lighter(3).digest,
        lighter(2, (3, 2, 1)).digest,
        lighter(2, marks=("a", "b", "c")).digest,
        toys.Swatches().digest,
    ]
    assert len(set(digests)) == len(digests)
    assert lighter(2).digest == lighter(2).digest


def test_every_version_needs_a_mark():
    with pytest.raises(InputError, match="a mark for each of 3 versions, but got 1"):
        lighter(1, marks=("a",))
