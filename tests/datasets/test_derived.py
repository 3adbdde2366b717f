"""Sets made of another: what they take over, and where they come from."""

import pytest

from robust_lib.datasets import ImageSet
from robust_lib.datasets.decoded import Decoded, decode
from robust_lib.datasets.derived import source
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.preprocessing import Preprocessing
from tests import trees


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


@pytest.fixture(params=[Corrupted, Decoded])
def derived(request, base, tmp_path):
    if request.param is Corrupted:
        return Corrupted(base, "fog", 3)
    return decode(base, Preprocessing(16, 12), tmp_path / "store")


def test_a_derived_set_has_the_bases_ids_and_labels(base, derived):
    assert isinstance(derived, ImageSet)
    assert (derived.ids, derived.classes, len(derived)) == (base.ids, "small", 8)
    assert derived.class_names == base.class_names
    assert derived.labels is base.labels


def test_only_other_pixels_make_another_name(base, derived):
    assert derived.name == ("val/fog/3" if isinstance(derived, Corrupted) else "val")


def test_the_source_of_sets_made_of_sets_is_the_first(base, tmp_path):
    small = decode(base, Preprocessing(16, 12), tmp_path / "store")
    assert source(Corrupted(small, "fog", 3)) is base
    assert source(base) is base
