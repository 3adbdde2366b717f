"""A pack: trained networks of a book and their predictions, as one checked zip file.

It contains unchanged entries of the store. Nothing is unpacked and nothing in it is executed: an
entry is looked up by its key, compared with the pack's checksums, and read as arrays of numbers.
"""

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from filelock import FileLock
from pydantic import ValidationError

from robust_book import PACKAGE
from robust_lib import paths
from robust_lib.cache import Description, content_key
from robust_lib.config.dataset_files import File
from robust_lib.config.strict_json import first_wrong, parsed
from robust_lib.config.strict_yaml import Record
from robust_lib.errors import NO_ARRAYS, DataError, FetchError, InputError
from robust_lib.fetch import checksums, sums
from robust_lib.fetch.transfer import download

RECORD, STORE = "pack.json", "store"
NETWORKS = ("trained network", "trained detector")
PREDICTIONS = ("attribution inside", "boxes", "embeddings", "predictions", "ten-crop answers")
"""What the entries of a pack are, as their descriptions say; images are none of them."""

# What zipfile says of a file that is cut, altered, or packed in a way that it does not know.
_BROKEN = (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, RuntimeError)
_JSON = re.compile(rf"{STORE}/[0-9a-f]{{2}}/(?P<key>[0-9a-f]{{64}})\.json")


class About(Record):
    """The origin of a pack.

    Attributes:
        version: name and number of the release.
        chapters: chapters whose predictions it has; none: it has only networks.
        code: return value of `code` when the pack was made.
        machine: machine of the training, as in `pace.name`; empty if some of its networks came from
            elsewhere.
    """

    format: Literal[1]
    version: str
    commit: str
    profile: str
    chapters: tuple[str, ...]
    code: str
    machine: str


@dataclass(frozen=True, eq=False)
class Pack:
    """A complete pack that matches its checksums.

    Attributes:
        descriptions: key -> description of all entries.
    """

    path: Path
    about: About
    descriptions: Mapping[str, Description]
    _read: "_Files" = field(repr=False)

    @property
    def name(self) -> str:
        """Return its file name, with the release that it comes from."""
        return f"{self.path.name} ({self.about.version}, profile {self.about.profile})"

    def keys(self, *what: str) -> list[str]:
        """Return the keys of the entries that contain one of these kinds."""
        return [key for key, one in self.descriptions.items() if one.get("what") in what]

    def arrays(self, key: str) -> dict[str, np.ndarray]:
        """Return the arrays of an entry.

        Raises:
            DataError: its files are not arrays of numbers or text.
        """
        entry = self._read.json(f"{STORE}/{key[:2]}/{key}.json")
        try:
            with np.load(
                io.BytesIO(self._read(f"{STORE}/{key[:2]}/{entry['file']}")), allow_pickle=False
            ) as found:
                return {name: found[name] for name in found.files}
        except NO_ARRAYS as error:
            raise _refused(self.path, f"{entry['file']} contains no arrays ({error})") from None


class _Files:
    """The files of a pack by name: members of a zip file, or files of a folder."""

    def __init__(self, path: Path) -> None:
        self.path, self.root = path, ""
        self.zip: zipfile.ZipFile | None = None
        if path.is_dir():
            self.names = {one.relative_to(path).as_posix() for one in sums.files(path)}
            return
        try:
            self.zip = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise _refused(path, f"it is not a complete zip file ({error})") from None
        names = [one for one in self.zip.namelist() if not one.endswith("/")]
        self.root = next((f"{one.partition('/')[0]}/" for one in names if "/" in one), "")
        self.names = {one.removeprefix(self.root) for one in names}

    def __call__(self, name: str) -> bytes:
        if name not in self.names:
            raise _refused(self.path, f"it lacks {name}")
        try:
            if self.zip is not None:
                return self.zip.read(f"{self.root}{name}")
            return (self.path / name).read_bytes()
        except _BROKEN as error:
            raise _refused(self.path, f"{name} cannot be read ({error})") from None

    def json(self, name: str) -> dict[str, object]:
        try:
            found = parsed(self(name))
        except ValueError as error:
            raise _refused(self.path, f"{name} is not valid JSON ({error})") from None
        if not isinstance(found, dict):
            raise _refused(self.path, f"{name} is not a JSON object")
        return found


def opened(path: Path) -> Pack:
    """Return the pack in a zip file, or in a folder of its unpacked files.

    All of it is read: every file must be present and match its checksum.

    Raises:
        DataError: it is not a pack, is incomplete or changed, or has files that its checksums do
            not list.
    """
    read = _Files(path)
    stated = sums.parsed(read(sums.NAME).decode("utf-8", "replace"))
    beside = sums.read(path.parent).get(path.name)
    if beside is not None and path.is_file() and sums.sha256(path) != beside:
        raise _refused(path, f"its checksum is not the one in {sums.NAME} of the same folder")
    if lacking := sorted(stated.keys() - read.names):
        raise _refused(path, f"it lacks {lacking[0]}, one of {len(lacking)} files")
    if strange := sorted(read.names - stated.keys() - {sums.NAME}):
        raise _refused(path, f"it has {strange[0]!r}, which is not in its list of checksums")
    for name, wanted in stated.items():
        if hashlib.sha256(read(name)).hexdigest() != wanted:
            raise _refused(path, f"{name} differs from its checksum")
    try:
        about = About.model_validate_json(read(RECORD))
    except ValidationError as error:
        raise _refused(path, f"{RECORD}: {first_wrong(error)}") from None
    found = {one["key"]: name for name in sorted(stated) if (one := _JSON.fullmatch(name))}
    return Pack(
        path, about, {key: _described(read, key, name) for key, name in found.items()}, read
    )


def _described(read: _Files, key: str, name: str) -> Description:
    """Return the description of an entry, which must match its key and its file name."""
    entry = read.json(name)
    description, file = entry.get("description"), str(entry.get("file"))
    if not isinstance(description, dict) or content_key(description) != key:
        raise _refused(read.path, f"the content of {name} does not match its name")
    if not re.fullmatch(rf"{key}\.[0-9a-f]{{8}}\.npz", file):
        raise _refused(
            read.path, f"{name} refers to the file {file!r}, which belongs to another entry"
        )
    return description


def brought(place: str) -> Path:
    """Return the path of a pack; an address is downloaded first, once.

    Args:
        place: a file, a folder or an address; `#sha256=...` may follow an address. Without that,
            the checksum is read from the file SHA256SUMS beside it.

    Raises:
        InputError: there is nothing.
        FetchError: it could not be fetched, or does not match its checksum.
    """
    if not place.startswith(("http://", "https://")):
        path = Path(place).expanduser()
        if not path.exists():
            raise InputError(
                f"Expected a pack of trained networks, but there is no {place}. Pass the file "
                "networks.zip of a release, the folder of its unpacked files, or its address."
            )
        return path.resolve()
    url, _, digest = place.partition("#sha256=")
    folder = paths.data() / "packs" / content_key({"url": place})[:12]
    name = url.rsplit("/", 1)[-1]
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        if (folder / name).exists():
            checksums.check_unchanged(folder / name)
            return folder / name
        if not digest:
            address = f"{url.rpartition('/')[0]}/{sums.NAME}"
            (folder / sums.NAME).unlink(missing_ok=True)
            checksums.receipt_path(folder / sums.NAME).unlink(missing_ok=True)
            download(File(name=sums.NAME, url=address), folder)
            digest = sums.read(folder).get(name, "")
            if not digest:
                raise FetchError(
                    f"Expected a checksum of {name} in {address}, but there is none. Add the "
                    "checksum to the end of the address: #sha256=..."
                )
        return download(File(name=name, url=url, sha256=digest), folder, progress=True)


def code(profile: str) -> str:
    """Return a digest of all code, all manifests, and a profile's name."""
    digest = hashlib.sha256(profile.encode())
    sources = (paths.library().rglob("*.py"), PACKAGE.rglob("*.py"),
               paths.manifests().rglob("*"))  # fmt: skip
    for path in sorted(path for found in sources for path in found if path.is_file()):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _refused(path: Path, why: str) -> DataError:
    return DataError(
        f"Expected a complete pack of trained networks at {path}, but {why}. No network was taken "
        "from the pack. Copy or download the file again, or omit NETWORKS or --networks."
    )
