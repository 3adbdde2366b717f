"""The package itself: its version, and how little it imports."""

import subprocess
import sys
import tomllib
from pathlib import Path

import robust_lib

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert robust_lib.__version__ == project["version"]


def test_to_import_the_package_imports_nothing_heavy():
    code = "import robust_lib, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "robust_lib" in loaded
    assert not {"torch", "pandas", "matplotlib", "scipy", "pydantic"} & set(loaded)
