"""Annotations of ImageNet-VID as arrays, and those that cannot be true."""

import numpy as np
import pytest

from robust_lib.config.class_lists import load_classes
from robust_lib.config.manifests import load_dataset
from robust_lib.datasets.frame_sets import from_names
from robust_lib.datasets.vid_boxes import annotation_path, flat, parse, read, read_all
from robust_lib.errors import DataError, InputError
from tests import trees

VID = load_classes("imagenet_vid")
DOG, CAR = "n02084071", "n02958343"


def annotated(tmp_path, *objects):
    return trees.vid_annotation(tmp_path, "val/ILSVRC2015_val_00000000/000000", objects)


def test_an_annotation_is_boxes_classes_tracks_and_the_frames_size(tmp_path):
    found = read(annotated(tmp_path, (DOG, (1, 2, 11, 12)), (CAR, (20, 0, 64, 36))), VID)
    assert (found.width, found.height, len(found)) == (64, 36, 2)
    np.testing.assert_array_equal(found.boxes, [[1, 2, 11, 12], [20, 0, 64, 36]])
    assert found.boxes.dtype == np.float32
    assert (found.classes.tolist(), found.tracks.tolist()) == ([8, 6], [0, 1])
    assert (found.occluded.tolist(), found.generated.tolist()) == ([False, True], [False, False])


@pytest.mark.parametrize(
    ("objects", "label"),
    [
        ([], -1),
        ([(DOG, (0, 0, 10, 10)), (CAR, (0, 0, 20, 6))], 6),
        ([(DOG, (0, 0, 10, 10)), (CAR, (20, 20, 30, 30))], 8),
        ([(CAR, (5, 5, 5, 35)), (DOG, (0, 0, 4, 4))], 6),  # 31 pixels against 25
    ],
)
def test_vid_section_4_1_the_largest_object_is_the_label(tmp_path, objects, label):
    found = read(annotated(tmp_path, *objects), VID)
    assert found.label == label
    assert found.boxes.shape == (len(objects), 4)


def test_a_box_that_leaves_its_frame_is_cut_at_the_edge(tmp_path):
    """One such box in a million frames must not stop a reading that takes minutes."""
    found = read(annotated(tmp_path, (DOG, (-1, -2, 70, 40)), (DOG, (60, 0, 64, 36))), VID)
    assert found.boxes.tolist() == [[0, 0, 64, 36], [60, 0, 64, 36]]


@pytest.mark.parametrize(
    "box", [(-9, 0, -1, 5), (0, -9, 5, -1), (65, 0, 70, 5), (0, 37, 5, 40), (9, 0, 5, 5),
            (0, 9, 5, 5)]
)  # fmt: skip
def test_a_box_beside_its_frame_is_an_input_error(tmp_path, box):
    listed = ", ".join(map(str, box))
    with pytest.raises(InputError, match=f"64 x 36 pixels in .*000000.xml, but got {listed} "):
        read(annotated(tmp_path, (DOG, (0, 0, 64, 36)), (DOG, box)), VID)


def test_a_box_of_not_a_number_is_refused(tmp_path):
    with pytest.raises(InputError, match="but got nan"):
        read(annotated(tmp_path, (DOG, (float("nan"), 0, 5, 5))), VID)


def test_a_class_of_another_task_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match=r"30 classes.*n00007846"):
        read(annotated(tmp_path, ("n00007846", (0, 0, 5, 5))), VID)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<annotation>", "could not read it"),
        ("<annotation></annotation>", "it has no size/width"),
        ("<annotation><size><width>6</width><height>x</height></size></annotation>", "invalid"),
    ],
)
def test_a_file_of_another_form_is_a_data_error(text, message):
    with pytest.raises(DataError, match=message):
        parse(text, VID)


def test_an_object_that_lacks_a_field_is_a_data_error(tmp_path):
    text = annotated(tmp_path, (DOG, (0, 0, 5, 5))).read_text()
    for field in ("name", "trackid", "xmin", "bndbox"):
        with pytest.raises(DataError, match="it has no "):
            parse(text.replace(f"{field}>", "other>"), VID, "one")


def test_the_boxes_of_frame_sets_come_in_the_order_of_the_frames(tmp_path):
    root = load_dataset("imagenet_vid").below(trees.vid_boxes(tmp_path))
    named = [f"val/ILSVRC2015_val_00000001/{n:06d}.JPEG" for n in range(3)]
    sets = from_names({one: [0] for one in named}, {named[1]: [named[2], named[0]]}, classes=30)
    found = read_all(sets.frames, root, VID)
    assert [one.boxes[0, 0] for one in found] == [10, 11, 12]
    assert [one.label for one in found] == [0, 0, 0]
    images, classes, boxes = flat(found)
    assert (images.tolist(), classes.tolist()) == ([0, 1, 2], [0, 0, 0])
    np.testing.assert_array_equal(boxes, [[10 + n, 5, 40 + n, 30] for n in range(3)])


def test_frames_without_objects_have_no_place_in_the_flat_arrays(tmp_path):
    two, none, one = (
        read(annotated(tmp_path, *objects), VID)
        for objects in ([(DOG, (0, 0, 5, 5)), (CAR, (1, 1, 9, 9))], [], [(DOG, (2, 2, 4, 4))])
    )
    images, classes, boxes = flat([two, none, one])
    assert (images.tolist(), classes.tolist()) == ([0, 0, 2], [8, 6, 8])
    assert (boxes[:, 0].tolist(), boxes.dtype) == ([0, 1, 2], np.float32)


def test_videos_of_2017_lack_in_the_edition_of_2015(tmp_path):
    root = trees.vid_boxes(tmp_path) / "ILSVRC2015"
    wanted = [f"val/{video}/000000.JPEG" for video in ("ILSVRC2015_val_00000000", "ILSVRC2017_val")]
    broken = annotation_path(root, wanted[0])
    broken.write_text("nothing is read before all are found")
    with pytest.raises(DataError, match=r"annotations.*2 frames.*1.*ILSVRC2017"):
        read_all(wanted, root, VID)


def test_a_missing_file_and_another_path_are_errors(tmp_path):
    with pytest.raises(DataError, match=r"annotation.*ImageNet-VID"):
        read(tmp_path / "000000.xml", VID)
    with pytest.raises(InputError, match="Expected a frame named"):
        annotation_path(tmp_path, "../../000000.JPEG")
