"""Every solution of an exercise, and every block to be copied, runs as it stands and by itself."""

import ast
import re

import nbformat
import pytest

from robust_lib import paths

SOLUTION = re.compile(r"^:::\{dropdown\} Solution$\n(.*?)^:::$", re.DOTALL | re.MULTILINE)
OWN_CODE = re.compile(
    r"^## Use (?:it in your own code|this metric on your model)$\n(.*?)(?=^## |\Z)",
    re.DOTALL | re.MULTILINE,
)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXERCISE = re.compile(r"^\d+\. \*\*", re.MULTILINE)


def prose(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


NOTEBOOKS = {path.stem: prose(path) for path in sorted(paths.notebooks().glob("*.ipynb"))}


def blocks():
    """Return name -> code of all that readers are told to run."""
    named = {}
    for notebook, text in NOTEBOOKS.items():
        solved = [block for part in SOLUTION.findall(text) for block in BLOCK.findall(part)]
        copied = [block for part in OWN_CODE.findall(text) for block in BLOCK.findall(part)]
        # A reader's own model and a small world are needed: `tests/passport` has both.
        copied = [block for block in copied if "evaluate(" not in block]
        for kind, found in (("solution", solved), ("own-code", copied)):
            for number, code in enumerate(found, start=1):
                named[f"{notebook} {kind} {number}"] = code
    return named


BLOCKS = blocks()


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_runs_by_itself(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[name], name, "exec"), {"__name__": "reader"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [name for name in BLOCKS if "solution" in name])
def test_a_solution_checks_itself(name):
    """A solution that only runs would teach nothing: it asserts, or calls what does."""
    tree = ast.parse(BLOCKS[name])
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    checks = any(getattr(func, "id", "") == "check_classifier" for func in calls)
    assert checks or any(isinstance(node, ast.Assert) for node in ast.walk(tree))


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS))
def test_no_block_is_overlooked(notebook):
    """All Python of a page is in a solution or a section "Use it" or "Use this metric"."""
    found = [name for name in BLOCKS if name.split()[0] == notebook]
    told = BLOCK.findall(NOTEBOOKS[notebook])
    evaluated = [block for block in told if block.startswith("from robust_lib import evaluate\n")]
    assert len(found) + len(evaluated) == NOTEBOOKS[notebook].count("```python")


def test_eleven_chapters_have_their_metric_for_ones_own_model():
    lacking = [name for name, text in NOTEBOOKS.items() if "## Use this metric on" not in text]
    assert len(NOTEBOOKS) - len(lacking) == 11


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS))
def test_every_exercise_has_a_folded_answer(notebook):
    text = NOTEBOOKS[notebook].partition("## Exercises")[2]
    assert len(EXERCISE.findall(text)) >= 3
    assert text.count(":::{dropdown}") == len(EXERCISE.findall(text))
