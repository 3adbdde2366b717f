"""The vocabulary of arrays: what each name accepts and what it does not."""

import ast
import inspect

import numpy as np
import pytest
import torch

import robust_lib
from robust_lib import types
from robust_lib.errors import InputError
from robust_lib.vocabulary import COMMON
from tests.toys import unchecked

FITTING = {
    "Picture": np.zeros((4, 6, 3), np.uint8),
    "AnyPicture": np.zeros((4, 6, 3), np.uint8),
    "Pictures": np.zeros((2, 4, 6, 3), np.uint8),
    "Logits": np.zeros((2, 5), np.float32),
    "Probabilities": np.zeros((2, 5)),
    "Labels": np.zeros(2, np.int64),
    "Scores": np.zeros(2),
    "Correct": np.zeros(2, bool),
    "SeverityErrors": np.zeros(5),
    "Boxes": np.zeros((7, 4)),
}


def test_every_name_is_tried_here():
    tree = ast.parse(inspect.getsource(types))
    named = {node.targets[0].id for node in tree.body if isinstance(node, ast.Assign)}
    assert named - {"__all__"} == {*FITTING, "UNKNOWN"}


@pytest.mark.parametrize("name", FITTING)
def test_a_name_accepts_its_array_and_none_of_another_shape_or_kind(name):
    kind, fitting = getattr(types, name), FITTING[name]
    assert isinstance(fitting, kind)
    assert not isinstance(fitting[None], kind)
    assert not isinstance(fitting.astype(np.complex64), kind)


def test_pictures_have_their_colours_last_and_logits_single_precision():
    assert not isinstance(np.zeros((3, 4, 6), np.uint8), types.Picture)
    assert not isinstance(np.zeros((4, 6, 3), np.float32), types.Picture)
    assert not isinstance(np.zeros((2, 5)), types.Logits)


def test_lists_and_tensors_are_read_where_arrays_are_meant():
    assert robust_lib.aurra([0.9], [True]) == 1
    logits, labels = torch.tensor([[0.1, 0.9], [0.8, 0.2]]), torch.tensor([1, 1])
    assert robust_lib.top1(logits, labels) == 0.5
    assert robust_lib.top1(logits.half().tolist(), labels.tolist()) == 0.5
    assert robust_lib.corruption_error([0.2, 0.4], [0.4, 0.8]) == 0.5
    assert robust_lib.mean_corruption_error(*[{name: [0.5] for name in COMMON}] * 2) == 1
    low, high = robust_lib.clopper_pearson(1, 2)
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: robust_lib.aurra(["a"], [True]), "numbers as `confidence` of aurra, but got list"),
        (lambda: robust_lib.top1([[1, 2], [3]], [0, 1]), "numbers as `logits` of top1"),
        (
            lambda: robust_lib.corrupt(np.zeros((1, 3, 64, 64), np.float32), "fog", 1, keys=["a"]),
            "Expected a torch tensor as `images` of corrupt, but got ndarray. Use torch.from_numpy",
        ),
    ],
)
def test_what_is_no_array_is_refused_in_other_words_than_it_was_asked_for(call, words):
    with unchecked(), pytest.raises(InputError, match=words):
        call()
