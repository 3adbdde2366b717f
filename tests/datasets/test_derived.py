"""Sets made of another: what they take over, and where they come from."""

import numpy as np
import pytest

from robust_lib import datasets
from robust_lib.cache import Store
from robust_lib.datasets import ImageSet
from robust_lib.datasets.decoded import Decoded, decode
from robust_lib.datasets.derived import Joined, Subset, contents_of, of_classes, source, unlabelled
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.imagenet_c import Corrupted
from robust_lib.errors import InputError
from robust_lib.predict.classify import predict
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN
from tests import toys, trees

SMALL = Preprocessing(48, 32)


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
    bare = unlabelled(whole, "small", base.class_names)
    assert (datasets.batch(bare, [6, 2], SMALL) == expected).all()


@pytest.mark.parametrize("places", [(), (0, 0), (-1,), (8,)])
def test_a_part_lies_in_the_whole_and_shows_nothing_twice(base, places):
    with pytest.raises(InputError, match="Expected"):
        Subset(base, places)


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
    with pytest.raises(InputError, match="some of them with images"):
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


def test_networks_answer_where_nobody_knows_the_answer(tmp_path):
    bare = unlabelled(toys.Swatches(), "colours", toys.COLOURS)
    store = Store(tmp_path / "store")
    for _ in range(2):  # computed, then read
        said = predict(toys.brightest(), bare, cache=store)
        assert set(said.labels.tolist()) == {UNKNOWN}
        assert not said.correct.any()
        assert said.predicted.tolist() == toys.Swatches().labels.tolist()


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
    with pytest.raises(InputError, match=r"different names.*\['plain', 'plain'\]"):
        Joined("both", (parts[0], parts[0]))
    other = folder(tmp_path, "other", 1, trees.class_list(name="large"))
    with pytest.raises(InputError, match=r"plain, other have large, small"):
        Joined("both", (parts[0], other))


def test_versions_of_pictures_have_contents_under_their_own_ids(base):
    """Predictions on other backgrounds found no content under the ids of their base."""

    class Edited(Subset):
        ids = tuple(f"{one}/{ground}" for one in base.ids for ground in ("sky", "sea"))
        digest = "edited"

    made = Edited(base, (0,))
    assert contents_of(made) == dict.fromkeys(made.ids, "edited")
    assert set(contents_of(Corrupted(base, "fog", 3))) == set(base.ids)
