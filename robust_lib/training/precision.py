"""The precision of training: bfloat16 if the device has instructions for it, else float32."""

import torch

from robust_lib.training.recipes import Recipe


def computes_in_bfloat16(device: str) -> bool:
    """Return whether a device has instructions for bfloat16, rather than emulating it."""
    if device.startswith("cuda"):
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    has = torch.cpu.get_capabilities()
    return any(has.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def of(recipe: Recipe, device: str) -> str:
    """Return the precision of convolutions and matrix products: bfloat16 or float32."""
    mixed = recipe.mixed_precision and computes_in_bfloat16(device)
    return "bfloat16" if mixed else "float32"


def autocast(recipe: Recipe, device: str) -> torch.autocast:
    """Return the context in which a network is trained on a device, by its recipe's precision.

    Weights, sums and losses stay float32.
    """
    mixed = of(recipe, device) == "bfloat16"
    return torch.autocast(device.split(":")[0], torch.bfloat16, enabled=mixed)
