"""OpenImages' tables of boxes: what is kept of them, and what may be wrong with them."""

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.datasets import openimages_boxes
from robust_lib.datasets.openimages_boxes import read_words
from robust_lib.errors import DataError
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
    return openimages_boxes.load(folder, COCO, wanted=wanted)


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
    with pytest.raises(DataError, match=r"none twice, but got '/m/0by6g,Dog'"):
        read_words(words)
    words.unlink()
    with pytest.raises(DataError, match="but found 0 and 1"):
        loaded(folder)
