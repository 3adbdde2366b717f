"""What a researcher types: light to import, complete, and the only names that stand twice."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch

import robust_lib
from robust_lib.errors import InputError
from robust_lib.vocabulary import COMMON
from tests.toys import unchecked

PACKAGE = Path(robust_lib.__file__).parent


def there(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_import_is_quick_and_needs_nothing_heavy():
    code = "import sys, time; t = time.process_time(); import robust_lib"
    heavy = "{'torch', 'numpy', 'pandas', 'cv2', 'pydantic', 'matplotlib', 'scipy'}"
    assert there(f"{code}; print(*({heavy} & sys.modules.keys()))") == ""
    assert float(there(f"{code}; print(time.process_time() - t)")) < 0.5


def test_metrics_need_no_torch():
    code = "import sys; from robust_lib import aupr, clopper_pearson, top1"
    assert there(f"{code}; print('torch' in sys.modules)") == "False"


def test_the_command_starts_without_what_takes_seconds():
    code = "import sys, robust_book.commands.cli"
    heavy = "{'torch', 'pandas', 'cv2', 'matplotlib', 'scipy', 'papermill', 'snakemake'}"
    assert there(f"{code}; print(*({heavy} & sys.modules.keys()))") == ""


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert robust_lib.__version__ == project["version"]


@pytest.mark.parametrize("name", robust_lib.__all__)
def test_every_name_is_there_and_listed(name):
    assert name in dir(robust_lib)
    assert getattr(robust_lib, name) is not None


def test_editors_and_type_checkers_see_the_same_names():
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    rooms = {name: f"robust_lib.{room}" for name, room in robust_lib._ROOMS.items()}
    assert seen == rooms | {"predict": "robust_lib.predict.classify"}


def test_a_name_that_there_is_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'robust_lib'.*'evaluated'"):
        _ = robust_lib.evaluated


def test_no_other_module_hands_names_on():
    found = []
    for path in PACKAGE.rglob("*.py"):
        if path == PACKAGE / "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found += [(path.name, a.name) for a in node.names if a.asname == a.name]
            if isinstance(node, ast.Name) and node.id == "__all__":
                found.append((path.name, "__all__"))
    assert found == []


def test_lists_and_tensors_are_read_where_arrays_are_meant():
    assert robust_lib.aurra([0.9], [True]) == 1
    logits, labels = torch.tensor([[0.1, 0.9], [0.8, 0.2]]), torch.tensor([1, 1])
    assert robust_lib.top1(logits, labels) == 0.5
    assert robust_lib.top1(logits.half().tolist(), labels.tolist()) == 0.5
    assert robust_lib.corruption_error([0.2, 0.4], [0.4, 0.8]) == 0.5
    assert robust_lib.mean_corruption_error(*[{name: [0.5] for name in COMMON}] * 2) == 1
    low, high = robust_lib.clopper_pearson(1, 2)
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: robust_lib.aurra(["a"], [True]), "numbers as `confidence` of aurra, but got list"),
        (lambda: robust_lib.top1([[1, 2], [3]], [0, 1]), "numbers as `logits` of top1"),
        (
            lambda: robust_lib.corrupt(np.zeros((1, 3, 64, 64), np.float32), "fog", 1, keys=["a"]),
            "Expected a torch tensor as `images` of corrupt, but got ndarray. Use torch.from_numpy",
        ),
    ],
)
def test_what_is_no_array_is_refused_in_other_words_than_it_was_asked_for(call, words):
    with unchecked(), pytest.raises(InputError, match=words):
        call()
