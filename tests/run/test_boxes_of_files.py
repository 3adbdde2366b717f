"""A user's boxes from a file, scored beside a run's detectors."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from robust_book.chapters import vid_3_detection as chapter
from robust_lib.config.class_lists import load_classes
from robust_lib.datasets.coco_boxes import CocoBoxes
from robust_lib.datasets.derived import contents_of
from robust_lib.errors import DataError, InputError
from robust_lib.metrics.boxes import Detections
from robust_lib.predict import detections_file
from robust_lib.predict.found_boxes import FoundBoxes
from robust_lib.protocols.pm_k.detection import Settings
from robust_lib.run.boxes_of_files import (
    known_categories,
    known_images,
    name_of,
    require_file_of_each,
    with_file,
    write_file,
)
from robust_lib.run.papers.vid import BOXES
from tests import coco_trees
from tests.chapters.pages import page as page_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


def write(path, entries):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entries))
    return str(path)


def entries(run):
    """What a detector would say that finds everything."""
    frames = run.image_set(BOXES)
    told = contents_of(frames)
    box = {"bbox": [4, 4, 24, 24], "score": 0.9}
    return [
        {"image_id": frame, "category_id": int(label), **box, "picture": told[frame]}
        for frame, label in zip(frames.ids, frames.labels, strict=True)
    ]


def test_a_file_is_scored_as_a_detector(run, tmp_path):
    found = with_file({}, run, BOXES, write(tmp_path / "finder.json", entries(run)))
    one = chapter.scored(run, found, Settings(samples=20))["finder"]
    assert one.by_task["detection"][0].values.tolist() == pytest.approx([1.0] * 11)


def test_without_a_file_nothing_changes(run):
    assert with_file({}, run, BOXES, None) == {}


def test_a_detector_may_have_a_file_for_each_role(run, tmp_path):
    path = write(tmp_path / BOXES / "finder.json", entries(run))
    found = with_file({}, run, BOXES, str(tmp_path / "{role}" / "finder.json"))
    assert list(found) == ["finder"]
    assert len(found["finder"][0].detections.images) == len(entries(run))
    assert path.endswith(f"{BOXES}/finder.json")


def test_a_detector_of_files_is_called_alike_in_every_role():
    """Two names made two detectors, of which none had boxes in both roles."""
    for path in ("out/{role}/mine.json", "out/mine-{role}.json", "mine/{role}.json"):
        assert name_of(path) == "mine"
    assert name_of("boxes.v2.json") == "boxes.v2"


def test_a_role_that_lacks_its_file_is_missed_by_name(tmp_path):
    write(tmp_path / "coco_val" / "mine.json", [])
    path = f"{tmp_path}/{{role}}/mine.json"
    with pytest.raises(DataError, match=r"boxes.*mine.*nao/mine\.json"):
        require_file_of_each(path, ("coco_val", "nao"))


def test_of_fewer_images_the_boxes_of_the_others_are_left_out(run, tmp_path):
    """The same images as any detector is shown, numbered as it numbers them."""
    whole = with_file({}, run, BOXES, write(tmp_path / "finder.json", entries(run)))["finder"][0]
    run.__dict__["profile"] = run.profile.model_copy(update={"limit": 7})
    (part,) = with_file({}, run, BOXES, str(tmp_path / "finder.json"))["finder"]
    assert len(part.ids) == len(part.detections.images) == 7
    said = dict(zip(whole.ids, whole.detections.classes, strict=True))
    assert part.detections.images.tolist() == list(range(7))
    assert part.detections.classes.tolist() == [said[one] for one in part.ids]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"image_id": "val/clip_9999/000001.JPEG"}, InputError),
        ({"category_id": 99}, InputError),
        ({"bbox": [4, 4, -1, 2]}, DataError),
        ({"score": float("nan")}, DataError),
        ({"score": 1.01}, DataError),
    ],
)
def test_files_about_something_else_are_refused(run, tmp_path, change, error):
    wrong = entries(run)
    wrong[0] |= change
    with pytest.raises(error, match="Expected"):
        with_file({}, run, BOXES, write(tmp_path / "finder.json", wrong))


def test_a_missing_file_and_a_name_that_is_taken(run, tmp_path):
    with pytest.raises(DataError, match="Expected"):
        with_file({}, run, BOXES, str(tmp_path / "absent.json"))
    path = write(tmp_path / "finder.json", entries(run))
    with pytest.raises(InputError, match="named differently from the run's detectors"):
        with_file({"finder": ()}, run, BOXES, path)


def test_cocos_own_ids_and_the_stems_are_known(tmp_path):
    root = coco_trees.coco(tmp_path)
    files = {"val": root / "annotations" / "instances_val2017.json"}
    images = CocoBoxes(root / "val2017", files, load_classes("coco"), name="coco_val")
    entry = {"image_id": 397133, "category_id": 18, "bbox": [30, 20.5, 12.25, 10], "score": 0.9}
    path = tmp_path / "yolov3.json"
    write(path, [entry, entry | {"image_id": "000000396133", "category_id": 90}])
    found = detections_file.load(path, known_images(images), known_categories(images))
    assert found.images.tolist() == [1, 0]
    assert [images.class_names[kind] for kind in found.classes] == ["dog", "toothbrush"]
    np.testing.assert_array_equal(found.boxes[0], images.annotations[1].boxes[1])
    write(path, [entry | {"category_id": 12}])  # one of the ten gaps
    with pytest.raises(InputError, match="the 80 category ids given"):
        detections_file.load(path, known_images(images), known_categories(images))


def test_boxes_are_written_with_what_tells_their_pictures(tmp_path):
    root = coco_trees.coco(tmp_path)
    files = {"val": root / "annotations" / "instances_val2017.json"}
    images = CocoBoxes(root / "val2017", files, load_classes("coco"), name="coco_val")
    box = Detections(np.array([1]), np.array([16]), np.array([[1.0, 2, 9, 9]]), np.array([0.5]))
    told = tuple(images.contents[one] for one in images.ids)
    found = FoundBoxes("mine", "coco_val", images.ids, box, 0.01, 100, pictures=told)
    path = str(write_file(found, images, tmp_path / "mine.json"))
    run = SimpleNamespace(image_set=lambda role: images, profile=SimpleNamespace(limit=None))
    (again,) = with_file({}, run, "coco_val", path)["mine"]
    assert again.detections.boxes.tolist() == box.boxes.tolist()
    assert again.detections.classes.tolist() == [16]
    images.contents = images.contents | {images.ids[1]: "7 bytes"}  # another copy of the picture
    with pytest.raises(DataError, match=r"images.*\(first: 397133\)"):
        with_file({}, run, "coco_val", path)
