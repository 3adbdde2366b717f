"""The provenance of numbers: commit, parameters, digests, versions and device."""

import datetime
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from robust_lib import paths
from robust_lib.config.profiles import Profile

UNKNOWN = "unknown"
"""The commit of a project whose history is not available."""

PACKAGES = (
    "robust-lib",
    "torch",
    "torchvision",
    "timm",
    "numpy",
    "scipy",
    "opencv-python-headless",
)


def provenance(
    *,
    profile: str,
    parameters: Mapping[str, Any],
    seeds: tuple[int, ...],
    datasets: Mapping[str, str],
    weights: Mapping[str, str],
    device: str,
    seconds: float,
    command: str,
) -> dict[str, Any]:
    """Return the provenance of a run's numbers, ready for JSON."""
    commit, dirty = commit_of()
    return {
        "commit": commit,
        "dirty": dirty,
        "profile": profile,
        "parameters": dict(parameters),
        "seeds": list(seeds),
        "datasets": dict(datasets),
        "weights": dict(weights),
        "versions": {"python": platform.python_version(), **versions()},
        "device": device_name(device),
        "seconds": round(seconds, 1),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": command,
    }


def device_of(profile: Profile) -> str:
    """Return the device of a profile, with its precision unless that is float32."""
    exact = profile.precision == "float32"
    return profile.device + f", {profile.precision} (detectors: float32)" * (not exact)


def commit_of() -> tuple[str, bool]:
    """Return the commit of the project's folder, and whether files differ from it.

    The commit is "unknown" if git reports none, as in an unpacked archive, even inside another
    repository.
    """
    top = _git("rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != paths.root().resolve():
        return UNKNOWN, False
    head = _git("rev-parse", "HEAD")
    return (head or UNKNOWN), bool(_git("status", "--porcelain", "--untracked-files=no"))


def uncommitted() -> list[str]:
    """Return files that differ from the commit or are new, except those that git ignores."""
    told = _git("status", "--porcelain", "-z", "--no-renames")
    return [entry[3:] for entry in told.split("\0") if entry]


def versions() -> dict[str, str]:
    """Return the versions of the packages that affect the numbers."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def device_name(device: str) -> str:
    """Return a device's description: the GPU's name, or the kind of processor."""
    if device.startswith("cuda"):
        import torch

        if torch.cuda.is_available():
            return str(torch.cuda.get_device_name(device))
    return f"{device} ({platform.machine()}, one thread a process)"


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", *words], cwd=paths.root(), capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # Not the front: there a letter or a blank says what became of a file.
    return done.stdout.rstrip() if done.returncode == 0 else ""
