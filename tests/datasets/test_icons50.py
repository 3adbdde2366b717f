"""ICONS-50 from its folders and from its NumPy file: the same icons, known by their paths."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from robust_lib import datasets
from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets import ImageSet, icons50
from robust_lib.datasets.icons50 import Icon, Icons50, InMemory
from robust_lib.errors import DataError
from robust_lib.preprocessing import Preprocessing
from tests import trees

PICTURES = np.random.default_rng(0).integers(0, 256, (3, 4, 4, 3), dtype=np.uint8)
SET = InMemory("three", ("a", "b", "c"), np.array([0, 1, 2]), PICTURES, load_classes("icons50"))


def test_it_is_an_image_set_of_what_was_given():
    assert isinstance(SET, ImageSet)
    assert (len(SET), SET.classes, SET.class_names[1]) == (3, "icons50", "Arrow Directions")
    assert np.array_equal(SET.read(1, Preprocessing(None, None)), PICTURES[1])


def test_the_digest_changes_with_everything_but_the_name():
    changes = {
        "ids": ("a", "b", "d"),
        "labels": np.array([0, 1, 1]),
        "pictures": PICTURES ^ 1,
        "class_list": load_classes("imagenet_a"),
    }
    digests = {replace(SET, **{key: value}).digest for key, value in changes.items()}
    assert len(digests | {SET.digest}) == 5
    assert replace(SET, name="four").digest == SET.digest


FOLDERS = load_classes("icons50").folders
AS_IS = Preprocessing(None, None)
SMALL = Preprocessing(32, 32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All 50 classes, two vendors, two renditions, with the release's stray files."""
    folder = tmp_path_factory.mktemp("release")
    trees.icons50(folder, FOLDERS, styles=("apple", "emoji-one"))
    trees.save(folder / "Icons-50" / "worker" / "twitter_0_female_factory_worker.png", 3, 72, 72)
    return folder


def test_the_release_is_an_image_set(folder):
    data = icons50.load(folder=folder)
    assert isinstance(data, datasets.ImageSet)
    assert len(data) == len(data.ids) == len(data.labels) == len(data.icons) == 201
    assert (data.name, data.classes) == ("icons50", "icons50")
    assert data.class_names == load_classes("icons50").names
    assert data.ids[0] == "airplane/apple_1_some_subtype.png"
    assert [icon.path for icon in data.icons] == list(data.ids)
    assert [icon.label for icon in data.icons] == data.labels.tolist()
    assert all(icon.path.startswith(f"{FOLDERS[icon.label]}/") for icon in data.icons)


def test_a_path_says_style_rendition_and_subtype(folder):
    icons = {icon.path: icon for icon in icons50.load(folder=folder).icons}
    path = "worker/twitter_0_female_factory_worker.png"
    worker = FOLDERS.index("worker")
    assert icons[path] == Icon(path, worker, "twitter", "0", "female_factory_worker")
    assert {icon.style for icon in icons.values()} == {"apple", "emoji-one", "twitter"}


@pytest.mark.parametrize(
    ("subtype", "motif"),
    [
        ("cartwheel_type_6", "cartwheel"),
        ("cartwheel", "cartwheel"),
        ("blood_type_b", "blood_type_b"),
        ("type_4", "type_4"),
        ("a_type_4_b", "a_type_4_b"),
    ],
)
def test_a_motif_is_a_subtype_in_any_skin_tone(subtype, motif):
    assert icons50.parse(f"hand/lg_1_{subtype}.png", 0).motif == motif


@pytest.mark.parametrize(
    "path",
    [
        "a/lg_1.png",
        "a/lg_duck.png",
        "lg_1_duck.png",
        "a/b/lg_1_duck.png",
        "a/lg_1_duck.gif",
        "a/.png",
    ],
)
def test_a_name_of_another_form_is_refused(path):
    with pytest.raises(DataError, match=r"<class>/<style>_<rendition>_<subtype>\.png, but got"):
        icons50.parse(path, 0)


def test_pictures_are_resized_for_the_network(folder):
    data = icons50.load(folder=folder)
    place = data.ids.index("worker/twitter_0_female_factory_worker.png")
    assert data.read(place, AS_IS).shape == (72, 72, 3)
    assert data.read(place, SMALL).shape == (32, 32, 3)
    assert datasets.batch(data, range(len(data)), SMALL).shape == (201, 3, 32, 32)


def test_a_folder_that_lacks_a_class_is_refused(tmp_path):
    trees.icons50(tmp_path, FOLDERS[:-1])
    with pytest.raises(DataError, match=r"1 are missing \(writing_utensil\)"):
        icons50.load(folder=tmp_path)


def release(folder):
    """What the NumPy file of the release holds of a folder."""
    data = icons50.load(folder=folder)
    pictures = np.stack([data.read(index, SMALL) for index in range(len(data))])
    return data, {
        "class": data.labels.tolist(),
        "style": [icon.style for icon in data.icons],
        "rendition": [icon.rendition for icon in data.icons],
        "subtype": np.array([icon.subtype for icon in data.icons]),
        "image": pictures.transpose(0, 3, 1, 2),
    }


def saved(path, content):
    np.save(path, content, allow_pickle=True)
    return path


def test_the_numpy_file_holds_the_same_icons(folder, tmp_path):
    data, content = release(folder)
    twin = icons50.load_array(saved(tmp_path / "Icons-50.npy", content))
    assert isinstance(twin, Icons50)
    assert isinstance(twin, datasets.ImageSet)
    assert twin.icons == data.icons
    assert np.array_equal(twin.labels, data.labels)
    assert twin.labels.dtype == np.int64
    assert (twin.classes, twin.class_names) == (data.classes, data.class_names)
    for index in (0, 77, 200):
        assert np.array_equal(twin.read(index, AS_IS), data.read(index, SMALL))


def test_icons_of_one_name_are_told_apart(folder, tmp_path):
    _, content = release(folder)
    content["rendition"] = ["0"] * 201
    twin = icons50.load_array(saved(tmp_path / "a.npy", content))
    assert len(set(twin.ids)) == 201
    assert twin.ids[:2] == (
        "airplane/apple_0_some_subtype.png",
        "airplane/apple_0_some_subtype~1.png",
    )


def test_the_digest_of_the_file_knows_all_that_is_in_it(folder, tmp_path):
    def digest(**changes):
        _, content = release(folder)
        return icons50.load_array(saved(tmp_path / "a.npy", content | changes)).digest

    _, content = release(folder)
    image = content["image"].copy()
    image[7, 0, 0, 0] ^= 1
    others = [
        digest(image=image),
        digest(style=["apple"] * 201),
        digest(**{"class": [*content["class"][:-1], 0]}),
    ]
    assert len({digest(), *others}) == 4
    assert digest() == digest()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"image": None}, "its fields differ"),
        ({"image": np.zeros((201, 32, 32, 3), np.uint8)}, r"uint8 \(201, 32, 32, 3\)"),
        ({"image": np.zeros((201, 3, 32, 32), np.float32)}, "float32"),
        ({"image": np.zeros((200, 3, 32, 32), np.uint8)}, r"\(200, 3, 32, 32\)"),
        ({"class": [50] * 201}, "a class from 0 to 49"),
        ({"class": ["duck"] * 201}, "classes of <U4"),
        ({"style": ["apple"] * 3}, "Icons-50.npy"),
        ({"style": "apple"}, "Icons-50.npy"),
    ],
)
def test_a_file_of_something_else_is_refused(folder, tmp_path, changes, words):
    _, content = release(folder)
    content = {k: v for k, v in (content | changes).items() if v is not None}
    with pytest.raises(DataError, match=words):
        icons50.load_array(saved(tmp_path / "a.npy", content))


def test_a_list_is_no_release(tmp_path):
    with pytest.raises(DataError, match="Expected the fields class, style, rendition"):
        icons50.load_array(saved(tmp_path / "a.npy", np.array([1, "a"], dtype=object)))


def test_png_files_with_transparent_grounds_are_read_as_the_authors_code_read_them(tmp_path):
    """The colour under a transparent pixel counts, whatever it is."""
    trees.icons50(tmp_path, FOLDERS)
    rgba = np.zeros((8, 8, 4), np.uint8)
    rgba[..., 1] = 200
    Image.fromarray(rgba).save(tmp_path / "Icons-50" / "ball" / "lg_1_marble.png")
    data = icons50.load(folder=tmp_path)
    assert data.read(data.ids.index("ball/lg_1_marble.png"), AS_IS)[0, 0].tolist() == [0, 200, 0]


def test_both_manifests_name_fifty_subtypes_to_hold_out():
    for name in ("icons50", "icons50_open"):
        names = load_dataset(name).options["held_out_subtypes"]
        assert len(set(names)) == len(names) == 50
