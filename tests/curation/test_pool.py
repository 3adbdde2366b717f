"""A folder as candidates: class folders by any of their names, or pictures without a class."""

import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.curation import pool
from robust_lib.curation.pool import candidates
from robust_lib.errors import DataError
from tests import trees, videos


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
    with pytest.raises(DataError, match=r"goldfinsh is not the .* Similar names are goldfinch"):
        pool.labelled(folder, load_classes("imagenet_a"))


def test_a_folder_that_is_called_like_two_classes_is_refused_with_both_ids(folder):
    trees.save(folder / "crane" / "x.jpg")
    with pytest.raises(DataError, match=r"crane.*mean.*n02012849.*n03126707"):
        pool.labelled(folder, load_classes("imagenet_1k"))


def test_without_labels_every_picture_is_a_candidate_of_no_class(folder):
    found = pool.unlabelled(folder, load_classes("imagenet_a"))
    assert labels(found) == dict.fromkeys(
        ("beside.jpg", "goldfinch/b.png", "goldfinch/c.jpg", "n01498041/a.jpg"), -1
    )


@pytest.mark.parametrize("take", [pool.labelled, pool.unlabelled])
def test_no_folder_and_no_pictures_are_told_apart(take, tmp_path):
    with pytest.raises(DataError, match=r"Expected images .* but there is no such folder"):
        take(tmp_path / "absent", load_classes("imagenet_a"))
    with pytest.raises(DataError, match="but it has none"):
        take(tmp_path, load_classes("imagenet_a"))


VID = load_classes("imagenet_vid")


def test_videos_of_class_folders_by_name_and_by_wordnet_id(tmp_path):
    videos.write(tmp_path / "dog" / "Rex, in the park (2).mp4", 5)
    videos.pictures(tmp_path / videos.CAR / "red.one", (7, 8))
    (tmp_path / "dog" / "notes.txt").write_text("no video")
    (tmp_path / "README.txt").write_text("beside")
    found = candidates(tmp_path, VID)
    assert [one.name for one in found] == ["dog_Rex_in_the_park_2", "n02958343_red_one"]
    assert [one.source for one in found] == [
        "dog/Rex, in the park (2).mp4",
        "n02958343/red.one",
    ]
    assert [one.labels(3) for one in found] == [(8,), (6,)]
    assert [len(one.video.numbers) for one in found] == [5, 2]


def test_imagenet_vid_has_the_labels_of_its_annotations(tmp_path):
    trees.vid_frames(tmp_path, videos=2, frames=3)
    found = candidates(tmp_path / "ILSVRC2015", VID)
    assert [one.name for one in found] == ["ILSVRC2015_val_00000000", "ILSVRC2015_val_00000001"]
    assert found[0].source == "Data/VID/val/ILSVRC2015_val_00000000"
    # A dog and a car; the last frame has no object.
    assert [found[0].labels(number) for number in range(3)] == [(6, 8), (6, 8), ()]


def test_every_unreadable_video_is_named_before_work_starts(tmp_path):
    for name in ("a", "b", "c"):
        videos.write(tmp_path / "dog" / f"{name}.mp4", 3)
    for name in ("a", "c"):
        (tmp_path / "dog" / f"{name}.mp4").write_bytes(b"torn")
    with pytest.raises(DataError, match=r"a.mp4, but it cannot .* The same applies to c.mp4\.$"):
        candidates(tmp_path, VID)


def test_what_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is none"):
        candidates(tmp_path / "absent", VID)
    with pytest.raises(DataError, match=r"Expected folders of videos .* but it has none"):
        candidates(tmp_path, VID)
    (tmp_path / "dog").mkdir()
    with pytest.raises(DataError, match=r"videos \(.mp4.*dog"):
        candidates(tmp_path, VID)
    videos.write(tmp_path / "dog" / "a b.mp4", 2)
    videos.write(tmp_path / "dog" / "A_b.avi", 2)
    with pytest.raises(DataError, match=r"A_b.avi.*b.mp4.*stored.*dog_a_b"):
        candidates(tmp_path, VID)
    (tmp_path / "dgo").mkdir()
    with pytest.raises(DataError, match=r"dgo is not the name of a class. Similar names are dog"):
        candidates(tmp_path, VID)
