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
PACKAGES = ("robust_lib/", "book/robust_book/")
BESIDE = ("book/", "data_manifests/", "notebooks/", "workflow/")
# What they read between them is all that chapters read of the wheel: icons and the records of
# trainings, calibrations, boxes and frames; what others print, and the pages' words. Photographs
# and textures are the first chapter's, which other tests run.
CHAPTERS = ("inc_4_icons50", "nae_4_calibration", "vid_3_detection")
pytestmark = [pytest.mark.network, pytest.mark.slow]  # the build brings its backend


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the folder with the sdist, and the wheel that was made of it."""
    folder = tmp_path_factory.mktemp("dist")
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "build", "--quiet", "--out-dir", folder, ROOT], check=True)
    return folder


def environment(built, home):
    """Return the python of an environment that has the wheel, and these tests' other packages."""
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    uv = Path(sys.executable).with_name("uv")
    install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--no-deps", "--no-index"]
    subprocess.run([*install, "--python", python, wheel], check=True)
    # A path in a .pth file is a plain one: the editable install that lies there is not followed.
    (packages_of(python) / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return python


def packages_of(python):
    (found,) = python.parents[1].glob("lib/*/site-packages")
    return found


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """Return the python of an environment with the wheel."""
    return environment(built, tmp_path_factory.mktemp("environment"))


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
    # These files are those of our own environment, so what Python made of them there is theirs.
    for cache in Path(sysconfig.get_path("purelib")).rglob("__pycache__"):
        place = packages_of(python) / cache.relative_to(sysconfig.get_path("purelib"))
        if place.parent.is_dir() and not place.exists():
            place.symlink_to(cache)
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
    for name in ("PYTHONPATH", "PIP_NO_INDEX"):
        kept.pop(name, None)
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
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    lies = {name: name.removeprefix("book/") for name in files if name.startswith(PACKAGES)}
    lies |= {
        name: f"robust_lib/project/{name}"
        for name in files
        if name.startswith(BESIDE) and name not in lies
    }
    lacking = [name for name, at in lies.items() if at not in inside and (ROOT / name).exists()]
    assert lacking == []


def test_an_installed_library_is_found_where_it_lies(installed, tmp_path):
    code = "from robust_lib import paths; print(paths.library()); print(paths.build())"
    where, build = run(installed, tmp_path, "-c", code).split()
    assert Path(where).is_relative_to(installed.parents[1])
    assert Path(build) == tmp_path.resolve() / "build"


def test_the_command_lists_what_it_can(installed, tmp_path):
    assert "Execute a notebook" in run(installed, tmp_path, "-m", "robust_lib", "--help")


def test_what_is_released_runs_a_chapter_with_what_it_asks_for_alone(clean, tmp_path):
    """In an empty folder, and where the library lies nothing is written."""
    folder = tmp_path / "empty"
    folder.mkdir()
    code = "import importlib.util as i; print(i.find_spec('pytest'), i.find_spec('jupyter_book'))"
    assert run(clean, folder, "-c", code).split() == ["None", "None"]
    code = "import robust_lib; print(robust_lib.__file__)"
    assert Path(run(clean, folder, "-c", code).strip()).is_relative_to(clean.parents[1])
    lies = tiny.files(packages_of(clean) / "robust_lib")
    chapter = ("run", "inc_1_corruptions", "--profile", "smoke")
    assert "Executed" in run(clean, folder, "-m", "robust_lib", *chapter, "--into-book")
    assert list((folder / "build" / "data" / "icons").glob("*.tgz"))
    made = folder / "build" / "smoke" / "results" / "inc_1_corruptions.json"
    assert json.loads(made.read_text("utf-8"))["numbers"]
    assert tiny.files(packages_of(clean) / "robust_lib") == lies


def launched(built, folder, chapter):
    """Write a chapter's notebook to launch, whose first cell takes the wheel at hand."""
    (wheel,) = built.glob("*.whl")
    source = json.loads((ROOT / "notebooks" / f"{chapter}.ipynb").read_text("utf-8"))
    made = launch.launchable(source, f"{wheel}[{launch.EXTRAS}]")
    (folder / f"{chapter}.ipynb").write_text(json.dumps(made), "utf-8")


def papermill(python, folder, chapter, profile, *given, **variables):
    words = ("-m", "papermill", f"{chapter}.ipynb", "out.ipynb", "-k", "python3")
    run(python, folder, *words, "-p", "profile", profile, *given, **variables)


@pytest.mark.soak
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


def test_the_wheel_that_a_course_packs_holds_the_same_but_solutions(built, tmp_path):
    (released,) = built.glob("*.whl")
    packed = wheel.write(tmp_path)
    assert packed.name == released.name

    def contents(path):
        with zipfile.ZipFile(path) as opened:
            names = (name for name in opened.namelist() if ".dist-info/" not in name)
            return {name: opened.read(name) for name in names if not name.endswith("/")}

    ours, theirs = contents(packed), contents(released)
    assert theirs.keys() - ours.keys() == {
        "robust_book/course/good_answers.yaml",
        "robust_book/course/solutions.py",
    }
    assert ours.keys() <= theirs.keys()
    other = {Path(name).suffix for name in ours if ours[name] != theirs[name]}
    assert other == {".ipynb"}


@pytest.mark.soak
def test_a_launched_notebook_trains_what_it_needs(built, bare, tmp_path):
    launched(built, tmp_path, "00_tour")
    settings = places(tiny.project(tmp_path / "project"), tmp_path)
    papermill(bare, tmp_path, "00_tour", tiny.PROFILE, *tiny.GIVEN["00_tour"], **settings)
    (made,) = (tmp_path / "build").rglob("results/00_tour.json")
    assert json.loads(made.read_text("utf-8"))["provenance"]["weights"]


@pytest.fixture(scope="module")
def results(built, bare, stored, tmp_path_factory):
    """Return where some notebooks save, executed in one process; the first installs the library."""
    folder = tmp_path_factory.mktemp("launched")
    first, *others = CHAPTERS
    launched(built, folder, first)
    for chapter in others:
        shutil.copyfile(ROOT / "notebooks" / f"{chapter}.ipynb", folder / f"{chapter}.ipynb")
    profile = ("-p", "profile", tiny.PROFILE)
    commands = [
        ("papermill", f"{chapter}.ipynb", f"{chapter}.out.ipynb", *profile) for chapter in CHAPTERS
    ]
    run(bare, folder, "-P", here.__file__, input=json.dumps(commands), **stored)
    return Path(stored["ROBUST_BUILD"])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_notebook_runs_to_its_end_on_the_installed_library(results, chapter):
    (made,) = results.rglob(f"results/{chapter}.json")
    assert json.loads(made.read_text("utf-8"))["numbers"]


FACE = """
import importlib.util
from pathlib import Path

import numpy as np
import torch
from PIL import Image

import robust_lib as library
from robust_lib.metrics.boxes import Detections, Truth
from robust_lib.metrics.detection import mean_average_precision
from robust_lib.passport import record
from robust_lib.vocabulary import COMMON, SEVERITIES

assert importlib.util.find_spec("robust_book") is None
draw = np.random.default_rng(0)
for name in ("pictures/tench", "pictures/goldfish", "shapes/ball", "shapes/box"):
    Path(name).mkdir(parents=True)
    for number in range(3):
        picture = Image.fromarray(draw.integers(0, 256, (70, 80, 3), np.uint8))
        picture.save(Path(name, f"{number}.png"))

network = library.load("torchvision/squeezenet1_1", source="random")
said = library.predict(network, library.image_folder("pictures"))
assert said.logits.shape == (6, 1000)
assert library.top1(said.logits, said.labels) == said.correct.mean()
loud = library.corrupt(torch.full((1, 3, 64, 64), 0.5), "gaussian_noise", 5, keys=["grey"])
assert loud.shape == (1, 3, 64, 64) and loud.std() > 0.1

errors = {name: np.full(len(SEVERITIES), 0.25) for name in COMMON}
halves = {name: np.full(len(SEVERITIES), 0.5) for name in COMMON}
assert library.mean_corruption_error(errors, halves) == 0.5
accuracy = np.array([[0.5, 0.6], [0.9, 0.7], [0.6, 0.8]])
overlaps = library.overlap_matrix(accuracy, np.ones(3)).scores
assert overlaps.round(3).tolist() == [[1, 0.375], [0.375, 1]]
correct, sets = np.array([True, True, False]), (np.array([[1, 0, 2]]), np.array([[0, -1, 1]]))
assert library.pm_k_accuracy(correct, *sets, k=1).tolist() == [1, 0]
one, box = np.array([0]), np.array([[10.0, 10.0, 50.0, 40.0]])
found = Detections(one, one, box, np.array([0.9]))
assert mean_average_precision(Truth(one, one, box), found) == 1

layers = torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 4)
module = torch.nn.Sequential(*layers)
evaluation = library.evaluate(
    library.TorchClassifier(module=module.eval(), name="mine", classes="scenes", outputs=4,
                            preprocessing=library.Preprocessing(None, 64)),
    profile="tiny", images="folder:shapes",
)
record.write_json(evaluation.passport, Path("record.json"))
assert record.read(Path("record.json")) == evaluation.passport
(taken,) = [one for one in evaluation.passport.sections if one.left_out is None]
assert taken.benchmark == "imagenet_c" and {one.n for one in taken.numbers if one.n} == {6}
"""


def test_the_library_alone_is_all_that_a_researcher_imports(built, tmp_path):
    """Of the wheel, the package that makes the book is taken away."""
    python = environment(built, tmp_path / "environment")
    shutil.rmtree(packages_of(python) / "robust_book")
    settings = places(tiny.project(tmp_path / "project"), tmp_path)
    run(python, tmp_path, "-c", FACE, **settings)
    assert (tmp_path / "record.json").exists()
