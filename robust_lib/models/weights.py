"""Weights: published ones, a file's, or a dictionary's, checked before they enter a network."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import InputError, ModelError
from robust_lib.models import lua_resnext, timm_weights, weight_files

State = Mapping[str, torch.Tensor]
Source = str | Path | State | None
FILES = (".safetensors", ".pth", ".pt", ".tar")


def find(manifest: ModelManifest, source: Source, sha256: str | None = None) -> State | None:
    """Return the weights that a source names, or None for random ones.

    Args:
        source: None is the row's own published weights; "random" none at all; a path a
            .safetensors, .pth or .pt file; any other text a name of the builder's published
            weights, such as IMAGENET1K_V2, or an address with its checksum,
            https://...#sha256=...; a mapping is returned as it is.

    Raises:
        InputError: an unknown source, or a checksum for something that is no file.
        ModelError: the weights cannot be had, or the file is not what it should be.
    """
    if isinstance(source, Mapping):
        return source
    if source is None and manifest.weights is None:
        recipe = f"its recipe is {manifest.recipe}" if manifest.recipe else "it has no recipe"
        raise ModelError(
            f"Expected published weights for {manifest.name}, but it has none: it is trained here "
            f"({recipe}). Train it, or pass a file of weights."
        )
    named = str(manifest.weights if source is None else source)
    if named == "random":
        return None
    if "://" in named:
        _whole(named, manifest)
    elif isinstance(source, Path) or (
        Path(named).suffix in FILES and not named.startswith("file:")
    ):
        return from_file(Path(named), sha256)
    published = (
        "://" in named
        or named.startswith("file:")
        or manifest.builder in ("torchvision", "torchvision_detection")
        or (manifest.builder in ("efficientdet", "timm") and named == "published")
    )
    if published:
        return _published(manifest.model_copy(update={"weights": named}))
    raise InputError(
        f"Expected weights for {manifest.name} as a file, an address, a dictionary or 'random', "
        f"but got {named!r}."
    )


def from_file(path: Path, sha256: str | None = None) -> State:
    """Return the tensors of a .safetensors, .pth or .pt file; no code in it is ever run.

    Training checkpoints that hold the weights under "state_dict", "model_state_dict" or "model", or
    with "module." before each name, are understood, and so are the ResNeXt-101 ported from Lua.
    `sha256` is the digest that the file must have, or the beginning of it.

    Raises:
        ModelError: no such file, another checksum, or anything but tensors in it.
    """
    if not path.is_file():
        raise ModelError(f"Expected weights at {path}, but there is no such file.")
    if sha256 is not None:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if not found.startswith(sha256):
            raise ModelError(
                f"Expected weights with SHA-256 {sha256} in {path}, but it has {found}. It was "
                "altered or cut short: delete it and fetch it again."
            )
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return lua_resnext.renamed(_bare(load_file(path)))
        state = _bare(torch.load(path, map_location="cpu", weights_only=True))
        return lua_resnext.renamed(state)
    except Exception as error:  # both readers raise a dozen kinds, none documented
        raise ModelError(
            f"Expected a dictionary of tensors in {path}, but it cannot be read as one: "
            f"{str(error).splitlines()[0] if str(error) else type(error).__name__}. Save "
            "module.state_dict() with torch.save or safetensors."
        ) from error


def put(module: torch.nn.Module, state: State, name: str) -> None:
    """Load weights into a network; raise ModelError unless they fit it exactly."""
    own = {key: tuple(value.shape) for key, value in module.state_dict().items()}
    given = {key: tuple(value.shape) for key, value in state.items()}
    differing = [
        f"{key} is {given.get(key, 'absent')} where the network has {own.get(key, 'none')}"
        for key in sorted(own.keys() | given.keys())
        # Counters of batches entered batch normalisation later than many published weights.
        if own.get(key) != given.get(key) and not key.endswith("num_batches_tracked")
    ]
    if differing:
        raise ModelError(
            f"Expected weights that fit {name}, but {len(differing)} of {len(own)} tensors do not: "
            f"{'; '.join(differing[:3])}. Check the model's name, its arguments and its classes."
        )
    module.load_state_dict(dict(state), strict=False)


def _whole(address: str, manifest: ModelManifest) -> str:
    """Return an address of weights if it has their whole checksum."""
    _, _, fragment = address.partition("#sha256=")
    if len(fragment) != 64:
        raise InputError(
            f"Expected the weights of {manifest.name} as <address>#sha256=<64 digits>, but got "
            f"{address}. Weights of unknown content are not loaded."
        )
    return address


def _published(manifest: ModelManifest) -> State:
    """Return the published weights of a row, fetched if they are not there."""
    file = weight_files.weight_file(manifest)
    assert file is not None  # the row names some
    state = from_file(weight_files.fetch_weights(file), file.checksum)
    if manifest.builder != "timm" or manifest.weights != "published":
        return state
    try:
        return timm_weights.as_loaded(manifest.arguments["name"], state)
    except (RuntimeError, KeyError) as error:
        raise ModelError(
            f"Expected the weights of {manifest.name} in {file.place}, but timm finds that they "
            f"do not fit: {str(error).splitlines()[0]} Delete the file and fetch it again."
        ) from error


def _bare(found: Any) -> State:
    """Return the tensors by the names of the network, whatever a trainer wrapped them in."""
    for wrapping in ("state_dict", "model_state_dict", "model"):
        if isinstance(found.get(wrapping), Mapping):
            found = found[wrapping]
    tensors = {key: value for key, value in found.items() if isinstance(value, torch.Tensor)}
    if not tensors:
        raise ValueError("there are no tensors in it")
    if all(key.startswith("module.") for key in tensors):
        tensors = {key.removeprefix("module."): value for key, value in tensors.items()}
    return tensors
