"""The wheel that a course packs: whole, the same bytes each time, and it can be installed."""

import base64
import csv
import hashlib
import io
import subprocess
import sys
import zipfile

import pytest

from robust_book.course import wheel
from robust_lib import paths
from tests.course import solutions


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    return wheel.write(tmp_path_factory.mktemp("wheels"))


def test_the_record_is_that_of_the_files(packed):
    with zipfile.ZipFile(packed) as opened:
        names = opened.namelist()
        (listed,) = [name for name in names if name.endswith("/RECORD")]
        rows = list(csv.reader(io.StringIO(opened.read(listed).decode())))
        assert [row[0] for row in rows] == names
        for name, digest, size in rows[:-1]:
            content = opened.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            assert digest == f"sha256={found.decode()}"
            assert int(size) == len(content)


def test_the_project_goes_with_it_and_no_leavings(packed):
    with zipfile.ZipFile(packed) as opened:
        names = set(opened.namelist())
    for name in ("notebooks/00_tour.ipynb", "book/_toc.yml", "data_manifests/corruptions.yaml"):
        assert f"robust_lib/project/{name}" in names
    assert {
        f"robust_lib/{path.relative_to(paths.library()).as_posix()}"
        for path in paths.library().rglob("*.py")
    } <= names
    assert not [name for name in names if "__pycache__" in name or "_build/" in name]


def test_no_solution_goes_with_it(packed, tmp_path):
    with zipfile.ZipFile(packed) as opened:
        names = opened.namelist()
        texts = [name for name in names if name.endswith((".ipynb", ".md"))]
        opened.extractall(tmp_path, texts)
    assert "robust_lib/project/notebooks/00_tour.ipynb" in texts
    assert solutions.told(tmp_path) == []
    assert "robust_book/course/checks.py" in names
    assert "robust_book/course/solutions.py" not in names
    assert "robust_book/course/good_answers.yaml" not in names


def test_a_second_time_it_is_the_same(packed, tmp_path):
    assert wheel.write(tmp_path).read_bytes() == packed.read_bytes()


def test_it_is_installed_without_a_network(packed, tmp_path):
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*command, "--target", tmp_path, packed], check=True)
    code = "from robust_lib import paths; print(paths.notebooks())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip().endswith("notebooks"), done.stderr
