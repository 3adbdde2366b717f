"""A user's folder: classes by their folders' names, or pictures without labels."""

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, open_picture
from robust_lib.datasets.user_folder import class_list, image_folder, is_users, short_name
from robust_lib.errors import DataError
from robust_lib.miniworld.worlds import load_world
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN
from tests import trees

SMALL = Preprocessing(16, 12)


def folders(root, *names):
    for place, name in enumerate(names):
        trees.save(root / name / f"{place}.png", place)
    return root


def test_the_name_of_a_folder_and_what_tables_call_it():
    assert is_users("folder:a/b")
    assert not is_users("imagenet_val")
    assert short_name("folder:a/imagenet_val") == "folder:imagenet_val"  # never mistaken for it


@pytest.mark.parametrize("name", ["goldfish", "n01443537"])
def test_folders_are_imagenets_classes_by_name_and_by_wordnet_id(tmp_path, name):
    images = image_folder(folders(tmp_path / "mine", name, "tiger_cat"))
    assert isinstance(images, ImageSet)
    assert images.ids == (f"{name}/0.png", "tiger_cat/1.png")
    assert [images.class_names[label] for label in images.labels] == ["goldfish", "tiger cat"]
    assert (images.name, images.classes) == ("folder:mine", "imagenet_1k")
    expected = SMALL.apply(open_picture(tmp_path / "mine" / name / "0.png"))
    np.testing.assert_array_equal(images.read(0, SMALL), expected)


def test_two_names_of_one_class_are_one_class(tmp_path):
    images = image_folder(folders(tmp_path, "goldfish", "n01443537"))
    assert images.labels.tolist() == [1, 1]


def test_names_that_differ_by_their_capital_are_two_classes(tmp_path):
    images = image_folder(folders(tmp_path, "Cardigan", "cardigan"))
    names = load_classes("imagenet_1k").names
    assert [names[label] for label in images.labels] == ["Cardigan", "cardigan"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("crane", r"crane bird \(n02012849\) and crane \(n03126707\)"),
        ("maillot", r"maillot \(n03710637\) and maillot tank suit \(n03710721\)"),
        ("cardigan", r"Cardigan \(n02113186\) and cardigan \(n02963159\)"),
    ],
)
def test_a_name_that_means_two_classes_is_refused_with_both_ids(tmp_path, name, told):
    """One of ImageNet's two cranes was taken, the dog for the garment."""
    with pytest.raises(DataError, match=f"{name} may mean {told}. Use its WordNet id"):
        image_folder(folders(tmp_path, name, "goldfish"))
    mine = class_list("mine", [name, "goldfish"])  # where it means one
    assert image_folder(tmp_path, spaces=[mine]).classes == "mine"


def test_folders_may_be_classes_of_a_miniature_world(tmp_path):
    world = load_world("scenes")
    first, second = [
        name for name in world.inside if name not in load_classes("imagenet_1k").names
    ][:2]
    images = image_folder(folders(tmp_path, first, second))
    assert images.classes == "scenes"
    assert {images.class_names[label] for label in images.labels} == {first, second}


def test_the_label_space_that_is_wanted_comes_first(tmp_path):
    folders(tmp_path, "goldfish")
    mine = class_list("mine", ["shark", "goldfish"])
    images = image_folder(tmp_path, spaces=[mine])
    assert (images.classes, images.labels.tolist()) == ("mine", [1])
    others = class_list("others", ["shark"])  # it lacks one, so it is passed over
    assert image_folder(tmp_path, spaces=[others]).classes == "imagenet_1k"


def test_a_folder_of_pictures_alone_has_no_labels(tmp_path):
    trees.save(tmp_path / "a.png", 0)
    trees.save(tmp_path / "b.jpg", 1)
    images = image_folder(f"folder:{tmp_path}")
    assert images.ids == ("a.png", "b.jpg")
    assert images.labels.tolist() == [UNKNOWN, UNKNOWN]
    assert images.classes == "imagenet_1k"  # what networks choose among
    assert image_folder(tmp_path, spaces=[class_list("mine", ["cat"])]).class_names == ("cat",)


def test_folders_are_no_classes_where_no_labels_are_wanted(tmp_path):
    trees.save(tmp_path / "monday" / "morning" / "a.png", 0)
    trees.save(tmp_path / "b.png", 1)
    images = image_folder(tmp_path, labelled=False)
    assert images.ids == ("b.png", "monday/morning/a.png")
    assert set(images.labels.tolist()) == {UNKNOWN}


def test_a_digest_is_of_what_the_pictures_are_and_not_of_where(tmp_path):
    one = image_folder(folders(tmp_path / "one", "goldfish", "tiger_cat"))
    other = image_folder(folders(tmp_path / "other", "goldfish", "tiger_cat"))
    assert one.digest == other.digest
    picture = tmp_path / "other" / "goldfish" / "0.png"
    content = bytearray(picture.read_bytes())
    content[-20] ^= 1  # as long as before
    picture.write_bytes(content)
    assert image_folder(tmp_path / "other").digest != one.digest


def test_a_limit_takes_as_many_of_each_class_as_there_is_room_for(tmp_path):
    for place in range(3):
        trees.save(tmp_path / "goldfish" / f"{place}.png", place)
    trees.save(tmp_path / "tiger_cat" / "3.png", 3)
    images = image_folder(tmp_path, limit=2)
    assert sorted(np.bincount(images.labels)[[1, 282]].tolist()) == [1, 1]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"Expected a folder of images at .*none, but there is"):
        image_folder(tmp_path / "none")


def test_a_folder_without_pictures(tmp_path):
    (tmp_path / "README.txt").write_text("Not a picture.")
    with pytest.raises(DataError, match=r"images \(\.jpeg.*none\."):
        image_folder(tmp_path)


def test_single_pictures_beside_class_folders_are_refused(tmp_path):
    folders(tmp_path, "goldfish")
    trees.save(tmp_path / "stray.png", 1)
    with pytest.raises(DataError, match=r"class folders.*1.*\(stray\.png\)"):
        image_folder(tmp_path)


def test_pictures_without_folders_are_refused_where_labels_are_wanted(tmp_path):
    trees.save(tmp_path / "a.png", 1)
    with pytest.raises(DataError, match=r"1.*\(a\.png\)\. Sort these"):
        image_folder(tmp_path, labelled=True)


def test_a_folder_that_no_class_is_called_like_is_named_with_the_nearest(tmp_path):
    folders(tmp_path, "goldfish", "tigercat", "zzz")
    message = r"2 of the 3 folders are not in imagenet_1k, the closest list: tigercat, zzz\."
    with pytest.raises(DataError, match=message + r" Names similar to tigercat are .*tiger_cat"):
        image_folder(tmp_path)


def test_every_kind_of_picture_is_read_and_what_is_left_out_is_named(tmp_path):
    for ending in ("webp", "gif", "bmp", "tif", "png"):
        trees.save(tmp_path / "goldfish" / f"a.{ending}")
    (tmp_path / "goldfish" / "b.heic").touch()
    (tmp_path / "goldfish" / "Thumbs.db").touch()
    images = image_folder(tmp_path)
    assert len(images) == 5
    assert images.notes == ("1 file left out (.heic 1; first: goldfish/b.heic)",)


@pytest.mark.parametrize("ending", ["JPEG", "png"])
def test_imagenets_validation_pictures_in_one_folder_have_the_classes_of_our_list(tmp_path, ending):
    for number in (1, 2):  # a sea snake and an alp
        trees.save(tmp_path / f"ILSVRC2012_val_{number:08d}.{ending}", number)
    images = image_folder(tmp_path)
    assert (images.labels.tolist(), images.classes) == ([65, 970], "imagenet_1k")
    assert set(image_folder(tmp_path, labelled=False).labels.tolist()) == {UNKNOWN}
    trees.save(tmp_path / "mine.png")  # now nobody knows what they are
    assert set(image_folder(tmp_path).labels.tolist()) == {UNKNOWN}
