"""The site: prose and executed notebooks, assembled in one folder, checked and rendered."""

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from robust_book import PACKAGE
from robust_book.chapters import MORE, parts
from robust_book.commands import evidence, launch
from robust_book.engine import journal, lifetime, ready
from robust_book.html.markup import SAVED
from robust_lib import paths
from robust_lib.config.papers import paper_keys
from robust_lib.errors import RunError

PROVENANCE = frozenset({"commit", "profile", "parameters", "versions", "date", "command"})

INJECTED, SHOWN = "injected-parameters", "show-input"
Notebook = dict[str, Any]


def assemble(home: Path, chapters: Collection[str] = ()) -> Path:
    """Return a new folder with the book's prose, the executed notebooks and their results.

    The table of contents lists the chapters that were executed there, in the book's order.

    Args:
        home: folder of a profile, or of a run with other parameters.
        chapters: names of executed notebooks; empty: all.

    Raises:
        RunError: there is no executed notebook, or one of them failed, was not executed to its end,
            or is stale; all faults are listed at once.
    """
    found = (home / "notebooks").glob("*.ipynb")
    executed = sorted(path for path in found if not path.name.startswith("."))
    executed = [path for path in executed if path.stem in chapters or not chapters]
    if not executed:
        raise RunError(
            f"Expected executed notebooks in {home / 'notebooks'}, but there are none. Run `make "
            "book` to execute all of them, or `robust run NAME` to execute one."
        )
    told = [fault for notebook in executed for fault in faults(notebook, home / "results")]
    if told:
        raise RunError(
            "The site requires executed notebooks that are up to date, but " + " ".join(told)
        )
    book, before = home / "book", home / "book.old"
    shutil.rmtree(before, ignore_errors=True)
    if book.exists():
        book.replace(before)
    shutil.copytree(
        paths.book(), book, ignore=shutil.ignore_patterns("_build", "__pycache__", PACKAGE.name)
    )
    names = {notebook.stem for notebook in executed}
    for notebook in executed:
        content = presentable(json.loads(notebook.read_text("utf-8")), names)
        _write_json(book / notebook.name, content)
    results = book / "_static" / "results"
    results.mkdir(parents=True)
    for folder in ("results", "figures"):
        for kind in ("json", "json.gz", "csv", "png", "svg", "webp"):
            for file in sorted((home / folder).glob(f"*.{kind}")):
                shutil.copyfile(file, results / file.name)
    _add_printed(book)
    _add_launchable(book, names)
    contents = yaml.safe_load((book / "_toc.yml").read_text("utf-8"))
    kept = built_contents(contents, names, book)
    (book / "_toc.yml").write_text(yaml.safe_dump(kept, sort_keys=False), "utf-8")
    _keep_times(book, before)
    shutil.rmtree(before, ignore_errors=True)
    return book


def _keep_times(book: Path, before: Path) -> None:
    """Restore the times of unchanged files, by which Sphinx detects changes."""
    for file in book.rglob("*"):
        was = before / file.relative_to(book)
        if file.is_file() and was.is_file() and filecmp.cmp(file, was, shallow=False):
            os.utime(file, ns=(was.stat().st_atime_ns, was.stat().st_mtime_ns))


def _add_printed(book: Path) -> None:
    """Add the papers' printed numbers to the book's files, as CSV and as JSON."""
    from robust_lib.results.reported import reported  # imports pandas

    folder = book / "_static" / "reported"
    folder.mkdir()
    for paper in paper_keys():
        source = paths.manifests() / "reported" / f"{paper}.csv"
        shutil.copyfile(source, folder / source.name)
        rows = [row.model_dump() | {"number": row.number} for row in reported(paper)]
        (folder / f"{paper}.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def _add_launchable(book: Path, chapters: Collection[str]) -> None:
    static = book / "_static"
    files = [static / "results" / f"{name}.json" for name in sorted(chapters)]
    records = [json.loads(file.read_text("utf-8")) for file in files]
    config = yaml.safe_load((book / "_config.yml").read_text("utf-8"))
    launch.write(records, static / launch.FOLDER, str(config["repository"]["url"]))


def so_far(home: Path) -> Path | None:
    """Return the folder of the site, rendered with all chapters that are finished by now.

    It is None if the site would show nothing new, if another chapter is being executed, after which
    the site will be rendered, if no chapter remains, so that the whole site is next, or if
    rendering fails: a fault in the site does not stop the whole book.

    Args:
        home: folder of a profile whose book is being made.
    """
    found = (home / "notebooks").glob("[!.]*.ipynb")
    done = sorted(path for path in found if not faults(path, home / "results"))
    left = journal.left(home).items()
    to_come = [at_work for name, at_work in left if name.startswith("notebook-")]
    if not to_come or any(to_come) or all(_shows(home, path) for path in done):
        return None
    try:
        return build(home, [path.stem for path in done], whole=False)
    except RunError as error:
        sys.stderr.write(f"{error}\n")
        return None


def _shows(home: Path, notebook: Path) -> bool:
    """Return whether the last site was made from a chapter's last saved run."""
    record = f"{notebook.stem}.json"
    saved, shown = home / "results" / record, home / "book" / "_static" / "results" / record
    page = home / "site" / f"{notebook.stem}.html"
    return page.exists() and shown.exists() and filecmp.cmp(saved, shown, shallow=False)


def build(home: Path, chapters: Collection[str] = (), *, whole: bool = True) -> Path:
    """Return the folder of the rendered site, replaced as a whole once it is complete.

    Args:
        home: folder of a profile, or of a run with other parameters.
        chapters: names of executed notebooks; empty: all.
        whole: whether every page is rendered again; otherwise only changed pages are rendered, and
            pages of prose keep their former table of contents.

    Raises:
        RunError: an executed notebook has a fault, or rendering gave warnings; they are listed.
    """
    output, site, new, old = (home / name for name in ("render", "site", "site.new", "site.old"))
    if whole:
        shutil.rmtree(output, ignore_errors=True)
    book = assemble(home, chapters)
    made = render(book, output)
    shutil.rmtree(new, ignore_errors=True)
    if whole:
        made.replace(new)
        shutil.rmtree(output, ignore_errors=True)
    else:
        shutil.copytree(made, new)
    (new / ".buildinfo").unlink(missing_ok=True)  # by which a renderer knows its last work
    if whole:
        evidence.write(new, [path.stem for path in book.glob("*.ipynb")])
    shutil.rmtree(old, ignore_errors=True)
    if site.exists():
        site.replace(old)
    new.replace(site)
    shutil.rmtree(old, ignore_errors=True)
    return site


ADDRESS = "SITE_URL"
"""The environment variable with the address at which the site is published."""


def published() -> str:
    """Return the address of the published site, with a slash at its end; "" if none is set.

    Raises:
        RunError: the setting is no address.
    """
    told = os.environ.get(ADDRESS, "").strip()
    if told and not re.fullmatch(r"https?://[^\s/?#\"<>]+(/[^\s?#\"<>]*)?", told):
        raise RunError(
            f"Expected {ADDRESS} to be an address, such as https://example.org/book/, but got "
            f"{told!r}."
        )
    return f"{told.rstrip('/')}/" if told else ""


def can_render() -> bool:
    """Return whether jupyter-book is installed, which the library itself does not require."""
    return find_spec("jupyter_book") is not None


def require_renderer() -> None:
    """Raise RunError unless pages can be rendered.

    Raises:
        RunError: jupyter-book is not installed.
    """
    if not can_render():
        raise RunError(
            "Expected jupyter-book, which renders pages, but it is not installed. Omit --open and "
            "open the executed notebook, whose path is then printed; or install the book's "
            "packages: pip install 'robust-lib[book]'. Nothing was run."
        )


def render(book: Path, output: Path) -> Path:
    """Return the folder of pages of an assembled book; those not there yet are rendered.

    Raises:
        RunError: rendering gave a warning; every one is listed.
    """
    program = "from robust_book.engine import lifetime, ready; lifetime.end_with_parent(); "
    program += "ready.skip_address_grammar(); "
    program += "from jupyter_book.cli.main import main; main()"
    command = [*ready.python(), "-c", program, "build"]
    options = ["--path-output", str(output), "-W", "--keep-going", "-n", "--quiet"]
    done = subprocess.run(
        [*command, str(book), *options],
        capture_output=True,
        text=True,
        env=os.environ | _QUIET | {lifetime.PARENT: str(os.getpid())},
    )
    if done.returncode:
        raise RunError(_failure(done.stdout + done.stderr, book))
    return output / "_build" / "html"


def faults(executed: Path, results: Path) -> list[str]:
    """Return the faults that keep an executed notebook out of the site, one sentence each.

    Args:
        results: folder with the run's `<notebook>.json`.
    """
    notebook = json.loads(executed.read_text("utf-8"))
    found = output_faults(notebook)
    source = paths.notebooks() / executed.name
    if not source.exists():
        found.append("has no committed notebook of that name.")
    elif _sources(json.loads(source.read_text("utf-8"))) != _sources(notebook):
        found.append("is stale: the committed notebook has different cells. Run it again.")
    record = results / f"{executed.stem}.json"
    if not record.exists():
        found.append("left no results: its last cell did not save them. Run it again.")
    else:
        provenance = json.loads(record.read_text("utf-8")).get("provenance", {})
        missing = sorted(PROVENANCE - set(provenance))
        home = results.parent
        of_book = home.parent != paths.runs()
        if of_book and provenance.get("profile", home.name) != home.name:
            found.append(f"was run with the profile {provenance['profile']}. Run it again.")
        if missing:
            found.append(f"has results of unknown origin: provenance lacks {', '.join(missing)}.")
    return [f"{executed.stem} {fault}" for fault in found]


def output_faults(notebook: Notebook) -> list[str]:
    """Return the faults of a notebook's outputs: errors and cells without execution.

    >>> cell = {"cell_type": "code", "source": "1", "outputs": [], "execution_count": None}
    >>> output_faults({"cells": [cell]})
    ['has an unexecuted code cell (number 1). Run it again.']
    """
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code" or not "".join(cell["source"]).strip():
            continue
        if cell.get("execution_count") is None:
            found.append(f"has an unexecuted code cell (number {number}). Run it again.")
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                found.append(f"failed in cell {number}: {output['ename']}: {output['evalue']}.")
    return found


def presentable(notebook: Notebook, executed: Collection[str]) -> Notebook:
    """Return an executed notebook in the form of the site: the same bytes for the same run.

    Times and paths of the execution are removed, as are labels, the cell that lists the saved
    files, and the cells of parameters, for which the chapter has a table. Code is folded, since
    readers look at the results first; the tag `show-input` keeps a cell's code open. Links to
    chapters that were not executed become plain words.
    """
    shown = [_plain(cell) for cell in notebook["cells"] if INJECTED not in _tags(cell)]
    cells = [
        {**cell, "source": linked(cell["source"], executed)}
        if cell["cell_type"] == "markdown"
        else cell
        for cell in shown
    ]
    kernel = {"kernelspec": notebook["metadata"]["kernelspec"]}
    return {**notebook, "cells": cells, "metadata": kernel}


def linked(text: str, executed: Collection[str]) -> str:
    """Return a text without its links to chapters that were not executed.

    >>> linked("See [the tour](00_tour.ipynb) and [more](inc_2_mce.ipynb).", ["00_tour"])
    'See [the tour](00_tour.ipynb) and more.'
    """
    return _CHAPTER.sub(lambda found: found[0] if found[2] in executed else found[1], text)


def built_contents(contents: Mapping[str, Any], executed: set[str], book: Path) -> dict[str, Any]:
    """Return the table of contents with the executed chapters and the existing pages.

    Chapters come first, with one part for each paper; chapters of no paper are at the end.
    """
    chapters = [
        {"caption": caption, "chapters": [{"file": name} for name in names]}
        for caption, names in parts(executed).items()
    ]
    last = [chapters.pop()] if chapters and chapters[-1]["caption"] == MORE else []
    prose = []
    for part in contents["parts"]:
        pages = [page for page in part["chapters"] if (book / f"{page['file']}.md").exists()]
        if pages:
            prose.append({**part, "chapters": pages})
    return {**contents, "parts": [*chapters, *prose, *last]}


# Threads and progress of the libraries that the API pages import are of no use here.
_QUIET = {"PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
_CHAPTER = re.compile(r"\[([^\]]+)\]\((\w+)\.ipynb(?:#[^)]*)?\)")
_WARNING = re.compile(r"\b(WARNING|ERROR|CRITICAL)\b")


def _failure(log: str, book: Path) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", log).replace(f"{book}{os.sep}", "")
    if "Exception occurred" in plain:
        return "The site did not render: " + plain[plain.index("Exception occurred") :][:2000]
    told = list(dict.fromkeys(line for line in plain.splitlines() if _WARNING.search(line)))
    return f"The site did not render; every warning counts as an error ({len(told)}):\n" + (
        "\n".join(told) or plain[-2000:]
    )


def _plain(cell: Notebook) -> Notebook:
    tags = _tags(cell)
    if "parameters" in tags or _saves(cell):
        tags.append("remove-cell")
    elif cell["cell_type"] == "code" and SHOWN not in tags:
        tags.append("hide-input")
    lines = "".join(cell["source"]).splitlines(keepends=True)
    shown = "".join(line for line in lines if not line.startswith("#| "))
    return {**cell, "source": shown, "metadata": {"tags": tags} if tags else {}}


def _saves(cell: Notebook) -> bool:
    """Return whether a cell lists the saved results, which the page itself shows in place."""
    shown = (output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ()))
    return any(SAVED in "".join(one) for one in shown)


def _sources(notebook: Notebook) -> list[tuple[str, str]]:
    return [
        (cell["cell_type"], "".join(cell["source"]))
        for cell in notebook["cells"]
        if INJECTED not in _tags(cell)
    ]


def _tags(cell: Notebook) -> list[str]:
    return list(cell.get("metadata", {}).get("tags", []))


def _write_json(path: Path, content: Notebook) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
