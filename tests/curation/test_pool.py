"""A folder as candidates: class folders by any of their names, or pictures without a class."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import pool
from robust_lib.errors import DataError
from tests import trees


@pytest.fixture
def folder(tmp_path):
    """A stingray under its WordNet id, a goldfinch under its name, and what is no candidate."""
    for number, file in enumerate(("n01498041/a.jpg", "goldfinch/b.png", "goldfinch/c.jpg")):
        trees.save(tmp_path / "pool" / file, number)
    trees.save(tmp_path / "pool" / "beside.jpg")
    (tmp_path / "pool" / ".cache").mkdir()
    (tmp_path / "pool" / "README.txt").write_text("beside")
    return tmp_path / "pool"


def labels(images):
    return dict(zip(images.ids, images.labels.tolist(), strict=True))


def test_class_folders_may_be_called_by_id_or_name_and_pictures_beside_them_are_left_out(folder):
    classes = load_classes("imagenet_a")
    found = pool.labelled(folder, classes)
    stingray, goldfinch = (classes.names.index(name) for name in ("stingray", "goldfinch"))
    assert labels(found) == {
        "n01498041/a.jpg": stingray,
        "goldfinch/b.png": goldfinch,
        "goldfinch/c.jpg": goldfinch,
    }
    assert (found.name, found.classes) == ("pool", "imagenet_a")


def test_two_names_of_one_class_are_one_class(folder):
    trees.save(folder / "stingray" / "x.jpg")
    found = labels(pool.labelled(folder, load_classes("imagenet_a")))
    assert found["stingray/x.jpg"] == found["n01498041/a.jpg"]


def test_folders_that_are_no_class_are_named_with_the_nearest(folder):
    trees.save(folder / "goldfinsh" / "x.jpg")
    with pytest.raises(DataError, match=r"but goldfinsh is none. Near it are goldfinch"):
        pool.labelled(folder, load_classes("imagenet_a"))


def test_without_labels_every_picture_is_a_candidate_of_no_class(folder):
    found = pool.unlabelled(folder, load_classes("imagenet_a"))
    assert labels(found) == dict.fromkeys(
        ("beside.jpg", "goldfinch/b.png", "goldfinch/c.jpg", "n01498041/a.jpg"), -1
    )


@pytest.mark.parametrize("take", [pool.labelled, pool.unlabelled])
def test_no_folder_and_no_pictures_are_told_apart(take, tmp_path):
    with pytest.raises(DataError, match=r"Expected pictures .* but there is no such folder"):
        take(tmp_path / "absent", load_classes("imagenet_a"))
    with pytest.raises(DataError, match="but it has none"):
        take(tmp_path, load_classes("imagenet_a"))
