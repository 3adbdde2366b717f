"""COCO's records: what a file may lack or have besides, and what it may not hold."""

import pytest
from pydantic import ValidationError

from robust_lib.config.coco import Annotation, Category, Image, Objects, from_coco, to_coco


def test_other_fields_may_be_there_and_sizes_may_be_missing():
    image = Image.model_validate({"id": "a", "file_name": "a.jpg", "licence": 3})
    assert (image.width, image.height) == (None, None)
    box = Annotation.model_validate({"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4.5]})
    assert (box.iscrowd, box.bbox) == (0, [1.0, 2.0, 3.0, 4.5])
    assert Objects(images=[image], annotations=[box], categories=[]).info == {}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (Image, {"id": 1.5, "file_name": "a"}),
        (Image, {"id": 1}),
        (Annotation, {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3]}),
        (Annotation, {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4, 5]}),
        (Annotation, {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, float("nan")]}),
        (Annotation, {"image_id": 1, "category_id": "2", "bbox": [1, 2, 3, 4]}),
        (Annotation, {"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "iscrowd": 2}),
        (Category, {"id": "1", "name": "cat"}),
        (Category, {"id": 1}),
    ],
)
def test_what_is_no_record_is_refused(kind, content):
    with pytest.raises(ValidationError):
        kind.model_validate(content)


def test_boxes_have_corners_here_and_sizes_there():
    assert to_coco((10.0, 20.0, 40.0, 60.0)) == [10.0, 20.0, 30.0, 40.0]
    assert from_coco([10.0, 20.0, 30.0, 40.0]) == (10.0, 20.0, 40.0, 60.0)
