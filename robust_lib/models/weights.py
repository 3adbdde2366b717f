"""Weights: published ones, a file's, or a dictionary's, checked before they enter a network."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from robust_lib import paths
from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import FetchError, InputError, ModelError
from robust_lib.fetch.transfer import download
from robust_lib.models import lua_resnext

State = Mapping[str, torch.Tensor]
Source = str | Path | State | None
FILES = (".safetensors", ".pth", ".pt", ".tar")


def find(manifest: ModelManifest, source: Source, sha256: str | None = None) -> State | None:
    """Return the weights that a source names, or None for random ones.

    Args:
        manifest: the model's row.
        source: None is the row's own published weights; "random" none at all; a path a
            .safetensors, .pth or .pt file; any other text a name of the builder's published
            weights, such as IMAGENET1K_V2, or an address with its checksum,
            https://...#sha256=...; a mapping is returned as it is.
        sha256: digest that a file must have.

    Raises:
        InputError: an unknown source, or a checksum for something that is no file.
        ModelError: the weights cannot be had, or the file is not what it should be.

    >>> from robust_lib.config.manifests import load_model
    >>> find(load_model("resnet18"), "random") is None
    True
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
    if named.startswith("file:"):
        return _by_instructions(manifest, named.removeprefix("file:"))
    if "://" in named:
        return _from_address(named, manifest)
    if isinstance(source, Path) or Path(named).suffix in FILES:
        return from_file(Path(named), sha256)
    if manifest.builder in ("torchvision", "torchvision_detection"):
        return _from_torchvision(named, manifest)
    if manifest.builder == "efficientdet" and named == "published":
        from robust_lib.models.detectors import efficientdet  # imports effdet

        return _from_hub(efficientdet.address(manifest.arguments["name"]), manifest)
    if manifest.builder == "timm" and named == "published":
        return _from_timm(manifest)
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

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "weights.pt")
    >>> torch.save(torch.nn.Linear(2, 1).state_dict(), path)
    >>> sorted(from_file(path))
    ['bias', 'weight']
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
    """Load weights into a network; raise ModelError unless they fit it exactly.

    >>> network, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
    >>> put(network, other.state_dict(), "mine")
    >>> bool((network.weight == other.weight).all())
    True
    """
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


def _by_instructions(manifest: ModelManifest, name: str) -> State:
    path = paths.data() / "weights" / name
    if not path.is_file():
        raise ModelError(
            f"Expected the weights of {manifest.name} at {path}, but there is no such file, and "
            f"nothing here downloads them. Put them there: {manifest.reference}."
        )
    return from_file(path, _named_checksum(path))


def _from_address(address: str, manifest: ModelManifest) -> State:
    url, _, fragment = address.partition("#sha256=")
    if len(fragment) != 64:
        raise InputError(
            f"Expected the weights of {manifest.name} as <address>#sha256=<64 digits>, but got "
            f"{address}. Weights of unknown content are not loaded."
        )
    folder = paths.data() / "weights" / manifest.name
    name = url.rsplit("/", 1)[-1]
    try:
        path = download(File(name=name, url=url, sha256=fragment), folder)
    except FetchError as error:
        raise ModelError(_by_hand(manifest, url, folder / name, error)) from error
    return from_file(path, fragment)


def _from_torchvision(named: str, manifest: ModelManifest) -> State:
    from torchvision import models

    published = models.get_model_weights(manifest.arguments["name"])
    if named not in published.__members__:
        known = ", ".join(published.__members__) or "none"
        raise InputError(
            f"Expected published weights of {manifest.name} to be one of {known}, but got {named}."
        )
    return _from_hub(published[named].url, manifest)


def _from_hub(url: str, manifest: ModelManifest) -> State:
    """Return weights that lie where torch's habit puts them: the checksum is in the file's name."""
    file = Path(torch.hub.get_dir()) / "checkpoints" / url.rsplit("/", 1)[-1]
    checksum = _named_checksum(file)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            torch.hub.download_url_to_file(url, str(file), hash_prefix=checksum)
        except (OSError, RuntimeError) as error:
            raise ModelError(_by_hand(manifest, url, file, error)) from error
    return from_file(file, checksum)


def _named_checksum(file: Path) -> str | None:
    """Return the beginning of the SHA-256 that torch's habit puts at the end of a file's name."""
    found = re.search(r"-([0-9a-f]{8,})$", file.stem)
    return found[1] if found else None


def _from_timm(manifest: ModelManifest) -> State:
    import timm

    name = manifest.arguments["name"]
    try:
        return _bare(timm.create_model(name, pretrained=True).state_dict())
    except Exception as error:  # timm passes on whatever its download library raises
        settings = timm.get_pretrained_cfg(name)
        url = f"the weights {settings.hf_hub_id}" if settings else "them"
        where = Path("any folder, and pass its path as weights")
        raise ModelError(_by_hand(manifest, url, where, error)) from error


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


def _by_hand(manifest: ModelManifest, url: str, place: Path, error: Exception) -> str:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return (
        f"The weights of {manifest.name} could not be downloaded ({reason}). Without a network, "
        f"bring {url} here by hand and put it into {place}."
    )
