"""Archives and checksums that depend on the files alone, not on when and where they are made."""

import datetime
import hashlib
import zipfile
from pathlib import Path

SUMS = "SHA256SUMS"
PERMISSIONS = 0o644 << 16  # where a zip keeps those of Unix


def archive(folder: Path, target: Path, when: datetime.datetime) -> Path:
    """Write a zip of a folder's files, below the archive's own name, and return its path.

    Args:
        when: all files are dated so.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    # A zip knows no day before 1980, and no seconds that are odd.
    day = max(when.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for path in files:
            name = f"{target.stem}/{path.relative_to(folder).as_posix()}"
            info = zipfile.ZipInfo(name, day)
            info.external_attr = PERMISSIONS
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, path.read_bytes())
    return target


def sha256(file: Path) -> str:
    """Return a file's checksum."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def write_sums(folder: Path) -> Path:
    """Write the checksums of all files below a folder, as `sha256sum --check` reads them."""
    target = folder / SUMS
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != target)
    lines = [f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    target.write_text("".join(lines), "utf-8", newline="\n")
    return target
