import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, image_folder, open_picture
from robust_lib.datasets.image_folder import FlatValidation, ImageFolder, UnlabelledFolder
from robust_lib.errors import DataError, InputError
from robust_lib.fetch import pictures as fetched_pictures
from robust_lib.fetch.archives import extract
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import UNKNOWN
from tests import trees
from tests.trees import WNIDS

SMALL = Preprocessing(16, 12)


@pytest.fixture
def folder(tmp_path):
    return trees.class_folders(tmp_path / "val")


def test_ids_are_sorted_paths_and_labels_places_in_the_list(folder):
    pictures = ImageFolder(folder, trees.class_list())
    assert len(pictures) == 8
    assert pictures.ids == tuple(sorted(pictures.ids))
    assert pictures.ids[0] == "n01440764/ILSVRC2012_val_00000001.JPEG"
    assert pictures.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert pictures.labels.dtype == np.int64
    assert (pictures.name, pictures.classes) == ("val", "small")
    assert pictures.class_names[0] == "class n01440764"


def test_labels_follow_the_lists_order_not_the_folders(folder):
    turned = ImageFolder(folder, trees.class_list(WNIDS[::-1]))
    assert turned.labels.tolist() == [3, 3, 2, 2, 1, 1, 0, 0]


def test_read_gives_the_picture_at_the_networks_size(folder):
    pictures = ImageFolder(folder, trees.class_list())
    expected = SMALL.apply(open_picture(folder / pictures.ids[5]))
    np.testing.assert_array_equal(pictures.read(5, SMALL), expected)


def test_imagenet_a_layout_with_its_readme(tmp_path):
    root = trees.imagenet_a(tmp_path) / "imagenet-a"
    (root / WNIDS[0] / ".DS_Store").write_bytes(b"")
    (root / WNIDS[0] / "._0.jpg").write_bytes(b"")
    pictures = ImageFolder(root, trees.class_list())
    assert len(pictures) == 8
    assert all(name.endswith(".jpg") for name in pictures.ids)
    assert " _ box turtle_" in pictures.ids[0]


def test_a_part_of_the_classes_reads_only_their_folders(folder):
    whole, part = trees.class_list(), trees.class_list(WNIDS[2:], "part")
    pictures = ImageFolder(folder, part, folders=whole)
    assert pictures.labels.tolist() == [0, 0, 1, 1]
    assert pictures.ids[0].startswith(WNIDS[2])
    with pytest.raises(DataError, match="2 do not belong there"):
        ImageFolder(folder, part)


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"folder of images at .*none, but there is none"):
        ImageFolder(tmp_path / "none", trees.class_list())


def test_wrong_class_folders_are_listed_a_few(folder):
    expected = trees.class_list([*WNIDS[:3], "n02000001", "n02000002", "n02000003", "n02000004"])
    with pytest.raises(DataError) as caught:
        ImageFolder(folder, expected)
    message = str(caught.value)
    assert "4 are missing (n02000001, n02000002, n02000003, ...)" in message
    assert "1 do not belong there (n01491361)" in message


def test_of_all_of_imagenet_22k_the_data_sets_own_classes_are_taken(folder, monkeypatch):
    monkeypatch.setattr(fetched_pictures, "WHOLE", 3)
    part = trees.class_list(WNIDS[:2])
    assert set(ImageFolder(folder, part).labels.tolist()) == {0, 1}
    monkeypatch.setattr(fetched_pictures, "WHOLE", 4)
    with pytest.raises(DataError, match="2 do not belong there"):
        ImageFolder(folder, part)


def test_empty_class_folders_are_an_error(tmp_path):
    for wnid in WNIDS:
        (tmp_path / "val" / wnid).mkdir(parents=True)
    with pytest.raises(DataError, match=r"Expected images of small .* but found none"):
        ImageFolder(tmp_path / "val", trees.class_list())


@pytest.fixture
def flat(tmp_path):
    return trees.flat_with_devkit(tmp_path)


def test_flat_and_sorted_copies_agree(flat, tmp_path):
    pictures = FlatValidation(flat / "val", trees.kit_of(flat), trees.class_list())
    for name, wnid in trees.kit_of(flat).items():
        place = tmp_path / "sorted" / wnid / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((flat / "val" / name).read_bytes())
    twin = ImageFolder(tmp_path / "sorted", trees.class_list())
    assert pictures.ids == twin.ids
    assert pictures.labels.tolist() == twin.labels.tolist()
    whole = Preprocessing(None, None)
    for place in range(len(twin)):
        assert np.array_equal(pictures.read(place, whole), twin.read(place, whole))


def test_a_flat_part_keeps_only_its_classes(flat):
    part = trees.class_list([WNIDS[2], WNIDS[0]], "part")
    pictures = FlatValidation(flat / "val", trees.kit_of(flat), part, limit=3)
    assert set(pictures.labels.tolist()) == {0, 1}
    assert len(pictures) == 3


@pytest.mark.parametrize("change", [-1, 1])
def test_a_ground_truth_of_another_length_is_an_error(flat, change):
    path = flat / "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-1] if change < 0 else [*lines, "1"]))
    with pytest.raises(DataError, match=f"Expected the {6 + change} images .* but it has 6"):
        FlatValidation(flat / "val", trees.kit_of(flat), trees.class_list())


@pytest.fixture(scope="module")
def imagenet(tmp_path_factory):
    """A copy of ImageNet's validation set with one small picture a class."""
    folder = tmp_path_factory.mktemp("imagenet")
    wnids = load_classes("imagenet_1k").folders
    trees.class_folders(folder / "val", wnids, per_class=1, side=8)
    return folder


def test_the_real_manifest_reads_the_sorted_layout(imagenet):
    pictures = image_folder.load("imagenet_val", imagenet)
    assert (len(pictures), pictures.classes) == (1000, "imagenet_1k")
    assert pictures.labels.tolist() == list(range(1000))
    assert len(image_folder.load("imagenet_val", imagenet, limit=10)) == 10


@pytest.mark.parametrize(
    ("name", "count"), [("imagenet_val_o", 200), ("imagenet_val_a", 200), ("imagenet_100", 100)]
)
def test_the_real_manifests_of_parts_read_their_classes(imagenet, name, count):
    pictures = image_folder.load(name, imagenet)
    assert (len(pictures), pictures.name) == (count, name)
    assert pictures.labels.tolist() == list(range(count))
    wnids = [entry.split("/")[0] for entry in pictures.ids]
    assert tuple(wnids) == load_classes(pictures.classes).folders


def test_the_real_manifest_reads_the_flat_layout(tmp_path):
    wnids = load_classes("imagenet_1k").folders
    trees.flat_validation(tmp_path, 3)
    trees.devkit(tmp_path, wnids[::-1], [wnids[7], wnids[999], wnids[7]])
    assert image_folder.load("imagenet_val", tmp_path).labels.tolist() == [7, 7, 999]
    (tmp_path / "LOC_val_solution.csv").write_text(
        "ImageId,PredictionString\n"
        + "".join(f"ILSVRC2012_val_{n:08d},{wnids[n]} 1 1 2 2\n" for n in (3, 1, 2))
    )
    assert image_folder.load("imagenet_val", tmp_path).labels.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["imagenet_a", "imagenet_o"])
def test_the_real_manifests_read_the_archives_layout(tmp_path, name):
    trees.imagenet_a(tmp_path, load_classes(name).folders, per_class=1)
    (tmp_path / "imagenet-a").rename(tmp_path / name.replace("_", "-"))
    pictures = image_folder.load(name, tmp_path)
    assert (len(pictures), pictures.classes) == (200, name)


def test_a_manifest_of_another_kind_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="Expected nao to be folders of images"):
        image_folder.load("nao", tmp_path)
    with pytest.raises(InputError, match=r"imagenet_a.*images without"):
        image_folder.load_unlabelled("imagenet_a")


def test_the_data_folder_is_the_default_place(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(DataError, match=r"elsewhere/imagenet_a/imagenet-a, but there is none"):
        image_folder.load("imagenet_a")


@pytest.fixture
def loose(tmp_path):
    """Pictures at three depths, and what is no picture."""
    trees.save(tmp_path / "set" / "b.jpg", 0)
    trees.save(tmp_path / "set" / "one" / "a.jpg", 1)
    trees.save(tmp_path / "set" / "one" / "two" / "c.png", 2, 20, 60)
    trees.save(tmp_path / "set" / ".hidden" / "d.jpg", 3)
    (tmp_path / "set" / "README.txt").write_text("Not a picture.")
    return tmp_path / "set"


def test_pictures_at_any_depth_have_unknown_labels(loose):
    pictures = UnlabelledFolder(loose, trees.class_list())
    assert isinstance(pictures, ImageSet)
    assert pictures.ids == ("b.jpg", "one/a.jpg", "one/two/c.png")
    assert pictures.labels.tolist() == [UNKNOWN] * 3
    assert (pictures.name, pictures.classes) == ("set", "small")
    assert len(pictures.class_names) == len(trees.WNIDS)
    expected = SMALL.apply(open_picture(loose / "one/two/c.png"))
    np.testing.assert_array_equal(pictures.read(2, SMALL), expected)


def test_a_limit_chooses_the_same_ones_each_time(loose):
    two = UnlabelledFolder(loose, trees.class_list(), limit=2)
    one = UnlabelledFolder(loose, trees.class_list(), limit=1)
    assert len(two) == 2
    assert set(one.ids) < set(two.ids)
    assert len({UnlabelledFolder(loose, trees.class_list()).digest, one.digest, two.digest}) == 3


def test_a_missing_and_an_empty_folder_are_errors(tmp_path):
    with pytest.raises(DataError, match=r"folder of images at .*none, but there is none"):
        UnlabelledFolder(tmp_path / "none", trees.class_list())
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="but found none"):
        UnlabelledFolder(tmp_path / "empty", trees.class_list())


def test_the_real_manifest_reads_the_textures_as_they_unpack(tmp_path):
    """The archive has lists beside the pictures, and files of the desktop among them."""
    archive = trees.tar(trees.textures(tmp_path / "source"), tmp_path / "dtd.tar.gz", mode="w:gz")
    pictures = image_folder.load_unlabelled("dtd", extract(archive, tmp_path / "data"))
    assert pictures.ids == (
        "banded/banded_0002.jpg",
        "banded/banded_0004.jpg",
        "waffled/waffled_0002.jpg",
        "waffled/waffled_0004.jpg",
    )
    assert len({open_picture(pictures.folder / item).size for item in pictures.ids}) == 4
    assert (pictures.name, pictures.classes) == ("dtd", "imagenet_o")
    assert pictures.class_names == load_classes("imagenet_o").names


def test_the_real_manifest_reads_the_places_as_they_unpack(tmp_path):
    archive = trees.tar(trees.places(tmp_path / "source"), tmp_path / "val_256.tar")
    pictures = image_folder.load_unlabelled(
        "places365_val", extract(archive, tmp_path / "data"), limit=2
    )
    assert len(pictures) == 2
    assert all(item.startswith("Places365_val_0000000") for item in pictures.ids)


def test_the_archives_are_those_that_torchvision_knows():
    from torchvision.datasets import DTD, Places365

    (textures,), (places,) = (load_dataset(name).files for name in ("dtd", "places365_val"))
    assert (textures.url, textures.md5) == (DTD._URL, DTD._MD5)
    name, md5 = Places365._IMAGES_META["val", True]
    theirs = Places365._BASE_URL.replace("http:", "https:") + name
    assert (places.url, places.md5) == (theirs, md5)


def test_photographs_keep_the_names_that_their_corruptions_are_drawn_by(tmp_path):
    for file in load_dataset("photographs_open").files:
        trees.save(tmp_path / file.name, 0, 40, 40)
    images = image_folder.load_photographs("photographs_open", tmp_path)
    assert images.ids[:2] == ("n02123045/chelsea.png", "n02123045/n02123045_281_tabby_cat.jpg")
    assert images.labels.tolist() == [281, 281, 283, 284, 285, 967]
    with pytest.raises(InputError, match=r"single photographs.*image_folder"):
        image_folder.load_photographs("imagenet_a", tmp_path)
