"""Papermill's engine without a kernel: cells run in this process, whose imports are done.

A kernel takes longer to start than a small chapter to run. Parameters, errors, outputs and saving
are as with one; that chapters run in kernels is for the tests of the command, and the smoke book.
As a program it runs commands, of `robust`, of papermill or `call MODULE:FUNCTION WORD ...`, given
as JSON on the standard input: one list of them, or with the word `serve` a task a line, each in a
process of its own that is born with everything imported. A task behind `serve` is done before by
the server itself, so that the others are born with what such work loads late, too.
"""

import contextlib
import gc
import itertools
import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

sys.modules.setdefault("rfc3987_syntax", None)  # as ready.skip_address_grammar does

import nbformat  # noqa: E402
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.utils.capture import capture_output  # noqa: E402
from papermill.cli import papermill  # noqa: E402
from papermill.engines import Engine, papermill_engines  # noqa: E402

# Beside what chapters stand on: what they load when it is first needed.
SECONDS = ("matplotlib.pyplot", "timm", "torchvision.models.detection")
SECONDS += ("robust_book.commands.execute", "robust_lib.run.start")
# Code that keys of stores stand on, which takes as long to read as a small network to train.
CODE = ("corruptions", "datasets", "miniworld", "models", "training")


class Here(Engine):
    """The engine; notebooks are executed by the library's own words for it."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **_: Any) -> None:
        main = sys.modules["__main__"]
        try:
            run_all(nb_man, InteractiveShell.instance())
        finally:
            sys.modules["__main__"] = main  # which new processes are told of


def run_all(nb_man: Any, shell: InteractiveShell) -> None:
    """Run the cells of a notebook one after another, up to the first that fails."""
    shell.reset()
    counts = itertools.count(1)
    for index, cell in enumerate(nb_man.nb.cells):
        nb_man.cell_start(cell, index)
        if cell.cell_type == "code":
            cell.execution_count = next(counts)
            with capture_output() as captured:
                shell.display_trap.hook = sys.displayhook  # which captures
                done = shell.run_cell(cell.source)
            cell.outputs = outputs(captured)
            if (error := done.error_before_exec or done.error_in_exec) is not None:
                told = {"ename": type(error).__name__, "evalue": str(error)}
                cell.outputs.append(nbformat.v4.new_output("error", **told, traceback=[]))
                nb_man.cell_exception(cell, cell_index=index, exception=error)
                return
        nb_man.cell_complete(cell, cell_index=index)


def outputs(captured: Any) -> list[Any]:
    """Return what a cell printed and showed as a notebook stores it."""
    printed = {"stdout": captured.stdout, "stderr": captured.stderr}
    return [
        nbformat.v4.new_output("stream", name=name, text=text)
        for name, text in printed.items()
        if text
    ] + [
        nbformat.v4.new_output("display_data", data=one.data, metadata=one.metadata or {})
        for one in captured.outputs
    ]


def main(commands: list[list[str]]) -> None:
    """Run commands one after another until one fails; its exit status is this process's."""
    papermill_engines._engines[None] = Here
    for program, *words in commands:
        if program == "papermill":
            papermill(words, standalone_mode=False)
            continue
        if program == "call":
            name, *given = words
            if status := resolve_name(name)(*given):
                raise SystemExit(status)
            continue
        from robust_book.commands import cli  # where a notebook installs it, it is not there before

        status, complaint = cli.attempt(words)
        if status:
            sys.stderr.write(f"robust: {complaint}\n")
            raise SystemExit(status)


def serve(first: dict[str, Any] | None = None) -> None:
    """Do a task for each line of the standard input, and answer with its exit status.

    Args:
        first: commands and environment of what this process does itself before.
    """
    from robust_book import chapters
    from robust_lib.code_digest import source_digest

    chapters.all_chapters()
    for name in SECONDS:
        import_module(name)
    for package in CODE:
        source_digest(package)
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    if first is not None:
        os.environ.update(first["env"])
        with contextlib.redirect_stdout(sys.stderr):
            main(first["commands"])
    gc.freeze()  # what is shared is not looked through again by each
    for line in sys.stdin:
        if not (child := os.fork()):
            task(**json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def task(commands: list[list[str]], cwd: str, env: dict[str, str], out: str, err: str) -> None:
    """Be the process that runs commands somewhere, and what it prints lies in two files."""
    status = 1
    try:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        for number, path in ((0, os.devnull), (1, out), (2, err)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        main(commands)
        status = 0
    except SystemExit as done:
        status = int(done.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(*map(json.loads, sys.argv[2:]))
    else:
        main(json.load(sys.stdin))
