"""Executing a notebook: a whole one or none, a failing cell named, the last good one kept."""

import ast
import errno
import json
import os
import subprocess
import sys
import time

import nbformat
import papermill
import pytest

from robust_book.commands import execute as execution
from robust_book.commands.execute import execute, find
from robust_lib import paths
from robust_lib.errors import InputError, RunError
from robust_lib.run import experiments
from tests import chain, tiny

KERNEL = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}


def write(folder, name, *cells, parameters='profile = "smoke"\nword = "none"  # a word'):
    made = [nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    made += [nbformat.v4.new_code_cell(cell) for cell in cells]
    path = folder / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata=KERNEL), path)
    return path


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with the real profiles and notebooks of a few lines."""
    (tmp_path / "data_manifests").symlink_to(tiny.REPOSITORY / "data_manifests")
    write(tmp_path, "toy", "word")
    monkeypatch.chdir(tmp_path)
    return tiny.enter(tmp_path, monkeypatch)


@pytest.fixture
def here(project, monkeypatch):
    """The same, with cells that run in this process."""
    tiny.without_kernel(monkeypatch)
    return project


def home(project):
    return project / "build" / "smoke"


def book_of(project):
    return home(project) / "notebooks" / "toy.ipynb"


def run(name="toy", **parameters):
    return execute(name, "smoke", parameters, into_book=True, progress=False)


def test_the_notebook_is_executed_with_its_parameters_where_the_caller_is(project):
    write(project, "toy", "import os\nword, profile, os.getcwd()")
    target = run(word="seven")
    assert target == home(project) / "notebooks" / "toy.ipynb"
    cells = nbformat.read(target, as_version=4).cells
    assert [cell.execution_count for cell in cells] == [1, 2, 3]
    assert cells[1].metadata.tags == ["injected-parameters"]
    shown = ast.literal_eval(cells[-1].outputs[0].data["text/plain"])
    assert shown == ("seven", "smoke", str(project))
    assert [path.name for path in target.parent.iterdir()] == ["toy.ipynb"]


def test_a_kernel_that_dies_is_no_traceback(project):
    write(project, "toy", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(RunError, match=r"toy failed in a cell after \d+ s: the process that exec"):
        run()
    assert list((home(project) / "notebooks").iterdir()) == []
    assert (home(project) / "failed" / "toy.ipynb").exists()


def test_a_kernel_that_cannot_begin_is_begun_once_more(here, monkeypatch):
    """A port that was taken in between, say: no cell was executed."""
    whole, asked = papermill.execute_notebook, []

    def dies(*words, **given):
        asked.append(words)
        if len(asked) < 4:
            raise RuntimeError("Kernel died before replying to kernel_info")
        whole(*words, **given)

    monkeypatch.setattr("papermill.execute_notebook", dies)
    with pytest.raises(
        RunError, match=r"toy could not start: twice.*memory.*earlier runs are unchanged"
    ):
        run()
    assert len(asked) == 2
    assert not book_of(here).exists()
    assert run() == book_of(here)


def test_a_kernel_ends_with_the_process_that_executes_the_notebook(project):
    mark = project / "kernel"
    write(
        project,
        "toy",
        f"""
import os, pathlib, time
pathlib.Path({str(mark)!r}).write_text(str(os.getpid()))
time.sleep(60)
""",
    )
    words = ["-c", "from robust_book.commands.cli import main; main()", "run", "toy", "-P", "smoke"]
    with subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        process.kill()
    assert chain.ends(int(mark.read_text()))
    assert not (home(project) / "notebooks" / "toy.ipynb").exists()


def test_a_cell_that_fails_is_named_and_what_was_there_stays(here):
    good = run(word="good").read_bytes()
    write(here, "toy", "word", "# why\n\nsum([1, 'a'])", "1 + 1")
    with pytest.raises(RunError) as failure:
        run(word="bad")
    message = str(failure.value)
    assert message.startswith("toy failed in cell [4] (sum([1, 'a'])) after ")
    assert "TypeError: unsupported operand type(s) for +: 'int' and 'str'. The notebook" in message
    assert message.endswith("results of earlier runs are unchanged.")
    assert (home(here) / "notebooks" / "toy.ipynb").read_bytes() == good
    assert [path.name for path in (home(here) / "notebooks").iterdir()] == ["toy.ipynb"]
    kept = nbformat.read(home(here) / "failed" / "toy.ipynb", as_version=4)
    counts = {cell.source: cell.execution_count for cell in kept.cells if cell.cell_type == "code"}
    assert (counts["word"], counts["1 + 1"]) == (3, None)


def test_a_labelled_cell_is_named_by_its_label(here):
    write(here, "toy", "#| label: inc-tab1\n1 / 0")
    with pytest.raises(RunError, match=r"in cell \[3\] \(inc-tab1\) after"):
        run()


def test_what_a_cell_says_becomes_one_paragraph(here):
    write(here, "toy", "raise ValueError('one\\n\\n  two' + 3000 * 'x')")
    with pytest.raises(RunError) as failure:
        run()
    message = str(failure.value)
    assert "ValueError: one twoxxx" in message
    assert "\n" not in message
    assert "xxx ... The notebook" in message
    assert len(message) < execution.LONGEST + 500


def test_a_cell_without_memory_says_what_to_do(here):
    write(here, "toy", "raise MemoryError")
    with pytest.raises(RunError, match=r"MemoryError\..*machine.*little"):
        run()


def test_a_disk_that_fails_in_a_cell_has_its_remedy(here):
    write(here, "toy", 'raise OSError(5, "Input/output error", "a.npz")')
    with pytest.raises(RunError, match=r"'a\.npz'\..*notebook again\."):
        run()


def test_a_run_that_succeeds_takes_the_failed_one_away(here):
    write(here, "toy", "1 / 0")
    with pytest.raises(RunError):
        run()
    assert (home(here) / "failed" / "toy.ipynb").exists()
    write(here, "toy", "1")
    run()
    assert not (home(here) / "failed" / "toy.ipynb").exists()


@pytest.mark.parametrize("name", ["toy", "toy.ipynb", "notebooks/toy.ipynb"])
def test_a_notebook_may_be_named_by_its_file(here, name):
    assert find(name) == here / "notebooks" / "toy.ipynb"
    assert run(name) == home(here) / "notebooks" / "toy.ipynb"


def test_unknown_notebooks_profiles_and_parameters_run_nothing(here):
    with pytest.raises(InputError, match=r"Expected notebook to be one of toy, but got toyy\."):
        run("toyy")
    with pytest.raises(InputError, match="but got maxi"):
        execute("toy", "maxi", {})
    with pytest.raises(InputError, match=r"one of profile, word, but got wort\. Nothing was run"):
        run(wort=3)
    with pytest.raises(InputError, match=r"--profile NAME.*parameter"):
        execute("toy", "smoke", {"profile": "mini"})
    assert not (here / "build").exists()


def test_other_parameters_leave_the_books_run_alone(here):
    book = run().read_bytes()
    beside = execute("toy", "smoke", {"word": "seven"}, progress=False)
    assert beside.parents[2] == paths.runs()
    assert beside.parents[1].name.startswith("toy-")
    assert execute("toy", "smoke", {"word": "seven"}, progress=False) == beside
    assert execute("toy", "smoke", {"word": "none"}, progress=False) == book_of(here)
    assert book_of(here).read_bytes() != run(word="seven").read_bytes()
    assert book != book_of(here).read_bytes()
    assert experiments.INTO_BOOK not in os.environ


def test_an_experiment_that_fails_lies_in_its_own_folder(here):
    write(here, "toy", "1 / 0")
    with pytest.raises(RunError, match="runs/toy-"):
        execute("toy", "smoke", {"word": "seven"}, progress=False)
    (one,) = experiments.found()
    assert (one.notebook, one.profile, one.parameters) == ("toy", "smoke", {"word": "seven"})
    assert one.date is None
    assert not home(here).exists()


@pytest.mark.parametrize("tags", [(), ("parameters", "parameters")])
def test_a_notebook_has_one_cell_of_parameters(here, tags):
    path = here / "notebooks" / "toy.ipynb"
    content = json.loads(path.read_text("utf-8"))
    first = content["cells"][0] | {"metadata": {"tags": []}}
    content["cells"] = [first, *(first | {"metadata": {"tags": [tag]}} for tag in tags)]
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=rf"toy\.ipynb, but found {len(tags)}\."):
        run()


def test_every_chapter_has_a_profile_and_seeds():
    """What the engine passes to all of them."""
    for path in sorted(paths.notebooks().glob("*.ipynb")):
        assert {"profile", "seeds"} <= set(experiments.defaults(path))


def test_papermill_may_be_absent(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)
    with pytest.raises(RunError, match=r"again .*: pip install robust-lib"):
        run()


def test_a_folder_that_cannot_be_written(here):
    home(here).mkdir(parents=True)
    (home(here) / "notebooks").write_text("a file where the folder should be")
    with pytest.raises(RunError, match="toy could not be executed and written to"):
        run()


def test_a_disk_that_is_full_at_the_end(here, monkeypatch):
    good = run(word="good").read_bytes()
    full = OSError(errno.ENOSPC, "No space left on device")

    def write_nothing(*_):
        raise full

    monkeypatch.setattr("papermill.iorw.LocalHandler.write", write_nothing)
    with pytest.raises(RunError, match=r"No space left on device\. Free some space"):
        run(word="bad")
    assert (home(here) / "notebooks" / "toy.ipynb").read_bytes() == good
