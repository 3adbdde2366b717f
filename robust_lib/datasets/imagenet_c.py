"""ImageNet-C two ways: corrupted on the fly, or read from the published archive.

The benchmark is that of [inc, sec. 4]. The two ways agree only under the same convention: the
archive holds 8-bit JPEGs of quality 85, made once without a seed, of images resized to 256 pixels
with a bilinear filter and cropped to 224. Corrupting in memory, or after a bicubic resize, gives
lower errors, so `storage` and `geometry` describe the procedure.
"""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
import torch
from filelock import FileLock
from jaxtyping import Float32, UInt8
from PIL import Image
from typing_extensions import Unpack

from robust_lib import devices, paths, vocabulary
from robust_lib.code_digest import foreign, own_digest, source_digest
from robust_lib.config.class_lists import ClassList, load_classes
from robust_lib.config.manifests import DatasetManifest, load_dataset
from robust_lib.datasets import Images, sharded, stack, to_images
from robust_lib.datasets.derived import Derived
from robust_lib.datasets.image_folder import folder_entries
from robust_lib.datasets.picture_files import Choice, Entry, PictureFiles
from robust_lib.errors import DataError, FetchError, InputError, one_of
from robust_lib.fetch import wheels
from robust_lib.preprocessing import Preprocessing
from robust_lib.types import Picture, Pictures

Storage = Literal["jpeg85", "memory"]

FORMAT = 1
"""Raise it when the same corruption of the same image would look other than before."""

AUTHORS = "the authors'"
"""Whose frost it is, in a digest."""

SIDE = 224  # of every picture in the archive, pixels

BENCHMARK = Preprocessing(resize=256, crop=SIDE)
"""The archive's preprocessing of clean images, before they were corrupted."""

FROST = ("frost_textures", "frost_by_pip")
"""Folders below the data's for the authors' frost textures. All runs use the first. Pip fills the
second when it is first needed, for images made as the archive's or divided by published errors: the
frost of the miniature, with which networks were trained, stays as it is."""

Stored = UInt8[np.ndarray, "images height width 3"] | Float32[np.ndarray, "images height width 3"]


def corrupt_stack(
    pictures: Pictures,
    corruption: str,
    severity: int,
    *,
    ids: Sequence[str],
    seed: int = 0,
    storage: Storage = "jpeg85",
    device: str = "cpu",
    fits: dict[str, int] | None = None,
    frost: Path | None = None,
) -> Stored:
    """Return corrupted images, either stored as in the archive or kept in memory.

    Args:
        storage: "jpeg85" truncates to 8 bits, compresses as JPEG of quality 85, and returns uint8;
            "memory" returns float32 in [0, 1] as computed.
        device: device for the corruption and the JPEG step.
        fits: as for `devices.in_parts`: the batch size that fits into memory, kept between batches.
        frost: folder of the authors' textures; None: those that `corrupt` finds.

    Raises:
        InputError: an unknown corruption, severity or storage, a wrong number of ids, or a device
            whose memory is too small for a single image.

    >>> grey = np.full((1, 32, 32, 3), 128, np.uint8)
    >>> corrupt_stack(grey, "fog", 3, ids=["a"], storage="memory").dtype
    dtype('float32')
    """
    # They import OpenCV.
    from robust_lib.corruptions.jpeg import ARCHIVE_QUALITY, round_trip
    from robust_lib.corruptions.levels import truncate

    if storage not in ("jpeg85", "memory"):
        raise InputError(one_of("storage", storage, ("jpeg85", "memory")))
    if len(ids) != len(pictures):
        raise InputError(f"Expected one id per image, but got {len(ids)} for {len(pictures)}.")

    devices.require(device)

    def corrupted(part: range) -> torch.Tensor:
        cut = slice(part.start, part.stop)
        images = to_images(pictures[cut]).to(device)
        with foreign(f"{corruption} to corrupt {len(images)} images", InputError):
            images = drawn(images, corruption, severity, tuple(ids[cut]), seed, frost)
        if storage == "memory":
            return images.cpu()
        return round_trip(truncate(images), ARCHIVE_QUALITY).cpu()

    whole, fits = range(len(pictures)), {} if fits is None else fits
    stored = torch.cat(
        devices.in_parts(corrupted, whole, fits, f"{corruption} on {device}", InputError)
    )
    return stored.permute(0, 2, 3, 1).contiguous().numpy()


def authors_frost() -> Path | None:
    """Return the folder of the authors' frost textures; None if they are not available."""
    folders = (paths.data() / name for name in FROST)
    return next((folder for folder in folders if folder.is_dir()), None)


def bring_frost() -> Path:
    """Return the folder of the authors' frost textures, fetched with pip if they are missing.

    Raises:
        FetchError: pip cannot bring them.
        OSError: nothing can be written to the data folder.
    """
    if (there := authors_frost()) is not None:
        return there
    home = paths.data() / FROST[1]
    home.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(home.parent / f".{home.name}.lock"):
        if not home.is_dir():
            with TemporaryDirectory(prefix=f".{home.name}", dir=home.parent) as aside:
                whole = Path(aside) / home.name  # no other process sees a part of them
                for file in load_dataset(FROST[0]).files:
                    wheels.bring(file, whole)
                whole.rename(home)
    return home


def frost_to_draw() -> Path | None:
    """Return the authors' frost textures, by pip if necessary; None (stand-ins) if unavailable."""
    return authors_frost() or _tried(paths.data())


@cache
def _tried(data: Path) -> Path | None:  # once a process: without a network, pip takes seconds
    with suppress(FetchError, OSError):
        return bring_frost()
    return None


def drawn(
    images: Images,
    corruption: str,
    severity: int,
    keys: Sequence[str],
    seed: int,
    frost: Path | None,
) -> Images:
    """Return images as from `corrupt`, but with frost from the textures in a folder, if given."""
    from robust_lib.corruptions import corrupt, weather  # they import OpenCV
    from robust_lib.corruptions.draws import Stream
    from robust_lib.corruptions.frost_textures import textures

    if corruption != "frost" or frost is None:
        return corrupt(images, corruption, severity, keys=tuple(keys), seed=seed)
    look = textures(frost)
    stream = Stream(tuple((seed, key, "frost", severity) for key in keys), images.device)
    return weather.frost(
        images, severity, *weather.draw_frost(stream, images, severity, look), look
    )


def noted(corruption: str, frost: Path | None) -> str | None:
    """Return how a corruption deviates from the benchmark's, as text; None: not at all.

    Args:
        frost: as for `corrupt_stack`.

    >>> noted("frost", Path("some")), noted("motion_blur", None)
    (None, None)
    """
    from robust_lib.config.corruption_cards import convention, is_canonical  # imports OpenCV

    own = (corruption == "frost" and frost is not None) or is_canonical(corruption)
    return None if own else convention(corruption)


@dataclass(frozen=True, eq=False)
class Corrupted(Derived):
    """An image set whose images are corrupted as they are read.

    Args:
        base: the clean image set; pass it decoded (see `decoded`) if it is read more than once.
        storage: as for `corrupt_stack`.
        device: as for `corrupt_stack`; not part of the digest, since devices differ only by
            rounding.
        geometry: how images are resized and cropped before they are corrupted. With `BENCHMARK`,
            they are the same as in the archive, and are read in the same way (see `as_stored`).
            None uses the preprocessing of the network, which is a different benchmark.
        frost: as for `corrupt_stack`.

    Raises:
        InputError: an unknown corruption, severity or storage.
    """

    corruption: str
    severity: int
    _: KW_ONLY
    seed: int = 0
    storage: Storage = "jpeg85"
    device: str = "cpu"
    geometry: Preprocessing | None = None
    frost: Path | None = None

    def __post_init__(self) -> None:
        if not vocabulary.is_corruption(self.corruption):
            raise InputError(one_of("corruption", self.corruption, vocabulary.NAMES))
        for what, value, allowed in (
            ("severity", self.severity, vocabulary.SEVERITIES),
            ("storage", self.storage, ("jpeg85", "memory")),
        ):
            if value not in allowed:
                raise InputError(one_of(what, value, allowed))

    @property
    def name(self) -> str:
        """Return the base's name with corruption and severity."""
        return f"{self.base.name}/{self.corruption}/{self.severity}"

    @cached_property
    def digest(self) -> str:
        """Return a digest of the base and of everything that determines the corruption."""
        what = (self.corruption, self.severity, self.seed, self.storage, self._foreign)
        own = () if self.geometry is None else (repr(self.geometry),)
        code = source_digest("corruptions")
        about = (FORMAT, code, self.base.digest, *what, *own)
        return hashlib.sha256(repr(about).encode()).hexdigest()

    @property
    def _foreign(self) -> str:
        """Further inputs of the corruption: frost's images, or the user's own file."""
        given = self.corruption == "frost" and self.frost is not None
        return AUTHORS if given else _foreign(self.corruption)

    @cached_property
    def _fits(self) -> dict[str, int]:
        return {}

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one corrupted 8-bit image, for display; models use `batch`."""
        from robust_lib.corruptions.levels import truncate  # imports OpenCV

        # Truncation gives back the very 8-bit levels where there were 8 bits before.
        levels = truncate(self.batch([index], preprocessing))[0]
        return levels.permute(1, 2, 0).contiguous().numpy()

    def batch(self, indices: Sequence[int], preprocessing: Preprocessing) -> Images:
        """Return corrupted images as float32 in [0, 1], channels first.

        Raises:
            InputError: images with a geometry of their own would be cropped a second time.
        """
        if self.geometry is not None:
            _require_whole(self.name, preprocessing)
        pictures = corrupt_stack(
            stack(self.base, indices, self.geometry or preprocessing),
            self.corruption,
            self.severity,
            ids=[self.ids[index] for index in indices],
            seed=self.seed,
            storage=self.storage,
            device=self.device,
            fits=self._fits,
            frost=self.frost,
        )
        if pictures.dtype == np.uint8:
            if self.geometry is not None:  # as from a file
                shown = [preprocessing.apply(Image.fromarray(picture)) for picture in pictures]
                pictures = np.stack(shown)
            return to_images(pictures)
        images = torch.from_numpy(pictures).permute(0, 3, 1, 2).contiguous()
        return images if self.geometry is None else _shown(images, preprocessing)


def _shown(images: Images, preprocessing: Preprocessing) -> Float32[torch.Tensor, "n 3 _ _"]:
    """Return square images of any value range in a network's size: resized or cropped."""
    side = images.shape[-1]
    if preprocessing.resize is not None:
        size, how = preprocessing.resize, preprocessing.interpolation
        size = size if isinstance(size, tuple) else (size, size)
        resized = torch.nn.functional.interpolate(
            images, size=size[::-1], mode=how, align_corners=False, antialias=True
        )
        return resized.clamp_(0, 1)  # a bicubic filter overshoots
    inside = preprocessing.crop or side
    start = round((side - inside) / 2)
    return images[:, :, start : start + inside, start : start + inside].contiguous()


def _foreign(corruption: str) -> str:
    """Return further inputs of a corruption: frost's images, or the user's own file."""
    if vocabulary.is_user_function(corruption):
        return own_digest(vocabulary.user_file(corruption))
    if corruption != "frost":
        return "none"
    from robust_lib.corruptions import is_canonical  # imports OpenCV

    return AUTHORS if is_canonical("frost") else "stand-ins"


class Archive(PictureFiles):
    """One condition of the published archive: images already corrupted, resized and cropped.

    They are in class folders, <corruption>/<severity>/<wnid>, or in shards.

    Args:
        folder: the archive's folder.
        classes: the label space; None is ImageNet-1K's.
        folders: the class folders that must exist; None is ImageNet-1K's.
        manifest: manifest of the archive, if it is in shards; None: it is in folders.

    Raises:
        DataError: the condition is missing, or its class folders are not the expected ones.
    """

    def __init__(
        self,
        folder: Path,
        corruption: str,
        severity: int,
        *,
        classes: ClassList | None = None,
        folders: ClassList | None = None,
        manifest: DatasetManifest | None = None,
        name: str = "imagenet_c",
        **choice: Unpack[Choice],
    ) -> None:
        if severity not in vocabulary.SEVERITIES:
            raise InputError(one_of("severity", severity, vocabulary.SEVERITIES))
        condition = f"{corruption}/{severity}"
        choice["provenance"] = f"{choice.get('provenance', '')}/{condition}"
        expected = folders or classes or load_classes("imagenet_1k")
        classes = classes or expected
        entries: Iterable[Entry] | None = None
        if manifest is not None:
            labels = {one: label for label, one in enumerate(classes.folders)}
            entries = sharded.entries(manifest, folder, labels, condition=condition)
        if entries is None:
            entries = folder_entries(folder / condition, classes, expected)
        super().__init__(folder / condition, entries, classes, name=f"{name}/{condition}", **choice)

    def read(self, index: int, preprocessing: Preprocessing) -> Picture:
        """Return one image; raise InputError if the model would crop it again."""
        _require_whole(self.name, preprocessing)
        picture = self.stored(index)
        if picture.size != (SIDE, SIDE):
            raise DataError(
                f"Expected {self.file(index)} to have {SIDE} x {SIDE} pixels, but it has "
                f"{picture.width} x {picture.height}: it is from a different version of the "
                "archive, whose corruptions have different strengths."
            )
        return preprocessing.apply(picture)


def _require_whole(name: str, preprocessing: Preprocessing) -> None:
    """Raise InputError if images of the archive would be resized and cropped, or framed."""
    side = preprocessing.crop
    if side is None or side == preprocessing.frame:
        return  # the whole picture is shown
    if preprocessing.resize is None and side <= SIDE:
        return
    fit = as_stored(preprocessing)
    other = f", or {replace(fit, resize=None, crop=SIDE)} if it takes images of any size"
    raise InputError(
        f"The images of {name} are resized and cropped to {SIDE} pixels already, but the model's "
        f"preprocessing is {preprocessing}. Resizing twice would change ResNet-50's mean "
        f"corruption error from 76.7 % to about 78.2 %. Set the model's preprocessing to {fit}, "
        f"which `imagenet_c.as_stored` returns{other if side > SIDE else ''}."
    )


def as_stored(preprocessing: Preprocessing) -> Preprocessing:
    """Return a model's preprocessing for the archive's images, without a second crop.

    A network with an input of 224 pixels gets them as stored. For any other, they are resized to
    its input size by its own filter. This is meant for networks with a larger fixed size: enlarged
    noise is coarser. Runs evaluate a network that accepts any size at 224 pixels.

    >>> as_stored(Preprocessing(256, 224))
    Preprocessing(resize=None, crop=224, interpolation='bilinear')
    >>> as_stored(Preprocessing(272, 240, "bicubic"))
    Preprocessing(resize=240, crop=240, interpolation='bicubic')
    """
    resize, side = preprocessing.resize, preprocessing.crop
    if side is None:
        return replace(preprocessing, resize=None if resize in (SIDE, (SIDE, SIDE)) else resize)
    return replace(preprocessing, resize=None if side == SIDE else side)
