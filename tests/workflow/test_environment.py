"""The environment: made without a network, of another build of torch, or taken as it is.

All of it is really done, by make, on a project in the small: its lock has three packages, its
wheels are packed from what is installed here, and its torch is an empty module.
"""

import base64
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKED = ("filelock", "setuptools")
UV = re.search(r'^UV = "(.+)"$', (ROOT / "workflow" / "environment.py").read_text(), re.M).group(1)
PYPROJECT = """
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"
[project]
name = "small-lib"
version = "1"
requires-python = ">=3.11"
dependencies = ["filelock>={filelock}", "torch>=2.10", "torchvision>=0.25"]
[project.optional-dependencies]
book = []
detect = []
explain = []
[tool.setuptools]
py-modules = ["small"]
"""


def wheel(folder: Path, name: str, version: str, contents: Mapping[str, bytes]) -> Path:
    """Write a wheel; contents by path."""
    info = f"{name}-{version}.dist-info"
    given = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    } | dict(contents)
    record = f"{info}/RECORD"
    lines = [f"{path},{sha256(data)},{len(data)}" for path, data in given.items()]
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for inside, data in given.items():
            mode = 0o100755 if "/scripts/" in inside else 0o100644
            entry = zipfile.ZipInfo(inside)
            entry.external_attr = mode << 16
            file.writestr(entry, data)
        file.writestr(record, "\n".join([*lines, f"{record},,"]))
    return path


def sha256(data: bytes) -> str:
    return f"sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"


def packed(name: str, folder: Path) -> Path:
    """Write a wheel of a package that is installed here."""
    found = importlib.metadata.distribution(name)
    files = [file for file in found.files if ".." not in file.parts and file.suffix != ".pyc"]
    kept = [file for file in files if file.name not in ("RECORD", "WHEEL")]
    return wheel(folder, name, found.version, {str(f): Path(f.locate()).read_bytes() for f in kept})


def uv(folder: Path) -> Path:
    """Write a wheel of uv that calls the one which is installed here."""
    name, version = UV.split("==")
    script = f'#!/bin/sh\nexec {Path(sys.executable).with_name("uv")} "$@"\n'
    return wheel(folder, name, version, {f"{name}-{version}.data/scripts/uv": script.encode()})


def torch(folder: Path, version: str, of_vision: str) -> list[Path]:
    """Write wheels of an empty torch and an empty torchvision."""
    return [
        wheel(folder, name, v, {f"{name}/__init__.py": f"__version__ = {v!r}\n".encode()})
        for name, v in (("torch", version), ("torchvision", of_vision))
    ]


class Small:
    """A project in the small."""

    def __init__(self, folder: Path, index: Path, locked: list[Path]) -> None:
        self.folder, self.index = folder, index
        (folder / "workflow").mkdir(parents=True)
        shutil.copy(ROOT / "Makefile", folder)
        shutil.copy(ROOT / "workflow" / "environment.py", folder / "workflow")
        (folder / "small.py").touch()
        (folder / "pyproject.toml").write_text(PYPROJECT.format(filelock="3"), "utf-8")
        pins = ["=".join(path.name.split("-")[:2]).replace("=", "==") for path in locked]
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in locked]
        lines = [f"{p} \\\n    --hash=sha256:{d}\n" for p, d in zip(pins, digests, strict=True)]
        (folder / "requirements.lock").write_text("".join(lines), "utf-8")

    def make(self, *words: str, index: bool = False) -> subprocess.CompletedProcess[str]:
        """Run make, where nothing but this folder's files can be reached."""
        own = {
            k: v for k, v in os.environ.items() if k.partition("_")[0] not in ("PIP", "UV", "MAKE")
        }
        own |= {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index) if index else "",
            "UV_OFFLINE": "1",
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "UV_NO_CONFIG": "1",
        }
        python = sys.base_prefix + "/bin/python3"
        return subprocess.run(
            ["make", "--no-print-directory", f"PYTHON={python}", *words],
            cwd=self.folder,
            env=own,
            capture_output=True,
            text=True,
        )

    def has(self, module: str) -> str:
        """Return a module's version in the virtual environment, or where it lies."""
        told = f"import {module} as m; print(getattr(m, '__version__', m.__file__))"
        python = str(self.folder / ".venv" / "bin" / "python")
        done = subprocess.run([python, "-c", told], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def stamps(self) -> list[str]:
        return sorted(path.name for path in (self.folder / ".venv").glob(".ready*"))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    """Yield a project with an environment of its wheelhouse `wheels`, whose index is gone."""
    index = tmp_path_factory.mktemp("index")
    locked = [packed(name, index) for name in PACKED] + torch(index, "2.15.0", "0.29.2")
    uv(index)
    project = Small(tmp_path_factory.mktemp("small"), index, locked)
    filled = project.make("wheelhouse", "WHEELHOUSE=wheels", index=True)
    assert filled.returncode == 0, filled.stderr
    made = {path.name for path in (project.folder / "wheels").iterdir()}
    assert made == {path.name for path in index.iterdir()}
    shutil.rmtree(index)
    done = project.make("env", "WHEELHOUSE=wheels")
    assert done.returncode == 0, done.stderr
    yield project
    shutil.rmtree(project.folder)


def test_an_environment_is_made_of_wheels_alone(small):
    assert small.has("filelock") == importlib.metadata.version("filelock")
    assert small.has("small") == str(small.folder / "small.py")
    assert small.stamps() == [".ready"]
    assert "Nothing to be done" in small.make("env", "WHEELHOUSE=wheels").stdout


def test_the_active_python_is_taken_with_the_package_alone(small, tmp_path):
    python = small.folder / ".venv" / "bin" / "python"
    another = Small(tmp_path / "another", small.index, [])
    before = installed(python)
    done = another.make("env", "ENV=active", f"PYTHON={python}")
    assert done.returncode == 0, done.stderr
    assert installed(python) == before
    assert small.has("small") == str(another.folder / "small.py")
    assert not (another.folder / ".venv").exists()
    told = another.make("-n", "book", "ENV=active", f"PYTHON={python}").stdout
    assert f"{python.parent}/robust book" in told


def test_the_active_python_is_told_what_it_lacks_and_how_to_get_it(small, tmp_path):
    python = small.folder / ".venv" / "bin" / "python"
    another = Small(tmp_path / "another", small.index, [])
    text = PYPROJECT.format(filelock="999").replace("book = []", 'book = ["papermill==2.7.0"]')
    (another.folder / "pyproject.toml").write_text(text, "utf-8")
    done = another.make("book", "ENV=active", f"PYTHON={python}")
    assert done.returncode
    version = importlib.metadata.version("filelock")
    assert f"filelock>=999 is wanted, {version} is there" in done.stderr
    assert "papermill==2.7.0 is not there" in done.stderr
    assert f"{python} -m pip install 'filelock>=999' papermill==2.7.0" in done.stderr
    assert "robust" not in done.stdout

    (small.folder / ".venv" / "conda-meta").mkdir()
    done = another.make("book", "ENV=active", f"PYTHON={python}")
    (small.folder / ".venv" / "conda-meta").rmdir()
    assert f"conda env update --prefix {python.parents[1]} --file environment.yml" in done.stderr


def test_an_unknown_build_of_torch_is_refused_and_another_replaces_all(small):
    other = small.folder / "other"
    shutil.copytree(small.folder / "wheels", other)
    torch(other, "2.14.0+cpu", "0.29.0+cpu")
    torch(other, "2.99.0+cpu", "0.99.0+cpu")

    refused = small.make("env", "WHEELHOUSE=other", "TORCH=cpo")
    assert refused.returncode
    assert "'cpo'" in refused.stderr
    assert "cu126" in refused.stderr
    assert small.stamps() == [".ready"]
    assert small.has("torch") == "2.15.0"

    left_over = small.folder / ".venv" / "gigabytes"
    left_over.touch()
    for path in (*other.glob("torch-2.15*"), *other.glob("torchvision-0.29.2-*")):
        path.unlink()
    done = small.make("env", "WHEELHOUSE=other", "TORCH=cpu")
    assert done.returncode == 0, done.stderr
    assert (small.has("torch"), small.has("torchvision")) == ("2.14.0+cpu", "0.29.0+cpu")
    assert small.stamps() == [".ready-cpu"]
    assert not left_over.exists()
    assert small.has("filelock") == importlib.metadata.version("filelock")

    assert "Nothing to be done" in small.make("env").stdout
    assert "environment.py make .venv --torch" not in small.make("-n", "env", "TORCH=").stdout
    assert "environment.py make .venv" in small.make("-n", "env", "TORCH=").stdout
    # A newer lock keeps the build that was chosen.
    (small.folder / "requirements.lock").touch()
    assert "--torch cpu" in small.make("-n", "env").stdout


def test_a_wheelhouse_without_wheels_is_refused(tmp_path):
    project = Small(tmp_path / "project", tmp_path, [])
    (project.folder / "empty").mkdir()
    done = project.make("env", "WHEELHOUSE=empty")
    assert done.returncode
    assert "make wheelhouse WHEELHOUSE=" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project.folder / ".venv").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ENV=conda"], "Expected ENV=active or none, but got ENV=conda"),
        (["ENV=active", "TORCH=cpu"], "TORCH and WHEELHOUSE are for .venv"),
        (["ENV=active", "WHEELHOUSE=wheels"], "TORCH and WHEELHOUSE are for .venv"),
    ],
)
def test_words_that_mean_nothing_together_are_refused(words, expected):
    done = subprocess.run(["make", "-n", "env", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode
    assert expected in done.stderr


def test_a_shells_own_variable_of_the_name_is_nothing_to_us():
    own = {**os.environ, "ENV": "~/.shrc"}
    done = subprocess.run(
        ["make", "-n", "env"], cwd=ROOT, env=own, capture_output=True, text=True, check=True
    )
    assert "active" not in done.stdout


def installed(python: Path) -> set[str]:
    """Return what lies beside a Python, but for the package that is tried."""
    (folder,) = (python.parents[1] / "lib").glob("python*/site-packages")
    found = {path.name for path in folder.iterdir() if "small" not in path.name}
    return found - {"__pycache__"}  # of whatever was imported meanwhile
