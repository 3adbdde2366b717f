"""The class of the built smoke book: students' copies run in a moved folder, without a network.

The teacher's copies are executed while the folder is made, which fails where a check does not pass.
The book is made first, which takes minutes if it is not there.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from robust_book.course.handed_in import kept
from robust_lib import paths

pytestmark = pytest.mark.soak

CHAPTERS = sorted(path.stem for path in paths.notebooks().glob("*.ipynb"))
APART = ["unshare", "-rn"]  # where it may be used; else the network is only not needed
# A notebook talks to its program through the machine's own interface, which is down there at first.
RUN = """
import fcntl, socket, struct, sys
import papermill
if "apart" in sys.argv[3:]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        fcntl.ioctl(own, 0x8914, struct.pack("16sh", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP
papermill.execute_notebook(*sys.argv[1:3], kernel_name="python3", progress_bar=False)
"""


def can(command: list[str]) -> bool:
    return bool(shutil.which(command[0])) and not subprocess.run([*command, "true"]).returncode


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """A course of all chapters, moved to where a class has it, and the library from its wheel."""
    home = tmp_path_factory.mktemp("course")
    book = [sys.executable, "-m", "robust_lib", "book", "--profile", "smoke"]
    subprocess.run(book, check=True)
    command = [sys.executable, "-m", "robust_lib", "course", "--profile", "smoke"]
    subprocess.run([*command, "--out", str(home / "made")], check=True)
    shutil.move(home / "made", home / "class")
    shutil.rmtree(home / "class" / "teacher")
    (wheel,) = (home / "class" / "wheels").glob("robust_lib-*.whl")
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(home / "library"), str(wheel)], check=True)
    return home


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_students_copy_runs_to_its_end_and_asks_for_answers(unpacked, chapter, tmp_path):
    student = unpacked / "class" / "student"
    done = tmp_path / "done.ipynb"
    outside = {name: value for name, value in os.environ.items() if not name.startswith("ROBUST")}
    apart = APART if can(APART) else []
    ran = subprocess.run(
        [
            *apart,
            sys.executable,
            "-c",
            RUN,
            f"{chapter}.ipynb",
            str(done),
            *["apart"] * bool(apart),
        ],
        cwd=student,
        env=outside | {"PYTHONPATH": str(unpacked / "library"), "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    told = kept(nbformat.read(done, as_version=4))
    assert told
    states = {one["state"] for record in told.values() for one in record["answers"]}
    assert states <= {"no answer yet", "not in this run"}
