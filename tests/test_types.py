"""The vocabulary of arrays: what each name accepts and what it does not."""

import ast
import inspect

import numpy as np
import pytest

from robust_lib import types

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
