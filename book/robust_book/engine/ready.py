"""Processes that start with everything imported, forked from a server process.

As a program, `ready.py WORDS` does the same as `python WORDS`, but faster: WORDS are `-c CODE` or
`-m MODULE`, with their arguments. It sends a request to the server, which forks a process with this
one's environment, folder and files; without a server, it runs Python itself. It uses only the
standard library, so that Python starts without packages.
"""

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

SERVER = "ROBUST_READY"
"""The environment variable that says where the server listens; empty: there is none."""
IMPORTS = "ROBUST_READY_IMPORTS"
"""What it imports when it is first asked: modules, or MODULE:FUNCTION that imports more."""
# One thread a process: parallel jobs share the cores better than threads do.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PROGRAM = (sys.executable, "-I", "-S", __file__)
PARENT = "ROBUST_PARENT"  # as in lifetime.py, which begins with what this must not wait for
LOOK = 0.2  # seconds between two looks whether the parent is there
STALE = b"stale"
KILLED = 137  # what a shell says of a process that was killed
ADDRESS = 107  # bytes that a socket's address may have


def possible() -> bool:
    """Return whether a process with many imports can be forked on this system.

    On a Mac, the system's own libraries end a forked process.
    """
    return sys.platform == "linux"


def python() -> tuple[str, ...]:
    """Return the words that start Python: through the server, if there is one."""
    return PROGRAM if os.environ.get(SERVER) else (sys.executable,)


def skip_address_grammar() -> None:
    """Keep jsonschema from compiling a grammar of international addresses, which takes a second.

    No schema that is checked here has such an address. Call this before anything imports
    jsonschema, as papermill, snakemake and jupyter-book do.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def start() -> None:
    """Start the server if forking is possible; it ends with this process."""
    if os.environ.get(SERVER):
        command = [sys.executable, "-c", "from robust_book.engine.ready import serve; serve()"]
        # As a kernel has it, before anything imports matplotlib.
        own = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        own |= os.environ | ALONE | {PARENT: str(os.getpid())}
        subprocess.Popen(command, env=own)


def kernels() -> dict[str, Any]:
    """Return the options for papermill with which kernels start with everything imported.

    Kernels communicate through files next to the server's. A port that is free before the kernel
    starts may be taken by then, and the kernel would fail.
    """
    if not os.environ.get(SERVER):
        return {}
    from jupyter_client.manager import AsyncKernelManager

    own = Path(os.environ[SERVER]).parent / f"kernel-{os.getpid()}"
    short = len(os.fsencode(f"{own}-ipc-5")) <= ADDRESS
    ways = {"transport": "ipc", "ip": f"{own}-ipc", "connection_file": f"{own}.json"}

    class Ready(AsyncKernelManager):
        def __init__(self, **given: Any) -> None:
            super().__init__(**(ways if short else {}), **given)

        def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
            _, *words = super().format_kernel_cmd(extra_arguments)
            return [*PROGRAM, *words]

    return {"kernel_manager_class": Ready}


def main() -> None:
    """Run `python WORDS`, through the server if there is one."""
    words = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(_address(Path(os.environ[SERVER])))
        except (KeyError, OSError):
            os.execv(sys.executable, [sys.executable, *words])
        leads = os.getsid(0) == os.getpid()
        asked = {"words": words, "env": dict(os.environ), "cwd": str(Path.cwd()), "leads": leads}
        socket.send_fds(line, [b"\n"], [0, 1, 2])
        line.sendall(json.dumps(asked).encode() + b"\n")
        answer = _answer(line)
    if answer == STALE:
        os.execv(sys.executable, [sys.executable, *words])
    raise SystemExit(int(answer) if answer else KILLED)


def _answer(line: socket.socket) -> bytes:
    """Wait until the process has ended; if this one's parent ends, end both."""
    parent, answer = os.getppid(), b""
    while os.getppid() == parent:
        if select.select([line], [], [], LOOK)[0]:
            if not (said := line.recv(64)):
                return answer
            answer += said
    raise SystemExit(1)


def _address(place: Path) -> str:
    """Return a socket's address within its limit of a hundred characters, even in a long path."""
    return f"/proc/self/fd/{os.open(place.parent, os.O_RDONLY)}/{place.name}"


def serve() -> None:
    """Fork a process for each request, until this one's parent has ended."""
    place, parent = Path(os.environ[SERVER]), int(os.environ[PARENT])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with socket.socket(socket.AF_UNIX) as door:
        place.unlink(missing_ok=True)
        mask = os.umask(0o077)  # nobody else may ask
        door.bind(_address(place))
        os.umask(mask)
        door.listen(64)
        door.settimeout(LOOK)
        known: dict[Path, int] = {}
        while os.getppid() == parent:
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            with suppress(OSError):  # nobody asks, or who asked is gone
                line, _ = door.accept()
                with line:
                    line.setblocking(True)
                    _, handles, _, _ = socket.recv_fds(line, 1, 3)
                    with line.makefile("rb") as file:
                        asked = json.loads(file.readline())
                    known = known or _all_imported()
                    child = _divided(known)
                    if child is None:
                        line.sendall(STALE)
                    elif child == 0:
                        door.close()
                        _be(line, handles, **asked)
                    for handle in handles:
                        os.close(handle)
    place.unlink(missing_ok=True)
    with suppress(OSError):  # it is gone, or holds more
        place.parent.rmdir()


def _divided(known: Mapping[Path, int]) -> int | None:
    """Fork this process; return the child's id, 0 in the child, None if that may not be."""
    try:
        # What was imported must be what is in the files.
        return os.fork() if known and _sources() == known else None
    except OSError:  # a file is just being replaced, or the system gives no process more
        return None


def _all_imported() -> dict[Path, int]:
    """Import everything, and return its source files; empty if the import fails."""
    known = _sources()
    try:
        for name in os.environ[IMPORTS].split():
            found = resolve_name(name)
            if callable(found):
                found()
    except Exception:  # which whoever needs it will say
        traceback.print_exc()
        return {}
    gc.freeze()  # what is shared is not looked through again
    return known


def _sources() -> dict[Path, int]:
    """Return file -> time of its last change, for all files that are read on import."""
    from robust_book import PACKAGE
    from robust_lib import paths

    folders = (PACKAGE, paths.library(), paths.manifests())
    return {
        path: path.stat().st_mtime_ns
        for folder in folders
        for path in folder.rglob("*.*")
        if path.suffix in (".py", ".yaml", ".csv")
    }


def _be(
    line: socket.socket,
    handles: Sequence[int],
    words: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    leads: bool,
) -> None:
    """Run as the requested process, and end."""
    status, server = 1, os.getppid()
    try:
        if leads:
            os.setsid()
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
            os.close(handle)
        os.chdir(cwd)
        os.environ.clear()
        # Kernels, too, look whether their parent is there.
        os.environ.update(env, **dict.fromkeys((PARENT, "JPY_PARENT_PID"), str(server)))
        threading.Thread(target=_end_with, args=(line, server), daemon=True).start()
        _program(*words)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)  # noqa: T201 - as Python does
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            line.sendall(str(status).encode())
        os._exit(status)


def _end_with(line: socket.socket, server: int) -> None:
    """End this process immediately when the server or the requesting process has ended."""
    while os.getppid() == server and not select.select([line], [], [], LOOK)[0]:
        pass
    os.kill(os.getpid(), signal.SIGKILL)


def _program(option: str, what: str, *words: str) -> None:
    sys.argv = [option, *words]
    if option == "-c":
        exec(compile(what, "<string>", "exec"), vars(sys.modules["__main__"]))
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
