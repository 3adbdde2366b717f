"""Archives: unpacked under a temporary name, then renamed, and never outside their folder."""

import errno
import json
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from robust_lib import atomic
from robust_lib.errors import FetchError


@dataclass(frozen=True)
class _Entry:
    name: str
    target: str | None  # where a link points to, from the archive's root
    odd: bool


# Python before 3.11.4, such as Debian 12's, has no filter; `_refuse` looks at all members anyway.
_AS_DATA: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
_FILTER_ERRORS: tuple[type[Exception], ...] = (tarfile.FilterError,) if _AS_DATA else ()


def extract(archive: Path, folder: Path) -> Path:
    """Return a folder with the unpacked content of a tar or zip archive.

    All members are checked before the first is written. They are unpacked under a temporary name;
    then the new folder is renamed in one step. If the folder exists already, each top-level entry
    is renamed, and replaces one of the same name.

    Raises:
        FetchError: the file is not such an archive or is damaged, a member would be written outside
            the folder (by its name or through a link) or is a device, or the disk is full.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _explained(archive, folder), _opened(archive) as members:
        _refuse(archive, members)
        # On the same disk as the folder, so that a rename is one step.
        beside = folder if folder.is_dir() else folder.parent
        aside = Path(tempfile.mkdtemp(prefix=f".{archive.name}.", dir=beside))
        try:
            if isinstance(members, tarfile.TarFile):
                members.extractall(aside, **_AS_DATA)
            else:
                members.extractall(aside)
            aside.chmod(0o755)
            _settle(aside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return folder


def clear_leftovers(archive: Path, folder: Path) -> None:
    """Delete the remains of interrupted unpackings of an archive; none may be in progress."""
    for place in (folder, folder.parent):
        for left in place.glob(f".{archive.name}.*"):
            if left.is_dir():
                shutil.rmtree(left)


def mark_unpacked(archive: str, folder: Path, identity: str) -> None:
    """Record in a data set's folder that an archive was completely unpacked."""
    atomic.write_json(_mark(archive, folder), {"archive": archive, "identity": identity})


def is_unpacked(archive: str, folder: Path, identity: str) -> bool:
    """Return whether this archive was completely unpacked, even if it has been deleted since."""
    try:
        found = json.loads(_mark(archive, folder).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return bool(found == {"archive": archive, "identity": identity})


def _mark(archive: str, folder: Path) -> Path:
    return folder / f".{archive}.unpacked.json"


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile | zipfile.ZipFile]:
    # Tar first: a tar that ends in a zip file passes for a zip.
    if tarfile.is_tarfile(archive):
        with tarfile.open(archive) as tar:
            yield tar
    else:
        with zipfile.ZipFile(archive) as members:
            yield members


@contextmanager
def _explained(archive: Path, folder: Path) -> Iterator[None]:
    try:
        yield
    except _FILTER_ERRORS as error:
        raise FetchError(f"Refused to unpack {archive}: {error}. Nothing was kept.") from None
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise FetchError(
            f"{archive} is not a whole tar or zip archive ({error}). Delete it and fetch again."
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FetchError(
                f"The disk is full: there is no space to unpack {archive} to {folder}. Free some "
                "space, or set ROBUST_DATA to another disk, and run the command again."
            ) from None
        raise FetchError(f"Could not unpack {archive} to {folder}: {error}.") from None


def _refuse(archive: Path, members: tarfile.TarFile | zipfile.ZipFile) -> None:
    """Raise FetchError if any member would leave the folder; judged by names alone."""
    entries = (
        _tar_entries(members) if isinstance(members, tarfile.TarFile) else _zip_entries(members)
    )
    links = {PurePosixPath(entry.name).as_posix() for entry in entries if entry.target is not None}
    for entry in entries:
        reason = None
        if entry.odd:
            reason = "it is neither a file, nor a folder, nor a plain link"
        elif _leaves(entry.name):
            reason = "its name leads outside the folder"
        elif entry.target is not None and _leaves(entry.target):
            reason = f"it links to {entry.target}, outside the folder"
        elif links & {parent.as_posix() for parent in PurePosixPath(entry.name).parents}:
            reason = "its name leads through a link"
        if reason is not None:
            raise FetchError(
                f"Refused to unpack {archive}: member {entry.name!r}: {reason}. Nothing was "
                "written. A genuine data set has no such member, so do not use this file."
            )


def _tar_entries(members: tarfile.TarFile) -> list[_Entry]:
    entries = []
    for member in members:
        target = None
        if member.islnk() or (member.issym() and _rooted(member.linkname)):
            target = member.linkname  # seen from the archive's root
        elif member.issym():
            target = f"{PurePosixPath(member.name).parent}/{member.linkname}"
        odd = not (member.isreg() or member.isdir() or target is not None)
        entries.append(_Entry(member.name, target, odd))
    return entries


def _zip_entries(members: zipfile.ZipFile) -> list[_Entry]:
    # The upper half of the attributes is the Unix mode, whose file type 0o12 is a symbolic link.
    return [
        _Entry(member.filename, None, member.external_attr >> 28 == 0o12)
        for member in members.infolist()
    ]


def _rooted(name: str) -> bool:
    return (
        PurePosixPath(name).is_absolute()
        or bool(PureWindowsPath(name).drive)
        or (name.startswith("\\"))
    )


def _leaves(name: str) -> bool:
    if _rooted(name):
        return True
    depth = 0
    for part in name.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def _settle(aside: Path, folder: Path) -> None:
    if not folder.exists():
        aside.replace(folder)
        return
    for entry in sorted(aside.iterdir()):
        place = folder / entry.name
        if place.is_dir() and not place.is_symlink():
            # A leftover of an interrupted run: out of the way first, so that no mixture is left.
            old = Path(tempfile.mkdtemp(prefix=f".{entry.name}.old.", dir=folder))
            place.replace(old / entry.name)
            entry.replace(place)
            shutil.rmtree(old)
        else:
            entry.replace(place)
