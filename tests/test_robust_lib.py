"""What a researcher types: light to import, complete, and the only names that stand twice."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import robust_lib

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
    with pytest.raises(AttributeError, match="module 'robust_lib' has no attribute 'evaluated'"):
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
