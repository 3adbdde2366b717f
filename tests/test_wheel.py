"""The installed library is whole: a chapter needs no checkout, and nothing writes to it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from robust_book.commands import launch
from robust_book.course import wheel
from tests import here, tiny

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


@pytest.fixture
def clean(built, tmp_path):
    """Return the python of an environment with what is released, what it asks for, and no more.

    It is the sdist, of which the wheel is made on the way. The versions are the lock's, so that
    what `make env` has unpacked is linked, not fetched: torch alone is gigabytes. So the
    environment goes as soon as the test ends.
    """
    home = tmp_path / "environment"
    (released,) = built.glob("*.tar.gz")
    uv = Path(sys.executable).with_name("uv")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = [uv, "pip", "install", "--quiet", "--python", python, released]
    done = subprocess.run(
        [*install, "--constraint", ROOT / "requirements.lock"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    yield python
    shutil.rmtree(home)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Return the python of an environment with pip and these tests' packages but not the library.

    It stands for the machine behind a launch button, where nothing is fetched from an index.
    """
    home = tmp_path_factory.mktemp("bare")
    venv.create(home / "environment", with_pip=True)
    (packages,) = home.glob("environment/lib/*/site-packages")
    others = home / "others"
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "robust" not in path.name and not path.name.startswith(("pip", "setuptools")):
            (others / path.name).symlink_to(path)
    (packages / "others.pth").write_text(f"{others}\n", "utf-8")
    return home / "environment" / "bin" / "python"


def run(python, folder, *words, input=None, **variables):
    """Run python in an empty folder, as somebody who has never seen the checkout."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ROBUST_")}
    kept |= variables
    kept |= {"PATH": f"{python.parent}:{kept['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    kept.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, *words], cwd=folder, env=kept, input=input, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_of_the_sdist_has_what_a_chapter_needs(built):
    assert len(list(built.glob("*.tar.gz"))) == 1
    if not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout: without one nothing says which files are the project's")
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


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """Return a folder that is empty at first; what the first chapter draws there is kept."""
    return tmp_path_factory.mktemp("empty")


def test_a_chapter_runs_in_an_empty_folder(installed, empty):
    words = ("-m", "robust_lib", "run", "inc_1_corruptions", "--profile", "smoke")
    assert "Executed" in run(installed, empty, *words)
    assert (empty / "build" / "smoke" / "results" / "inc_1_corruptions.json").exists()


def test_what_is_released_runs_a_chapter_with_what_it_asks_for_alone(clean, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    code = "import importlib.util as i; print(i.find_spec('pytest'), i.find_spec('jupyter_book'))"
    assert run(clean, folder, "-c", code).split() == ["None", "None"]
    code = "import robust_lib; print(robust_lib.__file__)"
    assert Path(run(clean, folder, "-c", code).strip()).is_relative_to(clean.parents[1])
    # The photographs suffice; the art, too, is fetched by the test of an empty folder.
    chapter = ("run", "inc_1_corruptions", "--profile", "smoke", "-p", "scenes", "0")
    run(clean, folder, "-m", "robust_lib", *chapter)
    (made,) = folder.rglob("results/inc_1_corruptions.json")
    assert json.loads(made.read_text("utf-8"))["numbers"]


def test_papermill_alone_runs_an_installed_notebook(installed, empty):
    code = "from robust_lib import paths; print(paths.notebooks() / 'inc_1_corruptions.ipynb')"
    notebook = run(installed, empty, "-c", code).strip()
    run(installed, empty, "-m", "papermill", notebook, "out.ipynb", "-p", "profile", "smoke")
    assert (empty / "out.ipynb").exists()


def launched(built, folder, chapter):
    """Write a chapter's notebook to launch, whose first cell takes the wheel at hand."""
    (wheel,) = built.glob("*.whl")
    source = json.loads((ROOT / "notebooks" / f"{chapter}.ipynb").read_text("utf-8"))
    made = launch.launchable(source, f"{wheel}[{launch.EXTRAS}]")
    (folder / f"{chapter}.ipynb").write_text(json.dumps(made), "utf-8")


def papermill(python, folder, chapter, profile, *given, **variables):
    words = ("-m", "papermill", f"{chapter}.ipynb", "out.ipynb", "-k", "python3")
    run(python, folder, *words, "-p", "profile", profile, *given, **variables)


def test_a_launched_notebook_brings_the_library_and_the_art_by_itself(built, bare, tmp_path):
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    asked = subprocess.run([bare, "-c", "import robust_lib"], cwd=tmp_path, env=kept, check=False)
    assert asked.returncode == 1
    launched(built, tmp_path, "inc_1_corruptions")
    papermill(bare, tmp_path, "inc_1_corruptions", "smoke")
    assert list((tmp_path / "build" / "data" / "icons").glob("*.tgz"))
    assert (tmp_path / "build" / "smoke" / "results" / "inc_1_corruptions.json").exists()


def places(project, folder):
    """Return settings under which a project's manifests and its data are taken from there."""
    shutil.copytree(project / "data", folder / "data")
    where = {"ROOT": project, "DATA": folder / "data", "BUILD": folder / "build"}
    return {f"ROBUST_{name}": str(place) for name, place in where.items()}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Return settings whose networks have been trained, and asked, by the checkout."""
    project, folder = tiny.executed(tmp_path_factory), tmp_path_factory.mktemp("stored")
    shutil.copytree(project / "build" / "cache", folder / "build" / "cache")
    return places(project, folder)


def test_the_wheel_that_a_course_packs_holds_the_same(built, tmp_path):
    (released,) = built.glob("*.whl")
    packed = wheel.write(tmp_path)
    assert packed.name == released.name

    def contents(path):
        with zipfile.ZipFile(path) as opened:
            names = (name for name in opened.namelist() if ".dist-info/" not in name)
            return {name: opened.read(name) for name in names if not name.endswith("/")}

    ours, theirs = contents(packed), contents(released)
    assert ours.keys() == theirs.keys()
    assert ours == theirs


def test_a_launched_notebook_trains_what_it_needs(built, bare, tmp_path):
    launched(built, tmp_path, "00_tour")
    settings = places(tiny.project(tmp_path / "project"), tmp_path)
    papermill(bare, tmp_path, "00_tour", tiny.PROFILE, *tiny.GIVEN["00_tour"], **settings)
    (made,) = (tmp_path / "build").rglob("results/00_tour.json")
    assert json.loads(made.read_text("utf-8"))["provenance"]["weights"]


@pytest.fixture(scope="module")
def results(built, bare, stored, tmp_path_factory):
    """Return where all notebooks save, executed in one process; the first installs the library."""
    folder = tmp_path_factory.mktemp("launched")
    first, *others = tiny.CHAPTERS
    launched(built, folder, first)
    for chapter in others:
        shutil.copyfile(ROOT / "notebooks" / f"{chapter}.ipynb", folder / f"{chapter}.ipynb")
    profile = ("-p", "profile", tiny.PROFILE)
    commands = [
        ("papermill", f"{chapter}.ipynb", f"{chapter}.out.ipynb", *profile,
         *tiny.GIVEN.get(chapter, ()))
        for chapter in tiny.CHAPTERS
    ]  # fmt: skip
    run(bare, folder, "-P", here.__file__, input=json.dumps(commands), **stored)
    return Path(stored["ROBUST_BUILD"])


@pytest.mark.parametrize("chapter", tiny.CHAPTERS)
def test_every_notebook_runs_to_its_end_on_the_installed_library(results, chapter):
    (made,) = results.rglob(f"results/{chapter}.json")
    assert json.loads(made.read_text("utf-8"))["numbers"]
