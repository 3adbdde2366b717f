"""Labelled files as an image set: sorted, digested, and cut to a balanced part."""

from collections import Counter

import numpy as np
import pytest

from robust_lib.datasets import ImageSet
from robust_lib.datasets.image_folder import ImageFolder
from robust_lib.datasets.picture_files import Entry, PictureFiles
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from tests import trees
from tests.trees import WNIDS

AS_IT_IS = Preprocessing(None, None)


@pytest.fixture
def folder(tmp_path):
    return trees.class_folders(tmp_path / "val")


def test_labels_cannot_be_changed(folder):
    with pytest.raises(ValueError, match="read-only"):
        ImageFolder(folder, trees.class_list()).labels[0] = 3


def test_the_digest_changes_with_every_part_of_the_set(folder):
    base = ImageFolder(folder, trees.class_list()).digest
    assert ImageFolder(folder, trees.class_list()).digest == base
    digests = {
        base,
        ImageFolder(folder, trees.class_list(WNIDS[::-1])).digest,
        ImageFolder(folder, trees.class_list(), limit=4).digest,
        ImageFolder(folder, trees.class_list(), provenance="manifest").digest,
    }
    picture = next(folder.rglob("*.JPEG"))
    picture.write_bytes(picture.read_bytes() + b"\0")
    digests.add(ImageFolder(folder, trees.class_list()).digest)
    picture.rename(picture.with_name("other.JPEG"))
    digests.add(ImageFolder(folder, trees.class_list()).digest)
    assert len(digests) == 6


def test_a_limit_is_balanced_nested_and_keyed(tmp_path):
    folder = trees.class_folders(tmp_path / "val", per_class=6)

    def chosen(limit, seed=0):
        return ImageFolder(folder, trees.class_list(), limit=limit, seed=seed)

    for limit in range(1, 24):
        pictures = chosen(limit)
        counts = Counter(pictures.labels.tolist())
        assert len(pictures) == limit
        assert max(counts.values()) - min(counts[label] for label in range(4)) <= 1
        assert set(pictures.ids) < set(chosen(limit + 1).ids)
        assert pictures.ids == tuple(sorted(pictures.ids))
    assert chosen(99).ids == chosen(None).ids
    assert chosen(8).ids != chosen(8, seed=1).ids
    with pytest.raises(InputError, match="limit of at least one"):
        chosen(0)


def test_a_limit_does_not_depend_on_the_other_classes_pictures(tmp_path):
    few = ImageFolder(trees.class_folders(tmp_path / "few"), trees.class_list(), limit=4)
    trees.save(tmp_path / "few" / WNIDS[0] / "zzz.JPEG", 9)
    more = ImageFolder(tmp_path / "few", trees.class_list(), limit=4)
    assert set(few.ids[1:]) == {name for name in more.ids if not name.startswith(WNIDS[0])}


def test_pictures_are_sorted_by_path_and_read_where_they_lie(tmp_path):
    entries = [Entry(name, label, trees.save(tmp_path / name, label).stat().st_size)
               for label, name in enumerate(("b/one.png", "a.png", "b/a.png"))]  # fmt: skip
    found = PictureFiles(tmp_path, entries, trees.class_list(), name="mine")
    assert isinstance(found, ImageSet)
    assert found.ids == ("a.png", "b/a.png", "b/one.png")
    assert found.labels.tolist() == [1, 2, 0]
    for index, label in enumerate(found.labels.tolist()):
        assert np.array_equal(found.read(index, AS_IT_IS), np.asarray(trees.picture(label)))


def test_no_pictures_are_no_set(tmp_path):
    with pytest.raises(DataError, match=r"Expected images of small in .*, but found none"):
        PictureFiles(tmp_path, [], trees.class_list(), name="none")
