"""timm's published weights: one file per network, which timm reads without a connection."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

import torch

from robust_lib.config.dataset_files import File
from robust_lib.errors import InputError

ON_THE_HUB = "model.safetensors"
"""The name that timm's weights have there, in a folder of each network."""

PATIENCE = 30.0
"""Seconds of silence after which the hub is given up."""


def address(name: str) -> tuple[str, str, bool]:
    """Return a file's name below the folder of weights, its address, and whether it is on the hub.

    Raises:
        InputError: timm publishes no weights of that name.

    >>> address("legacy_seresnet18.in1k")[0], address("dpn68.mx_in1k")[0]
    ('timm/seresnet18-4bb0ce65.pth', 'timm/dpn68.mx_in1k.safetensors')
    """
    import timm  # slow to import
    from huggingface_hub import hf_hub_url

    settings = timm.get_pretrained_cfg(name)
    if settings is not None and settings.hf_hub_id:
        hub, _, revision = settings.hf_hub_id.partition("@")
        return f"{hub}.safetensors", hf_hub_url(hub, ON_THE_HUB, revision=revision or None), True
    if settings is not None and isinstance(settings.url, str) and settings.url:
        return f"timm/{PurePosixPath(settings.url).name}", settings.url, False
    raise InputError(
        f"Expected timm to publish weights of {name}, but it has none. Train it, or pass a file of "
        "weights."
    )


def described(name: str, url: str) -> File:
    """Return a file on the hub with the size and the SHA-256 that the hub tells of it.

    Raises:
        OSError: there is no such file, or the hub cannot be reached.
    """
    from huggingface_hub import get_hf_file_metadata

    try:
        found = get_hf_file_metadata(url, timeout=PATIENCE)
    except Exception as error:  # what its own library of HTTP raises is no OSError
        raise OSError(str(error) or type(error).__name__) from error
    whole = found.etag if re.fullmatch("[0-9a-f]{64}", found.etag or "") else None
    return File(name=name, url=url, bytes=found.size, sha256=whole)


def as_loaded(name: str, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return published weights as timm's network of that name holds them.

    timm renames weights of older releases, and leaves out a class of background.

    Raises:
        RuntimeError: they do not fit.
    """
    import timm

    told = {"state_dict": dict(state), "custom_load": False}
    network = timm.create_model(name, pretrained=True, pretrained_cfg_overlay=told)
    return dict(network.state_dict())
