"""A user's boxes from a file, scored beside the run's detectors."""

import json

import pytest

from robust_lib.chapters import vid_3_detection as chapter
from robust_lib.chapters.vid import BOXES
from robust_lib.chapters.vid_3_detection import own
from robust_lib.errors import DataError, InputError
from robust_lib.protocols.pm_k.detection import Settings
from tests.chapters.pages import page as page_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUST_BUILD", str(tmp_path))
    return page_of(chapter).run


def write(path, entries):
    path.write_text(json.dumps(entries))
    return str(path)


def entries(run):
    """What a detector would say that finds everything."""
    frames = run.image_set(BOXES)
    return [
        {"image_id": frame, "category_id": int(label), "bbox": [4, 4, 24, 24], "score": 0.9}
        for frame, label in zip(frames.ids, frames.labels, strict=True)
    ]


def test_a_file_is_scored_as_a_detector(run, tmp_path):
    found = own.with_file({}, run, BOXES, write(tmp_path / "finder.json", entries(run)))
    one = chapter.scored(run, found, Settings(samples=20))["finder"]
    assert one.by_task["detection"][0].values.tolist() == pytest.approx([1.0] * 11)


def test_without_a_file_nothing_changes(run):
    assert own.with_file({}, run, BOXES, None) == {}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"image_id": "val/clip_9999/000001.JPEG"}, InputError),
        ({"category_id": 99}, InputError),
        ({"bbox": [4, 4, -1, 2]}, DataError),
        ({"score": float("nan")}, DataError),
    ],
)
def test_files_about_something_else_are_refused(run, tmp_path, change, error):
    wrong = entries(run)
    wrong[0] |= change
    with pytest.raises(error, match="Expected"):
        own.with_file({}, run, BOXES, write(tmp_path / "finder.json", wrong))


def test_a_missing_file_and_a_name_that_is_taken(run, tmp_path):
    with pytest.raises(DataError, match="Expected"):
        own.with_file({}, run, BOXES, str(tmp_path / "absent.json"))
    path = write(tmp_path / "finder.json", entries(run))
    with pytest.raises(InputError, match="called otherwise than the run's detectors"):
        own.with_file({"finder": ()}, run, BOXES, path)


def test_losses_stand_under_the_detectors_titles(run, monkeypatch):
    class Made:
        class model:  # noqa: N801
            name = "rfcn_resnet101_mini~1"

        class curves:  # noqa: N801
            loss = (2.0, 1.0)

    monkeypatch.setattr(own, "trained_detectors", lambda *_: [Made, Made])
    assert own.losses(run) == {"R-FCN, ResNet-101-like": [[2.0, 1.0]] * 2}
