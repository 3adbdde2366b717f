"""bfloat16 is computed with where a recipe allows it and a device has it, and it is in the key."""

import pytest
import torch

from robust_lib.training import precision
from robust_lib.training.recipes import Recipe

FULL = Recipe(epochs=1, batch=1, rate=0.1)
MIXED = FULL.model_copy(update={"mixed_precision": True})


@pytest.mark.parametrize(
    ("capabilities", "expected"),
    [
        ({"avx2": True, "avx512_bf16": True}, True),
        ({"avx512_f": True, "avx512_bf16": False, "amx_bf16": True}, True),
        ({"bf16": True}, True),
        ({"avx512_f": True, "avx512_bf16": False}, False),
        ({}, False),
    ],
)
def test_a_processor_is_asked_what_it_can(monkeypatch, capabilities, expected):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    assert precision.computes_in_bfloat16("cpu") is expected
    assert precision.of(MIXED, "cpu") == ("bfloat16" if expected else "float32")
    assert precision.of(FULL, "cpu") == "float32"


@pytest.mark.parametrize(
    ("recipe", "has", "expected"),
    [
        (MIXED, True, torch.bfloat16),
        (MIXED, False, torch.float32),
        (FULL, True, torch.float32),
    ],
)
def test_a_network_computes_in_it(monkeypatch, recipe, has, expected):
    monkeypatch.setattr(precision, "computes_in_bfloat16", lambda device: has)
    layer = torch.nn.Linear(2, 2)
    with precision.autocast(recipe, "cpu"):
        assert layer(torch.ones(1, 2)).dtype == expected
    assert layer.weight.dtype == torch.float32
