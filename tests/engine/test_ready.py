"""Processes that begin ready: what they are given, what they are told of, and how they end."""

import os
import signal
import subprocess
import sys
import time

import pytest

from robust_book.engine import ready
from tests import chain

pytestmark = pytest.mark.skipif(not ready.possible(), reason="processes are divided on Linux alone")
SERVER = "import time; from robust_book.engine import ready; ready.start(); time.sleep(600)"
HEAVY = "import os\nimporter = os.getpid()\n"
SAID = "import os, heavy; print('server' if heavy.importer == os.getppid() else 'itself')"
HELD = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Return a folder with a module that takes long to import, and manifests."""
    folder = tmp_path_factory.mktemp("ready") / ("deep" * 40)  # more letters than an address has
    (folder / "data_manifests").mkdir(parents=True)
    (folder / "heavy.py").write_text(HEAVY)
    return folder


@pytest.fixture(scope="module")
def env(project):
    """Return the environment of processes for which a server is at hand."""
    path = os.pathsep.join([str(project), os.environ.get("PYTHONPATH", "")])
    place = project / "socket"
    given = {ready.SERVER: str(place), ready.IMPORTS: "heavy", "ROBUST_ROOT": str(project)}
    made = os.environ | given | {"PYTHONPATH": path}
    with subprocess.Popen([sys.executable, "-c", SERVER], env=made) as process:
        until = time.monotonic() + 60
        while not place.exists():
            assert time.monotonic() < until
            time.sleep(0.05)
        yield made
        process.kill()


def run(env, code, *words, **given):
    command = [*ready.PROGRAM, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, **given)


def begin(env, code):
    command = [*ready.PROGRAM, "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)


def test_a_process_begins_with_what_the_server_has_imported(env):
    assert run(env, SAID).stdout == "server\n"


def test_it_is_what_python_would_be(env, tmp_path):
    code = (
        "import os, sys; print(sys.argv, os.getcwd(), os.environ['WORD'], sys.stdin.read());"
        "sys.exit('Expected more')"
    )
    words, given = ("-c", code, "a b", "c"), {"cwd": tmp_path, "input": "told"}
    env = env | {"WORD": "said"}
    plain, divided = (
        subprocess.run([*program, *words], capture_output=True, text=True, env=env, **given)
        for program in ([sys.executable], ready.PROGRAM)
    )
    assert (divided.returncode, divided.stdout, divided.stderr) == (1, plain.stdout, plain.stderr)
    ends = [run(env, code).returncode for code in ("import os", "import sys; sys.exit(3)")]
    assert ends == [0, 3]


def test_a_module_is_run_as_python_runs_it(env):
    command = [*ready.PROGRAM, "-m", "json.tool", "--compact"]
    done = subprocess.run(command, input='{"a": 1 }', capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ('{"a":1}\n', "")


def test_kernels_are_asked_for_where_a_server_is_at_hand(monkeypatch):
    monkeypatch.setenv(ready.SERVER, "somewhere")
    manager = ready.kernels()["kernel_manager_class"](kernel_name="python3")
    command = manager.format_kernel_cmd(["--quiet"])
    assert tuple(command[: len(ready.PROGRAM)]) == ready.PROGRAM
    assert command[len(ready.PROGRAM) :][:2] == ["-m", "ipykernel_launcher"]
    assert command[-1] == "--quiet"
    monkeypatch.delenv(ready.SERVER)
    assert ready.kernels() == {}


@pytest.mark.parametrize(("letters", "transport"), [(20, "ipc"), (107, "ipc"), (108, "tcp")])
def test_kernels_need_no_port_where_an_address_can_be_so_long(monkeypatch, letters, transport):
    """A port that was free when it was chosen may be taken when the kernel begins."""
    monkeypatch.setattr("os.getpid", lambda: 7)
    folder = "/" + "f" * (letters - len("//kernel-7-ipc-5"))
    monkeypatch.setenv(ready.SERVER, f"{folder}/ready")
    manager = ready.kernels()["kernel_manager_class"](kernel_name="python3")
    assert manager.transport == transport
    assert transport == "tcp" or f"{manager.ip}-5" == f"{folder}/kernel-7-ipc-5"


def test_what_no_process_can_be_divided_for_is_python_itself(monkeypatch):
    def refuses():
        raise BlockingIOError("no process more")

    monkeypatch.setattr("os.fork", refuses)
    monkeypatch.setattr(ready, "_sources", lambda: {ready.Path("a.py"): 1})
    assert ready._divided({ready.Path("a.py"): 1}) is None


def test_whoever_asked_is_told_that_it_was_killed(env):
    with begin(env, HELD) as asker:
        os.kill(int(asker.stdout.readline()), signal.SIGKILL)
    assert asker.returncode == ready.KILLED


def test_it_ends_with_the_one_that_asked(env):
    with begin(env, HELD) as asker:
        process = int(asker.stdout.readline())
        asker.kill()
    assert chain.ends(process)


ASKER = """
import subprocess, sys
subprocess.run(sys.argv[1:])
"""


def test_it_ends_with_the_parent_of_the_one_that_asked(env):
    command = [sys.executable, "-c", ASKER, *ready.PROGRAM, "-c", HELD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as parent:
        process = int(parent.stdout.readline())
        parent.kill()
        assert chain.ends(process)


@pytest.mark.parametrize("lacking", [{ready.SERVER: ""}, {ready.SERVER: "/nowhere/socket"}])
def test_where_no_server_is_it_is_python_itself(env, lacking):
    assert run(env | lacking, SAID).stdout == "itself\n"


def test_what_was_changed_since_it_was_imported_is_imported_anew(env, project):
    """Else predictions of old code would be kept under the digest of the new one."""
    assert run(env, SAID).stdout == "server\n"
    (project / "data_manifests" / "added.yaml").write_text("")
    assert run(env, SAID).stdout == "itself\n"
    (project / "data_manifests" / "added.yaml").unlink()
    assert run(env, SAID).stdout == "server\n"


def test_the_server_ends_with_its_parent(project, env, tmp_path):
    own = env | {ready.SERVER: str(tmp_path / "socket")}
    code = SERVER.replace("; time", "; import os; print(os.getpid(), flush=True); time")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=own
    ) as parent:
        parent.stdout.readline()
        while not (tmp_path / "socket").exists():
            time.sleep(0.05)
        with begin(own, HELD) as asker:
            process = int(asker.stdout.readline())
            parent.kill()
            assert asker.wait(timeout=20) == ready.KILLED
    assert chain.ends(process)
