"""The packaging of a release: wheel and source distribution, archives, checksums."""

import datetime
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from robust_book.commands.pdf import EPOCH
from robust_lib.errors import RunError

LONGEST = 600  # seconds: the build fetches its backend


def build(root: Path, folder: Path, epoch: int) -> list[Path]:
    """Return the wheel and the source distribution of a project.

    Args:
        folder: target folder, which holds nothing else.
        epoch: date of the files, in seconds since 1970.

    Raises:
        RunError: uv is missing, or fails.
    """
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise RunError(
            "Expected uv, which builds the wheel, but it is not installed. Install it with `make "
            "env` or `pip install uv`."
        )
    done = subprocess.run(
        [uv, "build", "--quiet", "--out-dir", str(folder), str(root)],
        env=os.environ | {EPOCH: str(epoch)},
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    made = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    if done.returncode or len(made) != 2:
        raise RunError(
            "Expected a wheel and a source distribution, but building them failed: "
            f"{' '.join((done.stdout + done.stderr).split())[-800:]}"
        )
    # uv leaves it for whoever builds into the checkout.
    (folder / ".gitignore").unlink(missing_ok=True)
    return made


PERMISSIONS = 0o644 << 16  # where a zip keeps those of Unix


def archive(folder: Path, target: Path, when: datetime.datetime) -> Path:
    """Write a zip of a folder's files, below the archive's own name, and return its path.

    Args:
        when: date of all files.
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
