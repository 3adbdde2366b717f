"""What another system would stumble over, found on this one: names of files, calls it lacks."""

import ast
import re

import pytest

from robust_book.chapters import all_chapters
from robust_book.engine import plan
from robust_lib.config.profiles import load_profile
from tests.test_project import ROOT, tracked_files

# What a name of Windows must not hold, not end with, and not be.
FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ]$')
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10)),
}


def faults(path: str) -> list[str]:
    """Return the parts of a path that Windows refuses as names."""
    parts = path.split("/")
    return [p for p in parts if FORBIDDEN.search(p) or p.split(".")[0].lower() in DEVICES]


@pytest.mark.parametrize("path", ["a:b", "x/what?", "aux.py", "x/NUL", "end.", "end ", 'say "hi"'])
def test_a_name_that_windows_refuses_is_found(path):
    assert faults(path)


def test_every_file_of_the_project_can_lie_on_windows_and_on_a_mac():
    names = tracked_files()
    assert [name for name in names if faults(name)] == []
    assert len({name.casefold() for name in names}) == len(names)
    # Below a home folder, without long paths switched on.
    assert [name for name in names if len(name) > 180] == []


@pytest.mark.parametrize("profile", ["smoke", "mini", "full_trained"])
def test_every_job_has_a_stamp_and_a_log_whose_name_any_system_takes(profile):
    chosen = load_profile(profile)
    jobs = plan.plan(chosen, all_chapters(), len(chosen.seeds))
    names = [job.name for job in jobs]
    assert any("train" in name for name in names)
    assert [name for name in names if faults(name)] == []
    assert len({name.casefold() for name in names}) == len(names)


# Modules and names of modules that only POSIX has; SIGKILL is there by getattr alone.
MODULES = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}
NAMES = {
    "os": {
        "fork", "getuid", "geteuid", "getpgid", "killpg", "setsid", "nice", "mkfifo", "statvfs",
        "sysconf", "uname", "sched_getaffinity", "wait", "O_NONBLOCK", "O_DIRECTORY",
    },
    "signal": {"SIGKILL", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "alarm", "pause"},
}  # fmt: skip
CODE = [
    *sorted((ROOT / "robust_lib").rglob("*.py")),
    *sorted((ROOT / "book/robust_book").rglob("*.py")),
]
CODE.append(ROOT / "workflow" / "environment.py")
# What asks for the system itself before it uses what only Linux has.
LINUX = {ROOT / "book" / "robust_book" / "engine" / name for name in ("ready.py", "pace.py")}


def only_posix(source: str) -> list[str]:
    """Return what a module uses that Windows has not."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name in MODULES]
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            found.append(node.module)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            lacks = node.attr in NAMES.get(node.value.id, ())
            found += [f"{node.value.id}.{node.attr}"] * lacks
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            lacks = node.value in ("fork", "forkserver")
            found += [repr(node.value)] * (lacks or node.value.startswith(("/proc/", "/dev/")))
    return found


@pytest.mark.parametrize(
    "source",
    ["import fcntl", "from pwd import getpwuid", "os.fork()", "signal.SIGKILL", "open('/dev/null')",
     "get_context('fork')"],
)  # fmt: skip
def test_what_only_posix_has_is_found(source):
    assert only_posix(source)


def test_the_library_uses_nothing_that_windows_has_not():
    used = {
        path.relative_to(ROOT).as_posix(): only_posix(path.read_text("utf-8"))
        for path in CODE
        if path not in LINUX
    }
    assert {name: found for name, found in used.items() if found} == {}


def test_text_is_read_and_written_as_utf_8_whatever_the_system_prefers():
    silent = []
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            given = len(node.args) + len(node.keywords)
            if given < {"read_text": 1, "write_text": 2}.get(node.func.attr, 0):
                silent.append(f"{path.name}:{node.lineno}")
    assert silent == []
