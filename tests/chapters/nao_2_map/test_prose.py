"""The numbers that the prose names."""

from robust_book.chapters.nao_2_map import prose
from robust_lib.protocols.objects import coco_map
from robust_lib.run.papers import nao
from tests.protocols.objects import toys

CHOSE, OTHER = "efficientdet_d7_mini", "fasterrcnn_layouts_mini"


def test_the_prose_names_the_detector_that_chose_and_the_others():
    right = {OTHER: (12, 9), CHOSE: (12, 0), "fcos": (12, 12)}
    on_both, kinds = toys.coco_maps(right), toys.kinds_of_error(right)
    images = toys.pictures()[1]
    told = nao.confused(images, toys.object_boxes({CHOSE: 0}, images), CHOSE)
    numbers = prose.key_numbers(
        coco_map.results(on_both), on_both, kinds, told, {"efficientdet_d7": CHOSE}
    )
    text = {key: one.text for key, one in numbers.items()}
    assert text["filter"] == "EfficientDet-D7-like"
    assert (text["detectors"], text["others"], text["others_lower"]) == ("3", "2", "2 of 2")
    assert text["grown_kind"] == text["costliest_nao"] == "classification"
    assert numbers["most_drop"].value > numbers["least_drop"].value
    assert int(text["on_foreign"]) + int(text["on_own"]) + int(text["on_nothing"]) == int(
        text["mistakes"]
    )
    alone = prose.key_numbers(
        coco_map.results(toys.coco_maps({"a": (12, 6)})), toys.coco_maps({"a": (12, 6)}),
        toys.kinds_of_error({"a": (12, 6)}), (), {},
    )  # fmt: skip
    assert (alone["filter"].text, alone["least_drop"].text) == ("a", "not measured")
    assert alone["commonest"].text == "none"
