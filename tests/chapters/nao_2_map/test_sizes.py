"""mAP by size and by class as the chapter shows it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from robust_book.chapters.nao_2_map import sizes
from robust_lib.protocols.objects import size_and_class
from tests.layouts import CLASSES, Shapes
from tests.protocols.objects import toys

RIGHT = {"mine": (12, 6), "other": (12, 12)}
NAMES = {"efficientdet_d7": "other"}
ON_BOTH = toys.coco_maps(RIGHT)
ROWS = size_and_class.results(toys.by_size(RIGHT), ON_BOTH, CLASSES)


def test_a_line_for_each_detector_and_kind_of_images():
    frame = sizes.size_frame(ROWS, ON_BOTH, NAMES)
    assert frame["Images"].tolist() == ["ordinary", "adversarial"] * 2
    assert frame["Detector"].tolist()[2] == "other (selected the images)"
    row = ROWS.row(metric="map", model="mine", dataset="nao/small")
    assert frame["Small"].iloc[1].value == 100 * row.value
    assert set(frame["Large"]) == {"–"}


def test_classes_come_by_how_many_objects_they_have():
    frame = sizes.class_frame(ROWS, ON_BOTH)
    assert frame["Objects"].tolist() == sorted(frame["Objects"], reverse=True)
    assert set(frame["Class"]) == set(CLASSES)
    line = frame.set_index("Class").loc["disc"]
    row = ROWS.row(metric="map", model="mine", dataset="nao/disc")
    assert line["mine"] == 100 * row.value


def test_the_page_says_by_what_objects_are_sized():
    page = SimpleNamespace(run=SimpleNamespace(paper_names=NAMES))

    class Outlined(Shapes):
        @property
        def annotations(self):
            return tuple(replace(one, areas=np.ones(len(one))) for one in super().annotations)

    block = str(sizes.by_size(page, ROWS, ON_BOTH, (Outlined(), Shapes())))
    assert "Ordinary images: 10 small, 0 medium, 0 large objects, by the area of their" in block
    assert "objects, by the area of their outlines. Adversarial" in block
    assert "objects, by the area of their boxes, since outlines are not known" in block
    assert "are not comparable" in block
    assert "are not comparable" not in str(sizes.by_size(page, ROWS, ON_BOTH, (Shapes(),) * 2))


def test_the_prose_names_the_detector_that_chose_and_sizes_that_are_not_there():
    named = sizes.key_numbers(ROWS, ON_BOTH, NAMES)
    row = ROWS.row(metric="map", model="other", dataset="nao/small")
    assert named["small_adversarial"].value == row.value
    assert named["medium_ordinary"].text == "no object"
