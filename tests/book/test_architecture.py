"""The page for developers: its trees are the trees, its way is the way, and nothing is left to do.

All that the page adds is followed in one copy of the project, where the rules of the project run.
"""

import importlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType

import nbformat
import pandas as pd
import pytest

from robust_book.sphinx_ext import way
from robust_book.sphinx_ext.page import Page
from robust_lib import paths
from tests import here, tiny

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = {"robust_lib": REPOSITORY, "robust_book": REPOSITORY / "book"}
PAGE = (paths.book() / "architecture.md").read_text("utf-8")
BLOCKS = [
    block[1:]
    for block in re.findall(
        r"^(````?)\{code-block\} (\w+)\n:caption: (\S+)\n(.*?)^\1$", PAGE, re.DOTALL | re.MULTILINE
    )
]
CHAPTER = "toy_1_confidence"
STEPS = [step for steps in way.WAY.values() for step in steps]


def layers(package: str) -> list[str]:
    """Return the rooms of a package, upper ones first, as the linter has them."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one.get("containers") == [package])
    return [room for layer in contract["layers"] for room in layer.split(" | ")]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_tree_has_every_room_in_the_order_of_the_layers(package):
    (tree,) = re.findall(rf"^(?:book/)?{package}/\n((?:  .+\n)+)", PAGE, re.MULTILINE)
    lines = re.findall(r"^  ((?:\w+(?:/|\.py) +)+)(\S.+)$", tree, re.MULTILINE)
    assert len(lines) == len(tree.splitlines())
    rooms = [room for rooms, _ in lines for room in re.findall(r"\w+(?=/|\.)", rooms)]
    assert rooms == layers(package)


def test_every_file_that_the_page_names_is_there_or_is_written_by_it():
    written = {name for _, name, _ in BLOCKS}
    named = set(re.findall(r"`((?:\w+/)+[\w.]*)`", PAGE))
    assert {"robust_lib/run/image_sets.py", "data_manifests/papers.yaml"} <= named
    assert [name for name in named - written if not (REPOSITORY / name).exists()] == []


# The way


@pytest.mark.parametrize("package", PACKAGES)
def test_the_drawing_has_the_rooms_in_the_order_of_the_layers(package):
    drawn = way.ROOMS[package]
    assert [room for room in layers(package) if room in drawn] == list(drawn)
    assert {step.room for step in STEPS if step.package == package} == set(drawn)


def test_every_step_of_the_way_is_a_function():
    for step in STEPS:
        found = importlib.import_module(step.package)
        for name in step.name.split("."):
            if not hasattr(found, name):
                importlib.import_module(f"{found.__name__}.{name}")
            found = getattr(found, name)
        assert callable(found), step.name


def test_the_drawing_names_every_step_and_says_what_it_shows():
    drawn = str(way.draw(Page("architecture", Path(), {})))
    assert all(step.name in drawn and step.words in drawn for step in STEPS)
    assert all(f">{room}<" in drawn for rooms in way.ROOMS.values() for room in rooms)
    assert all(f">{package}<" in drawn for package in PACKAGES)
    assert '<title id="way-title">The way of a prediction' in drawn
    assert "http" not in re.sub(r'xmlns(?::\w+)?="[^"]+"', "", drawn)


@pytest.mark.slow
def test_a_real_run_goes_the_way_of_the_drawing(tmp_path, monkeypatch, capsys):
    tiny.enter(tiny.project(tmp_path / "project"), monkeypatch)
    tiny.without_kernel(monkeypatch)
    called = []
    steps = {step.name for step in STEPS}

    @cache
    def name_of(code: CodeType) -> str:
        found = re.search(r"/(?:robust_lib|robust_book)/(.+)\.py$", code.co_filename)
        module = found[1].replace("/", ".").removesuffix(".__init__") if found else ""
        return f"{module}.{code.co_qualname}"

    def note(frame, *_):
        if name_of(frame.f_code) in steps:
            called.append(name_of(frame.f_code))

    given = {"models": '["resnet18"]', "corruptions": '["fog"]', "severities": "[5]"}
    words = [word for name, value in given.items() for word in ("-p", name, value)]
    sys.settrace(note)  # which calls it for calls alone
    try:
        status, _, said = tiny.command(
            monkeypatch, capsys, "run", "inc_2_mce", "--profile", tiny.PROFILE, *words
        )
    finally:
        sys.settrace(None)
    assert status == 0, said
    place = 0
    for step in STEPS[:-1]:  # the site is rendered afterwards
        assert step.name in called[place:], f"{step.name} is not called after the step before it"
        place = called.index(step.name, place) + 1


# What the page adds


@dataclass(frozen=True)
class Followed:
    """What became of a copy of the project in which the page was followed.

    Attributes:
        said: what each command answered there, with its status.
        home: the folder of the profile in which the chapter was executed.
    """

    said: dict[str, tuple[int, str]]
    home: Path


COPIED = (
    "robust_lib",
    "book",
    "tests",
    "notebooks",
    "data_manifests",
    "workflow",
    ".github",
    ".ci",
)
# The tests that know papers, chapters, corruptions, networks, data sets and metrics as such; of
# those that do the same with each, the page's own are enough.
RULES = """
    tests/test_project.py tests/test_vocabulary.py tests/book tests/data_manifests
    tests/config/test_corruption_cards.py tests/config/test_manifests.py
    tests/config/test_enhancements.py tests/config/test_profiles.py tests/config/test_papers.py
    tests/notebooks/test_exercises.py tests/chapters/test_chapters.py tests/chapters/test_about.py
    tests/chapters/inc_1_corruptions tests/commands/test_plan.py tests/corruptions/test_table.py
    tests/corruptions/test_corruptions.py tests/corruptions/test_oracle.py
    tests/results/errata tests/results/leaderboard tests/results/test_every_claim.py
    tests/results/test_reported.py tests/results/test_row.py
"""
OF_EACH = "test_a_block_runs_by_itself or test_oracle or test_corruptions or test_every_claim"
OF_OTHERS = "test_every_block_runs or test_showcase or test_the_plan_says or test_named_chapters"
CHOSEN = f"not ({OF_EACH} or {OF_OTHERS}) or toy or invert or test_names"


@pytest.fixture(scope="module")
def followed(tmp_path_factory) -> Followed:
    """The page's blocks in a copy of the project: all rules, and beside them the chapter."""
    folder = tmp_path_factory.mktemp("followed")
    house, small = folder / "house", folder / "small"
    for name in COPIED:
        shutil.copytree(REPOSITORY / name, house / name)
    for file in (path for path in REPOSITORY.iterdir() if path.is_file()):
        shutil.copy2(file, house)
    subprocess.run(["git", "init", "-q"], cwd=house, check=True)
    write(house, BLOCKS)
    tiny.project(small)  # in which a chapter takes seconds
    data = ("data_manifests/", "notebooks/")
    write(small, [block for block in BLOCKS if block[1].startswith(data)])
    (small / "book").symlink_to(house / "book")

    new = [name for _, name, _ in BLOCKS if name.endswith(".py")]
    python = [sys.executable, "-m"]
    rules = [*python, "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    rules += [
        f"--basetemp={folder / 'tmp'}",
        "--doctest-modules",
        "-o",
        "addopts=--import-mode=importlib",
        "-k",
        CHOSEN,
    ]
    commands = {
        "rules": [*rules, *RULES.split(), *dict.fromkeys(new)],
        "ruff check": [*python, "ruff", "check", "--no-cache"],
        "ruff format": [*python, "ruff", "format", "--check", "--no-cache"],
        "lint-imports": [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        "chapter": [sys.executable, "-P", here.__file__],
    }
    code = {"PYTHONPATH": f"{house}:{house / 'book'}"}
    own = tiny.environment(house) | code | {"ROBUST_DATA": str(folder / "no data")}
    words = ("--profile", tiny.PROFILE)
    chapter = [("robust", "run", CHAPTER, *words, "--into-book"), ("robust", "site", *words)]
    (folder / "chapter.json").write_text(json.dumps(chapter))
    with ExitStack() as stack:
        begun = {
            name: subprocess.Popen(
                command,
                cwd=small if name == "chapter" else house,
                env=tiny.environment(small) | code if name == "chapter" else own,
                stdin=stack.enter_context((folder / "chapter.json").open()),
                stdout=stack.enter_context((folder / name).open("w")),
                stderr=subprocess.STDOUT,
            )
            for name, command in commands.items()
        }
        status = {name: one.wait() for name, one in begun.items()}
    said = {name: (one, (folder / name).read_text("utf-8")) for name, one in status.items()}
    return Followed(said, small / "build" / tiny.PROFILE)


def write(folder: Path, blocks: list[tuple[str, str, str]]) -> None:
    """Write what the page adds, as it says: files, ends of files, and changed lines."""
    notebook = nbformat.v4.new_notebook()
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    for language, name, text in blocks:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".ipynb"):
            notebook.cells.append(cell(language, text.rstrip("\n"), notebook.cells))
            nbformat.write(notebook, path)
        elif language == "diff":
            old, new = (
                "".join(line[1:] for line in text.splitlines(keepends=True) if line[0] in signs)
                for signs in (" -", " +")
            )
            before = path.read_text("utf-8")
            assert before.count(old) == 1, f"{name} has {before.count(old)} times:\n{old}"
            path.write_text(before.replace(old, new), "utf-8")
        else:
            path.write_text((path.read_text("utf-8") if path.exists() else "") + text, "utf-8")


def cell(language: str, text: str, before: list[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """Return a cell of the page's notebook; the first one with code has its parameters."""
    if language == "markdown":
        return nbformat.v4.new_markdown_cell(text)
    first = all(one.cell_type != "code" for one in before)
    return nbformat.v4.new_code_cell(text, metadata={"tags": ["parameters"]} if first else {})


@pytest.mark.slow
def test_the_rules_of_the_project_hold_for_whoever_follows_the_page(followed):
    failed = {name: said for name, (status, said) in followed.said.items() if status}
    assert not failed, "\n".join(f"{name}:\n{said[-6000:]}" for name, said in failed.items())
    assert not re.search(r"error|no tests ran", followed.said["rules"][1].splitlines()[-1])


@pytest.mark.slow
def test_the_chapter_of_the_page_is_executed(followed):
    notebook = nbformat.read(followed.home / "notebooks" / f"{CHAPTER}.ipynb", as_version=4)
    assert tiny.warned(notebook) == []
    rows = pd.read_parquet(followed.home / "results" / f"{CHAPTER}.parquet")
    for metric in ("accuracy", "confidence", "overconfidence"):
        assert {*rows[rows["metric"] == metric]["model"]} == {*tiny.MODELS.values()}


@pytest.mark.slow
def test_the_chapter_of_the_page_is_rendered_with_its_lesson_in_the_part_of_its_paper(followed):
    shown = (followed.home / "site" / f"{CHAPTER}.html").read_text("utf-8")
    assert "Are networks as confident as they are accurate?" in shown
    assert re.search(r"The highest mean confidence is .*\d\d\.\d\s%", shown)
    assert 'id="toy-fig1"' in shown
    assert "People who are often wrong learn to doubt" in shown
    start = (followed.home / "site" / "index.html").read_text("utf-8")
    assert f"{CHAPTER}.html" in start
    assert re.search(r'<span class="caption-text">\s*Confidence\s*</span>', start)
    assert 'id="finding-toy"' in start
    ledger = (followed.home / "site" / "ledger.html").read_text("utf-8")
    assert 'data-item="toy-fig1"' in ledger
