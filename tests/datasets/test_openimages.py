"""Pictures of OpenImages with their boxes."""

import numpy as np
import pytest
from PIL import Image

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import ImageSet, open_picture, openimages
from robust_lib.datasets.openimages import read_words
from robust_lib.errors import DataError, InputError
from robust_lib.preprocessing import Preprocessing
from robust_lib.training.detection import BoxedImages
from robust_lib.types import UNKNOWN
from tests import coco_trees

COCO = load_classes("coco")
PERSON, DOG, CUP = 0, 16, 41
FIRST, SECOND, THIRD = (f"{number:016x}" for number in (7, 3, 5))
ROWS = {
    FIRST: [("Person", (0.0, 0.25, 0.5, 1.0)), ("Shark", (0.5, 0.5, 0.75, 1.0))],
    SECOND: [("Mug*", (0.125, 0.25, 0.5, 0.5))],
    THIRD: [("Shark*", (0.0, 0.0, 1.0, 1.0))],
}


@pytest.fixture
def folder(tmp_path):
    return coco_trees.openimages_boxes(tmp_path, ROWS)


def loaded(folder, wanted=tuple(ROWS)):
    return openimages.load_boxes(folder, COCO, wanted=wanted)


def test_objects_of_the_label_set_and_others(folder):
    table = loaded(folder)
    assert table.ids == (SECOND, THIRD, FIRST)
    first = table.objects(FIRST, (200, 100))
    assert (first.width, first.height) == (200, 100)
    assert first.classes.tolist() == [PERSON]
    assert first.boxes.tolist() == [[0, 25, 100, 100]]
    assert first.foreign.names == ("Shark",)
    assert first.foreign.boxes.tolist() == [[100, 50, 150, 100]]
    second = table.objects(SECOND, (8, 8))
    assert (second.classes.tolist(), second.crowds.tolist()) == ([CUP], [True])
    assert second.foreign is not None  # somebody has looked, and there is none
    assert len(second.foreign) == 0
    assert len(table.objects(THIRD, (8, 8))) == 0
    with pytest.raises(DataError, match="OpenImages has none"):
        table.objects("0" * 16, (8, 8))


def test_only_what_is_wanted_is_kept(folder):
    table = loaded(folder, [SECOND, "f" * 16])
    assert table.ids == (SECOND,)
    assert table.corners.shape == (1, 4)
    assert len(loaded(folder, [])) == 0


def test_a_slow_reader_finds_the_same(tmp_path):
    rng = np.random.default_rng(1)
    pictures = [f"{number:016x}" for number in rng.permutation(30)]
    names = list(coco_trees.LABELS)
    rows = {
        picture: [
            (names[rng.integers(4)], tuple(np.sort(rng.random((2, 2)), 0).ravel().round(6)))
            for _ in range(rng.integers(1, 4))
        ]
        for picture in pictures
    }
    table = loaded(coco_trees.openimages_boxes(tmp_path, rows), pictures[:20])
    known = {"Person": PERSON, "Dog": DOG, "Mug": CUP}
    for picture in pictures[:20]:
        found = table.objects(picture, (1, 1))
        inside = [(known[name], box) for name, box in rows[picture] if name in known]
        assert found.classes.tolist() == [kind for kind, _ in inside]
        for box, (_, expected) in zip(found.boxes, inside, strict=True):
            np.testing.assert_allclose(box, expected, atol=1e-6)
        assert found.foreign.names.count("Shark") == len(rows[picture]) - len(inside)


def test_tables_of_several_parts_and_versions_are_read(folder):
    """Newer ones have more columns, other beginnings of their names, and words with a header."""
    table = folder / "train-annotations-bbox.csv"
    header, *rows = table.read_text().splitlines()
    more = [f"{header},XClick1X,XClick1Y", *(f"{row},0.5,0.5" for row in rows[:2])]
    (folder / "oidv6-train-annotations-bbox.csv").write_text("\r\n".join(more) + "\r\n")
    (folder / "validation-annotations-bbox.csv").write_text("\n".join([header, *rows[2:]]) + "\n")
    words = (folder / "class-descriptions-boxable.csv").read_text()
    table.unlink()
    (folder / "class-descriptions-boxable.csv").unlink()
    (folder / "oidv7-class-descriptions-boxable.csv").write_text(f"LabelName,DisplayName\n{words}")
    found = loaded(folder)
    assert found.ids == (SECOND, THIRD, FIRST)
    assert found.objects(FIRST, (200, 100)).boxes.tolist() == [[0, 25, 100, 100]]


def test_wide_words_and_parts_are_told_apart_where_the_hierarchy_lies_beside(tmp_path):
    box = (0.0, 0.0, 0.5, 0.5)
    names = ("Animal", "Shark", "Human face", "Tire")
    rows = {FIRST: [("Person", box), *((name, box) for name in names)], SECOND: [("Dog", box)]}
    folder = coco_trees.openimages_boxes(tmp_path, rows, hierarchy=True)
    table = loaded(folder, rows)
    foreign = table.objects(FIRST, (8, 8)).foreign
    assert foreign.names == names  # all are foreign as before
    assert foreign.related.tolist() == [True, False, True, True]
    assert table.objects(SECOND, (8, 8)).foreign.related.tolist() == []
    digest = table.digest
    (folder / "bbox_labels_600_hierarchy.json").unlink()
    again = loaded(folder, rows)
    assert again.objects(FIRST, (8, 8)).foreign.related is None
    assert again.digest == digest  # boxes that were found stay


def test_the_hierarchy_in_its_layout(tmp_path):
    """Parts of a class, of a wider word, and what hangs below them; a building is not wider."""
    path = tmp_path / "bbox_labels_600_hierarchy.json"
    path.write_text(coco_trees.HIERARCHY)
    person, dog, car = (f"/m/{label}" for label in ("01g317", "0bt9lr", "0k4j"))
    found = openimages.read_related(path, [person, dog, car])
    wide = {"0bl9f", "0jbk", "04rky", "07yv9", "01prls", "05y5lj"}
    parts = {"02p0tk3", "0dzct", "08dz3q", "0h9mv"}
    assert found == {f"/m/{label}" for label in wide | parts}
    assert openimages.read_related(path, []) == frozenset()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"LabelName": "/m/0bl9f", "Part": {"LabelName": "/m/0k4j"}}']
)
def test_hierarchies_that_are_none(folder, text):
    path = folder / "bbox_labels_600_hierarchy.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"a tree of labels in .* or move the file away") as error:
        loaded(folder)
    assert str(path) in str(error.value)


def test_the_digest_changes_with_a_box(folder):
    first = loaded(folder).digest
    assert loaded(folder).digest == first
    table = folder / "train-annotations-bbox.csv"
    table.write_text(table.read_text().replace("0.750000", "0.750001"))
    assert loaded(folder).digest != first


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/m/01g317", "/m/none"),
        ("0.750000", "1.750000"),
        ("0.750000", "0.250000"),
        ("0.750000", "nan"),
        ("0.750000", "wide"),
        (",0,0,1,0,0", ""),
    ],
)
def test_rows_that_are_no_boxes(folder, old, new):
    table = folder / "train-annotations-bbox.csv"
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(DataError, match="a box of a known label") as error:
        loaded(folder)
    assert str(table) in str(error.value)


def test_tables_that_are_none(folder):
    table, words = folder / "train-annotations-bbox.csv", folder / "class-descriptions-boxable.csv"
    text = table.read_text()
    table.write_text(text.replace("IsGroupOf", "Group"))
    with pytest.raises(DataError, match=r"Expected the columns ImageID.*IsOccluded"):
        loaded(folder)
    table.unlink()
    with pytest.raises(DataError, match="but found 1 and 0"):
        loaded(folder)
    table.write_text(text)
    words.write_text("/m/0by6g,Shark\n/m/0by6g,Dog\n")
    with pytest.raises(DataError, match=r"without duplicates, but got '/m/0by6g,Dog'"):
        read_words(words)
    words.write_text("/m/0by6g,Dog\n/m/0bt9lr,Dog\n")
    with pytest.raises(DataError, match=r"belongs.*/m/0by6g.*/m/0bt9lr"):
        loaded(folder)
    words.unlink()
    with pytest.raises(DataError, match="but found 0 and 1"):
        loaded(folder)


AS_IT_IS = Preprocessing(None, None)
PERSON, DOG = 0, 16
FIRST, SECOND, UNSEEN = (f"{number:016x}" for number in (7, 3, 5))
HELD = {
    FIRST: [("Person", (0.0, 0.25, 0.5, 1.0)), ("Dog", (0.0, 0.0, 1.0, 1.0))],
    SECOND: [("Shark", (0.5, 0.5, 0.75, 1.0))],
    "f" * 16: [("Dog", (0.5, 0.5, 0.75, 1.0))],  # a picture that nobody has here
}


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_DATA", str(tmp_path))
    coco_trees.openimages_boxes(tmp_path / "openimages_boxes", HELD)
    coco_trees.openimages(tmp_path / "openimages_train", [FIRST, SECOND, UNSEEN])
    return tmp_path


def test_pictures_with_boxes_are_the_set():
    images = openimages.load("openimages_train")
    assert isinstance(images, ImageSet)
    assert isinstance(images, BoxedImages)
    assert (images.name, images.classes) == ("openimages_train", "coco")
    assert images.ids == (SECOND, FIRST)
    assert images.labels.tolist() == [UNKNOWN, DOG]


def test_boxes_are_pixels_of_each_picture():
    images = openimages.load("openimages_train")
    shark, pair = (images.annotations[place] for place in range(len(images.annotations)))
    assert (shark.width, shark.height) == (68, 48)
    assert shark.foreign.boxes.tolist() == [[34, 24, 51, 48]]
    assert pair.boxes.tolist() == [[0, 12, 32, 48], [0, 0, 64, 48]]
    assert [images.annotations[place].label for place in range(2)] == images.labels.tolist()


def test_no_picture_is_opened_while_the_set_is_made(monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture was opened")

    monkeypatch.setattr(Image, "open", refuse)
    assert len(openimages.load("openimages_train", limit=1)) == 1


def test_pictures_are_read_wherever_they_lie(data):
    before = openimages.load("openimages_train")
    folder = data / "openimages_train" / "images"
    (folder / "a").mkdir()
    (folder / f"{FIRST}.jpg").rename(folder / "a" / f"{FIRST}.jpg")
    images = openimages.load("openimages_train")
    assert images.digest == before.digest
    expected = np.asarray(open_picture(folder / "a" / f"{FIRST}.jpg"))
    np.testing.assert_array_equal(images.read(1, AS_IT_IS), expected)


def test_pictures_of_other_names(data):
    folder = data / "openimages_train" / "images"
    for number, file in enumerate(sorted(folder.iterdir())):
        file.rename(folder / f"picture {number}.jpg")
    with pytest.raises(DataError, match=r"boxes.*3 images.*none"):
        openimages.load("openimages_train")
    with pytest.raises(InputError, match=r"nao.*OpenImages' images.*coco_boxes"):
        openimages.load("nao")


def test_a_turned_camera_turns_neither_pixels_nor_boxes(data):
    """OpenImages' boxes are of the stored pixels: half of these turned would be wrong."""
    path = data / "openimages_train" / "images" / f"{FIRST}.jpg"
    with Image.open(path) as picture:
        size = picture.size
        exif = Image.Exif()
        exif[0x0112] = 6  # to be turned by a quarter when it is shown
        picture.convert("RGB").save(path, exif=exif)
    with Image.open(path) as picture:
        assert picture.getexif()[0x0112] == 6
    images = openimages.load("openimages_train")
    place = images.ids.index(FIRST)
    assert images.read(place, AS_IT_IS).shape[:2] == size[::-1]
    assert (images.annotations[place].width, images.annotations[place].height) == size
