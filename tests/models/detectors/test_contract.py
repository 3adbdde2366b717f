"""The contract of detectors: those that keep it pass, and each breach has words of its own."""

import numpy as np
import pytest
import torch

from robust_lib.errors import ModelError
from robust_lib.models.detectors.contract import Detector, check_detector, wrong_answer
from tests import toys
from tests.boxed import Saying, boxes_of, detector, talkative

RIGHT = boxes_of((1, 2, 30, 40, 2, 0.9), (5, 5, 20, 20, 0, 0.5))


def test_detectors_that_keep_the_contract():
    check_detector(Saying(lambda _: RIGHT))
    check_detector(Saying(lambda _: boxes_of()))
    check_detector(detector())
    assert isinstance(detector(), Detector)
    assert not isinstance(toys.brightest(), Detector)


def test_the_boxes_of_a_real_network_do_not_change_with_the_others_of_a_batch():
    model = talkative()
    assert len(model([torch.full((3, 64, 80), 0.5)])[0][2])
    check_detector(model)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((RIGHT[0], RIGHT[1]), "tuple in place of"),
        (tuple(map(torch.from_numpy, RIGHT)), "Tensor, Tensor, Tensor in place of NumPy arrays"),
        ((RIGHT[0][:1], *RIGHT[1:]), r"boxes \(1, 4\), classes \(2,\) and scores \(2,\)"),
        ((RIGHT[0], RIGHT[1] + 0.5, RIGHT[2]), "classes of float64"),
        (boxes_of((1, 2, np.nan, 4, 0, 0.5)), "NaN or infinity"),
        (boxes_of((1, 2, 3, 4, 0, np.inf)), "NaN or infinity"),
        (boxes_of((1, 2, 3, 4, 3, 0.5)), "class 3, which is not one of 0 to 2"),
        (boxes_of((1, 2, 3, 4, -1, 0.5)), "class -1"),
        (boxes_of((1, 2, 3, 4, 0, 1.5)), "a score of 1.5, which is not a fraction"),
        (boxes_of((9, 2, 3, 4, 0, 0.5)), r"the box \(9, 2, 3, 4\)"),
        (boxes_of((1, 2, 300, 4, 0, 0.5)), "not inside 128 x 96 pixels"),
    ],
)
def test_answers_that_are_none(answer, told):
    with pytest.raises(ModelError, match=f"saying to return boxes .* but got .*{told}"):
        check_detector(Saying(lambda _: answer))


def test_a_right_answer_has_nothing_wrong():
    assert wrong_answer(RIGHT, 3, (64, 64)) is None
    assert wrong_answer(boxes_of(), 3, (64, 64)) is None


def test_one_answer_an_image():
    class Short(Saying):
        def __call__(self, images):
            return super().__call__(images)[:-1]

    with pytest.raises(ModelError, match=r"prediction per image, 4.*3"):
        check_detector(Short(lambda _: RIGHT))


def test_what_it_leaves_out_is_left_out():
    with pytest.raises(ModelError, match=r"100 boxes.*image.*0\.6"):
        check_detector(Saying(lambda _: RIGHT, least_score=0.6))
    with pytest.raises(ModelError, match=r"1 boxes.*image"):
        check_detector(Saying(lambda _: RIGHT, most=1))


def test_boxes_that_are_fractions_of_the_picture():
    with pytest.raises(ModelError, match=r"4.*\[0, 1\].*look.*fractions"):
        check_detector(Saying(lambda _: boxes_of((0.1, 0.2, 0.5, 0.9, 0, 0.5))))


def test_answers_that_change():
    drawn = np.random.default_rng(0)
    with pytest.raises(ModelError, match="same predictions for the same images"):
        check_detector(Saying(lambda _: boxes_of((1, 2, 3 + drawn.random(), 4, 0, 0.5))))

    class Batched(Saying):
        def __call__(self, images):
            return [boxes_of((1, 2, 3 + len(images), 4, 0, 0.5)) for _ in images]

    with pytest.raises(ModelError, match="each image independently"):
        check_detector(Batched(lambda _: RIGHT))


def test_an_image_that_is_changed():
    def blacken(image):
        image.zero_()
        return RIGHT

    with pytest.raises(ModelError, match="leave its input unchanged"):
        check_detector(Saying(blacken))


def test_a_classifier_is_no_detector():
    with toys.unchecked(), pytest.raises(ModelError, match="lacks least_score, most"):
        check_detector(toys.brightest())


def test_training_mode_and_classes_of_another_number():
    model = detector()
    model.module.train()
    with pytest.raises(ModelError, match="training mode"):
        check_detector(model)
    with pytest.raises(ModelError, match=r"80 outputs.*classes.*coco"):
        check_detector(Saying(lambda _: RIGHT, classes="coco"))
