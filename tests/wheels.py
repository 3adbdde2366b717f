"""Tiny wheels in a folder that pip takes for its index, so that nothing comes from outside."""

import hashlib
import tarfile
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path


def wheel(folder: Path, name: str, files: Mapping[str, bytes], version: str = "1.0") -> str:
    """Write a wheel of some files, and return its SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = name.replace("-", "_")
    about = f"{stem}-{version}.dist-info"
    told = {
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    path = folder / f"{stem}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, content in {**files, **told}.items():
            archive.writestr(place, content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a .tar.gz of some files."""
    target = BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for place, content in files.items():
            entry = tarfile.TarInfo(place)
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
    return target.getvalue()
