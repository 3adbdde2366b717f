"""The wheel and the source distribution, built by uv in an environment of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from robust_book.commands.pdf import EPOCH
from robust_lib.errors import RunError

LONGEST = 600  # seconds: the build fetches its backend


def build(root: Path, folder: Path, epoch: int) -> list[Path]:
    """Return the wheel and the source distribution of a project.

    Args:
        folder: where they go; nothing else lies there.
        epoch: seconds since 1970 by which their files are dated.

    Raises:
        RunError: there is no uv, or it fails.
    """
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.exists() else shutil.which("uv")
    if uv is None:
        raise RunError(
            "Expected uv to build the wheel with, but it is not installed. `make env` brings it; "
            "so does `pip install uv`."
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
