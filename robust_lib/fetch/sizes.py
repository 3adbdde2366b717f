"""File sizes of a data set's images, compared with those in its archive as quick evidence.

A picture that somebody shrank, stored anew or cut short has another size. The table of sizes is
made of the user's own archive, when it is unpacked or looked at, and lies beside it.
"""

import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from robust_lib import atomic
from robust_lib.config.manifests import DatasetManifest
from robust_lib.fetch.members import few

TABLE = ".sizes.json"
BLOCK, RECORD = 512, 10240  # bytes of a tar's headers and padding, and of its records


def record(manifest: DatasetManifest, folder: Path) -> Path | None:
    """Return the table of the sizes of all pictures, made of the archives that lie in a folder.

    None, if the data set is not one of folders of pictures, or no archive is there.
    """
    archives = [folder / file.name for file in manifest.files if file.into is not None]
    if manifest.kind != "image_folder":
        return None
    sizes: dict[str, int] = {}
    for archive in archives:
        if archive.is_file() and tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                sizes |= {_key(one.name): one.size for one in tar if _is_picture(one)}
    if sizes:
        atomic.write_json(folder / TABLE, sizes)
    return folder / TABLE if sizes else None


def recorded(folder: Path) -> dict[str, int] | None:
    """Return the sizes that were recorded, by class folder and file name; None if none were."""
    try:
        found = json.loads((folder / TABLE).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return dict(found)


def problems(folder: Path, files: Sequence[Path], sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a line on what differs between the sizes of images and those in their archive.

    Args:
        sizes: bytes, by file name, or by class folder and file name where the archive has folders.
    """
    other = []
    for file in files:
        named = f"{file.parent.name}/{file.name}"
        expected = sizes.get(named, sizes.get(file.name))
        found = file.stat().st_size
        if expected is not None and found != expected:
            other.append(f"{named} has {found:,} bytes, not {expected:,}")
    if other:
        yield f"{folder}: pictures of other sizes than in the archive: {len(other)} ({few(other)})"


def packed(files: Sequence[Path]) -> int:
    """Return the size in bytes of a plain tar of some files, to compare with an archive's.

    >>> packed([])
    10240
    """
    blocks = sum(BLOCK + -(-file.stat().st_size // BLOCK) * BLOCK for file in files)
    return -(-(blocks + 2 * BLOCK) // RECORD) * RECORD


def _is_picture(member: tarfile.TarInfo) -> bool:
    suffix = PurePosixPath(member.name).suffix.lower()
    return member.isreg() and suffix in (".jpeg", ".jpg", ".png")


def _key(name: str) -> str:
    """Return a picture's name below its class folder, if it has one."""
    return "/".join(PurePosixPath(name).parts[-2:])
