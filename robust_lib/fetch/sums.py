"""SHA256SUMS: the checksums of distributed files, in the format of `sha256sum --check`."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

NAME = "SHA256SUMS"


def sha256(file: Path) -> str:
    """Return a file's SHA-256 checksum."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def files(folder: Path) -> list[Path]:
    """Return all files below a folder, sorted."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def write(folder: Path, which: Iterable[Path] | None = None) -> Path:
    """Write the checksums of some files below a folder into it; None means all files."""
    target = folder / NAME
    named = [path for path in (files(folder) if which is None else which) if path.name != NAME]
    lines = [f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in named]
    target.write_text("".join(lines), "utf-8", newline="\n")
    return target


def read(folder: Path) -> dict[str, str]:
    """Return file name -> checksum from a folder's SHA256SUMS; empty if it has none."""
    file = folder / NAME
    return parsed(file.read_text("utf-8")) if file.is_file() else {}


def parsed(text: str) -> dict[str, str]:
    r"""Return file name -> checksum from the text of a SHA256SUMS file.

    >>> parsed("ab12  one.txt\ncd34  below/two.txt\n")
    {'one.txt': 'ab12', 'below/two.txt': 'cd34'}
    """
    lines = (line.partition("  ") for line in text.splitlines())
    return {name: digest for digest, _, name in lines}
