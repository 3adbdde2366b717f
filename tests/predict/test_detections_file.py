"""COCO's results files: what is in them, against pycocotools; and everything that may be wrong."""

import contextlib
import io
import json

import numpy as np
import pytest

from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.predict.detections_file import load, save

ENTRY = {"image_id": 7, "category_id": 18, "bbox": [10.5, 20, 30, 40], "score": 0.9}
OTHER = {"image_id": 3, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.25}
IMAGES, CATEGORIES = [3, 7], {1: 0, 18: 1}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "found.json"


def written(file, entries):
    file.write_text(json.dumps(entries))
    return file


def loaded(file, entries, images=IMAGES, categories=CATEGORIES):
    return load(written(file, entries), images, categories)


def test_boxes_are_corners_and_numbers_are_ours(file):
    found = loaded(file, [ENTRY, OTHER])
    assert found.images.tolist() == [1, 0]
    assert found.classes.tolist() == [1, 0]
    assert found.boxes.tolist() == [[10.5, 20, 40.5, 60], [0, 0, 5, 5]]
    assert found.scores.tolist() == [0.9, 0.25]


def test_images_may_be_called_by_names(file):
    found = loaded(file, [ENTRY | {"image_id": "val/000007.JPEG"}], ["a", "val/000007.JPEG"])
    assert found.images.tolist() == [1]


def test_an_image_may_have_a_number_and_a_name(file):
    entries = [ENTRY, ENTRY | {"image_id": "seven"}, OTHER]
    found = loaded(file, entries, {3: 0, 7: 1, "seven": 1})
    assert found.images.tolist() == [1, 1, 0]


def test_no_detections_are_none(file):
    assert loaded(file, []).boxes.shape == (0, 4)


def test_pycocotools_reads_the_same(file):
    from pycocotools.coco import COCO

    found = Detections(
        np.array([0, 1, 1]),
        np.array([1, 0, 1]),
        np.array([[10.25, 20.5, 40.75, 60.0], [0.0, 0.0, 5.0, 5.5], [1.0, 2.0, 3.0, 9.0]]),
        np.array([0.9, 0.25, 0.125]),
    )
    save(file, found, IMAGES, CATEGORIES, ["one", "two"])
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = {
            "info": {},
            "images": [{"id": one} for one in IMAGES],
            "categories": [{"id": one} for one in CATEGORIES],
            "annotations": [],
        }
        truth.createIndex()
        theirs = truth.loadRes(str(file)).dataset["annotations"]
    ours = load(file, IMAGES, CATEGORIES)
    assert [IMAGES[place] for place in ours.images] == [one["image_id"] for one in theirs]
    assert [CATEGORIES[one["category_id"]] for one in theirs] == ours.classes.tolist()
    sizes = ours.boxes[:, 2:] - ours.boxes[:, :2]
    assert [one["bbox"] for one in theirs] == np.hstack([ours.boxes[:, :2], sizes]).tolist()
    np.testing.assert_allclose([one["area"] for one in theirs], sizes.prod(1))
    assert [one["score"] for one in theirs] == ours.scores.tolist()


@pytest.mark.parametrize("count", [0, 1, 50])
def test_what_is_saved_is_loaded(file, count):
    rng = np.random.default_rng(count)
    images, classes = rng.integers(0, 2, (2, count))
    boxes = np.sort(1000 * rng.random((count, 2, 2)), axis=1).reshape(count, 4)
    found = Detections(images, classes, boxes, rng.random(count))
    save(file, found, ["a", "b"], CATEGORIES)
    again = load(file, ["a", "b"], CATEGORIES)
    assert np.array_equal(again.images, found.images)
    assert np.array_equal(again.classes, found.classes)
    assert np.array_equal(again.scores, found.scores)
    np.testing.assert_allclose(again.boxes, found.boxes, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"bbox": [1, 2, -3, 4]}, "entry 1 of .* its bbox has a negative width or height"),
        ({"bbox": [1, 2, 3]}, "its bbox is not four finite numbers"),
        ({"bbox": [1, 2, float("nan"), 4]}, "its bbox is not four finite numbers"),
        ({"bbox": ["1", 2, 3, 4]}, "its bbox is not four finite numbers"),
        ({"bbox": None}, "its bbox is not four"),
        ({"score": float("nan")}, "its score is not a number from 0 to 1"),
        ({"score": float("inf")}, "its score is not a number from 0 to 1"),
        ({"score": 1.25}, "its score is not a number from 0 to 1"),
        ({"score": -0.1}, "its score is not a number from 0 to 1"),
        ({"score": None}, "its score is not a number from 0 to 1"),
        ({"score": True}, "its score is not a number from 0 to 1"),
        ({"image_id": None}, "its image_id is neither"),
        ({"image_id": 1.5}, "its image_id is neither"),
        ({"category_id": "cat"}, "its category_id is not a whole number"),
    ],
)
def test_an_entry_that_is_no_detection(file, change, told):
    with pytest.raises(DataError, match=told):
        loaded(file, [OTHER, ENTRY | change])


@pytest.mark.parametrize("key", ENTRY)
def test_an_entry_that_lacks_a_key(file, key):
    with pytest.raises(DataError, match=f"entry 0 of .* it lacks {key}"):
        loaded(file, [{name: value for name, value in ENTRY.items() if name != key}])


def test_an_entry_that_is_no_object(file):
    with pytest.raises(DataError, match="lacks image_id, category_id, bbox"):
        loaded(file, [[1, 2, 3]])


def test_detections_are_joined_to_pictures_by_content(file):
    """Boxes in other pictures of the same ids were scored as if they were these."""
    box = Detections(np.array([1]), np.array([1]), np.array([[0.0, 0, 4, 4]]), np.array([0.5]))
    save(file, box, IMAGES, CATEGORIES, ["one", "two"])
    assert load(file, IMAGES, CATEGORIES, None, ["one", "two"]).images.tolist() == [1]
    with pytest.raises(DataError, match=r"2.*2.*images.*\(first: 7\)"):
        load(file, IMAGES, CATEGORIES, None, ["two", "one"])
    with pytest.raises(DataError, match=r"1.*2.*images.*\(first: 3\)"):
        load(file, IMAGES, CATEGORIES, None, ["another", "two"])  # nothing was found in it
    with pytest.warns(UserWarning, match=r"by their ids alone. Their boxes lie inside"):
        load(written(file, [ENTRY]), IMAGES, CATEGORIES, lambda place: (64, 64), ["one", "two"])


def test_images_without_a_box_are_told_from_images_that_were_not_shown(file):
    """Boxes of fewer images were scored as if nothing had been found in the others."""
    box = Detections(np.array([0]), np.array([1]), np.array([[0.0, 0, 4, 4]]), np.array([0.5]))
    save(file, box, IMAGES, CATEGORIES, ["one", "two"])
    told = json.loads(file.read_text())
    assert told[0]["without_boxes"] == [{"image_id": 7, "picture": "two"}]
    pictures = ["one", "two", "three"]
    known = [*IMAGES, 9], CATEGORIES, None, pictures
    assert load(file, *known, wanted=[0, 1]).images.tolist() == [0]
    with pytest.raises(DataError, match=r"3 images.*lacks 1.*\(first: 9\)"):
        load(file, *known, wanted=[0, 1, 2])
    assert load(written(file, [ENTRY | {"picture": "two"}]), *known, wanted=[0, 1, 2]).scores.size
    with pytest.raises(DataError, match=r"without_boxes.*image_id.*image"):
        load(written(file, [told[0] | {"without_boxes": [3]}]), *known)


def test_images_and_categories_that_are_unknown(file):
    told = r"of the 2 image ids given \(3, 7, \.\.\.\), but .* has 8, and 1 of its 2"
    with pytest.raises(InputError, match=told):
        loaded(file, [ENTRY, OTHER | {"image_id": 8}])
    with pytest.raises(InputError, match="has '7', and 1 of its 1"):  # a number is no name
        loaded(file, [ENTRY | {"image_id": "7"}])
    with pytest.raises(InputError, match=r"2 category ids.*90"):
        loaded(file, [ENTRY | {"category_id": 90}])


def test_files_that_are_none(file):
    with pytest.raises(DataError, match="there is no such file"):
        load(file, IMAGES, CATEGORIES)
    file.write_text("image_id,category_id\n")
    with pytest.raises(DataError, match="it is not JSON"):
        load(file, IMAGES, CATEGORIES)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="it is not JSON"):
        load(file, IMAGES, CATEGORIES)
    with pytest.raises(DataError, match=r"a single dict\. It looks like a file of annotations"):
        loaded(file, {"annotations": [ENTRY]})
    with pytest.raises(DataError, match="a single int"):
        loaded(file, 3)


def test_what_cannot_be_written(file):
    found = Detections(np.array([1]), np.array([1]), np.zeros((1, 4)), np.array([0.5]))
    with pytest.raises(InputError, match=r"1.*box.*image 1"):
        save(file, found, [3], CATEGORIES)
    with pytest.raises(InputError, match=r"category.*class.*1.*none"):
        save(file, found, IMAGES, {1: 0})
    with pytest.raises(InputError, match=r"3 ids.*2 classes"):
        save(file, found, IMAGES, CATEGORIES | {2: 0})
    assert not file.exists()


def test_boxes_that_are_no_sizes_in_pixels_of_the_pictures_are_refused(file):
    """Corners, fractions, and boxes of a larger copy; what leaves its picture a little is one."""

    def refused(words, *boxes):
        entries = [ENTRY | {"bbox": list(box)} for box in boxes]
        with pytest.raises(DataError, match=words):
            load(written(file, entries), IMAGES, CATEGORIES, lambda place: (64, 48))

    refused(r"only as corners \[x1, y1, x2, y2\]", (10, 10, 40, 40), (30, 20, 60, 45))
    refused("fractions of the image", (0.1, 0.1, 0.5, 0.5))
    refused("2 of 2 exceed their images", (100, 10, 40, 5), (10, 90, 60, 5))
    kept = [ENTRY | {"bbox": [30, 20, 35, 20]}, ENTRY | {"bbox": [2, 2, 40, 40]}]
    assert len(load(written(file, kept), IMAGES, CATEGORIES, lambda place: (64, 48)).boxes) == 2
