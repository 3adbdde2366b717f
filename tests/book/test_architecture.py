"""The page for developers: its tree is the tree, its way is the way, its chapter is a chapter."""

import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

import robust_lib
from robust_book.sphinx_ext import way
from robust_book.sphinx_ext.page import Page
from robust_lib import paths
from robust_lib.results.table import Results
from tests import tiny

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (paths.book() / "architecture.md").read_text("utf-8")
BLOCKS = re.findall(
    r"^```\{code-block\} (\w+)\n:caption: (\S+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
)
CHAPTER = "toy_1_confidence"
NOT_OURS = shutil.ignore_patterns("__pycache__", "_build")
STEPS = [step for steps in way.WAY.values() for step in steps]


def layers() -> list[str]:
    """Return the rooms of the library, upper ones first, as the linter has them."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    return [room for layer in contract["layers"] for room in layer.split(" | ")]


def test_the_tree_has_a_line_a_room_in_the_order_of_the_layers():
    (tree,) = re.findall(r"^robust_lib/\n((?:  .+\n)+)", PAGE, re.MULTILINE)
    lines = re.findall(r"^  ((?:\w+(?:/|\.py) +)+)(\S.+)$", tree, re.MULTILINE)
    assert len(lines) == len(tree.splitlines())
    assert [room for rooms, _ in lines for room in re.findall(r"\w+(?=/|\.)", rooms)] == layers()


def test_every_file_that_the_page_names_is_there_or_is_written_by_it():
    written = {name for _, name, _ in BLOCKS}
    named = set(re.findall(r"`((?:\w+/)+[\w.]*)`", PAGE))
    assert {"robust_lib/run/image_sets.py", "book/_toc.yml"} <= named
    assert [name for name in named - written if not (REPOSITORY / name).exists()] == []


# The way


def test_the_drawing_has_the_rooms_in_the_order_of_the_layers():
    assert [room for room in layers() if room in way.ROOMS] == list(way.ROOMS)
    assert {step.room for step in STEPS} == set(way.ROOMS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_every_step_of_the_way_is_a_function_of_the_library(step):
    found = robust_lib
    for name in step.name.split("."):
        if not hasattr(found, name):
            importlib.import_module(f"{found.__name__}.{name}")
        found = getattr(found, name)
    assert callable(found)


def test_the_drawing_names_every_step_and_says_what_it_shows():
    drawn = str(way.draw(Page("architecture", Path(), {})))
    assert all(step.name in drawn and step.words in drawn for step in STEPS)
    assert all(f">{room}<" in drawn for room in way.ROOMS)
    assert '<title id="way-title">The way of a prediction' in drawn
    assert "http" not in re.sub(r'xmlns(?::\w+)?="[^"]+"', "", drawn)


@pytest.mark.slow
def test_a_real_run_goes_the_way_of_the_drawing(tmp_path, monkeypatch, capsys):
    tiny.enter(tiny.project(tmp_path / "project"), monkeypatch)
    tiny.without_kernel(monkeypatch)
    library = Path(robust_lib.__file__).parent
    called = []

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(library)):
            module = Path(code.co_filename).relative_to(library).with_suffix("")
            name = ".".join(module.parts).removesuffix(".__init__")
            called.append(f"{name}.{code.co_qualname}")

    given = {"models": '["resnet18"]', "corruptions": '["fog"]', "severities": "[5]"}
    words = [word for name, value in given.items() for word in ("-p", name, value)]
    sys.setprofile(note)
    try:
        status, _, said = tiny.command(
            monkeypatch, capsys, "run", "inc_2_mce", "--profile", tiny.PROFILE, *words
        )
    finally:
        sys.setprofile(None)
    assert status == 0, said
    place = 0
    for step in STEPS[:-1]:  # the site is rendered afterwards
        assert step.name in called[place:], f"{step.name} is not called after the step before it"
        place = called.index(step.name, place) + 1


# The chapter


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> Path:
    """A tree as it is under `before`, and under `after` with the page's chapter, executed."""

    def make(folder: Path) -> None:
        before, after = tiny.project(folder / "before"), folder / "after"
        for name in ("robust_lib", "book", "tests"):
            shutil.copytree(REPOSITORY / name, before / name, ignore=NOT_OURS)
        for name in ("pyproject.toml", "conftest.py"):
            shutil.copyfile(REPOSITORY / name, before / name)
        tiny.copy(before, after)
        write(after)
        done = robust(after, "run", CHAPTER, "--profile", tiny.PROFILE)
        assert done.returncode == 0, done.stderr

    return tiny.shared(tmp_path_factory, "house", make)


def write(folder: Path) -> None:
    """Write the blocks of the page; those of a notebook are its cells."""
    notebook = nbformat.v4.new_notebook()
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    for language, name, text in BLOCKS:
        assert not (folder / name).exists(), f"{name} is there already"
        if not name.endswith(".ipynb"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")
        elif language == "markdown":
            notebook.cells.append(nbformat.v4.new_markdown_cell(text.rstrip("\n")))
        else:
            first = all(cell.cell_type != "code" for cell in notebook.cells)
            tags = {"tags": ["parameters"]} if first else {}
            notebook.cells.append(nbformat.v4.new_code_cell(text.rstrip("\n"), metadata=tags))
    (name,) = {name for _, name, _ in BLOCKS if name.endswith(".ipynb")}
    nbformat.write(notebook, folder / name)


def robust(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return tiny.robust(folder, *words, env={"PYTHONPATH": str(folder)})


@pytest.mark.slow
def test_the_chapter_of_the_page_is_executed(house):
    home = house / "after" / "build" / tiny.PROFILE
    notebook = nbformat.read(home / "notebooks" / f"{CHAPTER}.ipynb", as_version=4)
    assert tiny.warned(notebook) == []
    rows = Results.load(home / "results" / f"{CHAPTER}.parquet")
    assert {row.model for row in rows.select(metric="confidence").rows} == {*tiny.MODELS.values()}


@pytest.mark.slow
def test_the_chapter_of_the_page_is_rendered(house):
    done = robust(house / "after", "site", "--profile", tiny.PROFILE)
    assert done.returncode == 0, done.stderr
    site = house / "after" / "build" / tiny.PROFILE / "site"
    shown = (site / f"{CHAPTER}.html").read_text("utf-8")
    assert "Are networks as sure as they are right?" in shown
    assert re.search(r"The surest network is sure by .*\d\d\.\d\s%", shown)
    assert 'id="fig-confidence"' in shown
    assert f"{CHAPTER}.html" in (site / "index.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "--no-cache"),
        ("ruff", "format", "--check", "--no-cache"),
        ("pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
    ],
    ids=" ".join,
)
def test_the_files_of_the_page_pass_the_projects_checks(house, command):
    folder = house / "after"
    # Examples are tests, too.
    own = [name for _, name, _ in BLOCKS if command[0] == "ruff" or name.endswith(".py")]
    done = subprocess.run(
        [sys.executable, "-m", *command, *dict.fromkeys(own)],
        cwd=folder,
        env=tiny.environment(folder) | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_no_file_of_the_house_had_to_change_for_the_chapter(house):
    before, after = (sources(house / name) for name in ("before", "after"))
    assert [name for name, content in before.items() if after.get(name) != content] == []
    assert after.keys() - before.keys() == {name for _, name, _ in BLOCKS}


def sources(folder: Path) -> dict[str, bytes]:
    """Return all files but what runs and tests leave."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for name in ("robust_lib", "book", "tests", "notebooks", "data_manifests")
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
