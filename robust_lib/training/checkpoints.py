"""Checkpoints: one file with everything that training needs to continue to the same bits."""

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from robust_lib import atomic
from robust_lib.errors import CacheError


def save(
    file: Path,
    module: torch.nn.Module,
    optimiser: torch.optim.Optimizer,
    done: int,
    curves: Mapping[str, Any],
) -> None:
    """Write the state of a training run; an older file is replaced once the new one is complete.

    Args:
        done: number of finished epochs, or steps.

    Raises:
        CacheError: the file could not be written; the older file is unchanged.
    """
    state = {
        "module": module.state_dict(),
        "optimiser": optimiser.state_dict(),
        "done": done,
        "curves": dict(curves),
    }
    try:
        with atomic.file(file) as made:
            torch.save(state, made)
    except (OSError, RuntimeError) as error:  # torch reports a full disk as the latter
        raise CacheError(
            f"The checkpoint {file} could not be written: {error}. Free some space and run again: "
            "training resumes from the last checkpoint that was written."
        ) from error


def resume(
    file: Path, module: torch.nn.Module, optimiser: torch.optim.Optimizer, device: str
) -> tuple[int, dict[str, Any]]:
    """Load a checkpoint into a network and its optimiser; return its progress and its curves.

    Raises:
        CacheError: the file is not a checkpoint of this network.
    """
    try:
        state = torch.load(file, map_location=device, weights_only=True)
        module.load_state_dict(state["module"])
        optimiser.load_state_dict(state["optimiser"])
        return int(state["done"]), dict(state["curves"])
    except (RuntimeError, OSError, EOFError, LookupError, ValueError, pickle.PickleError) as error:
        raise CacheError(
            f"Expected a checkpoint of this network in {file}, but could not read it ({error}). "
            "Delete the file: training then starts again."
        ) from None
