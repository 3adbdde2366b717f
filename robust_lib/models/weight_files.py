"""Where published weights lie and come from: below the data folder, which all nodes share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from robust_lib import paths
from robust_lib.config.dataset_files import File
from robust_lib.config.manifests import ModelManifest
from robust_lib.errors import FetchError, InputError, ModelError
from robust_lib.fetch.transfer import download
from robust_lib.models.checksums_in_names import named_checksum


@dataclass(frozen=True)
class WeightFile:
    """A file of published weights.

    Attributes:
        model: whose.
        name: of the file.
        url: where it is fetched; None: it must be put there by hand, or comes by `bring`.
        place: where it lies or will lie.
        checksum: SHA-256, or its beginning; None where nobody published one.
        hint: how to obtain it by hand.
        bytes: its size, where its publisher says it, to a tenth of a megabyte.
        bring: fetches it where an address is not enough.
    """

    model: str
    name: str
    url: str | None
    place: Path
    checksum: str | None
    hint: str
    bytes: int | None = None
    bring: Callable[[], object] | None = None

    @property
    def there(self) -> bool:
        """Return whether it lies in its place."""
        return self.place.exists()

    @property
    def by_hand(self) -> bool:
        """Return whether nothing here can fetch it."""
        return self.url is None and self.bring is None


def folder() -> Path:
    """Return the folder of weights, below the data folder."""
    return paths.data() / "weights"


def weight_file(manifest: ModelManifest) -> WeightFile | None:
    """Return the file of a row's published weights; None where it has none.

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
    if "://" in named:
        url, _, checksum = named.partition("#sha256=")
        place = folder() / manifest.name / url.rsplit("/", 1)[-1]
        return WeightFile(manifest.name, place.name, url, place, checksum, hint)
    if manifest.builder == "timm":
        return _of_timm(manifest, hint)
    url, size = address(manifest)
    place = _of_hub(url)
    return WeightFile(manifest.name, place.name, url, place, named_checksum(place), hint, size)


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
    """Return a file of weights in its place, after fetching it if it is not there.

    Raises:
        ModelError: it must be put there by hand, or could not be fetched.
    """
    if file.there:
        return file.place
    try:
        if file.bring is not None:
            file.bring()
        elif file.url is not None and file.checksum is not None and len(file.checksum) == 64:
            whole = File(name=file.name, url=file.url, sha256=file.checksum)
            download(whole, file.place.parent, progress=progress)
        elif file.url is not None:
            file.place.parent.mkdir(parents=True, exist_ok=True)
            # It writes aside, compares the checksum's beginning, and renames.
            torch.hub.download_url_to_file(
                file.url, str(file.place), hash_prefix=file.checksum, progress=progress
            )
        else:
            raise ModelError(
                f"Expected the weights of {file.model} at {file.place}, but there is no such file, "
                f"and nothing here downloads them. Put them there: {file.hint}."
            )
    except (OSError, RuntimeError, FetchError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"The weights of {file.model} could not be downloaded ({reason}). Without a network, "
            f"bring {file.url or file.hint} here by hand and put it into {file.place}."
        ) from error
    return file.place


def timm_folder() -> Path:
    """Return where timm keeps the weights that it fetches."""
    return folder() / "timm"


def _of_hub(url: str) -> Path:
    """Return the place of a file that torch's habit names by its checksum.

    One that an earlier release left in torch's own cache is taken there.
    """
    name = url.rsplit("/", 1)[-1]
    earlier = Path(torch.hub.get_dir()) / "checkpoints" / name
    return earlier if earlier.exists() and not (folder() / name).exists() else folder() / name


def _of_timm(manifest: ModelManifest, hint: str) -> WeightFile:
    import timm

    name = str(manifest.arguments["name"])
    settings = timm.get_pretrained_cfg(name)
    hub = str(getattr(settings, "hf_hub_id", None) or f"timm/{name}")
    place = timm_folder() / f"models--{hub.replace('/', '--')}"

    def bring() -> object:
        try:
            return timm.create_model(name, pretrained=True, cache_dir=timm_folder())
        except Exception as error:  # timm passes on whatever its download library raises
            raise RuntimeError(str(error)) from error

    return WeightFile(manifest.name, hub, None, place, None, hint, bring=bring)
