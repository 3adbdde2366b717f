"""Enhancements and ICONS-50: the loss by hand, a function that is tried, and gaps of a run."""

import math

import numpy as np
import pytest

from robust_book.course import inc_training
from robust_lib.models.enhance import denoise, noise_level
from robust_lib.results.table import Results
from tests.course.planted import hold, row, says

CHAPTER = "inc_3_enhancements"


def test_mistakes_are_named_and_nothing_is_revealed():
    assert hold(inc_training) >= 7


def test_the_loss_by_hand_is_right_and_without_its_weight_it_is_not():
    second = -sum(p * math.log(q) for p, q in zip((0.7, 0.2, 0.1), (0.5, 0.3, 0.2), strict=True))
    told = says(inc_training, CHAPTER, 2, {"loss": -math.log(0.7) + 0.1 * second})
    assert told["loss"] == ("right", "")
    told = says(inc_training, CHAPTER, 2, {"loss": -math.log(0.7) + second})
    assert told["loss"][1] == "the second term is not weighted."


@pytest.mark.parametrize(
    ("best", "told"),
    [
        ((0.7, 0.2, 0.1), ""),
        ((1.0, 0.0, 0.0), "a confident prediction is penalised"),
        ((1 / 3, 1 / 3, 1 / 3), "a uniform prediction"),
        ((0.6, 0.3, 0.1), "there is a prediction for the noisy image"),
        ((0.7, 0.2), "the answer should be three probabilities"),
    ],
)
def test_the_best_noisy_answer(best, told):
    assert says(inc_training, CHAPTER, 2, {"best": best})["best"][1].startswith(told)


def is_noisy(picture):
    return noise_level(picture / 255) > 0.02


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda picture: denoise(picture) if is_noisy(picture) else picture, ""),
        (denoise, "it also changes an image without noise"),
        (lambda image: image, "it does not change a noisy image"),
        (lambda picture: picture if is_noisy(picture) else picture // 2, "it is reversed"),
        (lambda image: image / 255, "the function should return an image of the same"),
        (np.zeros(3), "the answer should be the function itself"),
    ],
)
def test_a_careful_denoiser_is_tried(function, told):
    state, found = says(inc_training, CHAPTER, 3, {"carefully": function})["carefully"]
    assert found.startswith(told)
    assert (state == "right") is (told == "")


def held_out(style, subtype):
    return Results.of(
        row(item=f"inc-icons-{what}", dataset=what, value=value, low=low, high=high)
        for what, (value, low, high) in {"style": style, "subtype": subtype}.items()
    )


def test_the_harder_hold_out_is_that_of_the_run():
    far = held_out((0.6, 0.5, 0.7), (0.3, 0.2, 0.4))
    told = says(inc_training, "inc_4_icons50", 1, {"harder": "subtype", "apart": True}, far)
    assert {state for state, _ in told.values()} == {"right"}
    near = held_out((0.3, 0.2, 0.5), (0.6, 0.4, 0.7))
    told = says(inc_training, "inc_4_icons50", 1, {"harder": "subtype", "apart": True}, near)
    assert {state for state, _ in told.values()} == {"not yet"}
    told = says(inc_training, "inc_4_icons50", 1, {"harder": "style"}, Results())
    assert told["harder"][0] == "not in this run"
