"""The same pictures under other labels: some classes of a set, or none at all."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.datasets.relabelled import of_classes, unlabelled
from robust_lib.errors import InputError
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN
from tests import toys, trees

SMALL = Preprocessing(48, 32)


@pytest.fixture
def base(tmp_path):
    return ImageFolder(trees.class_folders(tmp_path / "val"), trees.class_list())


def part(base, *places, name="some", space="two"):
    return of_classes(base, name, space, tuple(base.class_names[place] for place in places))


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
        part(unlabelled(base, "small", base.class_names), 3)


def test_digests_tell_parts_apart(base):
    parts = [part(base, 1, 3), part(base, 3, 1), part(base, 1), part(base, 1, 3, space="pair")]
    assert len({base.digest, *(one.digest for one in parts)}) == 5
    assert part(base, 1, 3, name="other").digest == parts[0].digest


def test_classes_that_there_are_not_are_refused(base):
    with pytest.raises(InputError, match=r"a class of val to be one of .* but got moon"):
        of_classes(base, "some", "two", ("moon",))
    for places in ((1, 1), ()):
        with pytest.raises(InputError, match="classes of val, each once"):
            part(base, *places)


def test_a_set_may_lose_its_labels_and_nothing_else(base):
    bare = unlabelled(base, "pair", ("one", "other"))
    assert isinstance(bare, ImageSet)
    assert (bare.name, bare.ids, len(bare)) == (base.name, base.ids, len(base))
    assert (bare.classes, bare.class_names) == ("pair", ("one", "other"))
    assert bare.labels.tolist() == [UNKNOWN] * len(base)
    np.testing.assert_array_equal(bare.read(3, SMALL), base.read(3, SMALL))
    digests = {base.digest, bare.digest, unlabelled(base, "pair", ("one", "two")).digest}
    assert len(digests) == 3


def test_sets_that_make_batches_are_asked_for_them(base):
    whole = Corrupted(base, "gaussian_noise", 2)
    bare = unlabelled(whole, "small", base.class_names)
    expected = datasets.batch(whole, [6, 2], SMALL)
    assert (datasets.batch(bare, [6, 2], SMALL) == expected).all()


def test_networks_answer_where_nobody_knows_the_answer(tmp_path):
    bare = unlabelled(toys.Swatches(), "colours", toys.COLOURS)
    store = Store(tmp_path / "store")
    for _ in range(2):  # computed, then read
        said = predict(toys.brightest(), bare, cache=store)
        assert set(said.labels.tolist()) == {UNKNOWN}
        assert not said.correct.any()
        assert said.predicted.tolist() == toys.Swatches().labels.tolist()
