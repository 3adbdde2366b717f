"""The installed library is whole: a chapter needs no checkout, and nothing writes to it."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.network, pytest.mark.slow]  # the build brings its backend


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder with the sdist, and the wheel that was made of it."""
    folder = tmp_path_factory.mktemp("dist")
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "build", "--quiet", "--out-dir", folder, ROOT], check=True)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Return the python of an environment that has the wheel, and these tests' other packages."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        [uv, "pip", "install", "--quiet", "--no-deps", "--no-index", "--python", python, wheel],
        check=True,
    )
    (packages,) = home.glob("lib/*/site-packages")
    # A path in a .pth file is a plain one: the editable install that lies there is not followed.
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    for path in sorted((packages / "robust_lib").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return python


def run(python, folder, *words):
    """Run python in an empty folder, as somebody who has never seen the checkout."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ROBUST_")}
    kept |= {"PATH": f"{python.parent}:{kept['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    kept.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, *words], cwd=folder, env=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_of_the_sdist_has_what_a_chapter_needs(built):
    assert len(list(built.glob("*.tar.gz"))) == 1
    (wheel,) = built.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("book", "data_manifests", "notebooks", "workflow"):
        files = subprocess.run(
            ["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\n")
        here = {f"robust_lib/project/{name}" for name in files if name and (ROOT / name).exists()}
        assert here <= inside, sorted(here - inside)[:5]


def test_an_installed_library_is_found_where_it_lies(installed, tmp_path):
    code = "from robust_lib import paths; print(paths.library()); print(paths.build())"
    where, build = run(installed, tmp_path, "-c", code).split()
    assert Path(where).is_relative_to(installed.parents[1])
    assert Path(build) == tmp_path.resolve() / "build"


def test_the_command_lists_what_it_can(installed, tmp_path):
    assert "Execute a notebook" in run(installed, tmp_path, "-m", "robust_lib", "--help")


def test_a_chapter_runs_in_an_empty_folder(installed, tmp_path):
    words = ("-m", "robust_lib", "run", "inc_1_corruptions", "--profile", "smoke")
    assert "Executed" in run(installed, tmp_path, *words)
    assert (tmp_path / "build" / "smoke" / "results" / "inc_1_corruptions.json").exists()


def test_papermill_alone_runs_an_installed_notebook(installed, tmp_path):
    code = "from robust_lib import paths; print(paths.notebooks() / 'inc_1_corruptions.ipynb')"
    notebook = run(installed, tmp_path, "-c", code).strip()
    run(installed, tmp_path, "-m", "papermill", notebook, "out.ipynb", "-p", "profile", "smoke")
    assert (tmp_path / "out.ipynb").exists()
